package report

import (
	"fmt"
	"io"
	"strings"

	"planner/internal/show"
)

// Markdown writes a review for a design document: the page without its
// pictures, every table in full.
func Markdown(w io.Writer, r *Review) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# %s\n\n%s\n\nLayout review · planner %s · %s\n\n", escape(question(r)), escape(setting(r)), r.Version, r.Date.Format("2 January 2006"))
	fmt.Fprintf(b, "**%s: `%s`**\n\n%s\n\n", heading(r), r.Pick.Layout, escape(strings.Join(recommendation(r), " ")))
	for _, c := range cards(r) {
		fmt.Fprintf(b, "- %s: **%s** (%s)\n", c.Title, c.Value, c.Note)
	}
	for _, s := range sections(r) {
		fmt.Fprintf(b, "\n## %s\n", s.Title)
		if s.Verdict != "" {
			fmt.Fprintf(b, "\n**%s**\n", escape(s.Verdict))
		}
		for _, l := range s.Lead {
			fmt.Fprintf(b, "\n%s\n", escape(l))
		}
		for i := range s.Tables {
			markdownTable(b, &s.Tables[i])
		}
	}
	if r.Command != "" {
		fmt.Fprintf(b, "\n## Reproduce\n\n```console\n$ %s\n```\n", r.Command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTable(w io.Writer, t *Table) {
	cols := make([]show.Column, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = show.Column{Title: c.Title, Left: !c.Number}
	}
	rows := make([][]string, len(t.Rows))
	for i, r := range t.Rows {
		for k, c := range r.Cells {
			if t.Columns[k].Code && c != "" && c != "—" {
				c = "`" + c + "`"
			}
			rows[i] = append(rows[i], c)
		}
	}
	fmt.Fprintf(w, "\n%s:\n\n", t.Caption)
	show.Table(w, "markdown", cols, rows)
}

// escape keeps characters of prose from being read as Markdown.
var markdownEscapes = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`)

func escape(s string) string { return markdownEscapes.Replace(s) }
