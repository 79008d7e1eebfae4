package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"planner/verify/gpu/fakes"
)

const wants = `[{"op":"all_reduce","dtype":"bf16","bytes":4096,"size":2},
 {"op":"reduce_scatter","dtype":"f32","bytes":4096,"size":2,"stride":2},
 {"op":"all_gather","dtype":"f32","bytes":4096,"size":4}]`

// TestCallsOfAPlan measures a step of TP 2 and DP 2 by both back ends.
func TestCallsOfAPlan(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 4})
	all, err := ReadWants(strings.NewReader(wants))
	if err != nil {
		t.Fatal(err)
	}
	o := small(path, CUDA)
	o.Ops, o.Calls = nil, all
	var out bytes.Buffer
	if err := Run(context.Background(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	o.Backend = NCCL
	docs, errs := ranks(t, 4, o)
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []*Document{&d, docs[0]} {
		if len(d.Rows) != 3 || d.Wrong != 0 || d.Rows[0].Type != "bfloat16" || d.Rows[1].Op != "reduce_scatter" ||
			d.Rows[1].Count != 512 || d.Rows[2].Count != 256 {
			t.Errorf("%s: %+v", d.Backend, d.Rows)
		}
	}
}

func TestGroupsOfACall(t *testing.T) {
	c := call{size: 2, stride: 2}
	var got []int
	for r := range 8 {
		got = append(got, c.color(r))
	}
	if want := []int{0, 1, 0, 1, 2, 3, 2, 3}; !equal(got, want) {
		t.Errorf("%v: want %v", got, want)
	}
	if err := c.fits(6); err == nil || !strings.Contains(err.Error(), "does not fit 6 ranks: want a multiple of 4") {
		t.Error(err)
	}
}

func equal(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestWrongCalls(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "not a JSON list of calls", `[]`: "0 of them: want 1 to 100000",
		`[{"op":"sum"}]`:                                `call 0: op "sum": unknown`,
		`[{"op":"all_reduce","dtype":"f8"}]`:            `dtype "f8": unknown`,
		`[{"op":"all_reduce","dtype":"f32"}]`:           "bytes 0: out of range",
		`[{"op":"all_reduce","dtype":"f32","bytes":4}]`: "size 0, stride 0: out of range",
		`[{"opp":"all_reduce"}]`:                        `unknown field "opp"`,
	} {
		if _, err := ReadWants(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
}

func FuzzReadWants(f *testing.F) {
	f.Add(wants)
	f.Fuzz(func(t *testing.T, s string) {
		all, err := ReadWants(strings.NewReader(s))
		for _, w := range all {
			if _, bad := check(w); err == nil && bad != nil {
				t.Errorf("%+v: %v", w, bad)
			}
		}
	})
}
