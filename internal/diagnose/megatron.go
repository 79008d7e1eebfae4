package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// settings are Megatron's arguments by name with underscores; a flag without
// value is "true".
type settings map[string]string

// parseMegatronArgs reads "--flag value" from an argument file or a launch
// script; comments, quotes and line ends with a backslash are taken off.
func parseMegatronArgs(name string, text []byte) (*Config, error) {
	s := settings{}
	var words []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, " #")
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		words = append(words, strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "\\\n", " ").Replace(line))...)
	}
	for i, w := range words {
		flag, ok := strings.CutPrefix(w, "--")
		if !ok || flag == "" {
			continue
		}
		key, value, joined := strings.Cut(flag, "=")
		if !joined {
			value = "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") && words[i+1] != `\` {
				value = words[i+1]
			}
		}
		s[strings.ReplaceAll(key, "-", "_")] = value
	}
	c := &Config{Kind: "Megatron arguments", Framework: "megatron"}
	return c, s.read(c, name)
}

// known are the arguments that make a file Megatron's.
var known = []string{"tensor_model_parallel_size", "pipeline_model_parallel_size", "micro_batch_size", "global_batch_size", "num_layers", "use_distributed_optimizer"}

func (s settings) read(c *Config, name string) error {
	if !slices.ContainsFunc(known, func(k string) bool { return s[k] != "" }) {
		return catalog.Errorf("%s: none of Megatron's arguments in it: want e.g. tensor_model_parallel_size, micro_batch_size, global_batch_size", name)
	}
	l := &c.Layout
	for _, n := range []struct {
		key string
		to  *int
	}{
		{"tensor_model_parallel_size", &l.TP}, {"pipeline_model_parallel_size", &l.PP}, {"context_parallel_size", &l.CP},
		{"expert_model_parallel_size", &l.EP}, {"expert_tensor_parallel_size", &l.ETP}, {"num_virtual_stages_per_pipeline_rank", &l.VPP},
		{"decoder_first_pipeline_num_layers", &l.First}, {"decoder_last_pipeline_num_layers", &l.Last},
		{"num_distributed_optimizer_instances", &c.Instances}, {"micro_batch_size", &l.MBS}, {"global_batch_size", &c.GlobalBatch}, {"seq_length", &c.Seq},
	} {
		text, ok := s[n.key]
		if !ok || text == "" || text == "null" || text == "None" {
			continue
		}
		v, err := strconv.Atoi(text)
		switch {
		case text == "true":
			return catalog.Errorf("%s: %s: no value: want a whole number of at least 1", name, n.key)
		case err != nil || v < 1 || v > 1<<30:
			return catalog.Errorf("%s: %s %q: not a whole number of at least 1", name, n.key, text)
		}
		*n.to = v
	}
	if err := s.capacity(c, name); err != nil {
		return err
	}
	s.data(c)
	s.recompute(c)
	s.precision(c)
	if c.Model = s.model(); c.Model != "" {
		c.note("model: " + c.Model + ", by its name or shape")
	}
	return s.stages(c, name)
}

// on reports whether a switch is given and true.
func (s settings) on(key string) bool {
	switch strings.ToLower(s[key]) {
	case "true", "1", "yes", "on":
		return true
	}
	return false
}

// capacity reads the factor that experts are padded to.
func (s settings) capacity(c *Config, name string) (err error) {
	text := s["moe_expert_capacity_factor"]
	if text == "" || text == "null" || text == "None" {
		return nil
	}
	if c.Capacity, err = strconv.ParseFloat(text, 64); err != nil || !(c.Capacity > 0 && c.Capacity <= 64) {
		return catalog.Errorf("%s: moe_expert_capacity_factor %q: want a number of more than 0, at most 64", name, text)
	}
	return nil
}

func (s settings) data(c *Config) {
	l := &c.Layout
	l.TP = max(1, l.TP)
	l.SP = s.on("sequence_parallel") && l.TP > 1
	if s.on("sequence_parallel") && l.TP == 1 {
		c.find("sequence_parallel", "does nothing at tensor_model_parallel_size 1")
	}
	overlap := s.on("overlap_grad_reduce")
	c.Overlap = &overlap
	switch {
	case s.on("use_torch_fsdp2"):
		l.Zero, c.Framework, overlap = 3, "fsdp", true
		c.note("use_torch_fsdp2: predicted as PyTorch FSDP2 (zero=3)")
	case s.on("use_megatron_fsdp"):
		l.Zero = max(0, slices.Index([]string{"no_shard", "optim", "optim_grads", "optim_grads_params"}, s["data_parallel_sharding_strategy"]))
		if l.Zero > 1 {
			c.Framework, overlap = "fsdp", true
			c.note("use_megatron_fsdp: predicted as PyTorch FSDP2, whose calls are alike")
		}
	case s.on("use_distributed_optimizer"):
		l.Zero = 1
	default:
		state := "off"
		if s["use_distributed_optimizer"] == "" {
			state = "not set here, off by default"
		}
		c.find("use_distributed_optimizer", state+": every data-parallel rank keeps all of the optimizer state, 12 bytes a parameter; on, the same bytes are sent")
	}
	if l.Zero == 1 && !s.on("overlap_param_gather") {
		c.find("overlap_param_gather", "off: the parameters are gathered before the next forward pass begins")
	}
	l.Dispatcher = map[string]strategies.Dispatcher{"allgather": strategies.DispatchAllGather, "flex": strategies.DispatchFlex}[s["moe_token_dispatcher_type"]]
	l.CPKind = map[string]strategies.CPKind{"all_gather": strategies.CPAllGather, "a2a": strategies.CPA2A}[s["cp_comm_type"]]
	if s.on("optimizer_cpu_offload") {
		l.Offload = strategies.OffloadOptimizer
	}
}

func (s settings) recompute(c *Config) {
	l := &c.Layout
	switch {
	case s["recompute_granularity"] == "selective" || s.on("recompute_activations"):
		l.Recompute = strategies.RecomputeSelective
	case s["recompute_granularity"] == "full":
		l.Recompute = strategies.RecomputeFull
		if n, err := strconv.Atoi(s["recompute_num_layers"]); err == nil && s["recompute_method"] == "block" && n > 0 && n < 1<<16 {
			l.FullLayers = n * max(1, l.VPP)
		}
	}
}

func (s settings) precision(c *Config) {
	recipes := map[string]string{"blockwise": "fp8-block", "mxfp8": "mxfp8"}
	switch {
	case s["fp4_format"] != "":
		c.Precision = "nvfp4"
	case s["fp8_format"] != "" || s["fp8"] != "" && s["fp8"] != "null":
		c.Precision = "fp8"
		if r := recipes[s["fp8_recipe"]]; r != "" {
			c.Precision = r
		}
	case s.on("fp16"):
		c.Precision = "fp16"
	case s.on("bf16") || c.Kind == "Megatron YAML":
		c.Precision = "bf16"
	default:
		c.Precision = "fp32"
		c.find("bf16", "not given: Megatron then trains in fp32")
	}
}

// stages reads how layers are cut where it is not given as stages.
func (s settings) stages(c *Config, name string) error {
	l := &c.Layout
	layers, _ := strconv.Atoi(s["num_layers"])
	if per, err := strconv.Atoi(s["num_layers_per_virtual_pipeline_stage"]); err == nil && per > 0 && layers > 0 && l.VPP == 0 {
		cut := max(1, l.PP) * per
		if layers%cut != 0 {
			return catalog.Errorf("%s: num_layers_per_virtual_pipeline_stage %d: %d layers do not divide by it times pp=%d", name, per, layers, max(1, l.PP))
		}
		l.VPP = layers / cut
	}
	if l.FullLayers > layers && layers > 0 || l.FullLayers > 0 && layers == 0 && l.FullLayers >= 64 {
		l.FullLayers = 0 // every layer
	}
	l.Schedule = strategies.DefaultSchedule(l.VPP)
	return nil
}
