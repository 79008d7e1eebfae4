package show

import (
	"fmt"

	"planner/strategies"
)

// CountedTies is how many of the layouts that tie with the first are counted.
const CountedTies = 1000

// Shown cuts a ranking to the rows of a table, and returns how many of it tie
// with the first.
func Shown(r *strategies.Result, rows int) (ties int) {
	ties = tied(r.Ranking)
	r.Ranking = r.Ranking[:min(rows, len(r.Ranking))]
	return ties
}

// tied counts the layouts of a ranking that tie with the first, itself among
// them.
func tied(ranking []strategies.Estimate) int {
	n := 0
	for _, group := range strategies.TieGroups(ranking) {
		if group == 1 {
			n++
		}
	}
	return n
}

// tieText says how many layouts tie, and how many of them are rows.
func tieText(ties, rows int) string {
	count := fmt.Sprintf("the %d rows marked a", rows)
	switch {
	case ties == CountedTies:
		count = fmt.Sprintf("at least %s layouts, of which %d are shown,", Count(ties), rows)
	case ties > rows:
		count = fmt.Sprintf("%s layouts, of which %d are shown,", Count(ties), rows)
	}
	return fmt.Sprintf("%s differ by less than the model can tell apart (%.1f %%): choose among them by memory, or measure them", count, 100*strategies.Resolution)
}
