package replay

import (
	"context"
	"time"

	"planner/costmodel/collective"
)

// Backend is ranks that can replay programs. Its calls come one at a time.
type Backend interface {
	// Place returns the number of ranks and the node of each.
	Place() Place
	// Run carries out a work. progress, if not nil, is told of rounds.
	Run(ctx context.Context, w *Work, progress func(round, of int)) (*Result, error)
	// Close lets the ranks go.
	Close() error
}

// Place is where the ranks of a back end are.
type Place struct {
	Ranks int    `json:"ranks"`
	Nodes []int  `json:"nodes"` // node of each rank
	What  string `json:"what"`  // for people: "goroutines of this machine"
}

// PerNode returns the ranks of a node, 0 if that differs from node to node or
// ranks of a node are not adjacent.
func (p Place) PerNode() int {
	n := 0
	for n < len(p.Nodes) && p.Nodes[n] == p.Nodes[0] {
		n++
	}
	for r := range p.Nodes {
		if p.Nodes[r] != p.Nodes[r/n*n] || r >= n && r%n == 0 && p.Nodes[r] == p.Nodes[r-1] {
			return 0
		}
	}
	return n
}

// Work is what a back end is to do: programs replayed round after round, then
// calls sampled, then links probed. Each part may be empty.
type Work struct {
	Programs []*Program    `json:"programs,omitempty"`
	Samples  []Sample      `json:"samples,omitempty"`
	Probe    *ProbeSpec    `json:"probe,omitempty"`
	Rounds   int           `json:"rounds"` // rounds that count; 0: 5
	Budget   time.Duration `json:"budget"` // after which no round begins, three apart; 0: none
}

// Sample is one call made by all groups at once, beside nothing else.
type Sample struct {
	Op        collective.Op        `json:"op"`
	DType     collective.DType     `json:"dtype"`
	Algorithm collective.Algorithm `json:"algorithm"`
	Bytes     int64                `json:"bytes"`
	Groups    [][]int              `json:"groups"` // disjoint, by rank; of a Send: sender and receiver
}

// ProbeSpec says at what rates the links inside and between nodes are expected
// to be.
type ProbeSpec struct {
	PerNode int     `json:"per_node"`
	Inside  float64 `json:"inside"` // bytes per second
	Between float64 `json:"between"`
}

// Result is what a back end found.
type Result struct {
	Measurement
	Samples []Spread // by Work.Samples
	// SampleRounds is how many rounds of the samples count: as many as were asked
	// for, or fewer where the budget ended.
	SampleRounds int
	Probes       []Probe
	RealTime     bool // the kernel runs the ranks before other programs
}
