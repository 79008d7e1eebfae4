package sweep

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
)

func TestParseAxis(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"gpus", "64..1024", []string{"64", "128", "256", "512", "1024"}},
		{"gpus", "64..1000", []string{"64", "128", "256", "512"}},
		{"gpus", "8..32+8", []string{"8", "16", "24", "32"}},
		{"gpus", "64, 96,128", []string{"64", "96", "128"}},
		{"tp", "8", []string{"8"}},
		{"zero", "0,1,3", []string{"0", "1", "3"}},
		{"inter-node", "100..800Gb/s", []string{"100Gb/s", "200Gb/s", "400Gb/s", "800Gb/s"}},
		{"inter-node", "50GB/s,100GB/s", []string{"50GB/s", "100GB/s"}},
		{"model", "8b,70b", []string{"8b", "70b"}},
		{"seq-len", "4Ki..32Ki", []string{"4096", "8192", "16384", "32768"}},
		{"seq-len", "8k,8Ki,131072", []string{"8000", "8192", "131072"}},
		{"global-batch", "512..2Ki+512", []string{"512", "1024", "1536", "2048"}},
	} {
		a, err := ParseAxis(c.name, c.text)
		if err != nil || !reflect.DeepEqual(a.Values, c.want) {
			t.Errorf("--%s %s: %v, %v, want %v", c.name, c.text, a.Values, err, c.want)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"gpus", "64..", "no whole number"}, {"gpus", "64,,128", "empty value"}, {"gpus", "128..64", "must rise"}, {"gpus", "64,64", "given twice"},
		{"gpus", "1..1000000+1", "more than 1024"}, {"gpus", "many", "no whole number"}, {"gpus", "0..8", "must rise"}, {"inter-node", "fast", "--inter-node"},
		{"gpus", "8..64+0", "must rise"}, {"gpus", "1.5", "no whole number"},
		{"gpus", "1Ki", "no whole number"}, {"seq-len", "8192,8Ki", "given twice"}, {"seq-len", "8KiB", "no whole number"},
		{"seq-len", "4Ki..2Mi+0", "must rise"}, {"seq-len", "2Mi..8Gi", "no whole number"},
	} {
		_, err := ParseAxis(c.name, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s %s: error %v, want %q", c.name, c.text, err, c.want)
		}
	}
}

func FuzzParseAxis(f *testing.F) {
	for _, s := range []string{"64..16384", "8..64+8", "1,2,4", "100..800Gb/s", "..", "+", "1e9..1e18", ",", "0..0+0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"gpus", "inter-node", "model", "seq-len"} {
			a, err := ParseAxis(name, text)
			if err == nil && (len(a.Values) == 0 || len(a.Values) > MaxPoints) {
				t.Errorf("--%s %q: %d values", name, text, len(a.Values))
			}
		}
	})
}

