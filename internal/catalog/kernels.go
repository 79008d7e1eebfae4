package catalog

import (
	"io/fs"
	"path"
	"slices"
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
	Tiles     []float64     `toml:"tiles"`
	Operand   float64       `toml:"operand"`
	Unaligned float64       `toml:"unaligned"`
	Grouped   float64       `toml:"grouped"`
	Group     float64       `toml:"group_us"`
	Half      kernel.Format `toml:"half"`
	Byte      kernel.Format `toml:"byte"`
	Block     kernel.Format `toml:"block"`
	Nibble    kernel.Format `toml:"nibble"`
	Single    kernel.Format `toml:"single"`
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
	Triton       kernel.Flash `toml:"triton"`
	TE           kernel.Flash `toml:"te"`
	SDPA         kernel.Flash `toml:"sdpa"`
}

// KernelFiles returns the names of the files: architectures, and parts that
// differ from their architecture.
func KernelFiles() []string {
	files, _ := fs.Glob(presets.Kernels, "kernels/*.toml")
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".toml"))
	}
	return names
}

// LoadKernels returns the constants of an accelerator by architecture and
// name: generic.toml, over it the file of the architecture, over it the file
// of the part, as far as they exist. An architecture without a file gets the
// nearest that has one ("blackwell-next" gets blackwell's); KernelFile.Arch
// names the file that was taken last.
func LoadKernels(arch, part string) (KernelFile, error) {
	var f KernelFile
	names := []string{"generic", kernelArch(arch)}
	if slices.Contains(KernelFiles(), part) {
		names = append(names, part)
	}
	for _, n := range slices.Compact(names) {
		if err := f.read(n); err != nil {
			return f, err
		}
	}
	return f, f.build()
}

// kernelArch returns the file name for arch: itself, or the longest file name
// that it begins with.
func kernelArch(arch string) string {
	arch, best := fileName(arch), "generic"
	for _, n := range KernelFiles() {
		if arch == n {
			return n
		}
		if strings.HasPrefix(arch, n) && (best == "generic" || len(n) > len(best)) {
			best = n
		}
	}
	return best
}

// fileName turns "blackwell (sm120)" into "blackwell-sm120".
func fileName(arch string) string {
	words := strings.FieldsFunc(strings.ToLower(arch), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
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
		return Errorf("kernels/%s.toml: attention.usual %q: not a fused kernel: want flash1, flash2, flash3, flash4, triton, te or sdpa", f.Arch, a.Usual)
	}
	if len(p.Tiles) != kernel.NumTiles {
		return Errorf("kernels/%s.toml: gemm.tiles has %d rates: want %d", f.Arch, len(p.Tiles), kernel.NumTiles)
	}
	f.Constants = kernel.Constants{
		Arch: f.Arch,
		Half: p.Half, Byte: p.Byte,
		Block: p.Block, Nibble: p.Nibble, Single: p.Single,
		Tiles: [kernel.NumTiles]float64(p.Tiles), Operand: p.Operand,
		Unaligned: p.Unaligned, Grouped: p.Grouped, GroupLaunch: unit.Seconds(p.Group) * unit.Microsecond,
		Memory: m.Share, L2: m.L2, Ramp: m.Ramp,
		Launch: unit.Seconds(m.Launch) * unit.Microsecond,
		Usual:  usual,
		Attention: [kernel.NumAttentionKernels]kernel.Flash{
			kernel.Flash1: a.Flash1, kernel.Flash2: a.Flash2,
			kernel.Flash3: a.Flash3, kernel.Flash4: a.Flash4,
			kernel.Triton: a.Triton, kernel.TE: a.TE, kernel.SDPA: a.SDPA,
		},
		ScoreFused: a.ScoreFused, ScoreUnfused: a.ScoreUnfused, Scan: a.Scan,
	}
	return nil
}
