package catalog

import (
	"encoding/json"
	"testing"
)

func TestJSONFault(t *testing.T) {
	type Head struct {
		Version int `json:"schema_version"`
	}
	type document struct {
		Head
		Layout *struct {
			Layout string `json:"layout"`
		} `json:"layout"`
		Layouts []int `json:"layouts"`
	}
	for _, tt := range []struct{ text, want string }{
		{`[]`, "a.json: is a list: want a plan"},
		{`"x"`, "a.json: is a string: want a plan"},
		{`3`, "a.json: is a number: want a plan"},
		{`{"schema_version": "x"}`, "a.json: schema_version: is a string: want an integer"},
		{`{"schema_version": 1.5}`, "a.json: schema_version: is a number: want an integer"},
		{`{"layout": {"layout": 7}}`, "a.json: layout.layout: is a number: want a string"},
		{`{"layout": true}`, "a.json: layout: is a boolean: want an object"},
		{`{"layouts": {}}`, "a.json: layouts: is an object: want a list"},
		{"{\n\"a\": ", "a.json:2:6: unexpected end of JSON: the file seems cut off: want a plan"},
		{"framework\tmodel", `a.json:1:2: not valid JSON: "r" is out of place: want a plan`},
		{"{}\nz", `a.json:2:1: not valid JSON: "z" is out of place: want a plan`},
	} {
		text := []byte(tt.text)
		err := JSONFault("a.json", "a plan", text, json.Unmarshal(text, &document{}))
		if err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}
