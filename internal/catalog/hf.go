package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"planner/costmodel"
)

// ParseHF reads a Hugging Face config.json; name is the file for errors and
// the model's name. Of a multimodal file it reads the language model. What it
// cannot count exactly it refuses.
func ParseHF(name string, data []byte) (*costmodel.Model, error) {
	raw, err := decodeJSON(name, data)
	if err != nil {
		return nil, err
	}
	c := newHFConfig(name, raw)
	family, err := c.family()
	if err != nil {
		return nil, err
	}
	s := c.base()
	s.Family = family.name
	s.Source = name
	s.Notes = append(s.Notes, c.notes...)
	own := len(c.faults)
	family.read(c, s)
	if own > 0 && (s.Layers == 0 || s.Hidden == 0 || s.Heads == 0) {
		c.faults = c.faults[:own] // what the family finds then may only follow from them
	}
	if len(c.faults) > 0 {
		return nil, &Error{Faults: c.faults}
	}
	return s.build(name)
}

// hfFamily is a group of model types with one arithmetic.
type hfFamily struct {
	name  string
	types []string // values of model_type
	// architectures for files whose model_type says less
	arch     []string
	borrows  bool           // files name the model_type of a relative: the architecture tells
	defaults map[string]int // of keys that files of the family leave out
	tied     bool           // default of tie_word_embeddings
	read     func(c *hfConfig, s *modelSpec)
}

// hfFamilies returns every family that can be imported.
func hfFamilies() []hfFamily {
	return slices.Concat(llamaFamilies, gptFamilies, gemmaFamilies, moeFamilies, mlaFamilies, hybridFamilies)
}

// decodeJSON parses one object, with line and column in errors.
func decodeJSON(name string, data []byte) (map[string]any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, Errorf("%s: empty: want a Hugging Face config.json", name)
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return nil, Errorf("%s: not a text file: want a Hugging Face config.json", name)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, jsonError(name, data, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, Errorf("%s:%s: text after the end of the object: want one JSON object", name, position(data, int(d.InputOffset())))
	}
	raw, ok := v.(map[string]any)
	if !ok {
		return nil, Errorf("%s: is no JSON object: want a Hugging Face config.json", name)
	}
	return raw, nil
}

func jsonError(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"):
		return Errorf("%s:%s: unexpected end of JSON: the file seems cut off", name, position(data, len(data)))
	case errors.As(err, &syntax):
		return Errorf("%s:%s: not valid JSON: %s", name, position(data, int(syntax.Offset)-1), oneLine(syntax.Error()))
	}
	return Errorf("%s: not valid JSON: %s", name, oneLine(err.Error()))
}

// position writes the line and column, from 1, of the byte at offset.
func position(data []byte, offset int) string {
	before := data[:min(max(offset, 0), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("%d:%d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}
