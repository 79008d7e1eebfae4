package calibrate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"planner/internal/validate"
)

func load(t *testing.T) []validate.Run {
	files, _ := filepath.Glob("../../../shared/runs/*.tsv")
	var all []validate.Run
	for _, f := range files {
		in, _ := os.Open(f)
		runs, err := validate.ReadRuns(f, in)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, runs...)
	}
	return all
}

var archs = []string{"ampere", "hopper", "blackwell", "blackwell-ultra"}

func TestDevFit(t *testing.T) {
	rows := samples(load(t))
	only := os.Getenv("ARCH")
	for _, arch := range archs {
		if only != "" && only != arch {
			continue
		}
		var sub []*sample
		for _, s := range rows {
			if s.at.arch == arch && s.step > 0 {
				sub = append(sub, s)
			}
		}
		t0 := time.Now()
		f := newFit(sub, timeKnobs, gpuKnobs, stepResidual)
		c, dev := f.solve(f.prior)
		fmt.Println(arch, len(sub), len(f.turns), time.Since(t0))
		for j := range f.turns {
			k := &f.turns[j]
			fmt.Printf("   %-20s %-14s %10.4g -> %10.4g  ± %.0f%%\n", k.at.framework, k.name, *k.value(f.prior), *k.value(c), 100*dev[j])
		}
		show(sub, f.errors(c))
		dump(sub, c)
	}
}

func show(rows []*sample, r []float64) {
	by := map[string][]float64{}
	for i, s := range rows {
		by[s.source] = append(by[s.source], r[i])
	}
	for k, v := range by {
		m, abs := 0.0, []float64{}
		for _, x := range v {
			m += math.Abs(x) / float64(len(v))
			abs = append(abs, math.Abs(x))
		}
		slices.Sort(v)
		slices.Sort(abs)
		fmt.Printf("  == %-18s %4d mape %.2f p90 %.1f bias %+.1f\n", k, len(v), 100*m, 100*abs[len(abs)*9/10], 100*v[len(v)/2])
	}
}

func dump(rows []*sample, c *constants) {
	path := os.Getenv("DUMP")
	if path == "" {
		return
	}
	out, _ := os.Create(path + "." + rows[0].at.arch)
	defer out.Close()
	fmt.Fprintln(out, "source\tid\tgroup\tkernel\tlayout\tmeas\tpred\terr\tcomp\tbub\ttp\tcp\tep\tpp\tdp\tother\topt\tovh\tgpus\tmodel\tprec\tgpu\tseq\tgbs")
	for _, s := range rows {
		_, e := s.predict(c)
		x := e.Exposed
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%.4f\t%.4f\t%+.3f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%s\t%s\t%s\t%d\t%d\n", s.source, s.Run.ID, s.group, s.Run.Kernel, e.Layout, s.step, float64(e.Step), float64(e.Step)/s.step-1,
			float64(e.Compute), float64(e.Bubble), float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3]), float64(x[4]), float64(x[5]), float64(e.Optimizer), float64(e.Overhead), s.Run.GPUs, s.Run.Model, s.Work.Precision, s.Run.GPU, s.Run.Seq, s.Run.GlobalBatch)
	}
}

func TestDevMemory(t *testing.T) {
	rows := samples(load(t))
	oom := outOfMemory(rows)
	for _, arch := range archs {
		var sub []*sample
		for _, s := range rows {
			if s.at.arch == arch && s.remembers(oom) {
				sub = append(sub, s)
			}
		}
		if len(sub) == 0 {
			continue
		}
		t0 := time.Now()
		f := newFit(sub, memoryKnobs, nil, memoryResidual)
		c, dev := f.solve(f.prior)
		fmt.Println(arch, len(sub), len(f.turns), time.Since(t0))
		for j := range f.turns {
			k := &f.turns[j]
			fmt.Printf("   %-20s %-14s %10.4g -> %10.4g  ± %.0f%%\n", k.at.framework, k.name, *k.value(f.prior), *k.value(c), 100*dev[j])
		}
		show(sub, f.errors(c))
		var conf [2][2]int
		for _, s := range sub {
			if s.source == "hagemann2023" {
				_, e := s.predict(c)
				a, b := 0, 0
				if s.outcome == "oom" {
					a = 1
				}
				if !e.Fits {
					b = 1
				}
				conf[a][b]++
			}
		}
		fmt.Println(conf, float64(conf[0][0])/float64(conf[0][0]+conf[0][1])/2+float64(conf[1][1])/float64(conf[1][0]+conf[1][1])/2)
	}
}


func TestDevBands(t *testing.T) {
	rows := samples(load(t))
	t0 := time.Now()
	cv := CrossValidate(rows)
	fmt.Println("cv", time.Since(t0))
	lo := LeaveSourceOut(rows)
	fmt.Println("loso", time.Since(t0))
	for _, rs := range [][]Residual{cv, lo} {
		by := map[string][]float64{}
		for _, r := range rs {
			by[r.Source] = append(by[r.Source], math.Abs(1/r.Ratio-1))
		}
		for s, v := range by {
			m := 0.0
			for _, x := range v {
				m += x / float64(len(v))
			}
			fmt.Printf("%-18s %d %.1f\n", s, len(v), 100*m)
		}
	}
	b := NewBands(cv, lo)
	fmt.Printf("cover %.3f runs %.3f width %.3f unseen %v cal %v\n", b.Coverage, b.CoverageRuns, b.HalfWidth, b.Unseen, b.Calibrated)
	for k, e := range b.Kinds {
		fmt.Printf("%s %.3f %.3f %d\n", k, e.Low, e.High, e.Runs)
	}
}
