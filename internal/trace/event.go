// Package trace writes the timeline of a step in the format of Chrome's
// about:tracing, which ui.perfetto.dev reads: pipeline ranks as processes,
// their streams as threads, flows from sender to receiver, memory as counters.
package trace

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"planner/hardware/unit"
)

// Event is one line of the trace: the Trace Event Format of Chromium, "Trace
// Event Format", sections "Complete Events", "Counter Events", "Flow Events"
// and "Metadata Events".
type Event struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	TS       micros         `json:"ts"`
	Dur      micros         `json:"dur,omitempty"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// micros is a time in whole nanoseconds that is written in microseconds, so
// that slices which follow each other still do after rounding.
type micros int64

// at rounds a time to nanoseconds.
func at(t unit.Seconds) micros { return micros(math.Round(float64(t) * 1e9)) }

// MarshalJSON writes microseconds with three decimals.
func (m micros) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/1e3, 'f', 3, 64), nil
}

// writer writes the events of a document one at a time.
type writer struct {
	w     *bufio.Writer
	wrote bool
	err   error
}

func newWriter(w io.Writer, about map[string]any) *writer {
	out := &writer{w: bufio.NewWriterSize(w, 1<<16)}
	head, err := json.Marshal(about)
	out.err = err
	out.text(`{"displayTimeUnit":"ms","otherData":` + string(head) + `,"traceEvents":[`)
	return out
}

func (w *writer) text(s string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(s)
	}
}

func (w *writer) event(e Event) {
	b, err := json.Marshal(e)
	if w.err == nil {
		w.err = err
	}
	if w.wrote {
		w.text(",\n")
	} else {
		w.text("\n")
	}
	w.wrote = true
	w.text(string(b))
}

func (w *writer) close() error {
	w.text("\n]}\n")
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}
