package ask_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"planner/internal/ask"
)

var (
	ofLayout  = regexp.MustCompile(`^--layout "[^"]*": .*: ([^:]*(?:full:[^:]*)*)$`)
	bareValue = regexp.MustCompile(`^[a-z0-9:+-]+$`)
	setPairs  = regexp.MustCompile(`\b([a-z]+)=([a-z0-9:+-]+)`)
	setFlags  = regexp.MustCompile(`--([a-z-]+) ([a-z0-9-]+)`)
	dropKeys  = regexp.MustCompile(`(?:drop|without) ([a-z]+(?: and [a-z]+)*)`)
)

// alternatives reads the remedies that a refusal prints, as a user would: of
// "use tp=1, 2 or 4" each is a tp.
func alternatives(remedy string) (out []string) {
	key := ""
	for _, text := range strings.Split(remedy, " or ") {
		for _, a := range regexp.MustCompile(`, `).Split(text, -1) {
			a = strings.TrimPrefix(a, "use ")
			if bareValue.MatchString(a) {
				a = key + a
			} else if i := strings.LastIndexAny(a, "= "); i > 0 {
				key = a[:i+1]
			}
			out = append(out, a)
		}
	}
	return out
}

// follow makes the change that one of them names.
func follow(q ask.Question, layout, remedy string) (ask.Question, string) {
	pairs := map[string]string{}
	for _, p := range strings.Split(layout, ",") {
		k, v, _ := strings.Cut(p, "=")
		pairs[k] = v
	}
	for _, m := range setPairs.FindAllStringSubmatch(remedy, -1) {
		pairs[m[1]] = m[2]
	}
	for _, m := range setFlags.FindAllStringSubmatch(remedy, -1) {
		switch m[1] {
		case "gpus":
			q.GPUs, _ = strconv.Atoi(m[2])
		case "global-batch":
			q.GlobalBatch, _ = strconv.Atoi(m[2])
		case "framework":
			q.Framework = m[2]
		}
	}
	if m := dropKeys.FindStringSubmatch(remedy); m != nil {
		for _, k := range strings.Split(m[1], " and ") {
			delete(pairs, k)
		}
	}
	var out []string
	for k, v := range pairs {
		out = append(out, k+"="+v)
	}
	return q, strings.Join(out, ",")
}

func laidOut(q ask.Question, layout string) error {
	a, err := ask.Ask(q)
	if err == nil {
		_, _, err = a.Layout(layout)
	}
	return err
}

// wanted draws a question and a layout from values that people try.
func wanted(r *rand.Rand) (ask.Question, string) {
	pick := func(list string) string { v := strings.Fields(list); return v[r.IntN(len(v))] }
	q := ask.Question{Model: pick("8b 70b mixtral-8x7b deepseek-v3 nemotron-h-8b gemma2-9b llama3.1-405b"), Framework: pick("any any megatron torchtitan fsdp deepspeed megatron-deepspeed nanotron")}
	q.GPUs, _ = strconv.Atoi(pick("6 8 12 48 64 96 100 256 1024 1536 2048"))
	q.GlobalBatch, _ = strconv.Atoi(pick("0 0 0 7 64 256 1000 1024"))
	layout := "mbs=" + pick("1 1 1 2 3 4")
	for _, d := range []struct {
		odds        float64
		key, values string
	}{
		{0.7, "tp", "1 2 3 4 5 6 8 16 32"}, {0.6, "pp", "1 2 3 4 5 8 10 16 32"}, {0.2, "vpp", "1 2 3 4 5 10"}, {0.2, "cp", "1 2 3 4 8"},
		{0.2, "ep", "2 3 4 8 16"}, {0.1, "etp", "1 2 4"}, {0.2, "dp", "1 2 4 8 32"}, {0.7, "zero", "0 1 2 3"}, {0.1, "shard", "2 3 4 8"},
		{0.1, "sp", "true false"}, {0.2, "recompute", "none selective full full:2 full:90"}, {0.1, "schedule", "gpipe 1f1b interleaved zb-h1"},
		{0.1, "cpkind", "p2p allgather a2a"}, {0.1, "dispatcher", "alltoall allgather flex"}, {0.1, "offload", "none optimizer optimizer+param"},
		{0.05, "hpz", "4 8"}, {0.05, "first", "2 5"}, {0.05, "last", "2 5"},
	} {
		if r.Float64() < d.odds {
			layout += "," + d.key + "=" + pick(d.values)
		}
	}
	return q, layout
}

// TestLayoutOfOneFault: what is left of a layout that names its fault alone can
// be typed.
func TestLayoutOfOneFault(t *testing.T) {
	q := ask.Question{Model: "8b", GPUs: 16, Framework: "torchtitan"}
	for layout, want := range map[string]string{
		"ep=8": "use tp=1 without ep", "hpz=2": "use tp=1 without hpz", "shard=8": "use zero=2 or 3 or tp=1 without shard", "first=2": "use pp=2 or tp=1 without first",
	} {
		if err := laidOut(q, layout); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v: want %s", layout, err, want)
		}
	}
}

// TestRemediesOfRefusals follows every remedy that refusals print: nearly all
// are all that it takes, and none leads back to the same refusal.
func TestRemediesOfRefusals(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	legal, all := 0, 0
	for refused := 0; refused < 100; {
		q, layout := wanted(r)
		err := laidOut(q, layout)
		if err == nil {
			continue
		}
		refused++
		asked := fmt.Sprintf("%s on %d under %s, batch %d, %s", q.Model, q.GPUs, q.Framework, q.GlobalBatch, layout)
		m := ofLayout.FindStringSubmatch(err.Error())
		if m == nil {
			t.Errorf("%s: %v: names no remedy", asked, err)
			continue
		}
		for _, remedy := range alternatives(m[1]) {
			again := laidOut(follow(q, layout, remedy))
			all++
			switch {
			case again == nil:
				legal++
			case again.Error() == err.Error():
				t.Errorf("%s: %v; %q leads there again", asked, err, remedy)
			}
		}
	}
	if 100*legal < 98*all {
		t.Errorf("%d of %d remedies lead to a legal layout", legal, all)
	}
	t.Logf("%d of %d remedies lead to a legal layout", legal, all)
}
