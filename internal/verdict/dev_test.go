package verdict

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"planner/verify/host"
	"planner/verify/rank"
	"planner/verify/replay"
	"planner/verify/transport"
)

func TestDev(t *testing.T) {
	shape := os.Getenv("SHAPE")
	if shape == "" {
		t.Skip()
	}
	s, err := transport.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Model(os.Getenv("MODEL"))
	if err != nil {
		t.Fatal(err)
	}
	c := host.Profile(s)
	p, err := Problem(m, c, m.MaxSeq, 8, "any")
	if err != nil {
		t.Fatal(err)
	}
	es := Choose(context.Background(), p, 12, true)
	var plans []*replay.Plan
	for _, e := range es {
		pl := replay.Build(p, e.Layout, e.Framework)
		plans = append(plans, pl)
		tl := p.Timeline(e.Layout, e.Framework)
		fmt.Printf("%-40s %-10s %8.1f tl %8.1f compute %6.1f bubble %6.1f exposed %v\n", e.Layout, e.Framework.Name, e.Step*1e3, tl.Makespan()*1e3, e.Compute*1e3, e.Bubble*1e3, e.Exposed)
	}
	if os.Getenv("RUN") == "" {
		return
	}
	j, err := replay.Open(transport.Options{Shape: s}, s.Ranks(), plans)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ms, err := j.Measure(context.Background(), replay.Options{Rounds: 3, Budget: 50 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var items []rank.Item
	for i, e := range es {
		st := &ms.Steps[i]
		items = append(items, rank.Item{Predicted: float64(e.Step), Measured: float64(st.Median), Error: float64(st.Error)})
		fmt.Printf("%-40s %8.1f %8.1f ±%5.1f  %+5.1f%%\n", e.Layout, e.Step*1e3, st.Median*1e3, st.Error*1e3, 100*(float64(e.Step/st.Median)-1))
		if os.Getenv("ROWS") != "" {
			for k, r := range st.Rows {
				c := &plans[i].Calls[k]
				if r.N > 0 {
					fmt.Printf("    %d %-15v %-35s %10.0f B n=%d/%d x%5.1f  %8.2f ms -> %8.2f\n", c.Stage, c.Op, c.Purpose, c.Bytes, c.Span.Size, c.Span.Domains, c.Count, c.Seconds*1e3, r.Median*1e3)
				}
			}
		}
	}
	fmt.Println("tau", rank.TauB(items), "regret", rank.Regret(items), "err", rank.Error(items), "elapsed", ms.Elapsed, "redone", ms.Redone, "sentinel", ms.Sentinel)
}
