package worker

import (
	"context"
	"errors"
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
	m, err := matrix(ctx, drv, n, iters)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "from\\to")
	for i := range m {
		fmt.Fprintf(out, "\t%d", i)
	}
	fmt.Fprintln(out)
	for from, row := range m {
		fmt.Fprint(out, from)
		for _, rate := range row {
			fmt.Fprintf(out, "\t%.1f", rate/float64(unit.GBps))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// matrix measures copies between every two GPUs, in bytes per second.
func matrix(ctx context.Context, drv *cuda.Driver, n, iters int) (m [][]float64, err error) {
	all, err := drv.Devices()
	if err != nil {
		return nil, err
	}
	ordinals := make([]int, len(all))
	for i := range ordinals {
		ordinals[i] = i
	}
	g, err := cuda.NewGroup(drv, ordinals)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for from := range ordinals {
		row := make([]float64, len(ordinals))
		for to := range ordinals {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if row[to], err = g.Bandwidth(from, to, n, iters); err != nil {
				return nil, fmt.Errorf("GPU %d to %d: %w", from, to, err)
			}
		}
		m = append(m, row)
	}
	return m, nil
}
