package collective

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// stated returns the constants of a link with what a cluster states of it in
// their place. A stated latency is that of every step, of which nothing is paid
// once; a stated reach is that of rings and of all pairs, and trees and the
// switch reach as much more or less.
func stated(l Link, f *hardware.LinkFit) Link {
	if k := f.LatencyFactor; k > 0 {
		for _, t := range []*unit.Seconds{&l.Base, &l.Hop, &l.Gap, &l.Fill, &l.Meet, &l.SwitchStep} {
			*t = t.Times(k)
		}
	}
	if f.States(hardware.StatedLatency) {
		if l.Hop > 0 {
			l.SwitchStep = l.SwitchStep.Times(float64(f.Latency / l.Hop))
		}
		l.Base, l.Hop, l.Gap, l.Fill, l.Meet = 0, f.Latency, 0, 0, 0
	}
	if f.States(hardware.StatedReach) {
		k := f.Reach / l.Reach
		l.Reach, l.Pairs = f.Reach, f.Reach
		l.Tree, l.Switch = min(1, l.Tree*k), min(1, l.Switch*k)
	}
	if f.States(hardware.StatedP2P) {
		l.P2P, l.Lane = f.P2P, 0
	}
	return l
}

// own sets what the protocol leaves to each leg: a cluster that states a
// latency or a Send's share has no others.
func (g *leg) own(f *hardware.LinkFit, p *Protocol) {
	g.pair, g.crowd = p.Pair, p.Crowd
	if f.States(hardware.StatedLatency) {
		g.pair = 1
	}
	if f.States(hardware.StatedP2P) {
		g.crowd = 1
	}
}
