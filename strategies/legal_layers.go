package strategies

import (
	"fmt"
	"strconv"
)

func (p *Problem) checkLayers(l *Layout, prof *Profile) *Violation {
	layers, chunks := p.Model.Layers(), l.PP*l.VPP
	given := "pp=" + strconv.Itoa(l.PP)
	if l.VPP > 1 {
		given += ",vpp=" + strconv.Itoa(l.VPP)
	}
	switch {
	case l.FullLayers > layers:
		return &Violation{RuleLayers, "recompute=full:" + strconv.Itoa(l.FullLayers), fmt.Sprintf("more than the %d layers of the model", layers), "use full"}
	case l.Schedule == Interleaved && l.VPP == 1:
		return &Violation{RuleLayers, "schedule=interleaved", "interleaving needs virtual stages", "set vpp>1 or drop schedule"}
	case l.VPP > 1 && l.PP > 1 && l.Schedule != Interleaved:
		return &Violation{RuleLayers, "schedule=" + l.Schedule.String(), "virtual stages are interleaved", "set vpp=1 or schedule=interleaved"}
	case l.VPP > 1 && l.PP == 1:
		return &Violation{RuleLayers, "vpp=" + strconv.Itoa(l.VPP), "virtual stages need pp>1", "set pp or drop vpp"}
	case chunks > layers:
		return &Violation{RuleEmpty, given, fmt.Sprintf("%d layers cannot fill %d stages: a stage would hold no trainable parameters", layers, chunks),
			fmt.Sprintf("use at most pp=%d, or pp=1", layers)}
	case p.layersOf(l, nil) != nil:
		return nil
	case l.First+l.Last > layers:
		return &Violation{RuleLayers, splitString(l.First, l.Last), fmt.Sprintf("more than the %d layers of the model", layers), offerSplit(l, layers, prof)}
	case l.First > 0 || l.Last > 0:
		return &Violation{RuleLayers, splitString(l.First, l.Last),
			fmt.Sprintf("%d layers are left for the other stages, which they do not divide", layers-l.First-l.Last), offerSplit(l, layers, prof)}
	}
	return &Violation{RuleLayers, given, fmt.Sprintf("%d layers do not split evenly over %d stages", layers, chunks), offerSplit(l, layers, prof)}
}

// offerSplit proposes an uneven split that is legal, and the nearest degrees
// that divide.
func offerSplit(l *Layout, layers int, prof *Profile) string {
	offer := "use "
	if f, z, ok := splitFor(l, layers); ok && prof.Can.Uneven {
		offer = fmt.Sprintf("add %s or use ", splitString(f, z))
	}
	low, high := 1, layers
	for d := 1; d <= layers; d++ {
		if layers%d != 0 {
			continue
		}
		if d < l.PP*l.VPP {
			low = d
		} else if d > l.PP*l.VPP {
			high = d
			break
		}
	}
	return offer + fmt.Sprintf("pp=%d or pp=%d", low, high)
}

func splitString(first, last int) string {
	switch {
	case last == 0:
		return fmt.Sprintf("first=%d", first)
	case first == 0:
		return fmt.Sprintf("last=%d", last)
	}
	return fmt.Sprintf("first=%d,last=%d", first, last)
}

// splitFor returns the uneven split nearest to even: short ends first, since
// the ends also hold the embedding and the head.
func splitFor(l *Layout, layers int) (first, last int, ok bool) {
	even := float64(layers) / float64(l.PP)
	best := 1e18
	try := func(f, z int) {
		c := Layout{PP: l.PP, VPP: l.VPP, First: f, Last: z}
		n := unevenChunks(&c, layers)
		if n == nil {
			return
		}
		cost := 0.0
		for _, k := range n {
			d := float64(k*l.VPP) - even
			cost += d * d
			if d > 0 {
				cost += d / 100
			}
		}
		if cost < best {
			best, first, last, ok = cost, f, z, true
		}
	}
	for f := 1; f <= int(2*even)+1; f++ {
		try(f, 0)
		try(0, f)
		for z := 1; z <= int(2*even)+1; z++ {
			try(f, z)
		}
	}
	return first, last, ok
}
