package strategies_test

import (
	"testing"

	"planner/internal/catalog"
	"planner/strategies"
)

func TestSettle(t *testing.T) {
	m, err := catalog.Model("llama3.1-8b")
	if err != nil {
		t.Fatal(err)
	}
	p := problemOf(t, m, "megatron", 8, 64)
	for in, want := range map[string]string{
		"tp=8,dispatcher=flex": "tp=8,dp=1",
		"cp=1,cpkind=a2a":      "dp=8",
		"cp=2,cpkind=a2a":      "cp=2,dp=4,cpkind=a2a",
		"recompute=full:32":    "dp=8,recompute=full",
		"recompute=full:31":    "dp=8,recompute=full:31",
	} {
		l, err := strategies.ParseLayout(in)
		if err != nil {
			t.Fatal(err)
		}
		l, v := l.Complete(8)
		if v != nil {
			t.Fatal(v)
		}
		if got := p.Settle(l).String(); got != want {
			t.Errorf("%s settles to %s, want %s", in, got, want)
		}
	}
}
