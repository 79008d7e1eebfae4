package report

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// picture is an SVG under construction. Its name is its accessible name;
// colours come from the page's style sheet by class.
type picture struct {
	b    strings.Builder
	w, h float64
	name string
}

func newPicture(w, h float64, name string) *picture { return &picture{w: w, h: h, name: name} }

// px writes a coordinate with one digit.
func px(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// rect draws a box; a title becomes its tooltip and accessible description.
func (p *picture) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(&p.b, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"`, px(x), px(y), px(max(0, w)), px(h), class)
	p.close("rect", title)
}

func (p *picture) close(tag, title string) {
	if title == "" {
		p.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&p.b, "><title>%s</title></%s>", html.EscapeString(title), tag)
}

// text writes a label; anchor is start, middle or end.
func (p *picture) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(&p.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, px(x), px(y), anchor, class, html.EscapeString(text))
}

func (p *picture) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&p.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, px(x1), px(y1), px(x2), px(y2), class)
}

func (p *picture) circle(x, y, r float64, class, title string) {
	fmt.Fprintf(&p.b, `<circle cx="%s" cy="%s" r="%s" class="%s"`, px(x), px(y), px(r), class)
	p.close("circle", title)
}

// points writes a polyline or polygon.
func (p *picture) points(tag, class string, xy [][2]float64) {
	fmt.Fprintf(&p.b, `<%s class="%s" points="`, tag, class)
	for i, q := range xy {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		p.b.WriteString(px(q[0]) + "," + px(q[1]))
	}
	p.b.WriteString(`"/>`)
}

// path draws many boxes of one class in one element.
func (p *picture) path(class, title string, boxes [][4]float64) {
	if len(boxes) == 0 {
		return
	}
	fmt.Fprintf(&p.b, `<path class="%s" d="`, class)
	for _, q := range boxes {
		fmt.Fprintf(&p.b, "M%s %sh%sv%sh-%sz", px(q[0]), px(q[1]), px(q[2]), px(q[3]), px(q[2]))
	}
	p.b.WriteString(`"`)
	p.close("path", title)
}

func (p *picture) html() template.HTML {
	name := html.EscapeString(p.name)
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s" style="min-width:%spx">`,
		px(p.w), px(p.h), name, px(min(p.w, 860))) + p.b.String() + "</svg>")
}
