package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/plan"
	"planner/internal/show"
)

var base = ask.Question{Model: "70b", GPUs: 1024, Framework: "megatron"}

func resolve(t testing.TB, q ask.Question, args ...string) []Side {
	t.Helper()
	var sides []Side
	for _, a := range args {
		s, err := Resolve(context.Background(), q, a)
		if err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		sides = append(sides, *s)
	}
	return sides
}

func TestSameLayout(t *testing.T) {
	c := Of(resolve(t, base, "tp=8,pp=4,zero=1", "zero=1,pp=4,tp=8"))
	for _, term := range c.Terms {
		if term.Verdicts[1] != Equal || term.Values[0] != term.Values[1] {
			t.Errorf("%s: %v, %v", term.Name, term.Values, term.Verdicts)
		}
	}
	if c.Best != -1 {
		t.Errorf("best %d of two equal plans", c.Best)
	}
}

// Terms add up: the parts of each side sum to its step.
func TestPartsSum(t *testing.T) {
	c := Of(resolve(t, base, "tp=8,pp=4,zero=1", "tp=4,pp=4,vpp=10,zero=1", "best"))
	for k := range c.Sides {
		sum, step := 0.0, 0.0
		for _, term := range c.Terms {
			if term.Part {
				sum += term.Values[k]
			}
			if term.Name == "step" {
				step = term.Values[k]
			}
		}
		if d := sum/step - 1; d > 1e-6 || d < -1e-6 {
			t.Errorf("side %d: parts sum to %g, step %g", k, sum, step)
		}
	}
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"tp=8,pp=4,zero=1", "tp=8,pp=2,zero=1", "step"},
		{"tp=8,pp=4,zero=1", "hardware=h200-sxm,tp=8,pp=4,zero=1", "step"},
		{"tp=8,pp=4,zero=1", "gpus=512,global-batch=1024,tp=8,pp=4,zero=1", "tokens/s/GPU"},
		{"tp=8,pp=4,zero=1", "model=8b,tp=8,zero=1", "MFU"},
	} {
		if got := Of(resolve(t, base, c.a, c.b)).Measure; got != c.want {
			t.Errorf("%s against %s: measured by %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// figures draws a plan's figures for one question.
func figures(t *rapid.T, name string) Side {
	step := rapid.Float64Range(1, 10).Draw(t, name)
	half := rapid.Float64Range(0, 0.3).Draw(t, name+" half")
	p := &plan.Plan{Predicted: plan.Figures{Step: step, Low: step * (1 - half), High: step * (1 + half), Compute: step, MFU: 1 / step,
		Tokens: 1000 / step, Memory: 1e9, Usable: 2e9, Fits: true}}
	return Side{Plan: p}
}

// Swapping two sides swaps the verdict, and the better one is never slower.
func TestSwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := figures(t, "a"), figures(t, "b")
		x, y := Of([]Side{a, b}), Of([]Side{b, a})
		if x.Best < 0 != (y.Best < 0) || x.Best >= 0 && x.Best != 1-y.Best {
			t.Fatalf("best %d, swapped %d", x.Best, y.Best)
		}
		if x.Best >= 0 && x.Sides[x.Best].Predicted.Step >= x.Sides[1-x.Best].Predicted.Step {
			t.Fatal("the better side is slower")
		}
	})
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	s := resolve(t, base, "tp=8,pp=4,zero=1")[0]
	saved := *s.Plan
	saved.Predicted.Step *= 2
	saved.Saved = time.Now().Format(time.DateOnly)
	path := filepath.Join(dir, "plan.toml")
	if err := os.WriteFile(path, saved.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := Of(resolve(t, ask.Question{}, path, path))
	if c.Sides[0].Predicted.Step != saved.Predicted.Step {
		t.Error("a saved plan is not compared as it was saved")
	}
	var b bytes.Buffer
	Show(&b, "table", c)
	if !strings.Contains(b.String(), "as saved "+saved.Saved) {
		t.Errorf("the table does not say that figures were saved:\n%s", b.String())
	}
}

func TestDocument(t *testing.T) {
	c := Of(resolve(t, base, "tp=4,pp=4,vpp=10,zero=1", "tp=8,pp=4,vpp=10,zero=1"))
	var b bytes.Buffer
	if err := show.JSON(&b, NewDocument(c)); err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Sides) != 2 || d.Best == nil || *d.Best != 0 || d.Terms[0].Term != "step" {
		t.Errorf("%+v", d)
	}
	for _, format := range []string{"csv", "markdown"} {
		b.Reset()
		Show(&b, format, c)
		if b.Len() == 0 || strings.Contains(b.String(), "why   ") {
			t.Errorf("%s: %q", format, b.String())
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for arg, want := range map[string]string{
		"tp":                "not a layout",
		"tpp=8":             `did you mean "tp"`,
		"gpus=many":         "not a whole number",
		"gpus=0":            "not a whole number",
		"inter-node=fast":   "inter-node=fast",
		"hardware=h1000":    "unknown",
		"model=":            "no value",
		"plan.toml":         "no such file",
		"tp=3,pp=4":         "tp",
		"tp=8,gpus=1000000": "global",
	} {
		_, err := Resolve(context.Background(), base, arg)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q on one line", arg, err, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"best", "tp=8,pp=4", "hardware=b200-sxm,tp=8", "inter-node=200Gb/s", ",=,", "gpus=1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		if _, _, err := split(base, arg); err != nil && err.Error() == "" {
			t.Error("an empty error")
		}
	})
}
