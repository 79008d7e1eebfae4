package show

import (
	"fmt"

	"planner/internal/ask"
)

// WorkSettings says in words what of the workload is not the default: pass,
// share that is trained, attention kernel, load of the experts.
func WorkSettings(q *ask.Question) []string {
	var s []string
	if q.Pass == "forward" {
		s = append(s, "forward only")
	}
	if q.Trainable > 0 && q.Trainable < 1 {
		s = append(s, Trained(q.Trainable))
	}
	if q.Attention != "" && q.Attention != "usual" {
		s = append(s, "attention "+q.Attention)
	}
	switch {
	case q.Capacity > 0: // padded to it, whatever the imbalance
		s = append(s, fmt.Sprintf("capacity factor %g", q.Capacity))
	case q.Imbalance > 1:
		s = append(s, fmt.Sprintf("imbalance %g", q.Imbalance))
	}
	return s
}

// Trained writes the share of the parameters that is trained; 0 is all.
func Trained(share float64) string {
	if share == 0 {
		share = 1
	}
	return fmt.Sprintf("%.3g %% trainable", 100*share)
}

// ClusterSettings says in words what replaces parts of the cluster's
// description.
func ClusterSettings(q *ask.Question) []string {
	var s []string
	put := func(on bool, format string, value any) {
		if on {
			s = append(s, fmt.Sprintf(format, value))
		}
	}
	o := &q.Options
	put(o.GPUsPerNode > 0, "nodes of %d", o.GPUsPerNode)
	put(o.Domain > 0, "NVLink domains of %d", o.Domain)
	put(o.InterNode > 0, "%.4g Gb/s per GPU between nodes", o.InterNode.Gbps())
	put(o.Fabric != "", "%s between nodes", linkTitle(o.Fabric))
	put(o.NICs > 0, "%d NICs a node", o.NICs)
	put(o.Latency > 0, "%.3g µs a hop between nodes", 1e6*float64(o.Latency))
	return s
}
