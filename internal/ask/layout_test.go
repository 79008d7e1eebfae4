package ask_test

import (
	"testing"

	"planner/internal/ask"
)

// A refusal quotes what the layout string says, and a default only where that
// alone is at fault.
func TestRefusalQuotesWhatWasGiven(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 64, GlobalBatch: 1000})
	if err != nil {
		t.Fatal(err)
	}
	const dense = "llama3.1-8b has no experts: "
	const batch = "a global batch of 1000 is not a multiple of dp·mbs = "
	for layout, want := range map[string]string{
		"tp=2,etp=1":        `--layout "etp=1": ` + dense + "use --global-batch 992 without etp or --global-batch 1024 without etp",
		"tp=2, ep=2":        `--layout "ep=2": ` + dense + "use --global-batch 992 without ep or --global-batch 1024 without ep",
		"tp=2,ep=2,etp=1":   `--layout "ep=2,etp=1": ` + dense + "use --global-batch 992 without ep and etp or --global-batch 1024 without ep and etp",
		"tp=8,mbs=2":        `--layout "mbs=2": ` + batch + "16: use --global-batch 992 or 1008",
		"tp=1":              `--layout "dp=64,mbs=1": ` + batch + "64: use --global-batch 960 or 1024",
		"tp=8,dp=8,cpkind=": `--layout "cpkind=": no such value: want one of p2p, allgather, a2a`,
	} {
		if _, _, err := a.Layout(layout); err == nil || err.Error() != want {
			t.Errorf("Layout(%q): %v, want %s", layout, err, want)
		}
	}
}
