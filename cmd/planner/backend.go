package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/verify/gpu/start"
	"planner/verify/launch"
)

// The back ends of verify and bench, besides host: planner-gpu runs them.
var gpuBackends = []string{"cuda", "nccl", "rccl", "hip"}

// hostBackend is the engine on this machine's memory and network.
const hostBackend = "host"

// backendFlag is --backend.
type backendFlag struct{ name string }

func (b *backendFlag) addTo(c *cobra.Command) {
	c.Flags().StringVar(&b.name, "backend", hostBackend, "what runs the calls: host (the bundled engine), cuda (its own kernels on NVIDIA GPUs), nccl, rccl, hip (own kernels on AMD GPUs), auto")
	complete(c, "backend", func() []string { return append([]string{hostBackend, start.Auto}, gpuBackends...) })
}

// check refuses what is no back end.
func (b *backendFlag) check() error {
	all := append([]string{hostBackend, start.Auto}, gpuBackends...)
	if slices.Contains(all, b.name) {
		return nil
	}
	if n := catalog.Nearest(b.name, all); n != "" {
		return catalog.Errorf("--backend %q: no such back end: did you mean %q?", b.name, n)
	}
	return catalog.Errorf("--backend %q: no such back end: want %s", b.name, strings.Join(all, ", "))
}

// onGPUs reports whether GPUs may run the calls.
func (b *backendFlag) onGPUs() bool { return b.name != hostBackend }

// chosenBackend is a back end that is ready.
type chosenBackend struct {
	start.Found
	Path string // of planner-gpu; "" is host
	Why  string
}

// choose finds planner-gpu and asks it what is there. auto falls back to the
// host; another back end that is not ready is an answer of no.
func (b *backendFlag) choose(ctx context.Context) (*chosenBackend, error) {
	path, err := start.Find()
	var all []start.Found
	if err == nil {
		all, err = start.Backends(ctx, path)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	why, ready := "", false
	x := &chosenBackend{Path: path}
	if err != nil {
		why = err.Error()
	} else {
		x.Found, why, ready = start.Choose(all, b.name)
	}
	switch {
	case ready:
		x.Why = why
		return x, nil
	case b.name == start.Auto:
		return &chosenBackend{Found: start.Found{Backend: hostBackend}, Why: "host: no GPUs to use: " + why}, nil
	}
	return nil, &noError{"--backend " + b.name + ": " + why}
}

// orOnGPUs gives a command its --backend: it runs as it is on the host, and by
// run on a back end of GPUs that is ready. also refuses what only GPUs refuse.
func orOnGPUs(c *cobra.Command, also func(backend string) error, run func(*cobra.Command, []string, *chosenBackend) error) *cobra.Command {
	b := &backendFlag{}
	b.addTo(c)
	own := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := b.check(); err != nil {
			return err
		}
		if !b.onGPUs() {
			return own(c, args)
		}
		if err := also(b.name); err != nil {
			return err
		}
		x, err := b.choose(c.Context())
		if err != nil {
			return err
		}
		if _, is, _ := launched(); !is {
			show.Note(c.ErrOrStderr(), "backend", "%s", x.Why)
		}
		if x.Path == "" {
			return own(c, args)
		}
		return run(c, args, x)
	}
	return c
}

// launched returns the place that a launcher gives this process, if one did.
func launched() (launch.Place, bool, error) {
	p, ok, err := launch.FromEnv(os.Getenv)
	return p, ok && p.Size > 1, err
}

// presetOf names the preset of a GPU by what its driver calls it: the first
// whose words all occur.
func presetOf(gpu string) string {
	g := strings.ToUpper(gpu)
	for _, p := range driverNames {
		found := true
		for _, w := range strings.Fields(p.words) {
			found = found && strings.Contains(g, w)
		}
		if found {
			return p.preset
		}
	}
	return ""
}

// driverNames are names as drivers give them (NVIDIA's pci.ids and device
// lists of the open kernel modules; AMD's hipDeviceProp names), the more
// special ones first.
var driverNames = []struct{ words, preset string }{
	{"GH200", "gh200"}, {"GB200", "gb200"}, {"GB300", "gb300"}, {"B200", "b200-sxm"}, {"B300", "b300-sxm"},
	{"H200", "h200-sxm"}, {"H100 NVL", "h100-nvl"}, {"H100 PCIE", "h100-pcie-80gb"}, {"H100", "h100-sxm-80gb"},
	{"H800", "h800-sxm-80gb"}, {"H20", "h20"}, {"A100 PCIE", "a100-pcie-80gb"}, {"A100 40GB", "a100-sxm-40gb"},
	{"A100", "a100-sxm-80gb"}, {"A800", "a800-sxm-80gb"}, {"A10G", "a10"}, {"A10", "a10"}, {"A40", "a40"}, {"L40S", "l40s"},
	{"V100 16GB", "v100-sxm-16gb"}, {"V100", "v100-sxm-32gb"}, {"RTX 5090", "rtx-5090"}, {"RTX 4090", "rtx-4090"},
	{"RTX 3090", "rtx-3090"}, {"RTX PRO 6000", "rtx-pro-6000-server"},
	{"MI355X", "mi355x"}, {"MI325X", "mi325x"}, {"MI300X", "mi300x"}, {"MI250X", "mi250x-gcd"},
}
