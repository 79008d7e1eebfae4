package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// hfConfig looks keys of a configuration up and gathers every fault.
type hfConfig struct {
	file     string
	top, raw map[string]any // the whole file; the language model's part of it
	defaults map[string]int
	tied     bool
	faults   []string
}

// textKeys are the keys under which multimodal files keep the language model.
var textKeys = []string{"text_config", "language_config", "llm_config"}

func newHFConfig(file string, raw map[string]any) *hfConfig {
	c := &hfConfig{file: file, top: raw, raw: raw}
	for _, k := range textKeys {
		if t, ok := raw[k].(map[string]any); ok {
			c.raw = t
			break
		}
	}
	return c
}

// fail records a fault. Keys are read more than once, the stricter time last:
// a fault replaces an earlier one that begins with the same key and value.
func (c *hfConfig) fail(format string, args ...any) {
	text := c.file + ": " + fmt.Sprintf(format, args...)
	given, _, _ := strings.Cut(text[len(c.file)+2:], ": ")
	same := func(f string) bool { return strings.HasPrefix(f, c.file+": "+given+": ") }
	if i := slices.IndexFunc(c.faults, same); i >= 0 {
		c.faults[i] = text
		return
	}
	c.faults = append(c.faults, text)
}

// family finds the family by architecture, then by model_type: some files
// borrow the model_type of a relative (Grok-1 of Mixtral).
func (c *hfConfig) family() (hfFamily, error) {
	kind, arch, err := c.identity()
	if err != nil {
		return hfFamily{}, err
	}
	families := hfFamilies()
	i := slices.IndexFunc(families, func(f hfFamily) bool { return slices.Contains(f.arch, arch) })
	if i < 0 {
		i = slices.IndexFunc(families, func(f hfFamily) bool { return slices.Contains(f.types, kind) })
	}
	if i >= 0 {
		c.defaults, c.tied = families[i].defaults, families[i].tied
	}
	if why := refused[kind]; i < 0 && why != "" {
		return hfFamily{}, Errorf("%s: model_type %q: %s: want a model TOML with its sizes", c.file, kind, why)
	}
	if missing := c.missing(); missing != "" {
		return hfFamily{}, Errorf("%s: no %s: not a Hugging Face config", c.file, missing)
	}
	if i >= 0 {
		return families[i], nil
	}
	return hfFamily{}, c.unknownFamily(cmp.Or(kind, arch), families)
}

// unknownFamily says what is wrong with a file whose family is not known: its
// sizes, if those are wrong too, for it may be no language model at all.
func (c *hfConfig) unknownFamily(kind string, families []hfFamily) error {
	for _, keys := range [][]string{hiddenKeys, layersKeys, headsKeys} {
		c.size(maxWidth, keys...)
	}
	switch {
	case len(c.faults) > 0:
		return &Error{Faults: c.faults[:1]}
	case kind == "":
		return Errorf("%s: no \"model_type\" and no \"architectures\": cannot tell the family", c.file)
	}
	return Errorf("%s: model_type %q: unknown family%s", c.file, kind, c.suggest(kind, families))
}

// refused says why a known model type is not counted.
var refused = map[string]string{
	"deepseek_v4": "compressed attention and hyper-connections are not counted",
	"kimi_k3":     "Kimi delta attention and latent experts are not counted",
	"kimi_linear": "Kimi delta attention is not counted",
	"t5":          "encoder-decoder models are not planned",
	"bert":        "encoder models are not planned",
	"mamba":       "Mamba-1 layers are not counted",
	"jamba":       "Mamba-1 layers are not counted",
	"gemma3n":     "per-layer embeddings are not counted",
	"minimax_m3":  "its attention is not counted",
}

func (c *hfConfig) suggest(kind string, families []hfFamily) string {
	var known []string
	for _, f := range families {
		known = append(known, f.types...)
	}
	if n := Nearest(kind, known); n != "" {
		return fmt.Sprintf(": did you mean %q?", n)
	}
	return ": want a family such as llama, qwen3_moe or deepseek_v3, or a model TOML"
}

// The sizes that every decoder has, under the names that families give them.
var (
	hiddenKeys = []string{"hidden_size", "n_embd", "n_embed", "d_model"}
	layersKeys = []string{"num_hidden_layers", "n_layer", "n_layers"}
	headsKeys  = []string{"num_attention_heads", "n_head", "n_heads"}
)

