package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"

	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
)

// buffers tells all ranks where this one's are, where any of them has moved.
func (a *Across) buffers(p *plan, t reduce.DType, in, out Pointer) error {
	r := a.g.ranks[0]
	if err := a.g.enter(r.gpu); err != nil {
		return err
	}
	most := 0 // of all ranks, so that all grow at once
	for _, n := range p.scratch {
		most = max(most, n*t.Size())
	}
	grow := most > r.scratch.n
	want := [steps.NumBufs]Pointer{in, out, r.scratch.at}
	if a.declared && !grow && want == a.given {
		return nil
	}
	if a.declared && grow && want == a.given {
		if err := a.quiet(); err != nil { // peers may still read the old scratch
			return err
		}
	}
	if err := a.g.reserve(&r.scratch, most); err != nil {
		return err
	}
	want[steps.Scratch] = r.scratch.at
	return a.declare(want)
}

// quiet waits for the own stream, and for all ranks to have done so.
func (a *Across) quiet() error {
	if err := a.wait(); err != nil {
		return err
	}
	_, err := a.signals.Exchange([]byte{0})
	return err
}

// declare exchanges the handles of the buffers and opens the peers'.
func (a *Across) declare(mine [steps.NumBufs]Pointer) error {
	d := a.g.d
	var text []byte
	for _, p := range mine {
		var h IPCHandle
		if p != 0 {
			if err := d.check(d.ipcMem(&h, p), "cuIpcGetMemHandle"); err != nil {
				return err
			}
		}
		text = append(binary.LittleEndian.AppendUint64(text, uint64(p)), h.B[:]...)
	}
	all, err := a.signals.Exchange(text)
	if err != nil {
		return err
	}
	const each = 8 + 64
	for rank, b := range all {
		for i := range mine {
			if rank == a.Rank {
				a.bufs[rank][i] = mine[i]
				continue
			}
			a.bufs[rank][i] = 0
			if binary.LittleEndian.Uint64(b[each*i:]) == 0 {
				continue
			}
			if a.bufs[rank][i], err = a.import1(IPCHandle{[64]byte(b[each*i+8:])}); err != nil {
				return fmt.Errorf("memory of rank %d: %w", rank, err)
			}
		}
	}
	a.given, a.declared = mine, true
	return nil
}

// openLazily is CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, the only flag there is.
const openLazily = 1

// import1 opens memory of a peer; a process may open it once.
func (a *Across) import1(h IPCHandle) (p Pointer, err error) {
	if p, known := a.open[h]; known {
		return p, nil
	}
	if err := a.g.d.check(a.g.d.ipcOpenMem(&p, h, openLazily), "cuIpcOpenMemHandle"); err != nil {
		return 0, err
	}
	a.open[h] = p
	return p, nil
}

// Forget closes the peers' memory, once all ranks have waited; all call it
// before they free what they gave to calls.
func (a *Across) Forget() error {
	return a.g.on(func() error {
		if err := a.g.enter(a.g.ranks[0].gpu); err != nil {
			return err
		}
		if err := a.quiet(); err != nil {
			return err
		}
		var errs []error
		for h, p := range a.open {
			errs = append(errs, a.g.d.check(a.g.d.ipcCloseMem(p), "cuIpcCloseMemHandle"))
			delete(a.open, h)
		}
		a.declared = false
		_, err := a.signals.Exchange([]byte{1})
		return errors.Join(append(errs, err)...)
	})
}
