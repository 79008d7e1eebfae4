package strategies_test

import (
	"context"
	"fmt"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

func ExampleParseLayout() {
	l, err := strategies.ParseLayout("zero=1,tp=8,pp=4")
	if err != nil {
		fmt.Println(err)
	}
	l, _ = l.Complete(1024)
	fmt.Println(l)
	_, err = strategies.ParseLayout("tp=8,zerro=1")
	fmt.Println(err)
	// Output:
	// tp=8,pp=4,dp=32,zero=1
	// "zerro=1": unknown key "zerro": did you mean "zero"?
}

func ExampleLayout_Complete() {
	_, v := strategies.Layout{TP: 8, PP: 3}.Complete(64)
	fmt.Println(v)
	// Output: "tp=8,pp=3": 64 GPUs are not a multiple of tp·pp·cp = 24: use --gpus 48 or 72 or pp=2
}

func ExampleSearch() {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 8, GlobalBatch: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := strategies.Search(context.Background(), a.Problem, strategies.Space{TP: []int{1, 2}, PP: []int{1}}, strategies.Options{Top: 3})
	fmt.Println(len(r.Ranking), "of", r.Fitting > 3, r.Ranking[0].Fits, r.Ranking[0].Step <= r.Ranking[1].Step)
	// Output: 3 of true true true
}

func ExampleProblem_Explain() {
	a, err := ask.Ask(ask.Question{Model: "llama2-7b", GPUs: 16, GlobalBatch: 64, Framework: "deepspeed"})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, f, err := a.Layout("zero=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Problem.Explain(l, f).Calls {
		if c.Purpose == "gradients" {
			fmt.Printf("%v calls of %s, %.0f MB each: stage 2 reduces every micro-batch\n", c.Count, c.Op, float64(c.Bytes)/1e6)
		}
	}
	// Output: 52 calls of all_reduce, 1000 MB each: stage 2 reduces every micro-batch
}

func ExampleProfile_StateBytes() {
	f, err := catalog.Profiles("megatron")
	if err != nil {
		fmt.Println(err)
		return
	}
	for zero := range 2 {
		m := f[0].StateBytes(1e9, zero, 8, false, strategies.OffloadNone)
		fmt.Println("zero", zero, float64(m.State())/1e9, "bytes a parameter")
	}
	// Output:
	// zero 0 18 bytes a parameter
	// zero 1 7.5 bytes a parameter
}

func ExampleTieGroups() {
	fmt.Println(strategies.TieGroups([]strategies.Estimate{{Step: 10}, {Step: 10.2}, {Step: 10.6}, {Step: 12}}))
	// Output: [1 1 2 3]
}
