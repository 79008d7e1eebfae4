package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"planner/strategies"
)

// grid gives the coordinates of a rank in the order tp-cp-ep-dp-pp, TP innermost.
// Experts fold over the ranks of a stage, ETP innermost.
func grid(l *strategies.Layout, rank int) (tp, cp, ep, dp, pp int) {
	ep = rank / l.ETP % l.EP
	tp, rank = rank%l.TP, rank/l.TP
	cp, rank = rank%l.CP, rank/l.CP
	return tp, cp, ep, rank % l.DP, rank / l.DP
}

// placement draws some nodes with the coordinates of their GPUs: the first two,
// the last of the first stage, the first of the next, and the last of all.
func placement(x *strategies.Explanation) template.HTML {
	const cell, gap, nodeW = 52.0, 4.0, 1000.0
	c, l := x.Cluster, &x.Layout
	per := min(c.PerNode, c.GPUs)
	stage := c.GPUs / l.PP
	nodes := []int{0}
	for _, rank := range []int{per, stage - 1, stage, c.GPUs - 1} {
		if rank >= 0 && rank < c.GPUs {
			nodes = append(nodes, rank/per)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	columns := min(per, 16)
	width := min((nodeW-110)/float64(columns), 104)
	lines := (per + columns - 1) / columns
	rowH := float64(lines)*(cell+gap) + 16
	p := newPicture(nodeW, rowH*float64(len(nodes))+4, fmt.Sprintf("Ranks on %d of %d nodes; each box is a GPU with its coordinates", len(nodes), c.Nodes()))
	for i, n := range nodes {
		y := float64(i)*rowH + 4
		p.text(96, y+26, "end", "lab", fmt.Sprintf("node %d", n))
		for k := range per {
			rank := n*per + k
			if rank >= c.GPUs {
				break
			}
			gpu(p, l, rank, 110+float64(k%columns)*width, y+float64(k/columns)*(cell+gap), width-gap, cell)
		}
		if i+1 < len(nodes) && nodes[i+1] > n+1 {
			p.text(96, y+44, "end", "note", fmt.Sprintf("… to %d", nodes[i+1]))
		}
	}
	return p.html()
}

// gpu draws one box; boxes of one TP group share a bar, of alternating shade.
func gpu(p *picture, l *strategies.Layout, rank int, x, y, w, h float64) {
	tp, cp, ep, dp, pp := grid(l, rank)
	var where []string
	for _, d := range []struct {
		name     string
		at, size int
	}{{"tp", tp, l.TP}, {"cp", cp, l.CP}, {"ep", ep, l.EP}, {"dp", dp, l.DP}, {"pp", pp, l.PP}} {
		if d.size > 1 {
			where = append(where, d.name+strconv.Itoa(d.at))
		}
	}
	p.rect(x, y, w, h, "node", fmt.Sprintf("rank %d: %s", rank, strings.Join(where, " ")))
	class := "c-tp"
	if (rank/l.TP)%2 == 1 {
		class = "c-tp odd"
	}
	if l.TP == 1 {
		class = "c-dp"
	}
	p.rect(x, y, w, 5, class, "")
	p.text(x+5, y+18, "start", "note", "rank "+strconv.Itoa(rank))
	half := (len(where) + 1) / 2
	p.text(x+5, y+32, "start", "tiny", strings.Join(where[:half], " "))
	p.text(x+5, y+45, "start", "tiny", strings.Join(where[half:], " "))
}