func run(t testing.TB, r *Request) *Result {
	t.Helper()
	out, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func axis(t testing.TB, name, text string) Axis {
	t.Helper()
	a, err := ParseAxis(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Strong scaling keeps the batch, weak scaling the batch per GPU.
func TestScaling(t *testing.T) {
	for _, scale := range []Scaling{Strong, Weak} {
		r := run(t, &Request{Base: ask.Question{Model: "8b"}, Axes: []Axis{axis(t, "gpus", "64..512")}, Scale: scale})
		first := r.Points[0].Answer
		for _, p := range r.Points {
			want := first.GlobalBatch
			if scale == Weak {
				want = first.GlobalBatch * p.Answer.GPUs / first.GPUs
			}
			if p.Answer.GlobalBatch != want {
				t.Errorf("%s: batch %d at %d GPUs, want %d", scale, p.Answer.GlobalBatch, p.Answer.GPUs, want)
			}
		}
	}
}

// A default batch is one that every number of GPUs divides.
func TestEvenBatch(t *testing.T) {
	r := run(t, &Request{Base: ask.Question{Model: "8b"}, Axes: []Axis{axis(t, "gpus", "48,64,96")}, Scale: Strong})
	for _, p := range r.Points {
		if p.Best == nil || p.Answer.GlobalBatch%p.Answer.GPUs != 0 {
			t.Errorf("%d GPUs, batch %d: %s", p.Answer.GPUs, p.Answer.GlobalBatch, p.Reason)
		}
	}
	for _, c := range []struct{ batch, common, want int }{{512, 96, 576}, {512, 64, 512}, {512, 1000, 512}, {0, 8, 0}} {
		if got := even(c.batch, c.common); got != c.want {
			t.Errorf("even(%d, %d) = %d, want %d", c.batch, c.common, got, c.want)
		}
	}
}

// Days × GPUs × 24 × price is the cost, and tokens over days the speed.
func TestEconomy(t *testing.T) {
	r := run(t, &Request{Base: ask.Question{Model: "8b"}, Axes: []Axis{axis(t, "gpus", "64,128")}, Scale: Strong, Tokens: 15e12, Price: 2.5})
	for _, p := range r.Points {
		speed := float64(p.Answer.SeqLen) * float64(p.Answer.GlobalBatch) / float64(p.Best.Step)
		near(t, "tokens/s", p.TokensPerSecond, speed)
		near(t, "days", p.Days, 15e12/speed/86400)
		near(t, "dollars", p.Dollars, p.Days*24*float64(p.Answer.GPUs)*2.5)
		near(t, "joules", p.Energy, p.Days*86400*float64(p.Answer.GPUs)*700) // H100 SXM: 700 W
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// More bandwidth never makes the best layout slower.
func TestBandwidthHelps(t *testing.T) {
	r := run(t, &Request{Base: ask.Question{Model: "8b", GPUs: 64}, Axes: []Axis{axis(t, "inter-node", "100..800Gb/s")}, Scale: Strong})
	for i := 1; i < len(r.Points); i++ {
		if a, b := r.Points[i-1].Best.Step, r.Points[i].Best.Step; b > a {
			t.Errorf("%s: %v, slower than %v", r.Points[i].Values[0], b, a)
		}
	}
}

// A point that does not fit says by how much, and the others are kept.
func TestDoesNotFit(t *testing.T) {
	r := run(t, &Request{Base: ask.Question{Model: "405b"}, Axes: []Axis{axis(t, "gpus", "8,512")}, Scale: Strong})
	if p := r.Points[0]; p.Best != nil || !strings.HasPrefix(p.Reason, "does not fit: ") {
		t.Errorf("405b on 8 GPUs: %+v", p)
	}
	if r.Points[1].Best == nil {
		t.Error("405b does not fit on 512 GPUs")
	}
	var b bytes.Buffer
	Show(&b, "table", r)
	if !strings.Contains(b.String(), "GiB short") {
		t.Error(b.String())
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Run(ctx, &Request{Base: ask.Question{Model: "8b"}, Axes: []Axis{axis(t, "gpus", "64..512")}, Scale: Strong,
		Progress: func(done, _ int) {
			if done == 2 {
				cancel()
			}
		}})
	if err != nil || !r.Interrupted || len(r.Points) != 2 || r.Of != 4 {
		t.Errorf("%v, interrupted %v, %d of %d points", err, r.Interrupted, len(r.Points), r.Of)
	}
}

// No point of the front is beaten in both aims by another.
func TestFront(t *testing.T) {
	base := run(t, &Request{Base: ask.Question{Model: "8b"}, Axes: []Axis{axis(t, "gpus", "8..64")}, Scale: Weak})
	rapid.Check(t, func(t *rapid.T) {
		r := *base
		r.Points = append([]Point{}, base.Points...)
		for i := range r.Points {
			r.Points[i].TokensPerSecond = rapid.Float64Range(1, 10).Draw(t, fmt.Sprint(i))
			r.Points[i].Efficiency = rapid.Float64Range(0.1, 1).Draw(t, fmt.Sprint("e", i))
		}
		r.front()
		any := false
		for _, p := range r.Points {
			any = any || p.Front
			for _, o := range r.Points {
				if p.Front && o.TokensPerSecond > p.TokensPerSecond && o.Efficiency > p.Efficiency {
					t.Fatal("a beaten point is on the front")
				}
			}
		}
		if !any {
			t.Fatal("an empty front")
		}
	})
}

func TestPictures(t *testing.T) {
	for _, axes := range [][]Axis{
		{axis(t, "gpus", "8..128")}, {axis(t, "gpus", "8..64"), axis(t, "tp", "1,2")}, {axis(t, "precision", "bf16,fp8")},
	} {
		base := ask.Question{Model: "8b"}
		if axes[0].Name != "gpus" {
			base.GPUs = 64
		}
		r := run(t, &Request{Base: base, Axes: axes, Scale: Strong})
		svg, err := Picture("a.svg", r)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(svg))
		for err == nil {
			_, err = d.Token()
		}
		if err != io.EOF || !bytes.Contains(svg, []byte("<title>")) {
			t.Errorf("%s: not well-formed or without a title: %v", axes[0].Name, err)
		}
		raster, err := Picture("a.png", r)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := png.Decode(bytes.NewReader(raster)); err != nil || m.Bounds().Dx() < 1000 {
			t.Errorf("%s: %v", axes[0].Name, err)
		}
	}
	if CheckPicture("a.pdf") == nil {
		t.Error("a.pdf is no picture")
	}
}
