package hardware

import "strings"

// Family returns the architecture that a variant is of, "blackwell" of
// "blackwell-ultra": the same links between GPUs and the same software.
func Family(arch string) string {
	family, _, _ := strings.Cut(arch, "-")
	return family
}
