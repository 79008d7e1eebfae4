package main

import (
	"os"
	"testing"

	"github.com/spf13/pflag"
)

// TestSettingsPrecedence: a flag wins over the environment, that over
// planner.toml, that over the default of the flag.
func TestSettingsPrecedence(t *testing.T) {
	for _, c := range []struct{ flag, env, file, want string }{
		{"", "", "", "default"},
		{"", "", "file", "file"},
		{"", "env", "file", "env"},
		{"flag", "env", "file", "flag"},
		{"flag", "", "file", "flag"},
		{"", "env", "", "env"},
	} {
		t.Chdir(t.TempDir())
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		t.Setenv("PLANNER_HARDWARE", c.env)
		if c.file != "" {
			if err := os.WriteFile("planner.toml", []byte(`hardware = "`+c.file+`"`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f := pflag.NewFlagSet("planner", pflag.ContinueOnError)
		f.String("hardware", "default", "")
		if c.flag != "" {
			if err := f.Parse([]string{"--hardware", c.flag}); err != nil {
				t.Fatal(err)
			}
		}
		if err := applySettings(f, settable); err != nil {
			t.Fatal(err)
		}
		if got := f.Lookup("hardware").Value.String(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
