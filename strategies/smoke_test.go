package strategies_test

import (
	"fmt"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/catalog"
	"planner/strategies"
)

func TestSmoke(t *testing.T) {
	m, err := catalog.Model("llama3.1-70b")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Cluster("h100-sxm-80gb", 1024)
	if err != nil {
		t.Fatal(err)
	}
	profs, err := catalog.Profiles("any")
	if err != nil {
		t.Fatal(err)
	}
	kf, err := catalog.LoadKernels(c.GPU.Arch, c.GPU.Name)
	k := kf.Constants
	if err != nil {
		t.Fatal(err)
	}
	links := collective.Prior()
	p := strategies.NewProblem(m, c, strategies.Workload{Seq: 8192, GlobalBatch: 1024}, profs, k, &links)
	for _, s := range []string{"tp=4,pp=4,vpp=5,zero=1", "tp=8,pp=4,zero=1", "tp=8,pp=1,zero=1", "tp=16,pp=4,zero=1", "zero=3,recompute=full", "tp=8,zero=3,mbs=2"} {
		l, err := strategies.ParseLayout(s)
		if err != nil {
			t.Fatal(err)
		}
		l, v := l.Complete(1024)
		if v != nil {
			t.Fatal(v)
		}
		for _, f := range profs {
			if v := p.Check(&l, f); v != nil {
				continue
			}
			e := p.Estimate(l, f)
			r := p.Rates(&e)
			fmt.Printf("%-40s %-10s step %.3f mfu %.3f comp %.3f bub %.3f exp %.3f opt %.4f ovh %.3f mem %.1f GiB act %.1f fits %v\n", l, f.Name, e.Step, r.MFU, e.Compute, e.Bubble, e.Exposed, e.Optimizer, e.Overhead, e.Memory.Total().GiB(), e.Memory.Activations.GiB(), e.Fits)
			break
		}
	}
}

func TestSearchSmoke(t *testing.T) {
	m, _ := catalog.Model("llama3.1-70b")
	c, _ := catalog.Cluster("h100-sxm-80gb", 1024)
	profs, _ := catalog.Profiles("any")
	kf, _ := catalog.LoadKernels(c.GPU.Arch, c.GPU.Name)
	links := collective.Prior()
	p := strategies.NewProblem(m, c, strategies.Workload{Seq: 8192, GlobalBatch: 1024}, profs, kf.Constants, &links)
	r := strategies.Search(t.Context(), p, strategies.Space{}, strategies.Options{})
	fmt.Println(r.Legal, r.Fitting, r.Elapsed, r.Rejected, len(r.Front))
	for _, e := range r.Ranking {
		fmt.Printf("%-45s %-10s %.3f %.3f mem %.1f\n", e.Layout, e.Framework.Name, e.Step, p.Rates(&e).MFU, e.Memory.Total().GiB())
	}
}
