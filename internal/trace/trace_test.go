package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"sort"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
)

// document is the trace as another program reads it.
type document struct {
	Unit   string         `json:"displayTimeUnit"`
	Other  map[string]any `json:"otherData"`
	Events []struct {
		Name, Cat, Ph, Bp string
		TS, Dur           float64
		PID, TID, ID      int
		Args              map[string]any
	} `json:"traceEvents"`
}

func stepOf(t *testing.T, q ask.Question, layout string) (*ask.Answer, []byte, error) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	err = Step(&b, a.Problem, l, f)
	return a, b.Bytes(), err
}

var question = ask.Question{Model: "llama3.1-8b", GPUs: 64, GlobalBatch: 128}

var layouts = []string{
	"tp=2,pp=4,zero=1", "tp=2,pp=4,vpp=4,zero=1", "pp=8,zero=1,schedule=zb-h1", "pp=4,schedule=gpipe,recompute=full",
	"zero=3,recompute=full", "tp=2,pp=2,cp=2,zero=1,first=15",
}

// TestStep checks that the document is valid JSON whose slices follow each
// other on every track, span the predicted step to the half percent within which
// its closed form and the walk agree, and whose flows join two slices forward in
// time.
func TestStep(t *testing.T) {
	for _, layout := range layouts {
		_, text, err := stepOf(t, question, layout)
		if err != nil {
			t.Fatal(err)
		}
		var d document
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", layout, err)
		}
		type track struct{ pid, tid int }
		slices, open := map[track][][2]float64{}, map[int]float64{}
		last, counters := 0.0, 0
		for _, e := range d.Events {
			at := track{e.PID, e.TID}
			switch e.Ph {
			case "X":
				slices[at] = append(slices[at], [2]float64{e.TS, e.TS + e.Dur})
				last = max(last, e.TS+e.Dur)
			case "s":
				open[e.ID] = e.TS
			case "f":
				start, ok := open[e.ID]
				if !ok || start > e.TS || e.Bp != "e" {
					t.Errorf("%s: flow %d ends at %v, began at %v (%v)", layout, e.ID, e.TS, start, ok)
				}
				delete(open, e.ID)
			case "C":
				counters++
			case "M":
			default:
				t.Errorf("%s: phase %q", layout, e.Ph)
			}
		}
		if len(open) > 0 || counters == 0 {
			t.Errorf("%s: %d flows without an end, %d counters", layout, len(open), counters)
		}
		for at, list := range slices {
			sort.Slice(list, func(i, j int) bool { return list[i][0] < list[j][0] })
			for i := 1; i < len(list); i++ {
				if list[i][0] < list[i-1][1]-1e-4 {
					t.Fatalf("%s: slices overlap on %v: %v and %v", layout, at, list[i-1], list[i])
				}
			}
		}
		if step := d.Other["step_seconds"].(float64) * 1e6; math.Abs(last/step-1) > 0.005 {
			t.Errorf("%s: the last slice ends at %v µs, the step takes %v", layout, last, step)
		}
	}
}

// TestMemoryCounters holds the peak of the counters against the memory of the
// estimate: what is in flight is what the schedule promises.
func TestMemoryCounters(t *testing.T) {
	for _, layout := range layouts {
		a, text, err := stepOf(t, question, layout)
		if err != nil {
			t.Fatal(err)
		}
		var d document
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout(layout)
		if err != nil {
			t.Fatal(err)
		}
		x := a.Problem.Explain(l, f)
		peak, end := make([]float64, l.PP), make([]float64, l.PP)
		for _, e := range d.Events {
			if e.Ph == "C" {
				v := e.Args["activations"].(float64)
				peak[e.PID], end[e.PID] = max(peak[e.PID], v), v
			}
		}
		for rank := range peak {
			want := x.Stages[rank].Activations.GiB()
			if peak[rank] > want*1.02+0.01 || peak[rank] < want*0.3 {
				t.Errorf("%s: rank %d holds %.2f GiB of activations at most, the estimate says %.2f", layout, rank, peak[rank], want)
			}
			if end[rank] > 1e-3 {
				t.Errorf("%s: rank %d still holds %.3f GiB after the step", layout, rank, end[rank])
			}
		}
	}
}

// TestTooLarge checks that a trace beyond what viewers open is refused with
// the batch that would do.
func TestTooLarge(t *testing.T) {
	_, _, err := stepOf(t, ask.Question{Model: "llama3.1-8b", GPUs: 8, GlobalBatch: 1 << 20}, "pp=8")
	var given *catalog.Error
	if !errors.As(err, &given) || !strings.Contains(err.Error(), "use at most 12500") {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestWriteFails checks that a failed write is reported.
func TestWriteFails(t *testing.T) {
	a, err := ask.Ask(question)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layouts[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := Step(failing{}, a.Problem, l, f); err == nil || err.Error() != "full" {
		t.Errorf("error %v, want full", err)
	}
}
