package catalog

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode"
)

// JSONFault says in one line what is wrong with a JSON file that did not
// decode; want names what belongs in it, e.g. "the JSON of suggest".
func JSONFault(file, want string, text []byte, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && jsonKey(kind.Field) == "":
		return Errorf("%s: is %s: want %s", file, jsonWords[kind.Value], want)
	case errors.As(err, &kind):
		given, _, _ := strings.Cut(kind.Value, " ") // "number 1.5"
		return Errorf("%s: %s: is %s: want %s", file, jsonKey(kind.Field), jsonWords[given], wantOf(kind.Type))
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"):
		return Errorf("%s:%s: unexpected end of JSON: the file seems cut off: want %s", file, position(text, len(text)), want)
	case errors.As(err, &syntax) && syntax.Offset > 0 && int(syntax.Offset) <= len(text):
		at := int(syntax.Offset) - 1
		return Errorf("%s:%s: not valid JSON: %q is out of place: want %s", file, position(text, at), text[at:at+1], want)
	}
	return Errorf("%s: not valid JSON: want %s", file, want)
}

// jsonWords are the kinds of JSON as an error of its decoder names them.
var jsonWords = map[string]string{"array": "a list", "object": "an object", "string": "a string", "number": "a number", "bool": "a boolean"}

// jsonKey is the dotted path of a key without the names of embedded types,
// which start with a capital letter.
func jsonKey(field string) string {
	var keys []string
	for _, k := range strings.Split(field, ".") {
		if k != "" && !unicode.IsUpper(rune(k[0])) {
			keys = append(keys, k)
		}
	}
	return strings.Join(keys, ".")
}

func wantOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	}
	return "an integer"
}
