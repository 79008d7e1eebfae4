package report

import (
	"planner/internal/show"
	"planner/strategies"
)

// Data is what a page holds for other commands: the question, the
// recommended layout, and the documents of explain and suggest.
type Data struct {
	SchemaVersion int              `json:"schema_version"`
	Kind          string           `json:"kind"` // always Kind
	Planner       string           `json:"planner"`
	Date          string           `json:"date"`
	Question      show.Question    `json:"question"`
	Layout        string           `json:"layout"`
	Framework     string           `json:"framework"`
	Explanation   show.Explanation `json:"explanation"`
	Suggestion    show.Suggestion  `json:"suggestion"`
	// CallStages lists the stages whose calls Explanation holds, where all
	// would make the page too large; empty: all.
	CallStages []int `json:"call_stages,omitempty"`
}

// Kind tells a report's data from other documents.
const Kind = "planner-report"

// mostCalls bounds the rows of calls that a page embeds: some 400 bytes each.
const mostCalls = 800

// newData collects what a page embeds. The ranking holds the ten best.
func newData(r *Review) Data {
	short := *r.Search
	short.Ranking = short.Ranking[:min(10, len(short.Ranking))]
	d := Data{SchemaVersion: show.SchemaVersion, Kind: Kind, Planner: r.Version, Date: r.Date.Format("2006-01-02"), Question: show.QuestionOf(&r.Answer.Question),
		Layout: r.Pick.Layout.String(), Framework: r.Pick.Framework.Name,
		Explanation: show.NewExplanation(r.Answer, r.Pick), Suggestion: show.NewSuggestion(r.Answer, &short, nil)}
	d.Explanation.Question, d.Suggestion.Question = nil, nil // the page's own
	if len(d.Explanation.Calls) > mostCalls {
		d.CallStages = shownCalls(r.Pick)
		d.Explanation.Calls = callsOf(d.Explanation.Calls, d.CallStages)
	}
	return d
}

// shownCalls are the stages whose calls differ: the first two, the slowest and
// the last.
func shownCalls(x *strategies.Explanation) []int {
	var out []int
	for s := range x.Stages {
		if s < 2 || s == x.Slowest || s == len(x.Stages)-1 {
			out = append(out, s)
		}
	}
	return out
}

func callsOf(calls []show.Call, stages []int) []show.Call {
	keep := map[int]bool{}
	for _, s := range stages {
		keep[s] = true
	}
	var out []show.Call
	for _, c := range calls {
		if keep[c.Stage] {
			out = append(out, c)
		}
	}
	return out
}
