package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
	"planner/internal/show"
)

// train_batch = micro · accumulation · DP: four public reports (OpenRLHF 346,
// starcoder 41, DeepSpeed 6914 and 3982) with the values that hold.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		batch, micro, accumulate, dp int
		want                         string
	}{
		{256, 2, 18, 7, "train_batch_size 252 or 266"},
		{256, 4, 8, 1, "DP 8"},
		{8, 2, 1, 1, "DP 4, or gradient_accumulation_steps 4"},
		{9, 1, 3, 1, "DP 3"},
		{252, 2, 18, 7, ""},
	} {
		err := Batch(c.batch, c.micro, c.accumulate, c.dp)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d, %d, %d, %d: %v, want %q", c.batch, c.micro, c.accumulate, c.dp, err, c.want)
		}
	}
}

func subject(t testing.TB, name, text string, q ask.Question) *Subject {
	t.Helper()
	c, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Resolve(c, q)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(findings []Finding, text string) bool {
	for _, f := range findings {
		if strings.Contains(f.Setting+": "+f.Says, text) {
			return true
		}
	}
	return false
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		q                ask.Question
		want             []string
	}{
		{"stage 2 and accumulation", "ds.json", `{"train_micro_batch_size_per_gpu":1,"gradient_accumulation_steps":32,"bf16":{"enabled":true},"zero_optimization":{"stage":2}}`,
			ask.Question{Model: "8b", GPUs: 8, Hardware: "b200-sxm"}, []string{"stage 2 communicates every micro-batch; with GA=32 that is 32 × ", "stage 1 reduces once a step", "overlap_comm: off"}},
		{"hpZ and offload", "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":3,"zero_hpz_partition_size":4,"offload_optimizer":{"device":"cpu"}}}`,
			ask.Question{Model: "8b", GPUs: 64}, []string{"hpZ together with offload is reported broken", "a node has 8 GPUs", "not needed, it fits without"}},
		{"one rank", "ds.json", `{"train_batch_size":8,"bf16":{"enabled":true},"zero_optimization":{"stage":1}}`,
			ask.Question{Model: "1b", GPUs: 1}, []string{"splits nothing"}},
		{"small buckets", "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":1,"reduce_bucket_size":5e6}}`,
			ask.Question{Model: "8b", GPUs: 64}, []string{"reduce_bucket_size: 5,000,000 elements"}},
		{"sequence parallelism alone", "args.txt", "--tensor-model-parallel-size 1\n--sequence-parallel\n--micro-batch-size 1\n--global-batch-size 64\n--bf16\n--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
			ask.Question{Model: "8b", GPUs: 64}, []string{"sequence_parallel: does nothing", "use_distributed_optimizer: not set here"}},
		{"bubble", "args.txt", "--pipeline-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
			ask.Question{Model: "8b", GPUs: 64}, []string{"8 micro-batches on 8 stages leave"}},
		{"compile", "t.toml", "[training]\nlocal_batch_size = 1\nseq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n[activation_checkpoint]\nmode = \"full\"\n[compile]\nenable = false",
			ask.Question{Model: "8b", GPUs: 64}, []string{"compile.enable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := subject(t, c.file, c.text, c.q)
			got := s.rules()
			for _, want := range c.want {
				if !find(got, want) {
					t.Errorf("no finding %q in %q", want, got)
				}
			}
		})
	}
}

// "auto" is resolved for the model's hidden size (Hugging Face: h², 0.9·h²,
// 10·h).
func TestAutos(t *testing.T) {
	s := subject(t, "ds.json", `{"train_batch_size":"auto","bf16":{"enabled":"auto"},"zero_optimization":{"stage":3,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto"}}`,
		ask.Question{Model: "8b", GPUs: 64})
	notes := strings.Join(s.Notes, "\n")
	for _, want := range []string{"16777216", "15099494", "40960", "train_batch_size: auto: the launcher's arguments decide"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %s in %q", want, notes)
		}
	}
}

// A share over 30 % is answered with a cause, a knob and the layouts to try;
// one that this layout cannot make is said to be foreign.
func TestRule(t *testing.T) {
	c, err := Read("tp=8,pp=4,zero=1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Resolve(c, ask.Question{Model: "70b", GPUs: 1024, Framework: "megatron"})
	if err != nil {
		t.Fatal(err)
	}
	gather := s.answer(Share{collective.AllGather, 0.35})
	if gather.Diagnosis == nil || !strings.Contains(gather.Diagnosis.Cause, "tp=8") {
		t.Errorf("all_gather: %+v", gather)
	}
	if a := s.answer(Share{collective.AllGather, 0.30}); a.Over || a.Diagnosis != nil {
		t.Errorf("30 %% is not over 30 %%: %+v", a)
	}
	if a := s.answer(Share{collective.AllToAll, 0.5}); !a.Foreign || a.Makes {
		t.Errorf("all_to_all of a dense model: %+v", a)
	}
}

// A gap is explained in its own direction, and a step inside the band is said
// to be so.
func TestGap(t *testing.T) {
	s := subject(t, "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":3}}`, ask.Question{Model: "8b", GPUs: 64})
	g, err := s.gap(s.Explain.Step.Times(1.2))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Could) == 0 {
		t.Error("nothing explains a step of 120 %")
	}
	for _, h := range g.Could {
		if h.Step <= float64(s.Explain.Step) || h.Explains < least || h.Explains > most {
			t.Errorf("%+v", h)
		}
	}
	if g, err = s.gap(s.Explain.Step.Times(0.8)); err != nil || len(g.Could) != 0 {
		t.Errorf("faster than predicted: %+v, %v", g, err)
	}
}

func TestDiagnosis(t *testing.T) {
	s := subject(t, "ds.json", `{"train_micro_batch_size_per_gpu":1,"gradient_accumulation_steps":8,"bf16":{"enabled":true},"zero_optimization":{"stage":2}}`, ask.Question{Model: "8b", GPUs: 64})
	d, err := Run(context.Background(), s, &Request{Measured: s.Explain.Step.Times(1.3), Shares: []Share{{collective.AllReduce, 0.4}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	Show(&b, d)
	for _, want := range []string{"EXPECTED  ", "MEASURED  ", "SHARE     all_reduce", "SETTINGS", "BETTER"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 160 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	b.Reset()
	if err := show.JSON(&b, NewDocument(d)); err != nil {
		t.Fatal(err)
	}
	var doc Document
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Measured == nil || len(doc.Shares) != 1 || len(doc.Findings) == 0 {
		t.Errorf("%v: %+v", err, doc)
	}
}

// Degrees that do not multiply to the GPUs started are refused (nanotron 250).
func TestWorldIsNotTheProduct(t *testing.T) {
	c, err := Parse("t.toml", []byte("[parallelism]\ndata_parallel_shard_degree = 2\npipeline_parallel_degree = 2\ntensor_parallel_degree = 2\n[training]\nlocal_batch_size = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(c, ask.Question{Model: "8b", GPUs: 4})
	if err == nil || !strings.Contains(err.Error(), "tp·cp·pp·dp = 8, but there are 4 GPUs: use dp=1 or --gpus 8") {
		t.Errorf("error %v", err)
	}
}
