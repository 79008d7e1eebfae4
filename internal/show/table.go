// Package show renders what the commands answer: tables for people, and the
// JSON, CSV and Markdown that other tools read.
package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Column is the head of a table column. Numbers are aligned right.
type Column struct {
	Title string
	Left  bool
}

// Table writes rows in one of the formats table, csv and markdown.
func Table(w io.Writer, format string, columns []Column, rows [][]string) {
	t := table.NewWriter()
	t.SetStyle(plain())
	head := make(table.Row, len(columns))
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		head[i] = c.Title
		align := text.AlignRight
		if c.Left {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	t.SetColumnConfigs(configs)
	if !untitled(columns) {
		t.AppendHeader(head)
	}
	for _, r := range rows {
		row := make(table.Row, len(r))
		for i, v := range r {
			row[i] = v
		}
		t.AppendRow(row)
	}
	fmt.Fprintln(w, trimLines(render(t, format)))
}

func untitled(columns []Column) bool {
	for _, c := range columns {
		if c.Title != "" {
			return false
		}
	}
	return true
}

func render(t table.Writer, format string) string {
	switch format {
	case "csv":
		return t.RenderCSV()
	case "markdown":
		return t.RenderMarkdown()
	}
	return t.Render()
}

// plain is a table without lines, two spaces between columns.
func plain() table.Style {
	s := table.StyleDefault
	s.Options = table.OptionsNoBordersAndSeparators
	s.Box.PaddingLeft, s.Box.PaddingRight = "", " "
	s.Format.Header = text.FormatDefault
	return s
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Count writes a whole number with thousands separated by commas.
func Count[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Params writes a parameter count: "70.55 B", "1.03 T", "124.44 M".
func Params(n int64) string {
	v := float64(n)
	switch {
	case v >= 1e12:
		return fmt.Sprintf("%.2f T", v/1e12)
	case v >= 1e9:
		return fmt.Sprintf("%.2f B", v/1e9)
	}
	return fmt.Sprintf("%.2f M", v/1e6)
}

// Percent writes a fraction as a percentage with one digit.
func Percent(f float64) string { return fmt.Sprintf("%.1f", 100*f) }
