package calibrate

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"planner/costmodel/collective"
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
	benchRank  = regexp.MustCompile(`^#\s+Rank\s+(\d+)\s+.*\bon\s+(\S+)\s+device(?:\s+\d+\s+\[[^\]]*\]\s+(.+))?`)
	benchStart = regexp.MustCompile(`(\w+?)_perf\b`)
)

// BenchLog is the text that nccl-tests prints.
type BenchLog struct {
	Lines   []Bench
	Wrong   int      // lines left out: their results were wrong, and so may be their times
	Devices []string // what the ranks ran on, by the names of their drivers
}

// ReadBench reads the text that nccl-tests prints, several tests one after
// another. What is not a line of a table is skipped, as launchers print
// between them. name is what errors call the file.
func ReadBench(name string, r io.Reader) (*BenchLog, error) {
	b := benchReader{hosts: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		b.line(lines.Text())
	}
	switch {
	case lines.Err() != nil:
		return nil, catalog.Errorf("%s: not text: %v", name, lines.Err())
	case len(b.log.Lines) == 0 && b.log.Wrong > 0:
		return nil, catalog.Errorf("%s: #wrong above 0 in every line: the results were wrong, so their times say nothing: want a run without errors", name)
	case len(b.log.Lines) == 0 && b.ranks == 0:
		return nil, catalog.Errorf("%s: no line of nccl-tests found: want the text that all_reduce_perf and its sisters print", name)
	case len(b.log.Lines) == 0:
		return nil, catalog.Errorf("%s: no measurement of a known collective: want all_reduce, all_gather, reduce_scatter, alltoall or sendrecv", name)
	}
	return &b.log, nil
}

type benchReader struct {
	op     collective.Op
	named  bool // the text has said which test it is
	known  bool // and it is one of benchOps
	table  bool // the last test's table has begun: new ranks are of another
	ranks  int
	hosts  map[string]bool
	log    BenchLog
	column int   // of the out-of-place time
	wrong  []int // columns that count wrong elements
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
		if m[3] != "" && !slices.Contains(b.log.Devices, m[3]) {
			b.log.Devices = append(b.log.Devices, m[3])
		}
		return
	}
	if m := benchStart.FindStringSubmatch(text); m != nil && !strings.Contains(text, "concluded") {
		b.named = true
		b.op, b.known = benchOps[strings.ToLower(m[1])]
		return
	}
	fields := strings.Fields(text)
	if strings.HasPrefix(text, "#") {
		b.head(fields)
		return
	}
	b.row(fields)
}

// head reads where the columns of a table are. The # is a field of its own.
func (b *benchReader) head(fields []string) {
	time := slices.Index(fields, "time")
	if time < 1 || !slices.Contains(fields, "size") {
		return
	}
	b.column, b.wrong = time-1, nil
	for i, f := range fields {
		if f == "#wrong" {
			b.wrong = append(b.wrong, i-1)
		}
	}
}

// isWrong reports whether a line counts wrong elements. N/A is a check that
// was not made.
func (b *benchReader) isWrong(fields []string) bool {
	return slices.ContainsFunc(b.wrong, func(i int) bool {
		if i >= len(fields) {
			return false
		}
		n, err := strconv.ParseFloat(fields[i], 64)
		return err == nil && n > 0
	})
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
	if b.isWrong(fields) {
		b.log.Wrong++
		return
	}
	b.log.Lines = append(b.log.Lines, Bench{op, unit.Bytes(size), unit.Seconds(us) * unit.Microsecond, b.ranks, len(b.hosts)})
}
