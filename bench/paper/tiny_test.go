package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/chromium"
)

// tinySize is a report in a few seconds.
var tinySize = size{
	name: "quick", budget: time.Minute,
	limit: 40 * time.Millisecond, repeat: 1, extended: 40, extendedOf: 20 * time.Millisecond,
	each: 1, step: 10, all: 1, hour: 300 * time.Millisecond, steps: 200, seeds: 1, windows: 3, nodes: 500,
	tries: []int{1, 2}, profile: 100 * time.Millisecond, models: 3, largest: 500,
}

// tiny makes a report in a folder, on a machine without data, peers and tools.
func tiny(t *testing.T, ctx context.Context, dir string) (string, error) {
	t.Helper()
	t.Setenv("STOWAGE_DATA", t.TempDir())
	s := setup{
		size: tinySize, root: filepath.Join("..", ".."), runs: filepath.Join(dir, "runs.jsonl"), out: filepath.Join(dir, "out", "report.html"),
		jobs: 2, progress: io.Discard, begin: time.Now(),
	}
	err := measure(ctx, s, sections())
	text, missing := os.ReadFile(s.out)
	return string(text), errors.Join(err, missing)
}

var svgs = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// TestReport: a report holds every section with figures of the paper and of this
// machine, stands alone, and has no picture that is not well formed. A second run
// makes nothing anew; one whose files were cut goes on from them.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	text, err := tiny(t, t.Context(), dir)
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
		if !strings.Contains(part, "<th>paper</th><th>here</th>") || !strings.Contains(part, "go run ./bench/paper --quick -section "+s.id) {
			t.Errorf("%s has no figures beside the paper's, or no command:\n%s", s.id, part)
		}
		if s.id != "minimalloc-table-1" && s.id != "telamalloc-engine" && !strings.Contains(part, "<figure>") {
			t.Errorf("%s has no picture", s.id)
		}
		if !strings.Contains(part, `class="says"`) && s.id != "minimalloc-table-3" && s.id != "telamalloc-engine" {
			t.Errorf("%s does not say what differs", s.id)
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
	if _, err := tiny(t, t.Context(), dir); err != nil {
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
	if _, err := tiny(t, ctx, t.TempDir()); err == nil || !strings.Contains(err.Error(), "what was run is kept") {
		t.Errorf("%v", err)
	}
}

func TestBadFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-quick -full", "one or the other"},
		{"-section minimalloc-figure-8,figure-99", `"figure-99"`},
		{"-jobs 0", "-jobs 0"},
		{"-budget -3s", "-budget -3s"},
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

// browse: nothing of the report is wider than the page, and of each picture one form is
// shown, at the width of a telephone, a tablet and a desk.
func browse(t *testing.T, dir string) {
	chromium.Path(t)
	for _, width := range []int{375, 800, 1400} {
		page := chromium.Open(t, width, 900)
		page.Go("file://" + filepath.Join(dir, "out", "report.html"))
		var got struct{ Wide, Narrow, Shown int }
		page.Eval(`({Wide: document.documentElement.scrollWidth, Narrow: document.documentElement.clientWidth,
			Shown: [...document.querySelectorAll("figure")].filter(f => [...f.querySelectorAll(".wide-picture,.narrow-picture")].filter(p => p.getBoundingClientRect().height > 40).length == 1).length - document.querySelectorAll("figure").length})`, &got)
		if got.Wide > got.Narrow || got.Shown != 0 {
			t.Errorf("at %d: %+v", width, got)
		}
	}
}
