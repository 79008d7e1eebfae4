package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"planner/internal/catalog"
)

// File is a file that a question names, with its text.
type File struct {
	Name string `toml:"name" json:"name"`
	Text string `toml:"text" json:"text"`
}

// Files are the copies of a model and a cluster that are files of the user's: a
// plan keeps them, so that it can be asked again where the files are not.
type Files struct {
	Model    File `json:"model,omitzero"`
	Hardware File `json:"hardware,omitzero"`
}

// text returns what is in the file that a question calls name, or nil where name
// is no file's: as it is on the disk, else as the question keeps it. What was
// read is kept for the next plan, unless it is too long or no plain text.
func (a *Answer) text(kept *File, name string, read func(string) ([]byte, error)) ([]byte, error) {
	was := *kept
	if was.Name != name {
		was = File{}
	}
	*kept = was
	if was.Text != "" && missing(name) {
		a.Copies = append(a.Copies, fmt.Sprintf("%s is not here: its copy in the plan was used", name))
		return []byte(was.Text), nil
	}
	*kept = File{}
	text, err := read(name)
	if err != nil || text == nil {
		return nil, err
	}
	now := strings.ReplaceAll(string(text), "\r\n", "\n")
	if was.Text != "" && was.Text != now {
		a.Copies = append(a.Copies, fmt.Sprintf("%s differs from its copy in the plan: the file was used", name))
	}
	if len(now) <= catalog.MaxKept && !strings.ContainsFunc(now, unprintable) {
		*kept = File{name, now}
	}
	return text, nil
}

// unprintable characters are refused in the text of a plan.
func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

func missing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}
