package show

import (
	"bytes"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
)

// The header says what of the workload is not the default, and nothing else.
func TestHeaderSettings(t *testing.T) {
	for _, c := range []struct {
		q    ask.Question
		want string
	}{
		{ask.Question{}, "bf16  peak"},
		{ask.Question{Pass: "train", Trainable: 1, Imbalance: 1, Attention: "usual"}, "bf16  peak"},
		{ask.Question{Pass: "forward"}, "bf16 · forward only  peak"},
		{ask.Question{Trainable: 0.01, Attention: "flash2"}, "bf16 · 1 % trainable · attention flash2  peak"},
		{ask.Question{Imbalance: 2}, "bf16 · imbalance 2  peak"},
		{ask.Question{Imbalance: 2, Capacity: 1.25}, "bf16 · capacity factor 1.25  peak"},
	} {
		c.q.Model, c.q.GPUs = "mixtral-8x7b", 64
		var b bytes.Buffer
		Header(&b, answer(t, c.q))
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%+v: %q, want %q", c.q, b.String(), c.want)
		}
	}
}

func TestClusterSettings(t *testing.T) {
	q := ask.Question{Options: catalog.ClusterOptions{GPUsPerNode: 4, InterNode: 25e9, Fabric: "roce", NICs: 2, Latency: 5e-6}}
	got := strings.Join(ClusterSettings(&q), " · ")
	if want := "nodes of 4 · 200 Gb/s per GPU between nodes · RoCE between nodes · 2 NICs a node · 5 µs a hop between nodes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ClusterSettings(&ask.Question{}); got != nil {
		t.Errorf("%q of a cluster as described", got)
	}
}
