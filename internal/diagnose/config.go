// Package diagnose reads the configuration of a run as its framework spells
// it, and says what the model expects of it, what could explain a measured
// step, what is mis-set, and which better layout is near.
package diagnose

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"planner/internal/catalog"
	"planner/internal/plan"
	"planner/strategies"
)

// layoutKind is the Kind of a layout that no file holds.
const layoutKind = "layout"

// Config is what a file says of a run. Zero values were not said.
type Config struct {
	Kind      string // "DeepSpeed JSON", "Megatron arguments", …
	Framework string // the profile that runs it
	Model     string // a model that the file names or describes
	Layout    strategies.Layout
	// Instances are the groups of data-parallel ranks that each hold all of the
	// ZeRO state; PerStage the layers of a virtual stage. Both settle a part of
	// the layout once the GPUs and the model are known; 0: not said.
	Instances, PerStage int

	Seq, GlobalBatch, Accumulate int
	// mismatch is the fault of a batch that no number of GPUs makes whole; with
	// a known number the nearest values that hold are named instead.
	mismatch  error
	Precision string
	Capacity  float64 // factor that experts are padded to; 0: no token is dropped
	GPUs      int     // where the file implies them

	saved *plan.Plan // the whole question, where the file is one

	Overlap  *bool // whether gradient calls run beside the backward pass
	Bucket   int   // elements of a gradient bucket
	Autos    []string
	Notes    []string // how settings were read
	Findings []Finding
}

// Finding is one thing that is mis-set or worth knowing.
type Finding struct {
	Setting string `json:"setting"` // as the file spells it
	Says    string `json:"says"`
}

func (c *Config) note(s string) { c.Notes = append(c.Notes, s) }

func (c *Config) find(setting, says string) { c.Findings = append(c.Findings, Finding{setting, says}) }

// Read reads the file that name names, or a layout string. Errors are
// *catalog.Error.
func Read(name string) (*Config, error) {
	if strings.Contains(name, "=") && !strings.ContainsAny(name, `/\`) {
		return layoutConfig(name)
	}
	text, err := catalog.ReadFile("configuration", name)
	if err != nil {
		if !strings.ContainsAny(name, `./\`) && errors.Is(statError(name), fs.ErrNotExist) {
			return nil, catalog.Errorf("diagnose %q: neither a file nor a layout: want a configuration file, or a layout such as tp=8,pp=4,zero=1", name)
		}
		return nil, err
	}
	return Parse(name, text)
}

func statError(name string) error {
	_, err := os.Stat(name)
	return err
}

func layoutConfig(text string) (*Config, error) {
	l, err := strategies.ParseLayout(text)
	if err != nil {
		return nil, catalog.Errorf("%s", err)
	}
	return &Config{Kind: layoutKind, Layout: l}, nil
}

// Parse reads the text of a file, whose name decides between formats where the
// text does not.
func Parse(name string, text []byte) (*Config, error) {
	trimmed := bytes.TrimSpace(text)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case len(trimmed) == 0:
		return nil, catalog.Errorf("%s: empty: want a DeepSpeed JSON, Megatron arguments or YAML, or a torchtitan TOML", name)
	case bytes.IndexByte(text, 0) >= 0:
		return nil, catalog.Errorf("%s: not a text file: want a DeepSpeed JSON, Megatron arguments or YAML, or a torchtitan TOML", name)
	case plan.Wrote(name, text):
		return planConfig(name, text)
	case trimmed[0] == '{' || ext == ".json":
		return parseDeepSpeed(name, trimmed)
	case ext == ".yaml" || ext == ".yml":
		return parseMegatronYAML(name, text)
	case ext == ".toml":
		return parseTitan(name, text)
	case bytes.Contains(text, []byte("--")):
		return parseMegatronArgs(name, text)
	}
	return nil, catalog.Errorf("%s: no format that is known: want a DeepSpeed JSON, Megatron arguments or YAML, or a torchtitan TOML", name)
}

// planConfig reads what planner wrote.
func planConfig(name string, text []byte) (*Config, error) {
	p, err := plan.Parse(name, text)
	if err != nil {
		return nil, err
	}
	l, err := strategies.ParseLayout(p.Layout)
	if err != nil {
		return nil, catalog.Errorf("%s: %s", name, err)
	}
	l.MBS = max(1, l.MBS) // a layout string leaves mbs=1 out
	q := p.Asked()
	return &Config{Kind: p.From, Framework: p.Framework, Model: q.Model, Layout: l, Seq: q.SeqLen, GlobalBatch: q.GlobalBatch,
		Precision: q.Precision, GPUs: q.GPUs, saved: p}, nil
}

// Answers reports whether the file answers a flag of the question, so that a
// saved default does not.
func (c *Config) Answers(flag string) bool {
	switch flag {
	case "model":
		return c.Model != ""
	case "gpus":
		return c.GPUs > 0
	case "precision":
		return c.Precision != ""
	case "framework":
		return c.Framework != ""
	}
	return c.States(flag)
}

// States reports whether the file answers a flag outright, so that none may be
// typed beside it: what a model's shape or a framework's default was read as
// may be said better.
func (c *Config) States(flag string) bool {
	return c.saved != nil || flag == "seq-len" && c.Seq > 0 || flag == "global-batch" && c.GlobalBatch > 0
}
