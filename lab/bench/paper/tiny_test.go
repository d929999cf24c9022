package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// tinySize is a report in a second, or in CI in a few.
var tinySize = size{
	name: "quick", budget: time.Minute,
	limit: 40 * time.Millisecond, repeat: 1, extended: plantest.Share(40, 10), extendedOf: 20 * time.Millisecond,
	each: 1, step: 10, all: 1, hour: 300 * time.Millisecond, steps: 200, seeds: 1, windows: 3, nodes: 500,
	tries: []int{1, 2}, profile: 100 * time.Millisecond, models: plantest.Share(3, 2), largest: 500,
}

// tiny makes a report in a folder, on a machine without data, peers and tools.
func tiny(t *testing.T, ctx context.Context, dir string, chosen []section) (string, error) {
	t.Helper()
	t.Setenv("STOWAGE_DATA", t.TempDir())
	s := setup{
		size: tinySize, root: filepath.Join("..", ".."), runs: filepath.Join(dir, "runs.jsonl"), out: filepath.Join(dir, "out", "report.html"),
		jobs: 2, progress: io.Discard, begin: time.Now(),
	}
	err := measure(ctx, s, chosen)
	text, missing := os.ReadFile(s.out)
	return string(text), errors.Join(err, missing)
}

var svgs = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// TestReport: a report holds every section with figures of the paper and of this
// machine, stands alone, and has no picture that is not well formed. A second run
// makes nothing anew; one whose files were cut goes on from them: all sections in CI,
// on a desk some of those whose runs are in the second half of the files.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	text, err := tiny(t, t.Context(), dir, sections())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections() {
		_, part, found := strings.Cut(text, `<section id="`+s.id+`">`)
		if !found || !strings.Contains(text, `<a href="#`+s.id+`">`) {
			t.Errorf("%s is not in the report, or not in its contents", s.id)
			continue
		}
		part, _, _ = strings.Cut(part, "</section>")
		if !strings.Contains(part, "<th>paper</th><th>here</th>") || !strings.Contains(part, "go run ./lab/bench/paper --quick -section "+s.id) {
			t.Errorf("%s has no figures beside the paper's, or no command:\n%s", s.id, part)
		}
		if s.id != "minimalloc-table-1" && s.id != "telamalloc-figure-15" && !strings.Contains(part, "<figure>") {
			t.Errorf("%s has no picture", s.id)
		}
		if !strings.Contains(part, `class="says"`) {
			t.Errorf("%s does not say what its figures come to", s.id)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "http://", "https://", "<script", "%!", "failed:"} {
		if strings.Contains(strings.ReplaceAll(text, "Information", ""), bad) {
			t.Errorf("the report has %q", bad)
		}
	}
	for _, picture := range svgs.FindAllString(text, -1) {
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, picture)
			}
		}
	}
	t.Run("browser", func(t *testing.T) { browse(t, dir) })
	runs, facts := filepath.Join(dir, "runs.jsonl"), filepath.Join(dir, "runs-facts.jsonl")
	before := map[string][]byte{}
	for _, path := range []string{runs, facts} {
		whole, err := os.ReadFile(path)
		if err != nil || bytes.Count(whole, []byte("\n")) < 20 {
			t.Fatalf("%s: %d lines, %v", path, bytes.Count(whole, []byte("\n")), err)
		}
		half := whole[:len(whole)/2] // in the middle of a line, or at least before the end
		before[path] = half[:bytes.LastIndexByte(half, '\n')+1]
		if err := os.WriteFile(path, half, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	some := []string{"minimalloc-figure-10", "telamalloc-figure-14", "idealloc-figure-6"}
	again, err := choose(some[:plantest.Share(0, len(some))]) // none are all
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tiny(t, t.Context(), dir, again); err != nil {
		t.Fatal(err)
	}
	for path, kept := range before {
		now, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(now, kept) || len(now) <= len(kept) {
			t.Errorf("%s: what was there is not kept, or nothing was added: %v", path, err)
		}
		if n := bytes.Count(now, []byte("\n")); n < bytes.Count(kept, []byte("\n"))+5 {
			t.Errorf("%s: %d lines", path, n)
		}
		keys := map[string]bool{}
		for line := range bytes.Lines(now) {
			key, _, _ := strings.Cut(string(line), `"status"`)
			key, _, _ = strings.Cut(key, `"value"`)
			if keys[key] {
				t.Errorf("%s: made twice: %s", path, key)
			}
			keys[key] = true
		}
	}
}

// An interrupted report is none, and says that what was run is kept.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tiny(t, ctx, t.TempDir(), sections()); err == nil || !strings.Contains(err.Error(), "what was run is kept") {
		t.Errorf("%v", err)
	}
}

func TestBadFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-quick -full", "one or the other"},
		{"-section minimalloc-figure-8,figure-99", `"figure-99"`},
		{"-jobs 0", "-jobs 0"},
		{"-budget -3s", "-budget -3s"},
		{"-steps -3", "-steps -3"},
		{"-processor -jobs 2", "one at a time"},
		{"-minimalloc /no/such/program", "/no/such/program"},
		{"-into X.md", "-into wants -section"},
		{"table2", `"table2"`},
		{"-no-such-flag", "no-such-flag"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.args), &out, &errs); code != badUsage || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, errs.String())
		}
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"-list"}, &out, io.Discard); code != ok || strings.Count(out.String(), "\n") != len(sections()) {
		t.Errorf("-list: exit code %d\n%s", code, out.String())
	}
}

// browse: nothing of the report is wider than the page, of each picture one form is
// shown, no word in it is cut, and its letters are no smaller than 11 pixels, at the width of a telephone, a
// tablet and a desk. STOWAGE_PICTURES names a folder for pictures of it, to be looked at.
func browse(t *testing.T, dir string) {
	chromium.Path(t)
	page := chromium.Open(t, 375, 900)
	widths := []int{375, 740, 760, 1400}
	if plantest.Share(1, 0) == 0 {
		widths = []int{375, 1400}
	}
	for _, width := range widths {
		for _, theme := range []string{"light", "dark"} {
			if theme == "dark" && width > 375 && os.Getenv("STOWAGE_PICTURES") == "" {
				continue
			}
			page.Size(width, 2000)
			page.Theme(theme)
			page.Go("file://" + filepath.Join(dir, "out", "report.html"))
			var got struct {
				Wide, Narrow, Figures, Shown int
				Letters                      float64
				Dark                         bool
				Cut                          []string
			}
			page.Eval(`(() => {
				const shown = [...document.querySelectorAll("figure svg[role=img]")].filter(p => p.getBoundingClientRect().height > 40);
				return {
					Wide: document.documentElement.scrollWidth, Narrow: document.documentElement.clientWidth,
					Figures: document.querySelectorAll("figure").length, Shown: shown.length,
					Cut: shown.flatMap(p => {
						const frame = p.getBoundingClientRect();
						return [...p.querySelectorAll("text")].filter(t => {
							const at = t.getBoundingClientRect();
							return at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1;
						}).map(t => t.textContent);
					}),
					Letters: Math.min(...shown.map(p => 12 * p.getBoundingClientRect().width / p.viewBox.baseVal.width)),
					Dark: getComputedStyle(document.body).backgroundColor != "rgb(255, 255, 255)",
				}
			})()`, &got)
			if got.Wide > got.Narrow || got.Shown != got.Figures || got.Figures < 20 || got.Letters < 11 ||
				len(got.Cut) > 0 || got.Dark != (theme == "dark") {
				t.Errorf("at %d, %s: %+v", width, theme, got)
			}
			if folder := os.Getenv("STOWAGE_PICTURES"); folder != "" {
				for k := range 3 {
					page.Eval(`(document.querySelectorAll("figure")[`+strconv.Itoa(k*8)+`].scrollIntoView(), 0)`, new(int))
					name := fmt.Sprintf("paper-%d-%s-%d.png", width, theme, k)
					if err := os.WriteFile(filepath.Join(folder, name), page.Picture(), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	page.Quiet()
}

// The line under a document's table has machine, day and clock once each.
func TestMarkdown(t *testing.T) {
	c := content{tables: []*comparison.Table{comparison.NewTable([]string{"a"}, [][]string{{"b"}})}, on: []string{
		"EPYC, 2 cores, go1.26, 2026-11-20", "EPYC, 2 cores, go1.26, 2026-11-22, 033fcd5aaa, processor time",
		"EPYC, 2 cores, go1.26, 2026-11-22, 0123456789-dirty, processor time",
	}}
	const want = "\nEPYC, 2 cores, go1.26, 2026-11-20; EPYC, 2 cores, go1.26, 2026-11-22, processor time.\n"
	if got := c.markdown(); !strings.HasSuffix(got, want) || strings.Count(got, "EPYC") != 2 {
		t.Errorf("%s", got)
	}
}

// TestInto puts the table of a section into its block of a document, and leaves one
// without such a block as it is.
func TestInto(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.md")
	if err := os.WriteFile(path, []byte("Before\n<!-- bench:paper-wave-trace -->\nold\n<!-- /bench:paper-wave-trace -->\nAfter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-section", "wave-trace", "-o", filepath.Join(dir, "r.html"), "-runs", filepath.Join(dir, "r.jsonl"), "-into", path}
	if code := run(t.Context(), args, io.Discard, io.Discard); code != ok {
		t.Fatalf("exit code %d", code)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "| 5 | 12 | 5 to 9 | 0 | 0 |") ||
		strings.Contains(string(text), "old") || !strings.HasSuffix(string(text), "After\n") {
		t.Errorf("%v\n%s", err, text)
	}
	args[1] = "minimalloc-table-1"
	if code := run(t.Context(), args, io.Discard, io.Discard); code != failed {
		t.Errorf("a document without the block: exit code %d", code)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, text) {
		t.Errorf("it has become\n%s", now)
	}
}
