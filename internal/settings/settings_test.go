package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var keys = []string{"gpus", "hardware", "max-memory"}

// saved puts a test in a folder of its own with these files and variables; a
// file of no text is not written.
func saved(t *testing.T, user, project string, environment map[string]string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	for _, k := range keys {
		t.Setenv(Variable(k), environment[k])
	}
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{UserFile(): user, ProjectFile: project} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPrecedence: the environment wins over planner.toml, that over the user's
// file; what none of them has is left to the default.
func TestPrecedence(t *testing.T) {
	const user, environment = "user", "environment PLANNER_HARDWARE"
	for _, c := range []struct {
		name, user, project, env string
		value, origin            string // of hardware
	}{
		{"nothing", "", "", "", "", ""},
		{"user", `hardware = "a"`, "", "", "a", user},
		{"project", "", `hardware = "b"`, "", "b", ProjectFile},
		{"environment", "", "", "c", "c", environment},
		{"project over user", `hardware = "a"`, `hardware = "b"`, "", "b", ProjectFile},
		{"environment over project", "", `hardware = "b"`, "c", "c", environment},
		{"environment over both", `hardware = "a"`, `hardware = "b"`, "c", "c", environment},
		{"another key of the project", `hardware = "a"`, `gpus = 64`, "", "a", user},
	} {
		t.Run(c.name, func(t *testing.T) {
			saved(t, c.user, c.project, map[string]string{"hardware": c.env})
			got, err := Load(keys)
			if err != nil {
				t.Fatal(err)
			}
			want := Value{}
			if c.value != "" {
				want = Value{Key: "hardware", Value: c.value, Origin: c.origin}
			}
			if c.origin == user {
				want.Origin = UserFile()
			}
			if diff := cmp.Diff(want, got["hardware"]); diff != "" {
				t.Errorf("hardware (-want +got):\n%s", diff)
			}
		})
	}
}

// TestValues: numbers and booleans are kept as they are typed on a command line.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{`gpus = 1024`: "1024", `gpus = "1024"`: "1024", `gpus = 1.5`: "1.5", `gpus = true`: "true", `gpus = ""`: ""} {
		saved(t, "", text, nil)
		got, err := Load(keys)
		if err != nil || got["gpus"].Value != want || got["gpus"].Key != "gpus" {
			t.Errorf("%s: %+v, %v, want %q", text, got["gpus"], err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`gpuss = 8`:             `planner.toml: unknown key "gpuss": did you mean "gpus"?`,
		`colour = "red"`:        `planner.toml: unknown key "colour": see planner config`,
		`gpus = [1, 2]`:         `planner.toml: gpus: not a plain value: want a string, number or true/false`,
		"[gpus]\nn = 1":         `planner.toml: gpus: not a plain value: want a string, number or true/false`,
		`gpus = 2026-09-20`:     `planner.toml: gpus: not a plain value: want a string, number or true/false`,
		`gpus =`:                `planner.toml:1: not valid TOML: `,
		"gpus = 1\ngpus = 2":    `planner.toml:2: not valid TOML: `,
		"hardware = \"a\x00b\"": `planner.toml: not a text file: want TOML in UTF-8`,
	} {
		saved(t, "", text, nil)
		_, err := Load(keys)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	saved(t, "gpuss = 8", "", nil)
	if _, err := Load(keys); err == nil || !strings.HasPrefix(err.Error(), UserFile()+": unknown key") {
		t.Errorf("user's file: %v", err)
	}
	saved(t, "", "", nil)
	if err := os.Mkdir(ProjectFile, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(keys); err == nil || err.Error() != "planner.toml: is a folder: want the path of a defaults TOML" {
		t.Errorf("a folder: %v", err)
	}
}

func TestVariable(t *testing.T) {
	for key, want := range map[string]string{"gpus": "PLANNER_GPUS", "max-memory": "PLANNER_MAX_MEMORY", "seq-len": "PLANNER_SEQ_LEN"} {
		if got := Variable(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
