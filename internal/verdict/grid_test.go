package verdict

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// gridShapes are topologies on which the order of layouts differs: a network
// ten times slower than nodes inside, one almost as fast, one node, NICs that
// two ranks share, nodes of one rank.
var gridShapes = []string{
	"2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms",
	"2x2:nvlink=400MB/s,ib=150MB/s,delay=200us",
	"1x4:nvlink=100MB/s",
	"2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms,nics=1",
	"4x1:ib=60MB/s,delay=500us",
}

// What a ranking, and the times of its steps once calibrated, must reach.
const gridError = 0.10

// TestGrid is the long check of the whole tool, some 40 minutes for five runs:
//
//	PLANNER_GRID=5 go test ./internal/verdict -run Grid -v -timeout 4h
//
// PLANNER_GRID_ONLY narrows it to cells, "SHAPE MODEL ", that contain a text. It prints a
// table, the worst of the runs in each cell.
func TestGrid(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("PLANNER_GRID"))
	if err != nil {
		t.Skip("PLANNER_GRID is not a number of runs")
	}
	fmt.Printf("| links | %s |\n|---|%s\n", strings.Join(Models(), " | "), strings.Repeat("---|", len(Models())))
	orders := map[string]map[string]int{}
	for _, shape := range gridShapes {
		row := "| `" + shape + "` |"
		for _, m := range Models() {
			if !strings.Contains(shape+" "+m+" ", os.Getenv("PLANNER_GRID_ONLY")) {
				row += " |"
				continue
			}
			row += gridCell(t, shape, m, runs, orders) + " |"
		}
		fmt.Println(row)
	}
	for m, bests := range orders {
		if len(bests) < 2 && os.Getenv("PLANNER_GRID_ONLY") == "" {
			t.Errorf("%s: one layout is best on every topology: %v", m, bests)
		}
		fmt.Printf("best of %s: %v\n", m, bests)
	}
}

// gridCell verifies a model on a shape, several times with other seeds.
func gridCell(t *testing.T, shape, model string, runs int, orders map[string]map[string]int) string {
	tau, regret, before, after := 1.0, 0.0, 0.0, 0.0
	for seed := range runs {
		run, r := gridRun(t, shape, model, uint64(seed+1))
		fitted, err := run.Calibrate(r, t.TempDir()+"/c.toml")
		if err != nil {
			t.Fatal(err)
		}
		tau, regret = min(tau, r.TauB), max(regret, r.Regret)
		before, after = max(before, r.Error), max(after, fitted.Error)
		fmt.Fprintf(os.Stderr, "%s %s seed %d: tau-b %.3f → %.3f, regret %.2f → %.2f %%, error %.1f → %.1f %%, %d layouts, %.0f s, %d redone: %s: %s\n",
			shape, model, seed+1, r.TauB, fitted.TauB, 100*r.Regret, 100*fitted.Regret, 100*r.Error, 100*fitted.Error, len(r.Layouts), r.Seconds, r.Redone, r.Verdict.Status, r.Verdict.Sentence)
		if r.Verdict.Status != Holds || fitted.Error > gridError || len(r.Layouts) < 12 {
			t.Errorf("%s, %s, seed %d: %s: %s; error after calibration %.1f %%, %d layouts", shape, model, seed+1, r.Verdict.Status, r.Verdict.Sentence, 100*fitted.Error, len(r.Layouts))
		}
		if orders[model] == nil {
			orders[model] = map[string]int{}
		}
		orders[model][fastest(r)]++
	}
	return fmt.Sprintf(" %.2f · %.1f %% · %.1f → %.1f %%", tau, 100*regret, 100*before, 100*after)
}

// fastest returns the layout measured fastest.
func fastest(r *Report) string {
	best := 0
	for i := range r.Layouts {
		if r.Layouts[i].Measured < r.Layouts[best].Measured {
			best = i
		}
	}
	return r.Layouts[best].Layout
}

func gridRun(t *testing.T, shape, model string, seed uint64) (*Run, *Report) {
	t.Helper()
	run, err := Prepare(context.Background(), Question{Emulate: shape, Model: model, Framework: "any", Top: 12, Rounds: 3, Budget: 50 * time.Second, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return run, r
}
