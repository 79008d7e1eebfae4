package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// suggestFlags are parsed but unchecked.
type suggestFlags struct {
	question
	top        int
	all, stats bool
}

func newSuggest() *cobra.Command { return suggestCommand(&suggestFlags{}) }

func suggestCommand(o *suggestFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "suggest",
		Short: "Rank every legal layout of a model on a cluster",
		Long: `Rank every legal layout of a model on a cluster. With --framework any a layout stands once, under the first
framework in the order of planner frameworks that runs it; --framework NAME shows what one of them makes of all.`,
		Example: `  planner suggest --model 70b --gpus 1024
  planner suggest --model ./config.json --gpus 256 --hardware a100-sxm-80gb --seq-len 4096
  planner suggest --model 70b --gpus 1024 --framework torchtitan --pp 1 --max-memory 60GiB
  planner suggest --model 70b --gpus 1024 --top 1 --format json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runSuggest(c, o) },
	}
	o.addTo(c)
	o.addFormat(c, c.Flags())
	f := c.Flags()
	addConstraints(f, &o.Limits)
	f.IntVar(&o.top, "top", 10, "how many layouts to show")
	f.BoolVar(&o.all, "all", false, "show every fitting layout")
	f.BoolVar(&o.stats, "stats", false, "print the values tried per dimension and the rate")
	return c
}

// addConstraints adds the flags that narrow a search.
func addConstraints(f *pflag.FlagSet, l *ask.Constraints) {
	for _, d := range []struct {
		name string
		to   *string
		help string
	}{
		{"tp", &l.TP, "tensor-parallel degrees, e.g. 1,2,4 or 1..8"},
		{"pp", &l.PP, "pipeline-parallel degrees"},
		{"vpp", &l.VPP, "virtual stages per rank"},
		{"cp", &l.CP, "context-parallel degrees"},
		{"ep", &l.EP, "expert-parallel degrees"},
		{"etp", &l.ETP, "expert-tensor-parallel degrees"},
		{"zero", &l.Zero, "ZeRO stages, e.g. 1,3"},
		{"shard", &l.Shard, "ranks over which ZeRO state is split"},
		{"mbs", &l.MBS, "sequences of a micro-batch (default 1,2,4,8,16)"},
		{"hpz", &l.HPZ, "secondary shard sizes of ZeRO++ (0: off)"},
		{"sp", &l.SP, "sequence parallelism: true, false"},
		{"recompute", &l.Recompute, "none, selective, full, full:N"},
		{"schedule", &l.Schedule, "1f1b, gpipe, zb-h1 at vpp=1"},
		{"first", &l.First, "layers of the first pipeline rank"},
		{"last", &l.Last, "layers of the last pipeline rank"},
		{"cpkind", &l.CPKind, "p2p, allgather, a2a"},
		{"dispatcher", &l.Dispatcher, "alltoall, allgather, flex"},
		{"offload", &l.Offload, "none, optimizer, optimizer+param"},
		{"max-memory", &l.MaxMemory, "memory allowed per GPU, e.g. 72GiB"},
	} {
		f.StringVar(d.to, d.name, "", d.help)
	}
	f.IntVar(&l.MinDP, "min-dp", 0, "least data-parallel degree")
	f.IntVar(&l.MaxDP, "max-dp", 0, "largest data-parallel degree")
	f.Var((*patterns)(&l.Exclude), "exclude", "refuse layouts that match these pairs, e.g. tp=8,pp=1")
}

func runSuggest(c *cobra.Command, o *suggestFlags) error {
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	if o.top < 1 {
		return catalog.Errorf("--top %d: too small: want at least 1", o.top)
	}
	bar := progress(c.ErrOrStderr())
	r := a.Search(c.Context(), a.Space(), strategies.Options{Top: max(o.top, show.CountedTies), KeepAll: o.all, Progress: bar.update})
	bar.clear()
	if given := a.Limits.Words(); r.Legal == 0 && !r.Interrupted && given != nil {
		return catalog.Errorf("--%s: no legal layout: %s: loosen it, or change --gpus or --global-batch", strings.Join(given, " --"), reasons(r))
	}
	return answerSuggest(c, o, a, r)
}

// answerSuggest shows what a search found and says how it ends.
func answerSuggest(c *cobra.Command, o *suggestFlags, a *ask.Answer, r *strategies.Result) error {
	rows := o.top
	if o.all {
		rows = len(r.Ranking)
	}
	ties := show.Shown(r, rows)
	if err := showSuggestion(c, o.format, a, r); err != nil {
		return err
	}
	notes := c.ErrOrStderr()
	show.SuggestNotes(notes, a, r, ties)
	if o.stats {
		show.Stats(notes, r)
	}
	return suggestVerdict(a, r)
}

// showSuggestion writes the ranking, or the nearest that fits where none does.
func showSuggestion(c *cobra.Command, format string, a *ask.Answer, r *strategies.Result) error {
	nearest, out := ask.NearestOf(a, r), c.OutOrStdout()
	switch {
	case format == "json":
		return show.JSON(out, show.NewSuggestion(a, r, nearest))
	case len(r.Ranking) == 0:
		prose := out
		if format != "table" {
			show.Ranking(out, format, a.Problem, nil)
			prose = c.ErrOrStderr()
		}
		if nearest != nil {
			show.Nearest(prose, a, nearest)
		}
	case format == "table":
		show.Header(out, a)
		show.Only(out, a.Limits.Words())
		fmt.Fprintln(out)
		show.Ranking(out, format, a.Problem, r.Ranking)
		show.Tastes(out, a.Problem, r)
	default:
		show.Ranking(out, format, a.Problem, r.Ranking)
	}
	return nil
}

// suggestVerdict is an answer of no where no layout fits or not all were seen.
func suggestVerdict(a *ask.Answer, r *strategies.Result) error {
	switch {
	case r.Interrupted:
		return &noError{fmt.Sprintf("interrupted: the best of the %s layouts seen so far is shown", show.Count(r.Legal))}
	case r.Legal == 0:
		return &noError{fmt.Sprintf("no legal layout: %s: use --global-batch %d, a multiple of the GPUs, or another --gpus", reasons(r), ask.EvenBatch(a))}
	case len(r.Ranking) == 0:
		return &noError{"no layout fits"}
	}
	return nil
}

func reasons(r *strategies.Result) string {
	var parts []string
	for rule, n := range r.Rejected {
		parts = append(parts, fmt.Sprintf("%s refused by %s", show.Count(n), rule))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ") + exampleOf(r)
}

// exampleOf explains one refusal by the rule that refused most.
func exampleOf(r *strategies.Result) string {
	var most strategies.Rule
	for rule, n := range r.Rejected {
		if m := r.Rejected[most]; n > m || n == m && rule < most {
			most = rule
		}
	}
	v := r.Example[most]
	if v == nil {
		return ""
	}
	return fmt.Sprintf(" (%s: %s: %s)", v.Given, v.Reason, v.Remedy)
}
