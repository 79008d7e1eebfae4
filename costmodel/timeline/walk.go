package timeline

import "fmt"

// Walk schedules the tasks: each starts as soon as its stream has finished the
// task before it and everything that it waits for has ended. The time taken is
// proportional to tasks and dependencies. It fails when tasks wait for each
// other in a circle, or for a task that does not exist.
func (t *Timeline) Walk() error {
	g, err := t.graph()
	if err != nil {
		return err
	}
	ready := make([]ID, 0, len(t.Tasks))
	for i, n := range g.waits {
		if n == 0 {
			ready = append(ready, ID(i))
		}
	}
	for i := range t.Tasks {
		t.Tasks[i].Start = 0
	}
	done := 0
	for ; done < len(ready); done++ {
		x := &t.Tasks[ready[done]]
		x.End = x.Start + x.Dur
		for _, next := range g.next[g.first[ready[done]]:g.first[ready[done]+1]] {
			y := &t.Tasks[next]
			y.Start = max(y.Start, x.End)
			if g.waits[next]--; g.waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	if done < len(t.Tasks) {
		return fmt.Errorf("timeline: %d of %d tasks wait for each other, first %s", len(t.Tasks)-done, len(t.Tasks), t.stuck(g))
	}
	return nil
}

// graph is the dependencies turned round: who goes on when a task ends.
type graph struct {
	first []int32 // first[i] : first[i+1] in next
	next  []ID
	waits []int32 // how many a task waits for
}

func (t *Timeline) graph() (*graph, error) {
	n := len(t.Tasks)
	g := &graph{first: make([]int32, n+2), waits: make([]int32, n)}
	before := t.streamOrder()
	each := func(visit func(from, to ID)) {
		for i := range t.Tasks {
			for _, d := range t.After(ID(i)) {
				visit(d, ID(i))
			}
			if before[i] >= 0 {
				visit(before[i], ID(i))
			}
		}
	}
	for _, d := range t.after {
		if d < 0 || int(d) >= n {
			return nil, fmt.Errorf("timeline: a task waits for task %d of %d", d, n)
		}
	}
	each(func(from, to ID) { g.first[from+2]++; g.waits[to]++ })
	for i := range n {
		g.first[i+2] += g.first[i+1]
	}
	g.next = make([]ID, g.first[n+1])
	each(func(from, to ID) { g.next[g.first[from+1]] = to; g.first[from+1]++ })
	return g, nil
}

// streamOrder returns the task before each one on its stream, −1 for none.
func (t *Timeline) streamOrder() []ID {
	last := make([]ID, t.Ranks*NumStreams)
	for i := range last {
		last[i] = -1
	}
	before := make([]ID, len(t.Tasks))
	for i := range t.Tasks {
		x := &t.Tasks[i]
		s := int(x.Rank)*NumStreams + int(x.Stream)
		before[i], last[s] = last[s], ID(i)
	}
	return before
}

func (t *Timeline) stuck(g *graph) string {
	for i, n := range g.waits {
		if n > 0 {
			x := &t.Tasks[i]
			return fmt.Sprintf("%s of micro-batch %d, chunk %d, rank %d", x.Kind, x.Micro, x.Chunk, x.Rank)
		}
	}
	return ""
}
