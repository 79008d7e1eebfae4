package tomltext

import "testing"

// TestCommentsStay: what an author wrote behind a value stays behind the new one.
func TestCommentsStay(t *testing.T) {
	for given, want := range map[string]string{
		"title = \"a # b\" # two racks\n":                  "title = \"new\" # two racks\n",
		"title = \"a\"\n":                                  "title = \"new\"\n",
		"source = [\"a]\"] # read\n":                       "source = [\"a]\", \"new\"] # read\n",
		"source = [] # none yet\n":                         "source = [ \"new\"] # none yet\n",
		"source = [\n  \"a\", # read\n  \"b\",\n] # two\n": "source = [\n  \"a\", # read\n  \"b\",\n  \"new\",\n] # two\n",
		"source = [\n  \"a\", # read\n  \"b\"\n]\n":        "source = [\n  \"a\", # read\n  \"b\",\n  \"new\",\n]\n",
	} {
		d, err := Parse(given)
		if err != nil {
			t.Fatal(err)
		}
		if root := d.Root(); root.Value("title") != nil {
			root.Set("title", "new", "")
		} else {
			root.Append("source", "new")
		}
		if got := d.String(); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
