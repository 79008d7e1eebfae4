package main

import "testing"

// Numbers are decimal: C's octal and hexadecimal, which pflag reads, are no
// numbers that a person types on purpose.
func TestDecimal(t *testing.T) {
	for _, tt := range []struct{ kind, text, want string }{
		{"int", "010", "10"}, {"int", "-08", "-8"}, {"int", "+8", "8"}, {"uint64", "0100", "100"}, {"uint64", "18446744073709551615", "18446744073709551615"}, {"float64", "0.50", "0.50"},
		{"string", "0x10", "0x10"},
		{"int", "0x10", ""}, {"int", "1_000", ""}, {"int", "0b1", ""}, {"int", "0o7", ""}, {"float64", "0x1p4", ""}, {"float64", "1_0.5", ""},
	} {
		got, err := decimal(tt.kind, tt.text)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s %q: %q, %v; want %q", tt.kind, tt.text, got, err, tt.want)
		}
	}
}
