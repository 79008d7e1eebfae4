package show

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"planner/internal/ask"
)

// TestQuestion: no field of a question is lost.
func TestQuestion(t *testing.T) {
	var q ask.Question
	fill(reflect.ValueOf(&q).Elem())
	doc := QuestionOf(&q)
	if diff := cmp.Diff(q, doc.Ask()); diff != "" {
		t.Errorf("question changed (-given +read):\n%s", diff)
	}
}

// TestQuestionJSON pins the keys of reports, which leave out what is not set.
func TestQuestionJSON(t *testing.T) {
	var keys []string
	for _, key := range strings.Fields("tp pp vpp cp ep etp zero shard mbs hpz sp recompute schedule first last cpkind dispatcher offload max_memory") {
		keys = append(keys, `"`+key+`":"x"`)
	}
	constraints := strings.Join(append(keys, `"min_dp":3,"max_dp":3,"exclude":"x"`), ",")
	const least = `{"model":"x","gpus":3,"hardware":"x","seq_len":3,"global_batch":3,"precision":"x","framework":"x"`
	var q ask.Question
	fill(reflect.ValueOf(&q).Elem())
	for _, c := range []struct {
		q    Question
		want string
	}{
		{Question{Model: "x", Hardware: "x", GPUs: 3, SeqLen: 3, GlobalBatch: 3, Precision: "x", Framework: "x"}, least + "}"},
		{QuestionOf(&q), least + `,"pass":"x","attention":"x","trainable":1.5,"imbalance":1.5,"capacity_factor":1.5,"allow_long":true,"gpus_per_node":3,` +
			`"domain_gpus":3,"inter_node_bytes_per_second":1.5,"fabric":"x","nics_per_node":3,"latency_seconds":1.5,"constraints":{` + constraints + `},` +
			`"files":{"model":{"name":"x","text":"x"},"hardware":{"name":"x","text":"x"}}}`},
	} {
		got, err := json.Marshal(c.q)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
	}
}

// fill sets every field of a struct to something other than zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	}
}
