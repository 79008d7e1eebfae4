package plan

import (
	"os"
	"strings"
	"testing"
	"time"

	"planner/internal/ask"
	"planner/internal/catalog"
)

const ownCluster = `gpu = "a100-sxm-40gb"
gpus_per_node = 8
[[tier]]
kind = "nvlink"
ranks = 8
bandwidth = "300GB/s"
[[tier]]
kind = "ib"
nics = 2
nic = "200Gb/s"
`

// ownPlan saves a plan of a model and a cluster of one's own.
func ownPlan(t *testing.T) (text string, step float64) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"own.toml": "like = \"llama3.1-8b\"\r\nlayers = 16\r\n", "ours.toml": ownCluster} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, x := answered(t, ask.Question{Model: "./own.toml", Hardware: "ours.toml", GPUs: 64}, "tp=2,zero=1")
	return string(New(a, &x.Estimate, "0.0.0", time.Now()).Encode()), float64(x.Step)
}

// TestFilesTravel: a plan of files of one's own predicts the same step where the
// files are not, and says that it read copies.
func TestFilesTravel(t *testing.T) {
	text, step := ownPlan(t)
	for _, c := range []struct {
		name, here string // a file of the same name in the other folder
		layers     int
		copies     string
	}{
		{"neither is there", "", 16, "./own.toml is not here: its copy in the plan was used; ours.toml is not here: its copy in the plan was used"},
		{"the same model is there", "like = \"llama3.1-8b\"\nlayers = 16\n", 16, "ours.toml is not here: its copy in the plan was used"},
		{"another model is there", "like = \"llama3.1-8b\"\nlayers = 24\n", 24, "./own.toml differs from its copy in the plan: the file was used; ours.toml is not here: its copy in the plan was used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.here != "" {
				if err := os.WriteFile("own.toml", []byte(c.here), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p, err := Parse("p.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			a, x, err := p.Estimate()
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Problem.Model.Layers(); got != c.layers || strings.Join(a.Copies, "; ") != c.copies {
				t.Errorf("%d layers, %q, want %d, %q", got, a.Copies, c.layers, c.copies)
			}
			if c.layers == 16 && float64(x.Step) != step {
				t.Errorf("step %v, saved %v", x.Step, step)
			}
			again := New(a, &x.Estimate, "0.0.0", time.Now())
			if again.Question.Files.Model.Text == "" || again.Question.Files.Hardware.Text != ownCluster {
				t.Errorf("saved again without %+v", again.Question.Files)
			}
		})
	}
}

// TestFilesAreChecked: a copy is held to what a file is held to, and to a size.
func TestFilesAreChecked(t *testing.T) {
	text, _ := ownPlan(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct{ was, now, want string }{
		{`gpus_per_node = 8\n`, `gpus_per_node = 8888\n`, "p.toml: ours.toml:2: gpus_per_node: 8888: want 1 to 1024"},
		{`gpus_per_node = 8\n`, `gpus_per_node = 8\nrial = 1\n`, "p.toml: ours.toml:3: unknown key \"rial\""},
		{`like = \"llama3.1-8b\"\n`, `like = \"llama3.1-8b\"\nlayers = -1\n`, "p.toml: ./own.toml:"},
		{`like = \"llama3.1-8b\"\n`, strings.Repeat(" ", catalog.MaxKept), "p.toml: files.model: 262156 bytes: too large: want at most 262144"},
		{`name = "./own.toml"`, `name = "other.toml"`, `p.toml: model "./own.toml": no such file`},
	} {
		p, err := Parse("p.toml", []byte(strings.Replace(text, c.was, c.now, 1)))
		if err == nil {
			_, _, err = p.Estimate()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40s: %v, want %s", c.now, err, c.want)
		}
	}
}

// A preset needs no copy, and its plan has no table for one.
func TestPresetsAreNotKept(t *testing.T) {
	a, x := answered(t, ask.Question{Model: "8b", Hardware: "aws-p5", GPUs: 64}, "tp=2,zero=1")
	if text := string(New(a, &x.Estimate, "0.0.0", time.Now()).Encode()); strings.Contains(text, "files") {
		t.Errorf("keeps files:\n%s", text)
	}
}
