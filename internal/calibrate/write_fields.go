package calibrate

import (
	"fmt"
	"reflect"
	"strings"

	"planner/hardware/unit"
	"planner/strategies"
)

// fields writes every constant of a profile that is not zero, a line each, in
// the order of the struct, with its note.
func fields(f *strategies.ProfileFit, notes map[string]string) string {
	var b strings.Builder
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("toml")
		x := v.Field(i).Float()
		if x == 0 {
			continue
		}
		text := number(x)
		switch v.Field(i).Interface().(type) {
		case unit.Seconds:
			text = `"` + number(x*1e3) + `ms"`
		case unit.Bytes:
			text = `"` + number(x/(1<<30)) + `GiB"`
		}
		fmt.Fprintf(&b, "%s = %s", name, text)
		if n := notes[name]; n != "" {
			b.WriteString(" # " + n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// set writes the constant of a name, in base units.
func set(f *strategies.ProfileFit, name string, value float64) {
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("toml") == name {
			v.Field(i).SetFloat(value)
		}
	}
}
