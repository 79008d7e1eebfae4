package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/show"
	"planner/strategies"
)

// sections builds the report's chapters in order.
func sections(r *Review) []Section {
	return []Section{
		lossSection(r), alternativeSection(r), memorySection(r), callSection(r), placementSection(r), pipelineSection(r),
		scalingSection(r), sensitivitySection(r), verificationSection(r), assumptionSection(r),
	}
}

func lossSection(r *Review) Section {
	p, e := r.Answer.Problem, &r.Pick.Estimate
	mfu := p.Rates(e).MFU
	total, _ := p.FLOPsPerToken()
	s := Section{ID: "mfu", Title: "Where the peak goes", Charts: []template.HTML{waterfall(r, mfu), stepBar(e)}}
	s.Lead = []string{fmt.Sprintf("Points of MFU lost to each cause. MFU = %.4e FLOPs / (%.3f s × %s × %s GPUs) = %.1f %%.",
		float64(total)*p.Work.Tokens(), e.Step, peak(p), show.Count(p.Cluster.GPUs), 100*mfu)}
	s.Legend = keys(e)
	t := Table{Caption: "The dense peak, what each cause takes of it, and what is left", Columns: []Column{txt("cause"), num("s"), num("points of MFU"), wrap("what it is")}, Folded: true}
	t.add("dense peak", seconds3(float64(e.Step)*mfu), "100.0", "the model's FLOPs at the dense peak of every GPU")
	for _, l := range r.Losses {
		t.add(l.Name, seconds3(l.Seconds), points(-l.Points), l.Note)
	}
	t.add("step, MFU", seconds3(float64(e.Step)), show.Percent(mfu), stepBand(e)+"; "+mfuBand(e, mfu))
	t.mark("total")
	s.Tables = []Table{t}
	return s
}

func seconds3(s float64) string { return fmt.Sprintf("%.3f", s) }

func keys(e *strategies.Estimate) []Key {
	var out []Key
	for _, l := range parts(e) {
		out = append(out, Key{"c-" + l.Class, l.Name, seconds3(l.Seconds) + " s", show.Percent(l.Points) + " %"})
	}
	return append(out, Key{"", "sum", seconds3(float64(e.Step)) + " s", ""})
}

func alternativeSection(r *Review) Section {
	s := Section{ID: "alternatives", Title: "Alternatives, and why not"}
	s.Lead = []string{fmt.Sprintf("%s legal layouts, %s fit. Tie: closer to the pick than the model can tell apart (%.1f %%); choose among ties by memory, or measure them. Of layouts that differ only in shard or VPP the fastest is shown.",
		show.Count(r.Search.Legal), show.Count(r.Search.Fitting), 100*strategies.Resolution)}
	t := Table{Caption: "Layouts considered, fastest first", Columns: []Column{code("layout"), txt("framework"), num("step s"), num("80 % band, s"), num("MFU %"), num("GiB"), num("vs pick %"), wrap("what, and why not")}}
	row := func(e *strategies.Estimate, vs, why string) {
		t.add(e.Layout.String(), e.Framework.Name, seconds(float64(e.Step)), bandOf(e), show.Percent(r.Answer.Problem.Rates(e).MFU), gib(float64(e.Memory.Total())), vs, why)
	}
	done := false
	pick := func() {
		row(&r.Pick.Estimate, "—", "the pick: "+r.pickWhy())
		t.mark("pick")
		done = true
	}
	for i := range r.Alternatives {
		a := &r.Alternatives[i]
		if !done && a.Slower >= 0 {
			pick()
		}
		row(&a.Estimate, signed(a.Slower), a.What+": "+a.Why)
	}
	if !done {
		pick()
	}
	s.Tables = []Table{t}
	return s
}

// pickWhy says why the pick is the pick.
func (r *Review) pickWhy() string {
	free := (r.Answer.Problem.Capacity() - r.Pick.Memory.Total()).GiB()
	room := fmt.Sprintf("fits with %.1f GiB to spare", free)
	if free < 0 {
		room = fmt.Sprintf("does not fit: %.1f GiB short", -free)
	}
	switch {
	case r.Layout != "":
		return "given; " + room
	default:
		return "fastest; " + room
	}
}

func memorySection(r *Review) Section {
	x := r.Pick
	s := Section{ID: "memory", Title: "Memory by stage", Charts: []template.HTML{memoryBars(x, r.Answer.Problem.Capacity())}}
	if len(x.Stages) > 1 {
		s.Lead = []string{fmt.Sprintf("Stage %d is the fullest: %.1f of %.1f GiB that a process may use.", x.Fullest, x.Memory.Total().GiB(), r.Answer.Problem.Capacity().GiB())}
	}
	shown := show.Stages(x, mostStages)
	t := Table{Caption: "Memory of one GPU in GiB, by component and stage", Folded: true, Columns: []Column{txt("GiB")}}
	for _, st := range shown {
		t.Columns = append(t.Columns, num(fmt.Sprintf("stage %d", st)))
	}
	for i, c := range show.Components(&x.Memory) {
		s.Legend = append(s.Legend, Key{Class: "m-" + memoryClass[c.Name], Name: c.Name})
		cells := []string{c.Name}
		for _, st := range shown {
			cells = append(cells, fmt.Sprintf("%.2f", show.Components(&x.Stages[st].Memory)[i].Bytes.GiB()))
		}
		t.add(cells...)
	}
	cells := []string{"total"}
	for _, st := range shown {
		cells = append(cells, fmt.Sprintf("%.2f", x.Stages[st].Total().GiB()))
	}
	t.add(cells...)
	t.mark("total")
	s.Tables = []Table{t}
	return s
}

