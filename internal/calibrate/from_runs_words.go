package calibrate

import (
	"fmt"
	"io"

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
	fmt.Fprintf(w, "80 %% band before %s, after %s%s\n", percents(f.Before), percents(f.Spread), f.widened())
	for _, s := range f.SkippedLines {
		fmt.Fprintln(w, "note: skipped:", s)
	}
}

// widened says why the band is as wide as it is.
func (f *Factor) widened() string {
	if !f.Wider() {
		return ""
	}
	return fmt.Sprintf(": widened from %s to the spread of these runs, which the file holds as well\n"+
		"note: the runs disagree by more than one factor mends", percents(f.After))
}

func percents(b bands.Band) string {
	return fmt.Sprintf("%+.0f to %+.0f %%", 100*(b.Low-1), 100*(b.High-1))
}
