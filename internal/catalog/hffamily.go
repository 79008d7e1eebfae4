package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// family finds the family that a file names, and refuses what is no file of one.
func (c *hfConfig) family() (hfFamily, error) {
	kind, arch, err := c.identity()
	if err != nil {
		return hfFamily{}, err
	}
	families := hfFamilies()
	i := c.named(families, kind, arch)
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

// named returns the index of the family that model_type names, as the library
// that wrote the file goes by it, else that of the architecture; -1 for
// neither. Where the two differ the file says nothing else, so a note does.
func (c *hfConfig) named(families []hfFamily, kind, arch string) int {
	byKind := slices.IndexFunc(families, func(f hfFamily) bool { return slices.Contains(f.types, kind) })
	byArch := slices.IndexFunc(families, func(f hfFamily) bool { return slices.Contains(f.arch, arch) })
	switch {
	case byKind < 0, byArch >= 0 && families[byArch].borrows:
		return byArch
	case byArch >= 0 && byArch != byKind:
		c.notes = append(c.notes, fmt.Sprintf("architectures names %s, model_type %s: read as %s", arch, kind, families[byKind].name))
	}
	return byKind
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
