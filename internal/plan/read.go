package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// Read reads a plan from a plan TOML, the JSON of suggest or explain, or a
// report with that JSON embedded. Errors are *catalog.Error.
func Read(path string) (*Plan, error) {
	text, err := catalog.ReadFile("plan", path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a plan from the text of a file, which names it in errors.
func Parse(file string, text []byte) (*Plan, error) {
	p, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	p.File = file
	return p, nil
}

// Wrote reports whether planner wrote a file that Parse reads.
func Wrote(file string, text []byte) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".toml":
		return bytes.Contains(text, []byte("[question]"))
	case ".json":
		return bytes.Contains(text, []byte(`"schema_version"`))
	case ".html", ".htm":
		return bytes.Contains(text, reportStart)
	}
	return false
}

func parse(file string, text []byte) (*Plan, error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
		return parseJSON(file, text)
	case ".html", ".htm":
		return parseReport(file, text)
	}
	p := &Plan{From: "plan"}
	if err := catalog.DecodeKind(file, text, p, "plan TOML", "one that planner plan save writes"); err != nil {
		return nil, err
	}
	if p.Files != nil {
		p.Question.Files, p.Files = p.Files.kept(), nil
	}
	return p, p.check(file)
}

// Named says of a fault of the question that it is the file's, under the key
// that the file has for the flag: "plan.toml: gpus -3: too small".
func (p *Plan) Named(err error) error {
	var fault *catalog.Error
	if p.File == "" || !errors.As(err, &fault) {
		return err
	}
	named := &catalog.Error{}
	for _, line := range fault.Faults {
		given, rest, _ := strings.Cut(line, " ")
		if flag, ok := strings.CutPrefix(given, "--"); ok {
			line = p.key(flag) + " " + rest
		}
		line = strings.Replace(line, "or --allow-long", "or "+p.allowLong(), 1)
		named.Faults = append(named.Faults, p.File+": "+line)
	}
	return named
}

// allowLong is how the file has the flag of that name, which is refused beside it.
func (p *Plan) allowLong() string {
	if p.From == "plan" {
		return "allow_long = true"
	}
	return `"allow_long": true`
}

// key is the key of a flag's value; keys of base units name them.
func (p *Plan) key(flag string) string {
	key := strings.ReplaceAll(flag, "-", "_")
	for _, given := range p.Question.Limits.Words() {
		if name, _, _ := strings.Cut(given, " "); name == flag {
			return "constraints." + key
		}
	}
	if flag == "inter-node" {
		return "inter_node_bytes_per_second"
	}
	return key
}

// document is what suggest and explain have in common.
type document struct {
	show.Head
	Layout  *show.Layout  `json:"layout"`
	Layouts []show.Layout `json:"layouts"`
}

func parseJSON(file string, text []byte) (*Plan, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, catalog.JSONFault(file, "the JSON of suggest or explain", text, err)
	}
	l, from := d.Layout, "explain"
	if l == nil && len(d.Layouts) > 0 {
		l, from = &d.Layouts[0], "suggest"
	}
	switch {
	case d.SchemaVersion != show.SchemaVersion:
		return nil, catalog.Errorf("%s: schema_version %d: not known: want %d, as --format json writes", file, d.SchemaVersion, show.SchemaVersion)
	case l == nil:
		return nil, catalog.Errorf("%s: no layout in it: want the JSON of suggest or explain", file)
	}
	p := &Plan{Format: Format, Layout: l.Layout, Framework: l.Framework, Predicted: figures(*l, d.Cluster.UsableBytes), From: from,
		Question: Question{Model: d.Model.Name, GPUs: d.Cluster.GPUs, Hardware: d.Cluster.Name, SeqLen: d.Workload.SeqLen,
			GlobalBatch: d.Workload.GlobalBatch, Precision: d.Workload.Precision, Framework: d.Workload.Framework, Pass: d.Workload.Pass}}
	if d.Question != nil {
		p.Question = *d.Question
	}
	return p, p.check(file)
}

// The element of a report that holds its data.
var (
	reportStart = []byte(`id="planner-data">`)
	reportEnd   = []byte(`</script>`)
)

func parseReport(file string, text []byte) (*Plan, error) {
	_, rest, ok := bytes.Cut(text, reportStart)
	data, _, closed := bytes.Cut(rest, reportEnd)
	if !ok || !closed {
		return nil, catalog.Errorf("%s: no embedded data: want a file that planner report wrote", file)
	}
	var d struct {
		Planner     string          `json:"planner"`
		Date        string          `json:"date"`
		Question    *Question       `json:"question"`
		Explanation json.RawMessage `json:"explanation"`
	}
	if json.Unmarshal(data, &d) == nil && d.Explanation != nil {
		data = d.Explanation
	}
	p, err := parseJSON(file, data)
	if err != nil {
		return nil, err
	}
	p.From, p.Planner, p.Saved = "report", d.Planner, d.Date
	if d.Question != nil {
		p.Question = *d.Question
	}
	return p, p.check(file)
}

// Ask asks the plan's question again, of today's presets.
func (p *Plan) Ask() (*ask.Answer, error) {
	a, err := ask.Ask(p.Question.Ask())
	return a, p.Named(err)
}

// Asked returns the plan's question under the framework that its layout was
// saved for.
func (p *Plan) Asked() ask.Question {
	q := p.Question
	q.Framework = p.Framework
	return q.Ask()
}

// Estimate predicts the plan's layout anew under the framework it was saved
// for.
func (p *Plan) Estimate() (*ask.Answer, *strategies.Explanation, error) {
	a, err := ask.Ask(p.Asked())
	if err != nil {
		return nil, nil, p.Named(err)
	}
	l, f, err := a.Layout(p.Layout)
	if err != nil {
		return nil, nil, p.Named(err)
	}
	return a, a.Explain(l, f), nil
}