func callSection(r *Review) Section {
	x := r.Pick
	s := Section{ID: "calls", Title: "Collective calls"}
	s.Lead = []string{fmt.Sprintf("Every call of one rank of stage %d (the slowest) in one step, the most exposed first; once-per-job and checkpoint calls follow and are no part of the step. M and wire bytes as nccl-tests define them.", x.Slowest)}
	calls, err := show.CallsOf(x, "slowest")
	if err != nil {
		panic(err) // "slowest" is always a stage
	}
	if note := show.FittedNote(calls); note != "" {
		s.Lead = append(s.Lead, strings.ToUpper(note[:1])+note[1:]+".")
	}
	slices.SortStableFunc(calls, func(a, b show.Call) int {
		if once(a) != once(b) {
			return map[bool]int{true: 1, false: -1}[once(a)]
		}
		if a.Exposed != b.Exposed {
			return cmp.Compare(b.Exposed, a.Exposed)
		}
		return cmp.Compare(b.Seconds, a.Seconds)
	})
	t := Table{Caption: fmt.Sprintf("Calls of one rank of stage %d", x.Slowest), Compact: true, Columns: []Column{code("call"), wrap("purpose"), txt("phase"), txt("over"), num("ranks"), num("nodes"), txt("slowest link"), txt("type"),
		num("M"), num("wire / rank"), num("calls"), num("total ms"), num("exposed ms"), txt("algorithm"), wrap("runs beside")}}
	sum := 0.0
	for _, c := range calls {
		t.add(c.Op, c.Purpose, c.Phase, over(c.Dims), show.Count(c.GroupSize), show.Count(c.Nodes), linkTitle(hardware.LinkKind(c.Tier)), c.DType, decimal(c.Bytes), decimal(c.WireBytes),
			fmt.Sprintf("%.6g", c.Count), millis(c.Seconds), millis(c.Exposed), c.Algorithm, c.Beside())
		if !once(c) {
			sum += c.Exposed
		}
	}
	t.add("sum exposed", "", "", "", "", "", "", "", "", "", "", "", millis(sum), "", "")
	t.mark("total")
	s.Tables = []Table{t}
	return s
}

// over names the dimensions of a group.
func over(dims []string) string {
	if len(dims) == len(collective.World.Names()) {
		return "all"
	}
	return strings.ToUpper(strings.Join(dims, "+"))
}

func once(c show.Call) bool {
	return c.Phase == collective.Init.String() || c.Phase == collective.Checkpoint.String()
}

func placementSection(r *Review) Section {
	x := r.Pick
	s := Section{ID: "placement", Title: "Where the groups sit", Charts: []template.HTML{placement(x)}}
	s.Lead = []string{"Rank order tp-cp-ep-dp-pp, TP innermost; boxes under one bar of the same shade are a TP group."}
	t := Table{Caption: "Groups of communication", Columns: []Column{txt("group"), num("ranks"), num("groups"), num("stride"), num("nodes"), num("most in a domain"), txt("slowest link")}}
	for _, g := range show.NewExplanation(r.Answer, x).Groups {
		t.add(strings.ToUpper(strings.Join(g.Dims, "+")), show.Count(g.Size), show.Count(x.Cluster.GPUs/g.Size), show.Count(g.Stride), show.Count(g.Nodes), show.Count(g.PerDomain), linkTitle(hardware.LinkKind(g.Tier)))
	}
	if len(t.Rows) > 0 {
		s.Tables = []Table{t}
	}
	return s
}

func pipelineSection(r *Review) Section {
	x := r.Pick
	l := &x.Layout
	s := Section{ID: "pipeline", Title: "Pipeline"}
	s.Lead = []string{fmt.Sprintf("%s, %d %s of %d %s; %d micro-batches of %d. The bubble is %.1f %% of the step.", scheduleTitle(l), l.PP, plural(l.PP, "stage", "stages"), l.VPP, plural(l.VPP, "chunk", "chunks"),
		x.MicroBatches, l.MBS, 100*float64(x.Bubble/x.Step))}
	charts, note := pipelines(r.Answer.Problem, x)
	s.Charts = charts
	if note != "" {
		s.Lead = append(s.Lead, note)
	}
	if charts != nil {
		s.Legend = []Key{{Class: "c-cmp", Name: "forward"}, {Class: "c-pp", Name: "backward"}}
		if l.Schedule == strategies.ZBH1 {
			s.Legend = append(s.Legend, Key{Class: "c-cp", Name: "weight gradients"})
		}
		s.Legend = append(s.Legend, Key{Class: "c-dp", Name: "gradients and parameters"}, Key{Class: "c-ovh", Name: "once a step"}, Key{Class: "c-ghost", Name: "idle"})
	}
	return s
}

func scheduleTitle(l *strategies.Layout) string {
	if l.PP == 1 {
		return "No pipeline"
	}
	return map[strategies.Schedule]string{strategies.OneFOneB: "1F1B", strategies.Interleaved: "Interleaved 1F1B", strategies.GPipe: "GPipe", strategies.ZBH1: "ZB-H1"}[l.Schedule]
}
