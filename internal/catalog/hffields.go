package catalog

import (
	"encoding/json"
	"math"
	"strconv"
)

// hfConfig looks keys of a configuration up and gathers every fault.
type hfConfig struct {
	file     string
	top, raw map[string]any // the whole file; the language model's part of it
	defaults map[string]int
	tied     bool
	faults   []string
	notes    []string
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
