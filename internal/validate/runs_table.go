package validate

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"planner/hardware"
	"planner/internal/catalog"
)

// Run is one row of a table of measured training runs. Zero stands for a blank
// cell; SP, Gated and Zero keep whether the cell was given.
type Run struct {
	Line                           int // 1-based, the header is line 1
	ID, Group, Source              string
	Framework, Model, Preset       string
	Params                         float64 // billions
	ParamsText                     string  // as written, for its precision
	Layers, Hidden, Heads, KVHeads int
	FFN, Vocab                     int
	Gated                          string // "yes", "no", ""
	Seq, GlobalBatch, MBS          int
	GPU                            string
	GPUs, PerNode, Domain          int
	InterNode                      string
	TP, PP, VPP, CP, EP, DP, Shard int
	SP, Zero                       string // as written
	Recompute                      string
	Attention, Kernel, Precision   string
	Step, Tokens, Memory           float64 // measured: seconds, tokens/s/GPU, GiB; 0: not
	MemoryKind, Outcome            string
}

// RunTable is a table of runs as it was read.
type RunTable struct {
	Runs    []Run
	Ignored []string // columns beyond the schema, and which one each may mean
}

// ReadRuns is ReadRunTable for the rows alone.
func ReadRuns(name string, r io.Reader) ([]Run, error) {
	t, err := ReadRunTable(name, r)
	if err != nil {
		return nil, err
	}
	return t.Runs, nil
}

// ReadRunTable reads a tab-separated table of runs with a header line. name is
// what errors call the file; they are *catalog.Error with one line a fault.
func ReadRunTable(name string, r io.Reader) (*RunTable, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	var index map[string]int
	t := &RunTable{}
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		if index == nil {
			var err error
			if index, err = runHeader(name, text); err != nil {
				return nil, err
			}
			t.Ignored = ignored(index)
			continue
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		run, err := readRun(fmt.Sprintf("%s:%d", name, n), index, strings.Split(text, "\t"))
		if err != nil {
			return nil, err
		}
		run.Line = n
		t.Runs = append(t.Runs, run)
	}
	if err := lines.Err(); err != nil {
		return nil, catalog.Errorf("%s: not a table: %v: want tab-separated lines", name, err)
	}
	if index == nil {
		return nil, catalog.Errorf("%s: empty: want a header line with %s", name, strings.Join(runColumns, ", "))
	}
	return t, nil
}

// runCells is one line cut into cells; the first fault sticks.
type runCells struct {
	at    string
	index map[string]int
	cells []string
	err   error
}

func readRun(at string, index map[string]int, cells []string) (Run, error) {
	c := &runCells{at: at, index: index, cells: cells}
	if len(cells) != len(index) {
		return Run{}, catalog.Errorf("%s: %d cells: want %d, as the header has", at, len(cells), len(index))
	}
	r := Run{
		ID: c.text("run_id"), Group: c.text("group"), Source: c.text("source"),
		Framework: c.text("framework"), Model: c.text("model"), Preset: c.text("preset"),
		ParamsText: c.text("params_b"), Params: c.real("params_b"),
		Layers: c.count("layers"), Hidden: c.count("hidden"), Heads: c.count("heads"), KVHeads: c.count("kv_heads"),
		FFN: c.count("ffn"), Vocab: c.count("vocab"), Gated: c.word("gated_mlp", "yes", "no"),
		Seq: c.count("seq_len"), GlobalBatch: c.count("gbs"), MBS: c.count("mbs"),
		GPU: c.text("gpu"), GPUs: c.count("gpus"), PerNode: c.count("gpus_per_node"), Domain: c.count("nvlink_domain"),
		InterNode: c.text("inter_node"),
		TP:        c.count("tp"), PP: c.count("pp"), VPP: c.count("vpp"), CP: c.count("cp"), EP: c.count("ep"), DP: c.count("dp"),
		Shard: c.count("shard"), SP: c.word("sp", "0", "1"), Zero: c.word("zero", "0", "1", "2", "3"),
		Recompute: c.word("recompute", "none", "selective", "full"),
		Attention: c.word("attention", "flash", "unfused"), Kernel: c.text("kernel"), Precision: c.precision(),
		Step: c.real("step_seconds"), Tokens: c.real("tokens_per_second_per_gpu"), Memory: c.real("memory_gib"),
		MemoryKind: c.word("memory_kind", "allocated", "reserved", "rounded", "required", "unknown"),
		Outcome:    c.word("outcome", "ok", "oom", "crash-or-oom"),
	}
	for _, need := range runColumns {
		if c.err == nil && c.text(need) == "" {
			c.err = catalog.Errorf("%s: %s: blank: a prediction needs it", at, need)
		}
	}
	return r, c.err
}

func (c *runCells) text(column string) string {
	if i, ok := c.index[column]; ok {
		return strings.TrimSpace(c.cells[i])
	}
	return ""
}

func (c *runCells) fail(column, given, want string) {
	if c.err == nil {
		c.err = catalog.Errorf("%s: %s %.40q: want %s", c.at, column, given, want)
	}
}

func (c *runCells) count(column string) int {
	s := c.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 || v > 1<<30 {
		c.fail(column, s, "a whole number from 1, or nothing")
	}
	return v
}

func (c *runCells) real(column string) float64 {
	s := c.text(column)
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		c.fail(column, s, "a number above 0, or nothing")
	}
	return v
}

// precision takes any case: sources write FP8 and bf16.
func (c *runCells) precision() string {
	given := c.text("precision")
	s := strings.ToLower(given)
	if s != "" && !slices.Contains(hardware.Precisions(), s) {
		c.fail("precision", given, strings.Join(hardware.Precisions(), ", ")+", or nothing")
	}
	return s
}

func (c *runCells) word(column string, allowed ...string) string {
	s := c.text(column)
	if s != "" && !slices.Contains(allowed, s) {
		c.fail(column, s, strings.Join(allowed, ", ")+", or nothing")
	}
	return s
}
