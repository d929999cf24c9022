// Package site tests the site of the documents: its links, and how it looks in a browser.
package site

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// made is the folder of the site, which is built for the first test that asks.
var made = built.Folder(func(dir string) error {
	out, err := build(filepath.Join(dir, "site"))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

func TestMain(m *testing.M) { built.Main(m) }

var command string

func python() string {
	if name := os.Getenv("STOWAGE_PYTHON"); name != "" {
		return name
	}
	return "python3"
}

func build(to string) ([]byte, error) {
	cmd := exec.Command(python(), "site.py", to)
	cmd.Env = append(os.Environ(), "STOWAGE="+command)
	return cmd.CombinedOutput()
}

// site returns the folder of the pages, or skips the test if there is no mkdocs-material.
func site(t *testing.T) string {
	t.Helper()
	if exec.CommandContext(t.Context(), python(), "-c", "import material, mkdocs").Run() != nil {
		t.Skip("the site needs Python with mkdocs-material, which STOWAGE_PYTHON may name (python3)")
	}
	command = built.Command(t)
	return filepath.Join(made(t), "site", "html")
}

var (
	references = regexp.MustCompile(`(?:href|src)=["']?([^"'\s>]+)`)
	names      = regexp.MustCompile(`\s(?:id|name)=["']?([^"'\s>]+)`)
)

// TestLinks: every link of every page leads to a file of the site and, if it names an anchor, to one that is there.
// Nothing but links to click leads to another server.
func TestLinks(t *testing.T) {
	root := site(t)
	pages, anchors := map[string]string{}, map[string]map[string]bool{}
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		// The page that plans and those of plans are tested elsewhere: what they refer to stands in scripts. 404.html is
		// for a server, so its links begin at the root.
		if err != nil || filepath.Ext(path) != ".html" || d.Name() == "stowage.html" || d.Name() == "404.html" ||
			strings.Contains(path, "gallery"+string(filepath.Separator)) {
			return err
		}
		text := string(must.Get(os.ReadFile(path))(t))
		pages[path], anchors[path] = text, map[string]bool{}
		for _, m := range names.FindAllStringSubmatch(text, -1) {
			anchors[path][m[1]] = true
		}
		return nil
	}))
	if len(pages) < 50 {
		t.Fatalf("%d pages", len(pages))
	}
	for path, text := range pages {
		for _, m := range references.FindAllStringSubmatch(text, -1) {
			link, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %q: %v", path, m[1], err)
				continue
			}
			if link.Scheme != "" || link.Host != "" || strings.HasPrefix(link.Path, "/") {
				if strings.HasPrefix(m[0], "src") {
					t.Errorf("%s asks another server for %s", path, m[1])
				}
				continue
			}
			to := path
			if link.Path != "" {
				to = filepath.Join(filepath.Dir(path), filepath.FromSlash(link.Path))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: a link to nothing: %s", path, m[1])
			} else if at := link.Fragment; at != "" && anchors[to] != nil && !anchors[to][at] {
				t.Errorf("%s: a link to an anchor that is not there: %s", path, m[1])
			}
		}
	}
}

// TestLooks: at three widths and in both themes no page is wider than the window, but for what scrolls by itself, the
// picture has a size, and the search finds pages without a server.
func TestLooks(t *testing.T) {
	root := site(t)
	page := chromium.Open(t, 1024, 800)
	ground := map[string]string{}
	for _, width := range []int{375, 1024, 1600} {
		page.Size(width, 800)
		for _, theme := range []string{"light", "dark"} {
			page.Theme(theme)
			for _, name := range []string{"index.html", "GUIDE.html", "gallery.html", "tflm.html", "planners/auto.html"} {
				page.Go("file://" + filepath.Join(root, filepath.FromSlash(name)))
				page.Until(`document.readyState === "complete"`)
				if wide := page.Text(`String(document.documentElement.scrollWidth - innerWidth)`); wide != "0" {
					t.Errorf("%s is %s pixels wider than a window of %d, %s", name, wide, width, theme)
				}
				ground[theme] = page.Text(`getComputedStyle(document.body).backgroundColor`)
			}
		}
	}
	if ground["light"] == ground["dark"] {
		t.Errorf("both themes are %s", ground["light"])
	}
	page.Go("file://" + filepath.Join(root, "gallery.html") + "?q=canonical")
	page.Until(`[...document.querySelectorAll("article img")].every(i => i.complete && i.naturalWidth > 0)`)
	page.Until(`[...document.querySelectorAll(".md-search-result__link")].some(a => a.href.includes("exact.html"))`)
}
