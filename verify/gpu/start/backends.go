package start

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// Found says what a back end found on this machine.
type Found struct {
	Backend string `json:"backend"` // nccl, cuda or rccl
	Ready   bool   `json:"ready"`
	GPUs    int    `json:"gpus"`
	Name    string `json:"name"`  // of the first GPU
	What    string `json:"what"`  // libraries and versions, or why not
	Mixed   bool   `json:"mixed"` // GPUs differ
}

// Backends asks planner-gpu what this machine has, best first.
func Backends(ctx context.Context, path string) ([]Found, error) {
	c := exec.CommandContext(ctx, path, "backends", "--format", "json")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		return nil, reason(err, said.String())
	}
	var all []Found
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("%s: not what planner-gpu backends prints: %w", path, err)
	}
	return all, nil
}

// Auto is the back end that picks itself.
const Auto = "auto"

// Choose picks a back end: the one named if it is ready, or with auto the first
// that is. why says so in one line; where none is ready, ok is false.
func Choose(all []Found, name string) (f Found, why string, ok bool) {
	var missing []string
	for _, f := range all {
		switch {
		case name != Auto && f.Backend != name:
		case f.Ready:
			return f, fmt.Sprintf("%s: %d × %s, %s", f.Backend, f.GPUs, f.Name, f.What), true
		default:
			missing = append(missing, f.What)
		}
	}
	if len(missing) == 0 {
		return f, fmt.Sprintf("%s: planner-gpu does not know it", name), false
	}
	return f, strings.Join(unique(missing), "; "), false
}

func unique(list []string) (out []string) {
	for _, s := range list {
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}
