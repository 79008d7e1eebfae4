package worker

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"planner/verify/engine"
	"planner/verify/reduce"
)

// signals are words in memory that the rank processes of a machine share, by
// which cuda.Across orders its streams: two counters a rank, on cache lines of
// their own.
type signals struct {
	host    *engine.Comm
	memory  []byte
	timeout time.Duration
}

// line is the bytes of a cache line, and of neighbours that are fetched with it.
const line = 128

// nameBytes is the room for the file's name.
const nameBytes = 128

// openSignals maps a file of rank 0, which no longer has a name afterwards.
func openSignals(host *engine.Comm, timeout time.Duration) (*signals, error) {
	size := 2 * line * host.Size()
	name := make([]byte, nameBytes)
	var made error
	if host.Rank() == 0 {
		made = makeFile(name, size)
	}
	all := make([]byte, nameBytes)
	if err := host.Broadcast(all, name, nameBytes/4, reduce.I32, 0); err != nil {
		return nil, err
	}
	n := 0
	for n < len(all) && all[n] != 0 {
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("memory between processes: rank 0 could not make it: %v: want room in /dev/shm", made)
	}
	path := string(all[:n])
	memory, err := mapFile(path, size)
	if e := host.Barrier(); err == nil {
		err = e
	}
	if host.Rank() == 0 {
		_ = os.Remove(path)
	}
	if err != nil {
		return nil, fmt.Errorf("memory between processes: %w: want all ranks on one machine", err)
	}
	return &signals{host, memory, timeout}, nil
}

func makeFile(name []byte, size int) error {
	f, err := os.CreateTemp("/dev/shm", "planner-gpu-")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(int64(size)); err != nil {
		return err
	}
	copy(name, f.Name())
	return nil
}

func (s *signals) word(rank, kind int) *uint64 {
	return (*uint64)(unsafe.Pointer(&s.memory[(2*rank+kind)*line]))
}

// Set says that this rank has made n marks of a kind.
func (s *signals) Set(kind int, n uint64) { atomic.StoreUint64(s.word(s.host.Rank(), kind), n) }

// Wait returns when a rank has made n.
func (s *signals) Wait(rank, kind int, n uint64) error {
	end := time.Now().Add(s.timeout)
	for w, i := s.word(rank, kind), 0; atomic.LoadUint64(w) < n; i++ {
		if i%256 == 255 {
			runtime.Gosched()
			if time.Now().After(end) {
				return fmt.Errorf("rank %d did not come to the call within %v", rank, s.timeout)
			}
		}
	}
	return nil
}

// Exchange returns what every rank gives.
func (s *signals) Exchange(mine []byte) ([][]byte, error) {
	each := (len(mine) + 3) &^ 3
	in, out := make([]byte, each), make([]byte, each*s.host.Size())
	copy(in, mine)
	if err := s.host.AllGather(out, in, len(out)/4, reduce.I32); err != nil {
		return nil, err
	}
	all := make([][]byte, s.host.Size())
	for r := range all {
		all[r] = out[r*each : r*each+len(mine)]
	}
	return all, nil
}
