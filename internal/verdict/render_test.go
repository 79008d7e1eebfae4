package verdict

import (
	"strings"
	"testing"
)

// TestWhatWasCompared: a report says whether its layouts are a spread, the
// best, or somebody's. reportOf predicts 1 to 8 s.
func TestWhatWasCompared(t *testing.T) {
	for _, tt := range []struct {
		layouts      int
		choice, want string
	}{
		{8, ChoiceSpread, "layouts    8, spread from the fastest predicted to 8.0 × its time (the best 8 alone: --best) · 3 interleaved rounds"},
		{2, ChoiceBest, "layouts    the best 2, the last predicted 2.00 × the time of the first · 3"},
		{4, ChoiceGiven, "layouts    4 as given, the slowest predicted 4.0 × the time of the fastest · 3"},
		{4, "", "layouts    4, the slowest predicted 4.0 × the time of the fastest"}, // saved by a version that did not say
		{1, ChoiceGiven, "layouts    one · 3"},
	} {
		r := reportOf(tt.layouts)
		r.Choice, r.Rounds = tt.choice, 3
		var b strings.Builder
		Render(&b, r)
		if !strings.Contains(b.String(), "\n"+tt.want) {
			t.Errorf("%d layouts, %q: got\n%s\nwant %q", tt.layouts, tt.choice, b.String(), tt.want)
		}
	}
}
