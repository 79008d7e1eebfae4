package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/show"
	"planner/internal/sweep"
)

type sweepFlags struct {
	question
	values                     map[string]*string // by the name of a flag that can be swept
	scale, tokens, price, plot string
}

func newSweep() *cobra.Command {
	o := &sweepFlags{values: map[string]*string{}}
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Best layout over GPUs, sequence, batch, model, bandwidth or degrees",
		Long: `sweep finds the best layout at each point of one or two dimensions. A flag with a list or a range is
swept: --gpus 64..16384 doubles, --gpus 8..64+8 adds, --gpus 64,96 lists. Strong scaling keeps the global
batch, weak scaling the batch per GPU. Ctrl-C keeps the points done and ends with status 1.`,
		Example: `  planner sweep --model 70b --gpus 64..16384
  planner sweep --model 70b --gpus 64..16384 --tokens 15T --price 2.50 --plot scaling.svg
  planner sweep --model 8b,70b --gpus 64..4096 --scale weak --format csv
  planner sweep --model 70b --gpus 1024 --inter-node 100..800Gb/s --tp 4,8
  planner sweep --model 70b --gpus 1024 --seq-len 4096..131072 --global-batch 256`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runSweep(c, o) },
	}
	o.addSweepFlags(c)
	return c
}

// addSweepFlags adds the flags of a question and of the constraints, those that
// can be swept as text.
func (o *sweepFlags) addSweepFlags(c *cobra.Command) {
	f, own := c.Flags(), &cobra.Command{}
	o.addTo(own)
	o.addFormat(own, own.Flags())
	addConstraints(own.Flags(), &o.Limits)
	can := map[string]bool{}
	for _, name := range sweep.Names() {
		can[name] = true
	}
	own.Flags().VisitAll(func(g *pflag.Flag) {
		if !can[g.Name] {
			f.AddFlag(g)
			return
		}
		o.values[g.Name] = f.String(g.Name, "", g.Usage+"; list or range: swept")
	})
	f.StringVar(&o.scale, "scale", "strong", "strong: the same global batch at every number of GPUs; weak: the same per GPU")
	f.StringVar(&o.tokens, "tokens", "", "tokens to train, e.g. 15T: adds days, cost and energy")
	f.StringVar(&o.price, "price", "", "US dollars of a GPU hour, e.g. 2.50 (default: the cluster preset's, if it has one)")
	f.StringVar(&o.plot, "plot", "", "draw into FILE.svg or FILE.png")
	complete(c, "scale", func() []string { return []string{"strong", "weak"} })
	complete(c, "model", catalog.ModelNames)
}

func runSweep(c *cobra.Command, o *sweepFlags) error {
	r, err := o.request(c)
	if err != nil {
		return err
	}
	bar := progress(c.ErrOrStderr())
	r.Progress = func(done, of int) { bar.points(done, of) }
	start := time.Now()
	result, err := sweep.Run(c.Context(), r)
	bar.clear()
	if err != nil {
		return err
	}
	if err := showSweep(c, o, result); err != nil {
		return err
	}
	legal := 0
	for i := range result.Points {
		legal += result.Points[i].Legal
	}
	show.Note(c.ErrOrStderr(), "searched", "%d points, %s layouts, in %.1f s", len(result.Points), show.Count(legal), time.Since(start).Seconds())
	return sweepVerdict(result)
}

func sweepVerdict(r *sweep.Result) error {
	if r.Interrupted {
		return &noError{fmt.Sprintf("interrupted: %d of %d points are done", len(r.Points), r.Of)}
	}
	for i := range r.Points {
		if r.Points[i].Best != nil {
			return nil
		}
	}
	return &noError{"no layout fits at any point"}
}

func showSweep(c *cobra.Command, o *sweepFlags, r *sweep.Result) error {
	if o.plot != "" && len(r.Points) > 0 {
		text, err := sweep.Picture(o.plot, r)
		if err != nil {
			return err
		}
		if err := export.WriteFile(o.plot, text); err != nil {
			return err
		}
		show.Note(c.ErrOrStderr(), "picture", "%s", o.plot)
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), sweep.NewDocument(r))
	}
	if o.format == "table" {
		sweep.Header(c.OutOrStdout(), r)
	}
	sweep.Show(c.OutOrStdout(), o.format, r)
	sweep.Notes(c.ErrOrStderr(), r)
	return nil
}
