package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/settings"
)

// question is the flags of every command that plans.
type question struct {
	ask.Question
	form
	interNode string
}

// settable are the flags whose defaults can be saved.
var settable = []string{"model", "gpus", "hardware", "seq-len", "global-batch", "precision", "framework", "pass", "attention",
	"gpus-per-node", "inter-node", "max-memory", "format", "top"}

func (q *question) addTo(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&q.Model, "model", "", "preset, bare size like 70b, or path to a config.json or model TOML")
	f.IntVar(&q.GPUs, "gpus", 0, "number of GPUs")
	f.StringVar(&q.Hardware, "hardware", "", "accelerator, cluster preset or cluster TOML (default "+ask.DefaultHardware+")")
	countVar(f, &q.SeqLen, "seq-len", "tokens of a sequence, e.g. 128Ki (default 8192, or the model's maximum)")
	countVar(f, &q.GlobalBatch, "global-batch", "sequences of a step (default about 4 to 16 Mi tokens)")
	f.StringVar(&q.Precision, "precision", "", strings.Join(hardware.Precisions(), ", ")+" (default bf16)")
	f.StringVar(&q.Framework, "framework", "", strings.Join(catalog.Frameworks(), ", ")+" (default any)")
	f.StringVar(&q.Pass, "pass", "", "train, or forward for a forward-only pass (default train)")
	f.Float64Var(&q.Trainable, "trainable", 0, "share of the parameters that is trained, e.g. 0.03 (default all)")
	f.StringVar(&q.Attention, "attention", "", "attention kernel: flash1, flash2, flash3, triton, sdpa, te, fused-softmax, unfused")
	f.Float64Var(&q.Imbalance, "imbalance", 0, "tokens of the busiest expert rank over the mean (default 1)")
	f.Float64Var(&q.Capacity, "capacity-factor", 0, "capacity factor of the experts, e.g. 1.25 (default dropless)")
	f.BoolVar(&q.AllowLong, "allow-long", false, "allow sequences longer than the model was trained to")
	f.IntVar(&q.Options.GPUsPerNode, "gpus-per-node", 0, "override the GPUs of a node")
	f.StringVar(&q.interNode, "inter-node", "", "override the network bandwidth per GPU, e.g. 200Gb/s")
	complete(c, "model", catalog.ModelNames)
	complete(c, "hardware", func() []string { return append(catalog.AcceleratorNames(), catalog.ClusterNames()...) })
	complete(c, "precision", hardware.Precisions)
	complete(c, "framework", catalog.Frameworks)
	complete(c, "pass", func() []string { return []string{"train", "forward"} })
}

// complete offers the values of a flag to the shell.
func complete(c *cobra.Command, flag string, values func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist: a fault of ours
	}
}

// answer resolves saved defaults and the question itself.
func (q *question) answer(c *cobra.Command) (*ask.Answer, error) {
	if err := q.prepare(c); err != nil {
		return nil, err
	}
	q.Dispatched = dispatched(c.Flags())
	a, err := ask.Ask(q.Question)
	if err == nil {
		err = a.RefuseOffload()
	}
	return a, err
}

// dispatched reports whether a constraint or a layout names the dispatcher of
// experts.
func dispatched(f *pflag.FlagSet) bool {
	limit, layout := f.Lookup("dispatcher"), f.Lookup("layout")
	return limit != nil && limit.Value.String() != "" || layout != nil && ask.Names(layout.Value.String(), "dispatcher")
}

// savedIn annotates a flag whose value was not typed with where it was saved.
const savedIn = "saved in"

// prepare resolves saved defaults and refuses values that no question has.
func (q *question) prepare(c *cobra.Command) error {
	if err := applySettings(c.Flags(), settable); err != nil {
		return err
	}
	if f := c.Flags().Lookup("gpus"); f.Changed && q.GPUs < 1 {
		return catalog.Errorf("--gpus %d: too small: want 1 to 1,048,576", q.GPUs)
	}
	return q.given(c.Flags())
}

// given refuses zero and negative values that were typed, which the question
// would take as absent.
func (q *question) given(f *pflag.FlagSet) error {
	for _, name := range []string{"seq-len", "global-batch", "gpus-per-node"} {
		if g := f.Lookup(name); g.Changed && (g.Value.String() == "0" || strings.HasPrefix(g.Value.String(), "-")) {
			return catalog.Errorf("--%s %s: too small: want at least 1", name, g.Value)
		}
	}
	for _, g := range []struct{ name, want string }{
		{"trainable", "not a share of the parameters: want more than 0, at most 1"},
		{"imbalance", "out of range: want 1 (an even load) to 1024"},
		{"capacity-factor", "out of range: want more than 0, at most 64"},
	} {
		if v := f.Lookup(g.name); v.Changed && v.Value.String() == "0" {
			return catalog.Errorf("--%s 0: %s", g.name, g.want)
		}
	}
	if q.interNode != "" {
		b, err := unit.ParseBandwidth(q.interNode)
		if err != nil {
			return catalog.Errorf("--inter-node %s", err)
		}
		if b == 0 {
			return catalog.Errorf("--inter-node %q: nothing crosses 0: want e.g. 400Gb/s or 50GB/s", q.interNode)
		}
		q.Options.InterNode = b
	}
	return q.checkFormat()
}

// applySettings sets every flag that was not given from the saved defaults.
func applySettings(f *pflag.FlagSet, keys []string) error {
	saved, err := settings.Load(settable)
	if err != nil {
		return err
	}
	for key, v := range saved {
		flag := f.Lookup(key)
		if flag == nil || flag.Changed || !slices.Contains(keys, key) {
			continue
		}
		if err := f.Set(key, v.Value); err != nil {
			return notSettable(v, flag)
		}
		if err := f.SetAnnotation(key, savedIn, []string{v.Origin}); err != nil {
			return err
		}
	}
	return nil
}

// notSettable says why a saved value is none of its flag's.
func notSettable(v settings.Value, flag *pflag.Flag) error {
	if v.Value == "" {
		return catalog.Errorf("%s: %s %q: %v", v.Origin, v.Key, v.Value, errEmpty)
	}
	return catalog.Errorf("%s: %s %q: not a %s: want %s", v.Origin, v.Key, v.Value, kindOf(flag), wantOf(flag))
}

// noArguments refuses words that no flag takes.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return catalog.Errorf("%s %q: not a flag: see %s --help", c.CommandPath(), args[0], c.CommandPath())
}
