package worker

import (
	"errors"
	"fmt"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/nccl"
)

// mover is what makes the calls of a rank: NCCL's communicator, or the engine's
// kernels across processes.
type mover interface {
	Do(k nccl.Call) error
	Wait() error
	Close() error
	Abort()
	place() (rank, size int)
	// release lets go of the buffers of calls before they are freed.
	release() error
	// name is how the table calls what moved the bytes.
	name(op collective.Op, bytes int) string
}

// byNCCL is a communicator.
type byNCCL struct {
	*nccl.Comm
	backend Backend
}

func (b byNCCL) place() (rank, size int)        { return b.Comm.Rank, b.Comm.Size }
func (b byNCCL) release() error                 { return nil }
func (b byNCCL) name(collective.Op, int) string { return string(b.backend) }

// byKernels is the engine's kernels, each rank a process of one machine.
type byKernels struct {
	*cuda.Across
	signals *signals
}

func newKernels(host *engine.Comm, g *cuda.Group, timeout time.Duration) (*byKernels, error) {
	s, err := openSignals(host, timeout)
	if err != nil {
		return nil, err
	}
	a, err := cuda.NewAcross(g, host.Rank(), host.Size(), s)
	if err != nil {
		return nil, err
	}
	a.Timeout = timeout
	return &byKernels{a, s}, nil
}

func (b *byKernels) spec(k nccl.Call) steps.Spec {
	s := steps.Spec{Op: k.Op, Ranks: b.Across.Size, Count: k.Count, Alg: cuda.Choose(k.Op, k.Count*k.Type.Size())}
	if k.Op >= collective.Broadcast {
		s.Root = k.Root
	}
	return s
}

func (b *byKernels) Do(k nccl.Call) error {
	return b.Across.Do(b.spec(k), k.Type, k.Reduction, cuda.Pointer(k.In), cuda.Pointer(k.Out))
}

func (b *byKernels) place() (rank, size int) { return b.Across.Rank, b.Across.Size }
func (b *byKernels) release() error          { return b.Forget() }
func (b *byKernels) Abort()                  {}

func (b *byKernels) name(op collective.Op, bytes int) string { return cuda.Choose(op, bytes).String() }

func (b *byKernels) Close() error {
	return errors.Join(b.Across.Close(), unmap(b.signals.memory))
}

// oneMachine refuses ranks of several machines.
func oneMachine(seats []Seat) error {
	for r, s := range seats {
		if s.Host != seats[0].Host {
			return fmt.Errorf("ranks 0 and %d are on %s and %s: own kernels run on one machine: want --backend nccl", r, seats[0].Host, s.Host)
		}
	}
	return nil
}
