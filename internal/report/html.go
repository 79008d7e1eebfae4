package report

import (
	_ "embed"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// view is what page.html shows.
type view struct {
	Title, Setting, Version, Date string
	Style                         template.CSS
	Heading, Layout               string
	Recommendation                []string
	Cards                         []Card
	Sections                      []Section
	Commands                      []string
	Data                          Data
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{"links": links, "breaks": breaks}).Parse(pageText))

// HTML writes a review as one self-contained page.
func HTML(w io.Writer, r *Review) error {
	return page.Execute(w, view{
		Title: question(r), Setting: setting(r), Version: r.Version, Date: r.Date.Format("2 January 2006"), Style: template.CSS(pageStyle),
		Heading: heading(r), Layout: r.Pick.Layout.String(), Recommendation: recommendation(r), Cards: cards(r), Sections: sections(r), Commands: commands(r), Data: newData(r),
	})
}

// commands are what a reader of the page can run to go on.
func commands(r *Review) []string {
	var out []string
	if r.Command != "" {
		out = append(out, r.Command)
	}
	if r.Output != "" {
		out = append(out, "planner explain --from "+r.Output)
	}
	return out
}

var address = regexp.MustCompile(`https?://[^\s;,]+`)

// links turns the addresses of a text into links, by host and last part.
func links(text string) template.HTML {
	var b strings.Builder
	at := 0
	for _, m := range address.FindAllStringIndex(text, -1) {
		b.WriteString(template.HTMLEscapeString(text[at:m[0]]))
		href := strings.TrimRight(text[m[0]:m[1]], ".)")
		b.WriteString(`<a href="` + template.HTMLEscapeString(href) + `" rel="noreferrer">` + template.HTMLEscapeString(shortLink(href)) + `</a>`)
		at = m[0] + len(href)
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(b.String())
}

// breaks lets a long code break after its commas.
func breaks(text string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(text), ",", ",<wbr>"))
}

// shortLink names a link by its host and the first parts of its path.
func shortLink(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return href
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) > 2 {
		return u.Host + "/" + parts[0] + "/" + parts[1] + "/…/" + parts[len(parts)-1]
	}
	return u.Host + u.Path
}
