package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// words are Signals between goroutines that stand for processes.
type words struct {
	mu    sync.Mutex
	cond  *sync.Cond
	n     int
	here  int
	turn  int
	texts [][]byte
	last  [][]byte
	made  [][2]atomic.Uint64
}

func newWords(n int) *words {
	w := &words{n: n, texts: make([][]byte, n), made: make([][2]atomic.Uint64, n)}
	w.cond = sync.NewCond(&w.mu)
	return w
}

type end struct {
	*words
	rank  int
	early bool // does not wait: a fault
}

func (e *end) Set(kind int, n uint64) { e.made[e.rank][kind].Store(n) }

func (e *end) Wait(rank, kind int, n uint64) error {
	for limit, i := time.Now().Add(30*time.Second), 0; e.made[rank][kind].Load() < n && !e.early; i++ {
		if i%64 == 63 {
			time.Sleep(50 * time.Microsecond)
		}
		if time.Now().After(limit) {
			return errors.New("a rank did not come")
		}
		runtime.Gosched()
	}
	return nil
}

func (e *end) Exchange(b []byte) ([][]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.texts[e.rank] = b
	turn := e.turn
	if e.here++; e.here == e.n {
		e.last, e.texts, e.here, e.turn = e.texts, make([][]byte, e.n), 0, turn+1
		e.cond.Broadcast()
	}
	for e.turn == turn {
		e.cond.Wait()
	}
	return e.last, nil
}

// inProcesses runs f as every rank of processes on GPUs of their own or shared.
func inProcesses(t *testing.T, path string, ordinals []int, f func(a *Across, g *Group) error) error {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWords(len(ordinals))
	errs := make([]error, len(ordinals))
	var wg sync.WaitGroup
	for r, o := range ordinals {
		wg.Go(func() {
			g, err := NewGroup(d, []int{o})
			if err != nil {
				errs[r] = err
				return
			}
			a, err := NewAcross(g, r, len(ordinals), &end{words: w, rank: r})
			if err == nil {
				err = f(a, g)
			}
			if err == nil {
				err = a.Close()
			}
			errs[r] = errors.Join(err, g.Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestAcrossIsExact runs every operation by every algorithm with each rank a
// process, one behind the other without a wait between, and compares every
// element.
func TestAcrossIsExact(t *testing.T) {
	path, reset := fakes.Driver(t)
	for _, n := range []int{1, 2, 3, 5} {
		for _, shared := range []bool{false, true} {
			reset(fakes.CUDA{Devices: 8, Seed: n})
			on := count(n, func(i int) int {
				if shared {
					return 0
				}
				return i
			})
			err := inProcesses(t, path, on, func(a *Across, g *Group) error {
				var fault error
				eachCall(n, func(c Call, inPlace bool) {
					if fault == nil && !inPlace && c.Count != n+1 && c.Type == []reduce.DType{reduce.F32, reduce.BF16, reduce.F16}[n%3] {
						fault = oneAcross(a, g, c)
					}
				})
				return fault
			})
			if err != nil {
				t.Fatalf("%d processes, one GPU %v: %v", n, shared, err)
			}
		}
	}
}

// oneAcross makes a call twice with the same buffers.
func oneAcross(a *Across, g *Group, c Call) error {
	data := bench.NewData(c.Spec, c.Type, c.Reduction)
	in, out := steps.Lens(c.Spec, a.Rank)
	host := make([]byte, in*c.Type.Size())
	data.Fill(host, a.Rank)
	x, err := g.Alloc(0, len(host))
	if err != nil {
		return err
	}
	y, err := g.Alloc(0, out*c.Type.Size())
	if err != nil {
		return err
	}
	if err := g.Write(0, x, host); err != nil {
		return err
	}
	for range 2 {
		if err := a.Do(c.Spec, c.Type, c.Reduction, x, y); err != nil {
			return err
		}
	}
	if err := a.Wait(); err != nil {
		return err
	}
	got := make([]byte, out*c.Type.Size())
	if err := g.Read(0, got, y); err != nil {
		return err
	}
	if wrong := data.Wrong(got, a.Rank); wrong > 0 {
		err = fmt.Errorf("rank %d: %v by %v of %d: %d wrong", a.Rank, c.Op, c.Alg, c.Count, wrong)
	}
	return errors.Join(err, a.Forget(), g.Free(0, x), g.Free(0, y))
}

func TestAcrossWithoutPeerAccess(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2, NoPeers: true})
	err := inProcesses(t, path, []int{0, 1}, func(a *Across, g *Group) error {
		p, err := g.Alloc(0, 64)
		if err != nil {
			return err
		}
		return a.Do(steps.Spec{Op: 0, Ranks: 2, Count: 16, Alg: steps.OneShot}, reduce.F32, reduce.Sum, p, p+32)
	})
	if err == nil || !strings.Contains(err.Error(), "memory of rank") {
		t.Errorf("%v: want whose memory cannot be opened", err)
	}
}

// TestAcrossWithoutWords shows what the words between processes are for: where
// ranks do not wait for their peers' marks, results are wrong.
func TestAcrossWithoutWords(t *testing.T) {
	path, reset := fakes.Driver(t)
	var found atomic.Bool
	for try := 0; try < 200 && !found.Load(); try++ {
		reset(fakes.CUDA{Devices: 4, Seed: try})
		_ = inProcesses(t, path, []int{0, 1, 2, 3}, func(a *Across, g *Group) error {
			a.signals.(*end).early = true
			s := steps.Spec{Op: collective.AllReduce, Alg: steps.Ring, Ranks: 4, Count: 4096, Chunk: 512, Node: 1}
			if err := oneAcross(a, g, Call{Spec: s, Type: reduce.F32}); err != nil && strings.Contains(err.Error(), "wrong") {
				found.Store(true)
			}
			return nil
		})
	}
	if !found.Load() {
		t.Error("no wrong result in 200 tries without waiting")
	}
}
