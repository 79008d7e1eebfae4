package verdict

import (
	"time"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/strategies"
	"planner/verify/host"
	"planner/verify/replay"
	"planner/verify/transport"
)

// Question is what is to be verified.
type Question struct {
	Emulate  string // a shape: see transport.ParseShape
	Hardware string // a cluster to plan for; "": the shape, perturbed by Seed
	// Cluster is planned for instead, if it is not nil.
	Cluster   *hardware.Cluster
	Ranks     int // of this machine, with OwnMachine; 0: as it has cores
	GPUs      int // of the plan; 0: as many as there are ranks
	Model     string
	SeqLen    int
	Batch     int
	Framework string
	Top       int
	Best      bool     // the best layouts alone, rather than good and bad ones
	Layouts   []string // instead of chosen ones
	Rounds    int
	Budget    time.Duration
	Seed      uint64
	Progress  func(round, of int)

	// Backend is ranks that are there already; nil: those of the shape, over
	// Kind. Whoever opened it closes it.
	Backend replay.Backend
	Kind    transport.Kind
}

// OwnMachine is the Hardware that means this machine as it is measured.
const OwnMachine = "host"

// DefaultShape is a cluster small enough for two cores whose network is ten
// times slower than its nodes inside.
const DefaultShape = "2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms"

// perturbation is by how much the profile of an emulated cluster is off from
// the emulator: data sheets are, and a check against the very parameters that
// it runs with would be a circle.
const perturbation = 0.05

// Run is a question at work.
type Run struct {
	Question
	Shape   *transport.Shape // the ranks at hand, and their links where emulated
	Profile *hardware.Cluster
	Problem *strategies.Problem
	Chosen  []strategies.Estimate
	Machine *host.Machine // with --hardware host
	// Sampled says that the plan is of another cluster than the ranks at hand:
	// its calls are sampled and scaled.
	Sampled bool

	slow  float64 // of sampled links: how much slower than the plan's they are
	links *collective.Constants
}
