package calibrate

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

// Bench is one line of nccl-tests' output.
type Bench struct {
	Op      collective.Op
	Bytes   unit.Bytes // as the size column counts them
	Seconds unit.Seconds
	Ranks   int
	Nodes   int
}

// benchOps maps the programs of nccl-tests to operations.
var benchOps = map[string]collective.Op{
	"all_reduce": collective.AllReduce, "allreduce": collective.AllReduce, "all_gather": collective.AllGather, "allgather": collective.AllGather,
	"reduce_scatter": collective.ReduceScatter, "reducescatter": collective.ReduceScatter,
	"alltoall": collective.AllToAll, "sendrecv": collective.Send, "broadcast": collective.Broadcast,
}

var (
	benchRank  = regexp.MustCompile(`^#\s+Rank\s+(\d+)\s+.*\bon\s+(\S+)\s+device`)
	benchStart = regexp.MustCompile(`(\w+?)_perf\b`)
)

// ReadBench reads the text that nccl-tests prints, several tests one after
// another. What is not a line of a table is skipped, as launchers print
// between them. name is what errors call the file.
func ReadBench(name string, r io.Reader) ([]Bench, error) {
	b := benchReader{hosts: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		b.line(lines.Text())
	}
	switch {
	case lines.Err() != nil:
		return nil, catalog.Errorf("%s: not text: %v", name, lines.Err())
	case len(b.out) == 0 && b.ranks == 0:
		return nil, catalog.Errorf("%s: no line of nccl-tests found: want the text that all_reduce_perf and its sisters print", name)
	case len(b.out) == 0:
		return nil, catalog.Errorf("%s: no measurement of a known collective: want all_reduce, all_gather, reduce_scatter, alltoall or sendrecv", name)
	}
	return b.out, nil
}

type benchReader struct {
	op     collective.Op
	named  bool // the text has said which test it is
	known  bool // and it is one of benchOps
	table  bool // the last test's table has begun: new ranks are of another
	ranks  int
	hosts  map[string]bool
	out    []Bench
	column int // of the out-of-place time
}

func (b *benchReader) line(text string) {
	text = strings.TrimSpace(text)
	if m := benchRank.FindStringSubmatch(text); m != nil {
		if b.table {
			b.ranks, b.table = 0, false
			clear(b.hosts)
		}
		b.ranks++
		b.hosts[m[2]] = true
		return
	}
	if m := benchStart.FindStringSubmatch(text); m != nil && !strings.Contains(text, "concluded") {
		b.named = true
		b.op, b.known = benchOps[strings.ToLower(m[1])]
		return
	}
	fields := strings.Fields(text)
	if strings.HasPrefix(text, "#") {
		if i := slices.Index(fields, "time"); i > 0 && slices.Contains(fields, "size") {
			b.column = i - 1 // the # is a field of its own
		}
		return
	}
	b.row(fields)
}

func (b *benchReader) row(fields []string) {
	if b.column == 0 || len(fields) <= b.column || b.ranks < 2 {
		return
	}
	size, err1 := strconv.ParseFloat(fields[0], 64)
	us, err2 := strconv.ParseFloat(fields[b.column], 64)
	if err1 != nil || err2 != nil || !(size > 0 && size < 1e15) || !(us > 1e-3 && us < 1e10) {
		return
	}
	b.table = true
	op := b.op
	switch {
	case !b.named:
		op = collective.AllReduce // the program that files without a name hold most often
	case !b.known:
		return
	}
	b.out = append(b.out, Bench{op, unit.Bytes(size), unit.Seconds(us) * unit.Microsecond, b.ranks, len(b.hosts)})
}

// LinkRate is what one tier of a cluster reaches of its model.
type LinkRate struct {
	Kind          hardware.LinkKind
	Factor        float64 // measured rate over modelled rate of large messages
	Lines         int
	Before, After float64 // median |predicted/measured − 1| of them
}

// large is the size from which a message measures bandwidth.
const large = 16 << 20

