package calibrate

import (
	"fmt"
	"io"
	"strings"

	"planner/internal/bands"
)

// Render writes what the measured steps say.
func (f *Factor) Render(w io.Writer) {
	steps := "steps"
	if f.Steps == 1 {
		steps = "step"
	}
	fmt.Fprintf(w, "%d measured %s: measured is %.3f of predicted; error %.1f %% before, %.1f %% after\n",
		f.Steps, steps, f.Correction, 100*f.Off, 100*f.Left)
	fmt.Fprintln(w, "of", f.layouts(), "on", f.Hardware)
	fmt.Fprintf(w, "80 %% band of a step: %s before, %s after\n", percents(f.Before), percents(f.Spread))
	if f.Wider() {
		fmt.Fprintf(w, "note: the runs disagree by more than one factor mends: the band after is as wide as they lie apart, and the file says so; runs that agree leave %s\n", percents(f.After))
	}
	for _, n := range f.Notes {
		fmt.Fprintln(w, "note:", n)
	}
}

// layouts names the first few.
func (f *Factor) layouts() string {
	const most = 3
	if n := len(f.Layouts); n > most {
		return fmt.Sprintf("%s and %d more layouts", strings.Join(f.Layouts[:most], "; "), n-most)
	}
	return strings.Join(f.Layouts, "; ")
}

func percents(b bands.Band) string {
	return fmt.Sprintf("%+.0f to %+.0f %%", 100*(b.Low-1), 100*(b.High-1))
}
