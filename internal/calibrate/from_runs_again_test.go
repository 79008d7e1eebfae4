package calibrate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/validate"
)

const slowNetwork = `gpus_per_node = 4
gpu = "a100-sxm-80gb"

[[tier]]
kind = "nvlink"
ranks = 4
bandwidth = "300GB/s"

[[tier]]
kind = "ethernet"
nics = 1
nic = "10Gb/s"
`

// explained is the step that explain shows of a layout.
func explained(t *testing.T, q ask.Question, layout string) float64 {
	t.Helper()
	q.Model, q.SeqLen, q.GlobalBatch = "llama2-7b", 4096, 64
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return float64(a.Explain(l, f).Step)
}

// A step that takes 1.2 times what explain says of two nodes: with the file that
// is calibrated on it, explain says the step. The machine is named by the option
// or by the table, and may have been calibrated before.
func TestFileGivesTheStepBack(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	slow := save("slow.toml", slowNetwork)
	was := save("was.toml", strings.Replace(slowNetwork, `gpu = "a100-sxm-80gb"`, "gpu = { preset = 'a100', fit = { correction = 2.0 } }", 1))
	for _, tt := range []struct {
		gpu, option string
		ask.Question
	}{
		{"a100-40gb", "aws-p4d", ask.Question{Hardware: "aws-p4d", GPUs: 16, Framework: "megatron"}},
		{"aws-p4d", "", ask.Question{Hardware: "aws-p4d", GPUs: 16, Framework: "megatron", Attention: "flash2"}},
		{"a100-sxm-40gb", "p4d", ask.Question{Hardware: "p4d", GPUs: 16, Framework: "torchtitan"}},
		{"aws-p5", "", ask.Question{Hardware: "aws-p5", GPUs: 16, Framework: "megatron"}},
		{"dgx-gb200", "", ask.Question{Hardware: "gb200-nvl72", GPUs: 8, Framework: "fsdp"}},
		{"a100", slow, ask.Question{Hardware: slow, GPUs: 8, Framework: "deepspeed"}},
		{slow, "", ask.Question{Hardware: slow, GPUs: 8, Framework: "nanotron"}},
		{"a100-sxm-80gb", was, ask.Question{Hardware: slow, GPUs: 8, Framework: "megatron"}},
	} {
		layout, columns := "tp=4,zero=1,sp=true", "4\t1\t1"
		if tt.Framework == "torchtitan" || tt.Framework == "fsdp" || tt.Framework == "deepspeed" {
			layout, columns = "zero=3", "1\t0\t3"
		}
		step := 1.2 * explained(t, tt.Question, layout)
		runs, err := validate.ReadRuns("r.tsv", strings.NewReader(fmt.Sprintf(
			"framework\tpreset\tgpu\tgpus\tseq_len\tgbs\ttp\tsp\tzero\tprecision\trecompute\tkernel\tstep_seconds\n"+
				"%s\tllama2-7b\t%s\t%d\t4096\t64\t%s\tbf16\tnone\t%s\t%g\n", tt.Framework, tt.gpu, tt.GPUs, columns, tt.Attention, step)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := FromRuns("r.tsv", runs, tt.option)
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.TOML("r.tsv", "2026-11-30")
		if err != nil {
			t.Fatal(err)
		}
		tt.Hardware = save("ours.toml", text)
		if got := explained(t, tt.Question, layout); math.Abs(got/step-1) > 0.005 {
			t.Errorf("%s on gpu %s, --hardware %s: %.3f s, measured %.3f s", tt.Framework, tt.gpu, tt.option, got, step)
		}
	}
}

// Of two steps, the factor is the mean: 4 and 6 s are 5 s give or take a fifth.
func TestFactorOfTwo(t *testing.T) {
	f, err := FromRuns("r.tsv", measured(t, "gb200", 4, 6), "")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Spread.Low-0.8) > 1e-9 || math.Abs(f.Spread.High-1.2) > 1e-9 {
		t.Errorf("band %v, want 0.8 to 1.2", f.Spread)
	}
}

// What rows say of the machine beside the file, or leave open, is told.
func TestNotesOnTheMachine(t *testing.T) {
	const head = "framework\tpreset\tgpu\tgpus\tseq_len\tgbs\tgpus_per_node\tinter_node\tstep_seconds\n"
	for _, tt := range []struct{ row, hardware, want string }{
		{"h100\t16\t8192\t128\t\t", "", "inter_node blank: "},
		{"h100\t8\t8192\t128\t8\t", "", ""},
		{"gb200\t8\t8192\t128\t\t", "", ""}, // two nodes of one rack
		{"aws-p5\t16\t8192\t128\t\t", "", ""},
		{"h100\t16\t8192\t128\t\t", "aws-p5", ""},
		{"h100\t16\t8192\t128\t4\t100 Gb/s per GPU", "", "not in the file, which describes h100 as it stands: gpus_per_node, inter_node: "},
		{"h100\t16\t8192\t128\t8\t400 Gb/s per GPU InfiniBand", "", ""},
		{"h100\t16\t8192\t128\t4\t100 Gb/s per GPU", "aws-p5", "not read: gpus_per_node, inter_node: --hardware aws-p5 says"},
	} {
		runs, err := validate.ReadRuns("r.tsv", strings.NewReader(head+"megatron\tllama3.1-8b\t"+tt.row+"\t6\n"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := FromRuns("r.tsv", runs, tt.hardware)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Notes) == 0 || !strings.HasPrefix(f.Notes[0], "assumed in 1 of 1 predicted rows: ") || !strings.Contains(f.Notes[0], "precision fp8") {
			t.Errorf("%s: %q: want what was assumed", tt.row, f.Notes)
		}
		rest := strings.Join(f.Notes[1:], "; ")
		if !strings.HasPrefix(rest, tt.want) || tt.want == "" && rest != "" {
			t.Errorf("%s, --hardware %s: %q, want %q", tt.row, tt.hardware, rest, tt.want)
		}
	}
}

// Another accelerator than --hardware's is refused by its row.
func TestFromRunsOfAnotherPart(t *testing.T) {
	runs := append(measured(t, "H100", 6), measured(t, "aws-p4d", 6)...)
	runs[1].Line = 3
	_, err := FromRuns("r.tsv", runs, "aws-p5")
	const want = `r.tsv:3: gpu "aws-p4d": --hardware aws-p5 is of h100-sxm-80gb: want runs of that, or --hardware aws-p4d`
	if fault, ok := err.(*catalog.Error); !ok || fault.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
