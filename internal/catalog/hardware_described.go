package catalog

import "planner/hardware"

// Described returns a cluster as its preset or file describes it, for a file
// that describes it again: it has no size, so that its domains are those of the
// racks. Cluster makes them the shares of a rack that a job of some size gets.
func Described(name string) (*hardware.Cluster, error) { return findCluster(name) }
