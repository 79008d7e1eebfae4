package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"planner/verify/transport"
)

// printer writes rows as they come, or all at the end.
type printer struct {
	out    io.Writer
	format string
	err    error
}

func newPrinter(out io.Writer, format string) *printer { return &printer{out: out, format: format} }

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

var where = map[transport.Kind]string{
	transport.Goroutine: "goroutines of one process", transport.Shm: "shared memory", transport.TCP: "TCP",
	transport.Unix: "Unix sockets", transport.Mixed: "shared memory inside a node, TCP between",
}

// header is nccl-tests' (src/common.cu), followed by our columns.
const header = `#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong  algo               pred us       p50       p95
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)`

func (p *printer) head(o *Options, pinned string) {
	if p.format != "table" {
		return
	}
	hosts := "1 host"
	if n := len(o.Hosts); n > 1 {
		hosts = fmt.Sprintf("%d hosts", n)
	}
	iters := "as many iterations as fit 0.1 s"
	if o.Iters > 0 {
		iters = fmt.Sprintf("%d iterations", o.Iters)
	}
	p.line("# planner bench: %d ranks, %s, %s, %s", o.Ranks, hosts, where[o.Kind], pinned)
	if o.Shape != nil {
		p.line("# emulated links: %v", o.Shape)
	}
	p.line("# warmup %d, %s; validation: every element, exact integer data; time = slowest rank, median", o.Warmup, iters)
}

func (p *printer) operation(name string) {
	if p.format == "table" {
		p.line("#\n# %s\n%s", name, header)
	}
}

func (p *printer) row(r Row) {
	if p.format != "table" {
		return
	}
	in := fmt.Sprintf("%9s %7s %7s %6s", "N/A", "N/A", "N/A", "N/A")
	if r.In != nil {
		in = timing(*r.In)
	}
	noisy := ""
	if r.Noisy {
		noisy = "  noisy"
	}
	p.line("%12d  %12d  %8s  %6s  %6d%s%s  %-17s %9.2f %9.2f %9.2f%s", r.Size, r.Count, r.Type, r.Redop, r.Root,
		timing(r.Out), in, r.Algorithm, r.Predicted, r.Out.Time, r.Out.P95, noisy)
}

func timing(t Timing) string {
	return fmt.Sprintf("%9.2f %7.2f %7.2f %6d", t.Time, t.AlgBW, t.BusBW, t.Wrong)
}

func (p *printer) end(o *Options, rows []Row, s Summary) error {
	switch p.format {
	case "json":
		e := json.NewEncoder(p.out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			SchemaVersion int     `json:"schema_version"`
			Ranks         int     `json:"ranks"`
			Transport     string  `json:"transport"`
			Emulate       string  `json:"emulate,omitempty"`
			Rows          []Row   `json:"rows"`
			Summary       Summary `json:"summary"`
		}{1, o.Ranks, o.Kind.String(), shapeText(o), rows, s})
	case "csv":
		return writeCSV(p.out, rows)
	}
	ok := "OK"
	if s.Wrong > 0 {
		ok = "FAILED"
	}
	p.line("# Out of bounds values : %d %s", s.Wrong, ok)
	p.line("# Avg bus bandwidth    : %.5g", s.BusBW)
	p.line("# Machine              : %s", machine(s))
	return p.err
}

func shapeText(o *Options) string {
	if o.Shape == nil {
		return ""
	}
	return o.Shape.String()
}

func machine(s Summary) string {
	if s.Noisy == 0 {
		return fmt.Sprintf("quiet (sentinel moved up to %.0f %%; %d rounds repeated)", s.Moved*100, s.Repeated)
	}
	who := ""
	if s.Busiest != "" {
		who = ", busiest other process " + s.Busiest
	}
	return fmt.Sprintf("NOISY: the sentinel moved up to %.0f %%, and %d rows stayed disturbed after %d repeats; load %s%s. "+
		"Their times are upper bounds.", s.Moved*100, s.Noisy, s.Repeated, s.Load, who)
}

func writeCSV(out io.Writer, rows []Row) error {
	w := csv.NewWriter(out)
	head := "op,bytes,count,type,redop,root,out_time_us,out_algbw,out_busbw,out_wrong,in_time_us,in_algbw,in_busbw,in_wrong," +
		"algorithm,predicted_us,p50_us,p95_us,noisy"
	_ = w.Write(strings.Split(head, ","))
	for _, r := range rows {
		rec := []string{r.Op, strconv.Itoa(r.Size), strconv.Itoa(r.Count), r.Type, r.Redop, strconv.Itoa(r.Root)}
		rec = append(rec, fields(&r.Out)...)
		rec = append(rec, fields(r.In)...)
		_ = w.Write(append(rec, r.Algorithm, num(r.Predicted), num(r.Out.Time), num(r.Out.P95), strconv.FormatBool(r.Noisy)))
	}
	w.Flush()
	return w.Error()
}

func fields(t *Timing) []string {
	if t == nil {
		return make([]string, 4)
	}
	return []string{num(t.Time), num(t.AlgBW), num(t.BusBW), strconv.Itoa(t.Wrong)}
}

func num(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
