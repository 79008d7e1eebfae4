package catalog

import "testing"

func TestLoadKernelsReadsEveryFile(t *testing.T) {
	for _, arch := range append(KernelFiles(), "blackwell-next", "nonsense", "") {
		f, err := LoadKernels(arch, "")
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if f.Source == "" || f.AsOf == "" || f.Constants.Half.Peak <= 0 {
			t.Errorf("%s: incomplete: %+v", arch, f)
		}
	}
}
