package report

import (
	"fmt"
	"html/template"

	"planner/internal/sensitivity"
	"planner/strategies"
)

// cutOff bounds the scale, so that one bad knob does not hide the others.
const cutOff = 0.6

// sensitivityChart draws how far each knob and each figure moves the step.
func sensitivityChart(r *sensitivity.Result) template.HTML {
	const row, bar = 27.0, 18.0
	knobs, most := moved(r), 0.02
	for _, k := range knobs {
		most = max(most, min(abs(change(r, &k)), cutOff))
	}
	for _, f := range r.Figures {
		most = max(most, abs(f.Up), abs(f.Down))
	}
	p := newPicture(chartWidth, row*float64(len(knobs)+len(r.Figures))+26, "Change of the step when a knob or a hardware figure moves")
	x := axis{-most, most, 400, 985}
	y := 22.0
	draw := func(v float64, title string) {
		class, from, w := "c-opt", 0.0, min(abs(v), most)
		if v < 0 {
			class, from = "c-dp", -w
		}
		p.rect(x.at(from), y, x.at(w)-x.at(0), bar, class, title)
	}
	for i := range knobs {
		k := &knobs[i]
		name, by := k.Name+" "+k.From+" → "+k.To, change(r, k)
		p.text(185, y+14, "end", "lab", name)
		draw(by, name+": "+signed(by)+" %")
		p.text(200, y+14, "start", "val", fmt.Sprintf("%s %% · %.1f GiB%s", signed(by), k.Estimate.Memory.Total().GiB(), unfit(k.Estimate)))
		y += row
	}
	for _, f := range r.Figures {
		p.text(185, y+14, "end", "lab", fmt.Sprintf("%s ±%.0f %%", f.Name, 100*sensitivity.Swing))
		draw(f.Down, f.Name+" lower: "+signed(f.Down)+" %")
		draw(f.Up, f.Name+" higher: "+signed(f.Up)+" %")
		p.text(200, y+14, "start", "val", signed(f.Down)+" / "+signed(f.Up)+" %")
		y += row
	}
	p.line(x.at(0), 16, x.at(0), y-4, "axis")
	p.text(x.at(0)-8, 12, "end", "note", "◄ faster")
	p.text(x.at(0)+8, 12, "start", "note", "slower ►")
	return p.html()
}

// moved returns the knobs that have a legal value that way.
func moved(r *sensitivity.Result) []sensitivity.Knob {
	var out []sensitivity.Knob
	for _, k := range r.Knobs {
		if k.Estimate != nil {
			out = append(out, k)
		}
	}
	return out
}

// change is what a knob does to the step, relative.
func change(r *sensitivity.Result, k *sensitivity.Knob) float64 {
	return float64(k.Estimate.Step/r.Base.Step) - 1
}

func unfit(e *strategies.Estimate) string {
	if e.Fits {
		return ""
	}
	return ", does not fit"
}
