package strategies

import "planner/costmodel"

// splitsByCost reports whether the framework spreads the model over stages by
// cost.
func (p *Profile) splitsByCost() bool { return p != nil && p.Can.Split == "cost" }

// byCost returns the layers of each of pp stages as nanotron spreads them
// (trainer.py, _init_model_instance): blocks go in order to a stage until their
// summed cost exceeds its even share, so that early stages have one more and
// the stage of the head fewer.
func (p *Problem) byCost(pp int) []int {
	n, _ := p.costSplit(pp)
	return n
}

// emptyByCost reports whether that leaves a stage without parameters: where the
// head costs more than all layers, it joins them on an early stage.
func (p *Problem) emptyByCost(pp int) bool {
	_, head := p.costSplit(pp)
	return head < pp-1
}

// costSplit returns the layers of each of pp stages and the stage of the head.
func (p *Problem) costSplit(pp int) (n []int, head int) {
	m := p.Model
	total := float64(m.Embedding()) // the head: vocabulary × hidden
	for _, k := range m.Pattern {
		total += blockCost(&m.Kinds[k], m.Hidden)
	}
	n = make([]int, pp)
	at, sum := 0, 0.0
	for _, k := range m.Pattern {
		n[at]++
		if sum += blockCost(&m.Kinds[k], m.Hidden); at < pp-1 && sum > total*float64(at+1)/float64(pp) {
			at++
		}
	}
	return n, at
}

// blockCost is nanotron's cost of a layer (models/llama.py,
// get_block_compute_costs): 4·heads·head_dim·h + 3·ffn·h.
func blockCost(l *costmodel.Layer, hidden int) float64 {
	if l.FFN.Experts > 0 {
		return float64(l.Active(hidden))
	}
	return float64(4*l.Mixer.Heads*l.Mixer.HeadDim+3*l.FFN.Width) * float64(hidden)
}
