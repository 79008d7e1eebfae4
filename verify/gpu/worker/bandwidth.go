package worker

import (
	"context"
	"fmt"
	"io"

	"planner/hardware/unit"
	"planner/verify/gpu/cuda"
)

// Bandwidth measures copies of n bytes between every two GPUs of the machine,
// one pair at a time, and writes a tab-separated matrix in GB/s: a row is
// read from, a column written to. On the diagonal a GPU copies within itself,
// which moves each byte twice through its memory.
func Bandwidth(ctx context.Context, amd bool, driver string, n, iters int, out io.Writer) error {
	drv, err := openDriver(amd, driver)
	if err != nil {
		return err
	}
	all, err := drv.Devices()
	if err != nil {
		return err
	}
	ordinals := make([]int, len(all))
	fmt.Fprint(out, "from\\to")
	for i := range ordinals {
		ordinals[i] = i
		fmt.Fprintf(out, "\t%d", i)
	}
	fmt.Fprintln(out)
	g, err := cuda.NewGroup(drv, ordinals)
	if err != nil {
		return err
	}
	for from := range ordinals {
		fmt.Fprint(out, from)
		for to := range ordinals {
			if err := ctx.Err(); err != nil {
				return err
			}
			rate, err := g.Bandwidth(from, to, n, iters)
			if err != nil {
				return fmt.Errorf("GPU %d to %d: %w", from, to, err)
			}
			fmt.Fprintf(out, "\t%.1f", rate/float64(unit.GBps))
		}
		fmt.Fprintln(out)
	}
	return g.Close()
}
