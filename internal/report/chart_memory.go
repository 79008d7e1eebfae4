package report

import (
	"fmt"
	"html/template"

	"planner/hardware/unit"
	"planner/internal/show"
	"planner/strategies"
)

// mostStages bounds the stages and pipeline rows that are drawn.
const mostStages = 16

// memoryClass is the colour of a component.
var memoryClass = map[string]string{"weights": "wei", "gradients": "gra", "master": "mas", "moments": "mom", "activations": "act",
	"logits": "log", "buffers": "buf", "fragmentation": "fra", "runtime": "run"}

// memoryBars draws one bar a stage against what a process may use.
func memoryBars(x *strategies.Explanation, capacity unit.Bytes) template.HTML {
	const row, bar, left, plot = 34.0, 22.0, 205.0, 780.0
	stages := show.Stages(x, mostStages)
	p := newPicture(chartWidth, row*float64(len(stages))+34, fmt.Sprintf("Memory of one GPU by stage and component; %.1f GiB are usable", capacity.GiB()))
	most := capacity.GiB()
	for _, s := range stages {
		most = max(most, x.Stages[s].Total().GiB())
	}
	scale := plot / (1.02 * most)
	y := 22.0
	for _, s := range stages {
		m := &x.Stages[s].Memory
		p.text(66, y+16, "end", "lab", fmt.Sprintf("stage %d", s))
		p.text(left-12, y+16, "end", "val", fmt.Sprintf("%.1f GiB · %.0f %%", m.Total().GiB(), 100*float64(m.Total()/capacity)))
		at := left
		for _, c := range show.Components(m) {
			w := c.Bytes.GiB() * scale
			if w <= 0 {
				continue
			}
			p.rect(at, y, max(w-1, 0.5), bar, "m-"+memoryClass[c.Name], fmt.Sprintf("stage %d, %s: %.2f GiB", s, c.Name, c.Bytes.GiB()))
			if text := fmt.Sprintf("%s %.1f", c.Name, c.Bytes.GiB()); w > 7.2*float64(len(text)) {
				p.text(at+6, y+15.5, "start", "inbar"+map[bool]string{true: " inv"}[c.Name == "weights" || c.Name == "logits" || c.Name == "moments"], text)
			}
			at += w
		}
		y += row
	}
	limit := left + capacity.GiB()*scale
	p.line(limit, 16, limit, y-4, "limit")
	p.text(limit, 11, "end", "note", fmt.Sprintf("usable %.1f GiB", capacity.GiB()))
	return p.html()
}
