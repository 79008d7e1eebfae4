package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"

	"planner/costmodel/timeline"
	"planner/hardware/unit"
	"planner/internal/show"
	"planner/strategies"
)

// Limits of the pipeline picture: what a step may hold to be expanded, and how
// many passes are drawn.
const (
	mostPasses = 200_000
	mostDrawn  = 2400
)

// pass is one micro-batch on one chunk of a rank, its calls included.
type pass struct {
	rank, micro, chunk int
	kind               timeline.Kind
	start, end         float64
}

// pipelinePasses expands the step and joins the parts of each pass. It returns
// nil for steps too long to draw.
func pipelinePasses(p *strategies.Problem, x *strategies.Explanation) ([]pass, float64) {
	l := &x.Layout
	if l.PP*l.VPP*x.MicroBatches > mostPasses {
		return nil, 0
	}
	t := p.Timeline(*l, x.Framework)
	type key struct {
		rank, micro, chunk int32
		kind               timeline.Kind
	}
	at := map[key]int{}
	var out []pass
	for i := range t.Tasks {
		task := &t.Tasks[i]
		if task.Dur == 0 {
			continue
		}
		k := key{task.Rank, task.Micro, task.Chunk, task.Kind}
		j, ok := at[k]
		if !ok {
			j = len(out)
			at[k] = j
			out = append(out, pass{int(task.Rank), int(task.Micro), int(task.Chunk), task.Kind, float64(task.Start), float64(task.End)})
		}
		out[j].start, out[j].end = min(out[j].start, float64(task.Start)), max(out[j].end, float64(task.End))
	}
	slices.SortFunc(out, func(a, b pass) int { return cmp.Compare(a.start, b.start) })
	return out, float64(t.Makespan())
}

// pipelines draws the step: whole, or its fill and its drain when it holds too
// many passes.
func pipelines(p *strategies.Problem, x *strategies.Explanation) (charts []template.HTML, note string) {
	passes, span := pipelinePasses(p, x)
	if passes == nil {
		return nil, fmt.Sprintf("The step has %d micro-batches on %d stages, too many to draw.", x.MicroBatches, x.Layout.PP)
	}
	rows := show.Stages(x, mostStages)
	passes = slices.DeleteFunc(passes, func(q pass) bool { return !slices.Contains(rows, q.rank) })
	if len(passes) <= mostDrawn {
		return []template.HTML{pipelineChart(passes, rows, 0, span, "Pipeline of one step")}, ""
	}
	fill := passes[mostDrawn/2].start
	slices.SortFunc(passes, func(a, b pass) int { return cmp.Compare(a.end, b.end) })
	drain := passes[len(passes)-mostDrawn/2].end
	return []template.HTML{
		pipelineChart(passes, rows, 0, fill, "Pipeline as it fills"),
		pipelineChart(passes, rows, drain, span, "Pipeline as it drains"),
	}, fmt.Sprintf("Drawn are the first %s and the last %s of the step.", unit.Seconds(fill), unit.Seconds(span-drain))
}

// pipelineChart draws the passes between two times, a row a rank.
func pipelineChart(passes []pass, rows []int, from, to float64, name string) template.HTML {
	const row, bar, left = 30.0, 24.0, 72.0
	plot := chartWidth - left - 10
	p := newPicture(chartWidth, row*float64(len(rows))+26, fmt.Sprintf("%s: %d stages, forward, backward and idle over time", name, len(rows)))
	at := func(t float64) float64 { return left + plot*(min(max(t, from), to)-from)/(to-from) }
	for i, r := range rows {
		y := 4 + row*float64(i)
		p.text(left-10, y+16, "end", "lab", fmt.Sprintf("stage %d", r))
		p.rect(left, y, plot, bar, "c-ghost", "")
	}
	few := len(passes) <= 400
	boxes := map[string][][4]float64{}
	for i := range passes {
		q := &passes[i]
		if q.end <= from || q.start >= to {
			continue
		}
		x, y := at(q.start), 4+row*float64(slices.Index(rows, q.rank))
		w := max(at(q.end)-x-0.6, 0.4)
		class := passClass(q)
		if !few {
			boxes[class] = append(boxes[class], [4]float64{x, y, w, bar})
			continue
		}
		p.rect(x, y, w, bar, class, fmt.Sprintf("%s%s on stage %d, %.3f to %.3f s", q.kind, microText(q), q.rank, q.start, q.end))
		if w > 16 && q.micro >= 0 {
			p.text(x+w/2, y+16, "middle", "inbar", strconv.Itoa(q.micro))
		}
	}
	for _, class := range slices.Sorted(maps.Keys(boxes)) {
		p.path(class, "", boxes[class])
	}
	y := row*float64(len(rows)) + 18
	p.text(left, y, "start", "note", fmt.Sprintf("%.2f s", from))
	p.text(left+plot, y, "end", "note", fmt.Sprintf("%.2f s", to))
	return p.html()
}

func microText(q *pass) string {
	if q.micro < 0 {
		return ""
	}
	return fmt.Sprintf(" of micro-batch %d, chunk %d", q.micro, q.chunk)
}

// passClass is the colour of a pass; micro-batches alternate in shade.
func passClass(q *pass) string {
	class := map[timeline.Kind]string{timeline.Forward: "c-cmp", timeline.Backward: "c-pp", timeline.Weight: "c-cp",
		timeline.Lead: "c-dp", timeline.Tail: "c-dp", timeline.Once: "c-ovh"}[q.kind]
	if q.micro%2 == 1 {
		class += " odd"
	}
	return class
}
