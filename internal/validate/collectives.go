// Package validate holds predictions against published measurements.
package validate

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

// Measured is one row of a table of collective measurements: a call on a
// machine, as nccl-tests prints it.
type Measured struct {
	Line       int // 1-based, the header is line 1
	Collective string
	Op         collective.Op
	Machine    Machine
	Bytes      unit.Bytes
	// Seconds is the measured time: the time column, or bytes over algbw, or
	// what busbw implies. Zero: the row gives none.
	Seconds unit.Seconds
	// Rounding is the relative half-width of the printed figure.
	Rounding float64
	Source   string
	// Skipped says why the row cannot be predicted; "" for all others.
	Skipped string
}

// columns of the table. A header may have them in any order and others
// besides; of the last three at least one.
var (
	required = []string{"gpu_preset", "fabric_kind", "nic_gbps_per_gpu", "gpus", "nodes", "collective", "bytes"}
	timed    = []string{"time_us", "algbw_GBs", "busbw_GBs"}
)

// ops maps nccl-tests' names, and ours, to operations.
var ops = map[string]collective.Op{
	"alltoall": collective.AllToAll, "sendrecv": collective.Send, "allreduce": collective.AllReduce,
	"allgather": collective.AllGather, "reducescatter": collective.ReduceScatter,
}

// ReadCollectives reads a tab-separated table with a header line. name is what
// errors call the file.
func ReadCollectives(name string, r io.Reader) ([]Measured, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	var t table
	var rows []Measured
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		switch {
		case n == 1:
			if err := t.header(name, text); err != nil {
				return nil, err
			}
		case strings.TrimSpace(text) == "":
		default:
			row, err := t.row(name, n, text)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	switch {
	case lines.Err() != nil:
		return nil, catalog.Errorf("%s: not a table: %v: want tab-separated lines", name, lines.Err())
	case t.index == nil:
		return nil, catalog.Errorf("%s: empty: want a header line with %s", name, strings.Join(required, ", "))
	case len(rows) == 0:
		return nil, catalog.Errorf("%s: no rows below the header", name)
	}
	return rows, nil
}

// table maps column names to positions.
type table struct {
	index map[string]int
	width int
}

func (t *table) header(name, text string) error {
	cells := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\t")
	index := map[string]int{}
	for i, c := range cells {
		c = strings.TrimSpace(c)
		if _, twice := index[c]; twice {
			return catalog.Errorf("%s:1: column %.40q: given twice: want it once", name, c)
		}
		index[c] = i
	}
	for _, c := range required {
		if _, ok := index[c]; !ok {
			return catalog.Errorf("%s:1: no column %q: want tab-separated columns %s", name, c, strings.Join(required, ", "))
		}
	}
	if !slices.ContainsFunc(timed, func(c string) bool { _, ok := index[c]; return ok }) {
		return catalog.Errorf("%s:1: no measurement column: want one of %s", name, strings.Join(timed, ", "))
	}
	t.index, t.width = index, len(cells)
	return nil
}

// record is one line cut into cells; the first fault sticks.
type record struct {
	t     *table
	at    string
	cells []string
	err   error
}

func (t *table) row(name string, n int, text string) (Measured, error) {
	rec := &record{t: t, at: fmt.Sprintf("%s:%d", name, n), cells: strings.Split(text, "\t")}
	if len(rec.cells) != t.width {
		return Measured{}, catalog.Errorf("%s: %d columns: want %d as in the header", rec.at, len(rec.cells), t.width)
	}
	m := Measured{
		Line: n, Collective: rec.text("collective"), Source: rec.text("source_url"),
		Bytes: unit.Bytes(rec.number("bytes", 0, 1<<50)),
		Machine: Machine{
			GPU: rec.text("gpu_preset"), Fabric: rec.text("fabric_kind"),
			NIC:   unit.BytesPerSecond(rec.number("nic_gbps_per_gpu", 0, 1e5) * 1e9 / 8),
			GPUs:  int(rec.number("gpus", 1, 1<<20)),
			Nodes: int(rec.number("nodes", 1, 1<<20)),
		},
	}
	m.Op = rec.op(m.Collective)
	m.measure(rec)
	if rec.err == nil {
		rec.err = m.Machine.check(rec.at)
	}
	m.Skipped = m.skip(rec)
	return m, rec.err
}

func (r *record) text(column string) string {
	i, ok := r.t.index[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

// number reads a cell within [low, high]; a blank cell is 0 where low is 0.
func (r *record) number(column string, low, high float64) float64 {
	s := r.text(column)
	if s == "" && low == 0 {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case r.err != nil:
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		r.err = catalog.Errorf("%s: %s %.40q: not a number: want one from %.0f to %.0f", r.at, column, s, low, high)
	case v < low || v > high:
		r.err = catalog.Errorf("%s: %s %.40q: out of range: want %.0f to %.0f", r.at, column, s, low, high)
	}
	return v
}

func (r *record) op(name string) collective.Op {
	if op, ok := collective.ParseOp(name); ok {
		return op
	}
	if op, ok := ops[name]; ok {
		return op
	}
	if r.err == nil {
		r.err = catalog.Errorf("%s: collective %.40q: unknown: want all_reduce, all_gather, reduce_scatter, alltoall, sendrecv, broadcast, reduce, gather or scatter", r.at, name)
	}
	return 0
}

// measure takes the time from the most exact column that is filled.
func (m *Measured) measure(r *record) {
	us, algbw, busbw := r.number("time_us", 0, 1e12), r.number("algbw_GBs", 0, 1e6), r.number("busbw_GBs", 0, 1e6)
	factor := m.Op.BusFactor(m.Machine.GPUs)
	switch {
	case us > 0:
		m.Seconds = unit.Seconds(us) * unit.Microsecond
	case algbw > 0:
		m.Seconds, m.Rounding = m.Bytes.Over(unit.BytesPerSecond(algbw)*unit.GBps), 0.005/algbw
	case busbw > 0:
		m.Seconds, m.Rounding = m.Bytes.Times(factor).Over(unit.BytesPerSecond(busbw)*unit.GBps), 0.005/busbw
	}
}

func (m *Measured) skip(r *record) string {
	switch {
	case m.Bytes == 0 && r.text("bytes") == "":
		return "bytes is blank: a time needs a message size"
	case m.Machine.GPUs == 1:
		return "one GPU: nothing to communicate"
	case m.Machine.GPU == "" && m.Machine.GPUs > m.Machine.Nodes:
		return "gpu_preset is blank: the links inside its nodes are not known"
	}
	return ""
}

// Cluster returns the machine of the row with its ranks as one group.
func (m *Measured) Cluster() (*hardware.Cluster, hardware.Span, error) {
	c, err := m.Machine.Cluster()
	if err != nil {
		return nil, hardware.Span{}, err
	}
	return c, c.Span(1, m.Machine.GPUs), nil
}
