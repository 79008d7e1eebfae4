package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"planner/verify/gpu/cuda"
	"planner/verify/gpu/detect"
	"planner/verify/gpu/nccl"
	"planner/verify/gpu/nvml"
)

// paths are where libraries lie that the system does not find.
type paths struct{ cuda, nvml, nccl, sys string }

func newDevices() *cobra.Command {
	p := paths{sys: "/sys"}
	c := &cobra.Command{
		Use:   "devices",
		Short: "List GPUs, network cards and libraries, and what speaks against measuring now",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.list(c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&p.cuda, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	c.Flags().StringVar(&p.nvml, "libnvml", "", "path of libnvidia-ml.so.1")
	c.Flags().StringVar(&p.nccl, "libnccl", "", "path of libnccl.so.2")
	return c
}

func given(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}

// list writes what there is; a library that is missing is a note.
func (p paths) list(out, notes io.Writer) error {
	nics, err := detect.NICs(p.sys)
	if err != nil {
		return err
	}
	drv, err := cuda.Open(given(p.cuda)...)
	if err != nil {
		return err
	}
	all, err := drv.Devices()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "driver of CUDA %d.%d\n", drv.Version/1000, drv.Version%1000/10)
	for _, d := range all {
		fmt.Fprintf(out, "GPU %d  %s  %s  sm_%d  %d units  %.0f GiB  near %s\n", d.Ordinal, d.Bus, d.Name, d.Capability,
			d.Multiprocessors, float64(d.Memory)/(1<<30), names(detect.Near(p.sys, d.Bus, nics)))
	}
	if err := peers(out, drv, len(all)); err != nil {
		return err
	}
	for _, n := range nics {
		fmt.Fprintf(out, "NIC %s:%d  %s  %s  %.0f Gb/s  NUMA %d  up %v\n", n.Name, n.Port, n.Bus, n.Layer, float64(n.Rate)*8/1e9, n.Node, n.Up)
	}
	if lib, err := nccl.Open(nccl.NCCL, given(p.nccl)...); err != nil {
		fmt.Fprintln(notes, "note:", err)
	} else {
		fmt.Fprintf(out, "NCCL %s\n", lib.VersionText())
	}
	p.health(out, notes)
	return nil
}

func names(nics []detect.NIC) string {
	if len(nics) == 0 {
		return "no NIC"
	}
	var s []string
	for _, n := range nics {
		s = append(s, n.Name)
	}
	return strings.Join(s, ", ")
}

// peers writes which GPUs kernels can read directly.
func peers(out io.Writer, d *cuda.Driver, n int) error {
	for a := range n {
		var far []string
		for b := range n {
			yes, err := d.Reaches(a, b)
			if err != nil {
				return err
			}
			if !yes {
				far = append(far, fmt.Sprint(b))
			}
		}
		if len(far) > 0 {
			fmt.Fprintf(out, "GPU %d cannot read GPUs %s: messages between them are copied first\n", a, strings.Join(far, ", "))
		}
	}
	return nil
}

// health writes clocks and doubts where NVML is there.
func (p paths) health(out, notes io.Writer) {
	lib, err := nvml.Open(given(p.nvml)...)
	if err != nil {
		fmt.Fprintln(notes, "note: clocks and throttling are not read:", err)
		return
	}
	defer lib.Close()
	states, err := lib.States()
	if err != nil {
		fmt.Fprintln(notes, "note: clocks and throttling are not read:", err)
		return
	}
	for _, s := range states {
		fmt.Fprintf(out, "GPU %s  %d of %d MHz  %d C  %d W  NVLinks up %d\n", s.Bus, s.ClockMHz, s.MaxClockMHz, s.Celsius, s.Watts, s.NVLinks)
	}
	for _, d := range detect.Doubts(states, states) {
		fmt.Fprintln(notes, "note:", d)
	}
}
