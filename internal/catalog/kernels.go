package catalog

import (
	"io/fs"
	"path"
	"strings"

	"planner/costmodel/kernel"
	"planner/hardware/unit"
	"planner/presets"
)

// KernelFile is one file of presets/kernels: constants and where they come
// from.
type KernelFile struct {
	Arch       string    `toml:"arch"`
	Source     string    `toml:"source"`
	AsOf       string    `toml:"as_of"`
	FittedOn   string    `toml:"fitted_on"`
	Confidence string    `toml:"confidence"`
	Product    product   `toml:"gemm"`
	Memory     memory    `toml:"memory"`
	Attention  attention `toml:"attention"`
	Constants  kernel.Constants
}

type product struct {
	Tiles   []float64     `toml:"tiles"`
	Operand float64       `toml:"operand"`
	Grouped float64       `toml:"grouped"`
	Group   float64       `toml:"group_us"`
	Half    kernel.Format `toml:"half"`
	Byte    kernel.Format `toml:"byte"`
	Block   kernel.Format `toml:"block"`
	Nibble  kernel.Format `toml:"nibble"`
	Single  kernel.Format `toml:"single"`
}

type memory struct {
	Share  float64    `toml:"share"`
	L2     float64    `toml:"l2"`
	Ramp   unit.Bytes `toml:"ramp_bytes"`
	Launch float64    `toml:"launch_us"`
}

type attention struct {
	Usual        string       `toml:"usual"`
	ScoreFused   float64      `toml:"score_bytes_fused"`
	ScoreUnfused float64      `toml:"score_bytes_unfused"`
	Scan         float64      `toml:"scan"`
	Flash1       kernel.Flash `toml:"flash1"`
	Flash2       kernel.Flash `toml:"flash2"`
	Flash3       kernel.Flash `toml:"flash3"`
	Flash4       kernel.Flash `toml:"flash4"`
	TE           kernel.Flash `toml:"te"`
	SDPA         kernel.Flash `toml:"sdpa"`
}

// KernelArchs returns the architectures that have a file of their own.
func KernelArchs() []string {
	files, _ := fs.Glob(presets.Kernels, "kernels/*.toml")
	var names []string
	for _, f := range files {
		if n := strings.TrimSuffix(path.Base(f), ".toml"); n != "generic" {
			names = append(names, n)
		}
	}
	return names
}

// LoadKernels returns the constants of arch: those of its file, over those of
// generic.toml. An architecture without a file gets the nearest that has one,
// or the generic constants; KernelFile.Arch says which were taken.
func LoadKernels(arch string) (KernelFile, error) {
	var f KernelFile
	if err := f.read("generic"); err != nil {
		return f, err
	}
	if name := kernelArch(arch); name != "generic" {
		if err := f.read(name); err != nil {
			return f, err
		}
	}
	return f, f.build()
}

// kernelArch returns the file name for arch: itself, or the longest file name
// that it begins with ("blackwell (sm120)" → "blackwell").
func kernelArch(arch string) string {
	best := "generic"
	for _, n := range KernelArchs() {
		if arch == n {
			return n
		}
		if strings.HasPrefix(arch, n) && (best == "generic" || len(n) > len(best)) {
			best = n
		}
	}
	return best
}

func (f *KernelFile) read(name string) error {
	file := "kernels/" + name + ".toml"
	text, err := presets.Kernels.ReadFile(file)
	if err != nil {
		return err
	}
	return Decode(file, text, f)
}

// build turns the file into Constants and checks the ranges.
func (f *KernelFile) build() error {
	p, m, a := &f.Product, &f.Memory, &f.Attention
	usual, ok := kernel.ParseAttentionKernel(a.Usual)
	if !ok || !usual.Fused() {
		return Errorf("kernels/%s.toml: attention.usual %q: not a fused kernel: want flash1, flash2, flash3, flash4, te or sdpa", f.Arch, a.Usual)
	}
	if len(p.Tiles) != kernel.NumTiles {
		return Errorf("kernels/%s.toml: gemm.tiles has %d rates: want %d", f.Arch, len(p.Tiles), kernel.NumTiles)
	}
	f.Constants = kernel.Constants{
		Arch: f.Arch,
		Half: p.Half, Byte: p.Byte,
		Block: p.Block, Nibble: p.Nibble, Single: p.Single,
		Tiles: [kernel.NumTiles]float64(p.Tiles), Operand: p.Operand,
		Grouped: p.Grouped, GroupLaunch: unit.Seconds(p.Group) * unit.Microsecond,
		Memory: m.Share, L2: m.L2, Ramp: m.Ramp,
		Launch: unit.Seconds(m.Launch) * unit.Microsecond,
		Usual:  usual,
		Attention: [kernel.NumAttentionKernels]kernel.Flash{
			kernel.Flash1: a.Flash1, kernel.Flash2: a.Flash2,
			kernel.Flash3: a.Flash3, kernel.Flash4: a.Flash4,
			kernel.TE: a.TE, kernel.SDPA: a.SDPA,
		},
		ScoreFused: a.ScoreFused, ScoreUnfused: a.ScoreUnfused, Scan: a.Scan,
	}
	return nil
}
