package validate

import (
	"planner/costmodel/collective"
	"planner/internal/catalog"
)

// interNode reads the free text of the inter_node column. unread says that
// there is text, but no rate of a node in it.
func interNode(r *Run) (o catalog.ClusterOptions, unread bool) {
	if r.InterNode == "" {
		return o, false
	}
	perNode := r.PerNode
	if perNode == 0 {
		perNode = 8
	}
	n, err := catalog.ParseNetwork(r.InterNode, perNode)
	if err != nil {
		return o, true
	}
	return n.Options(perNode), false
}

// catalogLinks returns the fitted constants of collectives.
func catalogLinks() collective.Constants {
	c, err := catalog.Collectives()
	if err != nil {
		panic(err) // the bundled file is tested
	}
	return *c
}
