package ask_test

import (
	"testing"

	"planner/internal/ask"
)

// TestParseCount holds the suffixes to IEC 80000-13 (Ki, Mi) and SI (k, M).
func TestParseCount(t *testing.T) {
	for text, want := range map[string]int{
		"8192": 8192, "8Ki": 8192, "128Ki": 131072, "1Mi": 1048576, "8k": 8000, "8K": 8000, "1M": 1000000, "8ki": 8192, " 4Ki ": 4096, "-2Ki": -2048, "0": 0,
	} {
		if got, err := ask.ParseCount(text); err != nil || got != want {
			t.Errorf("ParseCount(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "Ki", "8x", "1.5Ki", "8 Ki x", "8KiB", "99999999999999999999", "9223372036854775807Ki"} {
		if got, err := ask.ParseCount(text); err == nil {
			t.Errorf("ParseCount(%q) = %d, want an error", text, got)
		}
	}
}
