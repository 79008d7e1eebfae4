package main

import (
	"fmt"
	"io"
	"time"

	"planner/internal/show"
)

// bar is a progress line on a terminal, shown once a search takes long.
type bar struct {
	w     io.Writer
	start time.Time
	shown bool
}

func progress(w io.Writer) *bar {
	b := &bar{start: time.Now()}
	if terminal(w) != nil {
		b.w = w
	}
	return b
}

// update shows how far a search is.
func (b *bar) update(done, of, legal int) {
	b.share(done, of, fmt.Sprintf("searching  %s layouts · %d of %d parts", show.Count(legal), done, of))
}

// points shows how far a sweep is.
func (b *bar) points(done, of int) {
	b.share(done, of, fmt.Sprintf("sweeping  %d of %d points", done, of))
}

// share says with what is done how long the rest takes at the same pace.
func (b *bar) share(done, of int, what string) {
	left := time.Since(b.start).Seconds() / float64(done) * float64(of-done)
	b.say(fmt.Sprintf("%s · %s left", what, time.Duration(left*1e9).Round(100*time.Millisecond)))
}

// say shows what is being worked on, once it takes long.
func (b *bar) say(what string) {
	if b.w == nil || time.Since(b.start) < 300*time.Millisecond {
		return
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", what)
	b.shown = true
}

func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
