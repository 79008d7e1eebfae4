package ask

import (
	"fmt"
	"reflect"
	"strings"
)

// apart separates the patterns of Constraints.Exclude.
const apart = ";"

// Excluded returns the patterns that are refused, one by one.
func (c *Constraints) Excluded() []string {
	if c.Exclude == "" {
		return nil
	}
	return strings.Split(c.Exclude, apart)
}

// Words lists the constraints that are given, each as its flag and value:
// "tp 1,2,4". A flag is named as its key, but with dashes.
func (c *Constraints) Words() (out []string) {
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("toml"), ",")
		if v.Field(i).IsZero() || key == "exclude" {
			continue
		}
		out = append(out, fmt.Sprintf("%s %v", strings.ReplaceAll(key, "_", "-"), v.Field(i)))
	}
	for _, p := range c.Excluded() {
		out = append(out, "exclude "+p)
	}
	return out
}
