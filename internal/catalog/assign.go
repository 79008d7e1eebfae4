package catalog

import (
	"encoding"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decoder stores the parsed tree into Go values and gathers every fault.
type decoder struct {
	file   string
	text   []byte
	root   map[string]any // as parsed
	lines  map[string]int // dotted path → line; see keyLines; nil until a fault needs it
	loose  bool           // unknown keys are another tool's
	faults []fault
	// misspelt is set once a key is unknown, which may be one that is missing:
	// that of meant, where one is near.
	misspelt bool
	meant    []string
}

func pointed(v any) reflect.Value { return reflect.ValueOf(v).Elem() }

// assign stores raw into dst.
func (d *decoder) assign(path string, raw any, dst reflect.Value) {
	if dst.Kind() == reflect.Pointer {
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		dst = dst.Elem()
	}
	if t, ok := dst.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.parse(path, raw, t)
		return
	}
	switch dst.Kind() {
	case reflect.Struct:
		d.table(path, raw, dst)
	case reflect.Map:
		d.mapping(path, raw, dst)
	case reflect.Slice, reflect.Array:
		d.list(path, raw, dst)
	case reflect.Interface:
		dst.Set(reflect.ValueOf(raw))
	default:
		d.scalar(path, raw, dst)
	}
}

// parse hands a string, or a bare number, to a type that parses itself.
func (d *decoder) parse(path string, raw any, t encoding.TextUnmarshaler) {
	var s string
	switch v := raw.(type) {
	case string:
		s = v
	case int64:
		s = strconv.FormatInt(v, 10)
	case float64:
		s = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		d.fail(path, "%s: is %s: want a string such as \"80GiB\"", leaf(path), kindOf(raw))
		return
	}
	if err := t.UnmarshalText([]byte(s)); err != nil {
		d.fail(path, "%s: %v", leaf(path), err)
	}
}

func (d *decoder) table(path string, raw any, dst reflect.Value) {
	m, ok := raw.(map[string]any)
	if !ok {
		d.fail(path, "%s: is %s: want a table", leaf(path), kindOf(raw))
		return
	}
	fields := tags(dst.Type())
	for _, k := range sortedKeys(m) {
		i, known := fields[k]
		switch {
		case known:
			d.assign(join(path, k), m[k], dst.FieldByIndex(i))
		case !d.loose:
			d.unknown(join(path, k), k, sortedKeys(fields))
		}
	}
}

func (d *decoder) mapping(path string, raw any, dst reflect.Value) {
	m, ok := raw.(map[string]any)
	if !ok {
		d.fail(path, "%s: is %s: want a table", leaf(path), kindOf(raw))
		return
	}
	if dst.IsNil() {
		dst.Set(reflect.MakeMap(dst.Type()))
	}
	for _, k := range sortedKeys(m) {
		e := reflect.New(dst.Type().Elem()).Elem()
		d.assign(join(path, k), m[k], e)
		dst.SetMapIndex(reflect.ValueOf(k), e)
	}
}

func (d *decoder) list(path string, raw any, dst reflect.Value) {
	v := reflect.ValueOf(raw)
	if raw == nil || v.Kind() != reflect.Slice {
		d.fail(path, "%s: is %s: want a list", leaf(path), kindOf(raw))
		return
	}
	if dst.Kind() == reflect.Array && v.Len() > dst.Len() {
		d.fail(path, "%s: has %d elements: want at most %d", leaf(path), v.Len(), dst.Len())
		return
	}
	out := dst
	if dst.Kind() == reflect.Slice {
		out = reflect.MakeSlice(dst.Type(), v.Len(), v.Len())
	}
	for i := range v.Len() {
		d.assign(join(path, strconv.Itoa(i)), v.Index(i).Interface(), out.Index(i))
	}
	dst.Set(out)
}

// scalar stores strings, booleans and numbers; an integer is a good number,
// a number with a fraction is no integer.
func (d *decoder) scalar(path string, raw any, dst reflect.Value) {
	n, isInt := raw.(int64)
	f, isFloat := raw.(float64)
	switch k := dst.Kind(); {
	case k == reflect.String:
		s, ok := raw.(string)
		if c := control(leaf(path), s); c >= 0 {
			d.fail(path, "%s: holds the control character %U: want plain text", leaf(path), c)
			return
		}
		if ok {
			dst.SetString(s)
			return
		}
		d.fail(path, "%s: is %s: want a string", leaf(path), kindOf(raw))
	case k == reflect.Bool:
		if b, ok := raw.(bool); ok {
			dst.SetBool(b)
			return
		}
		d.fail(path, "%s: is %s: want true or false", leaf(path), kindOf(raw))
	case dst.CanFloat() && isInt:
		dst.SetFloat(float64(n))
	case dst.CanFloat() && isFloat && !math.IsNaN(f) && !math.IsInf(f, 0):
		dst.SetFloat(f)
	case dst.CanFloat():
		d.fail(path, "%s: is %s: want a finite number", leaf(path), kindOf(raw))
	case dst.CanInt() && isInt && !dst.OverflowInt(n):
		dst.SetInt(n)
	case dst.CanInt():
		d.fail(path, "%s: is %s: want an integer", leaf(path), kindOf(raw))
	default:
		panic("catalog: cannot decode into " + dst.Type().String())
	}
}

// tags maps the toml tags of a struct, embedded ones included, to fields.
// Fields without one are not read.
func tags(t reflect.Type) map[string][]int {
	m := make(map[string][]int)
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("toml"), ","); tag != "" && tag != "-" {
			m[tag] = f.Index
		}
	}
	return m
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// kindOf names a TOML value the way its author sees it.
func kindOf(raw any) string {
	switch v := raw.(type) {
	case string:
		return "the string " + strconv.Quote(v)
	case int64:
		return "the integer " + strconv.FormatInt(v, 10)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case map[string]any:
		return "a table"
	}
	if k := reflect.ValueOf(raw).Kind(); k == reflect.Slice {
		return "a list"
	}
	return "a date"
}
