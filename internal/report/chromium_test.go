package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// chromium finds a browser; the test skips where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium")
	return ""
}

// browse runs a headless browser without network on a file and returns its
// standard output and error.
func browse(t *testing.T, file string, args ...string) (out, log string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--allow-file-access-from-files", "--virtual-time-budget=2000", "--user-data-dir=" + t.TempDir()}, append(args, "file://"+file)...)
	c := exec.CommandContext(ctx, chromium(t), args...)
	var o, e strings.Builder
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, e.String())
	}
	return o.String(), e.String()
}

// probe looks at a page in a frame of a width and writes what it finds.
const probe = `<!doctype html><title>probe</title><iframe id="f" src="review.html" style="width:%dpx;height:900px;border:0"></iframe><pre id="out"></pre><script>
document.getElementById("f").onload = e => {
  const d = e.target.contentDocument, all = s => [...d.querySelectorAll(s)]
  d.querySelectorAll("details").forEach(x => x.open = true)
  document.getElementById("out").textContent = JSON.stringify({
    wide: d.documentElement.scrollWidth, charts: all("svg").length,
    flat: all("svg").filter(s => s.getBoundingClientRect().height < 10 || !s.querySelector("rect,path,circle")).length,
    unnamed: all("svg").filter(s => !s.getAttribute("aria-label")).length + all("table").filter(s => !s.caption || !s.caption.textContent).length +
      all("[role=region]").filter(s => !s.getAttribute("aria-label")).length + all("a").filter(s => !s.textContent.trim()).length,
    dead: all("a[href^='#']").filter(a => !d.getElementById(a.getAttribute("href").slice(1))).length,
    spilled: all("svg text").filter(x => { const b = x.getBBox(), v = x.ownerSVGElement.viewBox.baseVal; return b.x < -1 || b.x + b.width > v.width + 1 }).map(x => x.textContent),
    small: all("p,td,th,dt,dd,li").filter(x => parseFloat(getComputedStyle(x).fontSize) < 11).length,
    back: getComputedStyle(d.body).backgroundColor,
    data: JSON.parse(d.getElementById("planner-data").textContent).kind,
  })
}
</script>`

type seen struct {
	Wide, Charts, Flat, Unnamed, Dead, Small int
	Spilled                                  []string
	Back, Data                               string
}

var written = regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`)

// look opens a page at a width and returns what the probe and the console say.
func look(t *testing.T, dir string, width int, args ...string) (s seen, log string) {
	t.Helper()
	file := filepath.Join(dir, fmt.Sprintf("probe%d.html", width))
	if err := os.WriteFile(file, fmt.Appendf(nil, probe, width), 0o600); err != nil {
		t.Fatal(err)
	}
	out, log := browse(t, file, append(args, "--dump-dom")...)
	m := written.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("the probe wrote nothing:\n%s", log)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &s); err != nil {
		t.Fatalf("%v in %q", err, m[1])
	}
	return s, log
}

// TestChromium opens a report on a desk, in the dark and on a phone: charts
// are drawn and named, links lead somewhere, nothing is wider than the screen,
// and the console is silent.
func TestChromium(t *testing.T) {
	chromium(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "review.html"), page1(t, piped()), 0o600); err != nil {
		t.Fatal(err)
	}
	const dark = "--blink-settings=preferredColorScheme=0"
	for _, screen := range []struct {
		name  string
		width int
		back  string
		args  []string
	}{
		{"desk", 1200, "rgb(255, 255, 255)", nil},
		{"dark", 1000, "rgb(16, 21, 28)", []string{dark}},
		{"phone", 390, "rgb(255, 255, 255)", nil},
	} {
		t.Run(screen.name, func(t *testing.T) {
			s, log := look(t, dir, screen.width, screen.args...)
			if strings.Contains(log, "CONSOLE") {
				t.Errorf("console:\n%s", log)
			}
			if s.Wide > screen.width {
				t.Errorf("%d pixels wide, want at most %d", s.Wide, screen.width)
			}
			if s.Charts < 7 || s.Flat > 0 {
				t.Errorf("%d charts of which %d are empty", s.Charts, s.Flat)
			}
			if s.Unnamed > 0 || s.Dead > 0 || len(s.Spilled) > 0 || s.Small > 0 {
				t.Errorf("%d without accessible name, %d dead links, %d in small type, cut off: %q", s.Unnamed, s.Dead, s.Small, s.Spilled)
			}
			if s.Back != screen.back || s.Data != Kind {
				t.Errorf("background %s, data %q; want %s, %q", s.Back, s.Data, screen.back, Kind)
			}
		})
	}
	t.Run("picture", func(t *testing.T) {
		shot := filepath.Join(dir, "shot.png")
		browse(t, filepath.Join(dir, "review.html"), "--window-size=1200,2400", "--screenshot="+shot)
		if n := colours(t, shot); n < 40 {
			t.Errorf("%d colours in the picture, want a page with charts", n)
		}
	})
	t.Run("print", func(t *testing.T) {
		file := filepath.Join(dir, "review.pdf")
		browse(t, filepath.Join(dir, "review.html"), "--no-pdf-header-footer", "--print-to-pdf="+file)
		if info, err := os.Stat(file); err != nil || info.Size() < 20_000 {
			t.Errorf("no print: %v", err)
		}
	})
}

// colours counts the distinct colours of a picture.
func colours(t *testing.T, file string) int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	found := map[any]bool{}
	eachPixel(m, func(x, y int) { found[m.At(x, y)] = true })
	return len(found)
}

func eachPixel(m image.Image, visit func(x, y int)) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X; x += 2 {
			visit(x, y)
		}
	}
}
