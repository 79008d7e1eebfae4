package worker

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"planner/verify/engine"
	"planner/verify/reduce"
)

// Seat is where a rank sits.
type Seat struct {
	Host string
	Bus  string // PCI address of its GPU
	GPU  string // its name
}

// seatBytes is the room for a seat as JSON: names of hosts have at most 255
// bytes, those of GPUs fewer.
const seatBytes = 640

// exchange returns the seats of all ranks.
func exchange(c *engine.Comm, mine Seat) ([]Seat, error) {
	b, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	in, out := make([]byte, seatBytes), make([]byte, seatBytes*c.Size())
	if copy(in, b) < len(b) {
		return nil, fmt.Errorf("seat %s: longer than %d bytes", b, seatBytes)
	}
	if err := c.AllGather(out, in, len(out)/4, reduce.I32); err != nil {
		return nil, err
	}
	seats := make([]Seat, c.Size())
	for r := range seats {
		one := out[r*seatBytes : (r+1)*seatBytes]
		n := len(one)
		for n > 0 && one[n-1] == 0 {
			n--
		}
		if err := json.Unmarshal(one[:n], &seats[r]); err != nil {
			return nil, err
		}
	}
	return seats, nil
}

// Check says what NCCL would refuse, before it does, and notes what makes a
// measurement hard to read: GPUs that differ. shares says whether several
// ranks may be on one GPU.
func Check(seats []Seat, shares bool, version string) (notes []string, err error) {
	type place struct{ host, bus string }
	first := map[place]int{}
	for r, s := range seats {
		p := place{s.Host, s.Bus}
		if o, taken := first[p]; taken && !shares {
			return nil, fmt.Errorf("ranks %d and %d are both on GPU %s of %s: NCCL %s wants a GPU for each: start fewer ranks, "+
				"use --backend cuda, or NCCL 2.30 with NCCL_MULTI_RANK_GPU_ENABLE=1", o, r, s.Bus, s.Host, version)
		} else if !taken {
			first[p] = r
		}
		if s.GPU != seats[0].GPU {
			notes = append(notes, fmt.Sprintf("mixed GPUs: rank %d has %s, rank 0 has %s: the slowest decides", r, s.GPU, seats[0].GPU))
		}
	}
	return notes, nil
}

// agree returns the largest time and the sum of the wrong elements of all.
func agree(c *engine.Comm, seconds float64, wrong int) (float64, int, error) {
	t := binary.LittleEndian.AppendUint64(nil, math.Float64bits(seconds))
	n := binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(wrong)))
	if err := c.AllReduce(t, t, 1, reduce.F64, reduce.Max); err != nil {
		return 0, 0, err
	}
	if err := c.AllReduce(n, n, 1, reduce.F64, reduce.Sum); err != nil {
		return 0, 0, err
	}
	f := func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	return f(t), int(f(n)), nil
}

// hostName is the machine's name, as a word.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "here"
	}
	return name
}
