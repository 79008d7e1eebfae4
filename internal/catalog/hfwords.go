package catalog

// word returns the string under key of the language model's part, "" where it
// has none.
func (c *hfConfig) word(key string) string { return c.wordOf(c.raw, key) }

func (c *hfConfig) wordOf(raw map[string]any, key string) string {
	v := raw[key]
	s, ok := v.(string)
	if v != nil && !ok {
		c.fail("%s: is %s: want a string", key, jsonKind(v))
	}
	return s
}

// nested reports whether the language model is a part of the file only.
func (c *hfConfig) nested() bool {
	return len(c.raw) > 0 && c.word("model_type") != c.wordOf(c.top, "model_type")
}

// architecture returns the first of the architectures, "" where none is named.
func (c *hfConfig) architecture(raw map[string]any) string {
	v := raw["architectures"]
	list, ok := v.([]any)
	switch {
	case v != nil && !ok:
		c.fail("architectures: is %s: want a list of strings", jsonKind(v))
	case len(list) > 0:
		s, ok := list[0].(string)
		if !ok {
			c.fail("architectures: holds %s: want strings", jsonKind(list[0]))
		}
		return s
	}
	return ""
}

// identity reads what names the family: the model type, and the architecture
// of the language model's part or of the whole file.
func (c *hfConfig) identity() (kind, arch string, err error) {
	kind, arch = c.word("model_type"), c.architecture(c.raw)
	if whole := c.architecture(c.top); arch == "" {
		arch = whole
	}
	c.wordOf(c.top, "model_type")
	for _, k := range textKeys {
		if v := c.top[k]; v != nil && jsonKind(v) != "an object" {
			c.fail("%s: is %s: want an object", k, jsonKind(v))
		}
	}
	if len(c.faults) > 0 {
		err = &Error{Faults: c.faults}
	}
	return kind, arch, err
}

// sub returns the configuration under key, with the same file and its faults
// passed on by the returned function.
func (c *hfConfig) sub(key string) (*hfConfig, func()) {
	v := c.raw[key]
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		c.fail("%s: is %s: want an object", key, jsonKind(v))
	}
	s := &hfConfig{file: c.file, top: c.top, raw: m}
	return s, func() { c.faults = append(c.faults, s.faults...) }
}