// missing lists the usual sizes that the file lacks; "" when it has all.
// Files without the first two are another tool's, whatever else they name.
func (c *hfConfig) missing() string {
	absent := func(keys []string) bool {
		if _, ok := c.defaults[keys[0]]; ok {
			return false
		}
		return !slices.ContainsFunc(keys, func(k string) bool { return c.raw[k] != nil })
	}
	layers := absent(layersKeys) && c.raw["layers_block_type"] == nil
	if !absent(hiddenKeys) && !layers && !absent(headsKeys) && !c.nativeOLMo() {
		return ""
	}
	var names []string
	for _, k := range [][]string{hiddenKeys, layersKeys, headsKeys} {
		if c.raw[k[0]] == nil {
			names = append(names, strconv.Quote(k[0]))
		}
	}
	return strings.Join(names, ", ")
}

// nativeOLMo reports a file of OLMo's own trainer, which names d_model where
// Hugging Face's has hidden_size and may leave the MLP's width out.
func (c *hfConfig) nativeOLMo() bool {
	return c.raw["model_type"] == "olmo" && c.raw["hidden_size"] == nil
}

// find returns the first of keys that the file has and that is not null.
func (c *hfConfig) find(keys []string) (string, any) {
	for _, k := range keys {
		if v := c.raw[k]; v != nil {
			return k, v
		}
	}
	return keys[0], nil
}

// size returns the first of keys present, a required integer in 1…high.
func (c *hfConfig) size(high int, keys ...string) int {
	if k, v := c.find(keys); v != nil {
		return c.integer(k, v, 1, high)
	}
	if v, ok := c.defaults[keys[0]]; ok {
		return v
	}
	c.fail("no %q: want an integer from 1 to %s", keys[0], group(high))
	return 0
}

// opt returns the first of keys present, an integer in 0…high, or def.
func (c *hfConfig) opt(def, high int, keys ...string) int {
	if k, v := c.find(keys); v != nil {
		return c.integer(k, v, 0, high)
	}
	if v, ok := c.defaults[keys[0]]; ok {
		return v
	}
	return def
}

// integer reads v; JSON writers may spell it 4096.0.
func (c *hfConfig) integer(key string, v any, low, high int) int {
	n, ok := v.(json.Number)
	if !ok {
		c.fail("%s: is %s: want an integer", key, jsonKind(v))
		return 0
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	switch {
	case err != nil || math.Abs(f) > 1<<53:
		c.fail("%s %s: too large: want %s to %s", key, n, group(low), group(high))
		return 0
	case f != math.Trunc(f):
		c.fail("%s %s: not an integer: want %s to %s", key, n, group(low), group(high))
		return 0
	case int(f) < low || int(f) > high:
		c.fail("%s", outside(key, int(f), low, high))
		return 0
	}
	return int(f)
}

// float returns a number, or def.
func (c *hfConfig) float(def float64, key string) float64 {
	v, ok := c.raw[key]
	if !ok || v == nil {
		return def
	}
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil {
		c.fail("%s: is %s: want a number", key, jsonKind(v))
		return def
	}
	return f
}

// flag returns a boolean, or def.
func (c *hfConfig) flag(def bool, key string) bool {
	v := c.raw[key]
	if v == nil {
		return def
	}
	b, ok := v.(bool)
	if !ok {
		c.fail("%s: is %s: want true or false", key, jsonKind(v))
	}
	return b
}

// tiedEmbeddings reads tie_word_embeddings from the language model's part, or
// from the whole file, or takes the family's default.
func (c *hfConfig) tiedEmbeddings() bool {
	if c.raw["tie_word_embeddings"] == nil {
		if b, ok := c.top["tie_word_embeddings"].(bool); ok {
			return b
		}
	}
	return c.flag(c.tied, "tie_word_embeddings")
}

// strings returns a list of n strings, or nil when the key is absent.
func (c *hfConfig) strings(n int, key string) []string {
	var out []string
	for _, v := range c.list(n, key) {
		s, ok := v.(string)
		if !ok {
			c.fail("%s: holds %s: want strings", key, jsonKind(v))
			return nil
		}
		out = append(out, s)
	}
	return out
}

// ints returns a list of n integers of 0 or more, or nil.
func (c *hfConfig) ints(n int, key string) []int {
	var out []int
	for _, v := range c.list(n, key) {
		out = append(out, c.integer(key, v, 0, maxWidth))
	}
	return out
}

// list returns a list of n elements (any number for n < 0), or nil.
func (c *hfConfig) list(n int, key string) []any {
	v := c.raw[key]
	if v == nil {
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		c.fail("%s: is %s: want a list", key, jsonKind(v))
		return nil
	}
	if n >= 0 && len(l) != n {
		c.fail("%s: has %d entries: want %d, one a layer", key, len(l), n)
		return nil
	}
	return l
}

func jsonKind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + strconv.Quote(v)
	case json.Number:
		return "the number " + v.String()
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case []any:
		return "a list"
	}
	return "an object"
}
