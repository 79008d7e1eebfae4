package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"planner/internal/catalog"
	"planner/internal/export"
)

type genDocsFlags struct{ man, markdown, completions, date string }

// newGenDocs is the hidden command that writes man pages, the command-line
// reference of docs/cli and shell completions, for releases.
func newGenDocs() *cobra.Command {
	o := &genDocsFlags{}
	c := &cobra.Command{
		Use:    "gen-docs",
		Short:  "Write man pages, the command-line reference and completions",
		Hidden: true,
		Args:   noArguments,
		RunE:   func(c *cobra.Command, _ []string) error { return runGenDocs(c.Root(), o) },
	}
	f := c.Flags()
	f.StringVar(&o.man, "man", "", "folder for man pages")
	f.StringVar(&o.markdown, "markdown", "", "folder for the reference, docs/cli")
	f.StringVar(&o.completions, "completions", "", "folder for completions of bash, zsh, fish and PowerShell")
	f.StringVar(&o.date, "date", "", "date of the man pages, 2006-01-02 (default today)")
	return c
}

func runGenDocs(root *cobra.Command, o *genDocsFlags) error {
	root.DisableAutoGenTag = true
	date := time.Now()
	if o.date != "" {
		var err error
		if date, err = time.Parse(time.DateOnly, o.date); err != nil {
			return catalog.Errorf("--date %q: not a date: want e.g. 2026-11-29", o.date)
		}
	}
	for _, kind := range []struct {
		dir   string
		files func(*cobra.Command) (map[string][]byte, error)
	}{
		{o.man, func(c *cobra.Command) (map[string][]byte, error) { return manPages(c, date) }},
		{o.markdown, reference}, {o.completions, completions},
	} {
		if kind.dir == "" {
			continue
		}
		files, err := kind.files(root)
		if err != nil {
			return err
		}
		if err := writeAll(kind.dir, files); err != nil {
			return err
		}
	}
	if o.man == "" && o.markdown == "" && o.completions == "" {
		return catalog.Errorf("gen-docs: nothing to write: want --man, --markdown or --completions with a folder")
	}
	return nil
}

func writeAll(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := export.WriteFile(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// documented returns the commands that have a page: those that a user sees,
// help topics included.
func documented(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) && sub.Name() != "help" {
			out = append(out, documented(sub)...)
		}
	}
	return out
}

// manPages returns planner.1, planner-suggest.1 and so on.
func manPages(root *cobra.Command, date time.Time) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, c := range documented(root) {
		var b bytes.Buffer
		h := &doc.GenManHeader{Section: "1", Date: &date, Source: "planner " + shortVersion(), Manual: "planner manual"}
		if err := doc.GenMan(c, h, &b); err != nil {
			return nil, err
		}
		out[strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = b.Bytes()
	}
	return out, nil
}

// reference returns the pages of docs/cli.
func reference(root *cobra.Command) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, c := range documented(root) {
		c.DisableAutoGenTag = true
		name := strings.ReplaceAll(c.CommandPath(), " ", "_") + ".md"
		if c.IsAdditionalHelpTopicCommand() {
			out[name] = topicPage(c)
			continue
		}
		var b bytes.Buffer
		if err := doc.GenMarkdown(c, &b); err != nil {
			return nil, err
		}
		out[name] = append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
	}
	out["planner.md"] = append(out["planner.md"], topicList(root)...)
	return out, nil
}

// topicPage is a help topic: text alone.
func topicPage(c *cobra.Command) []byte {
	return fmt.Appendf(nil, "## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), c.Short, c.Long)
}

// topicList links the help topics, which cobra's list of commands leaves out.
func topicList(root *cobra.Command) []byte {
	b := []byte("\n### Help topics\n\n")
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() && c.Name() != "help" {
			b = fmt.Appendf(b, "* [%s](planner_%s.md)\t - %s\n", c.CommandPath(), c.Name(), c.Short)
		}
	}
	return b
}

// completions returns the scripts for four shells.
func completions(root *cobra.Command) (map[string][]byte, error) {
	var bash, zsh, fish, power bytes.Buffer
	err := errors.Join(root.GenBashCompletionV2(&bash, true), root.GenZshCompletion(&zsh), root.GenFishCompletion(&fish, true), root.GenPowerShellCompletionWithDesc(&power))
	return map[string][]byte{"planner.bash": bash.Bytes(), "_planner": zsh.Bytes(), "planner.fish": fish.Bytes(), "planner.ps1": power.Bytes()}, err
}
