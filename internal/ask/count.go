package ask

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scales are the suffixes of a count, by the rule of sizes: k and M are powers
// of ten, Ki and Mi powers of two, in letters of any case.
var scales = []struct {
	suffix string
	factor int
}{{"ki", 1 << 10}, {"mi", 1 << 20}, {"k", 1e3}, {"m", 1e6}}

// ParseCount reads a whole number of tokens or sequences: 8192, 8Ki (8192) or
// 8k (8000). The error does not name the flag.
func ParseCount(text string) (int, error) {
	digits, factor := strings.ToLower(strings.TrimSpace(text)), 1
	for _, s := range scales {
		if d, ok := strings.CutSuffix(digits, s.suffix); ok {
			digits, factor = d, s.factor
			break
		}
	}
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: not a whole number: want e.g. 8192, 8Ki (8192) or 8k (8000)", text)
	case n > math.MaxInt/factor || n < math.MinInt/factor:
		return 0, fmt.Errorf("%q: too large", text)
	}
	return n * factor, nil
}