// FromBench compares measured collectives with the model of a cluster and
// scales the bandwidth of the tier that each ran on, so that large messages
// agree in the median, and then its latency by the small ones. It changes c.
func FromBench(c *hardware.Cluster, lines []Bench) ([]LinkRate, error) {
	links, err := catalog.Collectives()
	if err != nil {
		return nil, err
	}
	ratios := map[int][]float64{}
	f := collective.NewFabric(c, links)
	for _, l := range lines {
		if l.Bytes < large {
			continue
		}
		s := l.span(c)
		ratios[s.Tier] = append(ratios[s.Tier], float64(f.Time(l.Op, l.Bytes, s).Seconds/l.Seconds))
	}
	if len(ratios) == 0 {
		return nil, catalog.Errorf("no message of 16 MiB or more: the largest is %s: want nccl-tests with -e 1G or so", largest(lines))
	}
	var out []LinkRate
	for tier := range c.Tiers {
		if v := ratios[tier]; len(v) > 0 {
			out = append(out, rateOf(&c.Tiers[tier], v))
		}
	}
	for tier := range c.Tiers {
		scaleLatency(c, links, lines, tier)
	}
	return out, nil
}

// small is the size up to which a message measures latency.
const small = 64 << 10

// scaleLatency sets the factor of a tier's latencies with which small messages
// agree in the median. Of a call that crosses it only a part scales, so that
// the factor is found in steps.
func scaleLatency(c *hardware.Cluster, links *collective.Constants, lines []Bench, tier int) {
	factor := 1.0
	for range 30 {
		f := collective.NewFabric(c, links)
		var ratios []float64
		for _, l := range lines {
			if s := l.span(c); l.Bytes <= small && s.Tier == tier {
				ratios = append(ratios, float64(l.Seconds/f.Time(l.Op, l.Bytes, s).Seconds))
			}
		}
		if len(ratios) == 0 {
			return
		}
		slices.Sort(ratios)
		factor = math.Max(0.05, math.Min(20, factor*ratios[len(ratios)/2]))
		c.Tiers[tier].Fit.LatencyFactor = factor
	}
}

func largest(lines []Bench) string {
	m := slices.MaxFunc(lines, func(a, b Bench) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return fmt.Sprintf("%.0f bytes", float64(m.Bytes))
}

func rateOf(t *hardware.Tier, ratios []float64) LinkRate {
	slices.Sort(ratios)
	r := LinkRate{Kind: t.Kind, Lines: len(ratios), Factor: ratios[len(ratios)/2], Before: offBy(ratios, 1)}
	if r.After = offBy(ratios, r.Factor); r.After > r.Before {
		r.Factor, r.After = 1, r.Before // within their scatter of the model: nothing to mend
	}
	t.Bandwidth = t.Bandwidth.Times(r.Factor)
	t.PerPeer = t.PerPeer.Times(r.Factor)
	return r
}

// String says what the lines of a link show.
func (r *LinkRate) String() string {
	return fmt.Sprintf("%s: %.2f of the modelled rate over %d lines; error %.1f %% before, %.1f %% after",
		r.Kind, r.Factor, r.Lines, 100*r.Before, 100*r.After)
}

func offBy(ratios []float64, factor float64) float64 {
	off := make([]float64, len(ratios))
	for i, r := range ratios {
		off[i] = math.Abs(r/factor - 1)
	}
	slices.Sort(off)
	return off[len(off)/2]
}

// span places the ranks of a line: side by side on as few nodes as it names,
// in the shares of racks that a job of that size gets.
func (l *Bench) span(c *hardware.Cluster) hardware.Span {
	whole := *c
	whole.GPUs = max(l.Ranks, c.PerNode*l.Nodes)
	if n := c.Tiers[c.ScaleUp].Ranks; n > c.PerNode {
		whole.Tiers = slices.Clone(c.Tiers)
		whole.Tiers[c.ScaleUp].Ranks = catalog.Domain(whole.GPUs, n, c.PerNode)
	}
	if l.Nodes > 1 && l.Ranks/l.Nodes < c.PerNode {
		return whole.Span(c.PerNode/max(1, l.Ranks/l.Nodes), l.Ranks)
	}
	return whole.Span(1, l.Ranks)
}
