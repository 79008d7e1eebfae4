package strategies

import (
	"fmt"
	"strconv"
)

func (p *Problem) checkLayers(l *Layout, prof *Profile) *Violation {
	v := p.layersFault(l)
	if v != nil && v.Remedy == "" {
		v.Offers = p.offerLayers(l, prof, v.Rule)
		v.Remedy = Phrase(v.Offers)
	}
	return v
}

// layersFault is checkLayers without the remedies that are layouts.
func (p *Problem) layersFault(l *Layout) *Violation {
	layers, chunks := p.Model.Layers(), l.PP*l.VPP
	given := "pp=" + strconv.Itoa(l.PP)
	if l.VPP > 1 {
		given += ",vpp=" + strconv.Itoa(l.VPP)
	}
	refuse := func(rule Rule, given, reason string, args ...any) *Violation {
		return &Violation{Rule: rule, Given: given, Reason: fmt.Sprintf(reason, args...)}
	}
	switch {
	case l.FullLayers > layers:
		return offering(RuleLayers, fmt.Sprintf("recompute=full:%d", l.FullLayers), fmt.Sprintf("more than the %d layers of the model", layers), "use recompute=full")
	case l.Schedule == Interleaved && l.VPP == 1:
		return refuse(RuleLayers, "schedule=interleaved", "interleaving needs virtual stages")
	case l.VPP > 1 && l.PP > 1 && l.Schedule != Interleaved:
		return refuse(RuleLayers, "schedule="+l.Schedule.String(), "virtual stages are interleaved")
	case l.VPP > 1 && l.PP == 1:
		return refuse(RuleLayers, "vpp="+strconv.Itoa(l.VPP), "virtual stages need pp>1")
	case chunks > layers:
		return refuse(RuleEmpty, given, "%d layers cannot fill %d stages: a stage would hold no trainable parameters", layers, chunks)
	case p.layersOf(l, nil) != nil:
		return nil
	case l.First > 0 || l.Last > 0:
		return refuse(RuleLayers, splitString(l.First, l.Last), "%s", unevenFault(l, layers))
	}
	return refuse(RuleLayers, given, "%d layers do not split evenly over %d stages", layers, chunks)
}

// unevenFault says why layers do not split with the first and last of l.
func unevenFault(l *Layout, layers int) string {
	left, others := layers-l.First-l.Last, l.PP
	for _, end := range []int{l.First, l.Last} {
		if end > 0 {
			others--
		}
	}
	switch {
	case left < 0:
		return fmt.Sprintf("more than the %d layers of the model", layers)
	case l.PP == 1:
		return "one stage holds every layer"
	case l.First%l.VPP != 0 || l.Last%l.VPP != 0:
		return fmt.Sprintf("not a multiple of vpp=%d", l.VPP)
	case left == 0:
		return "no layers are left for the other stages"
	case others == 0:
		return fmt.Sprintf("%d of %d layers are left, and no other stage", left, layers)
	}
	return fmt.Sprintf("the %d layers left do not split evenly over the other %d stages", left, others*l.VPP)
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
