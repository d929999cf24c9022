package comparison

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

func open(t *testing.T, path string) *Cache {
	t.Helper()
	c := must.Get(Open(path))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

func add(t *testing.T, c *Cache, problem string) {
	t.Helper()
	must.Do(t, c.Add(Run{Problem: problem, Planner: "p", Status: "feasible", Height: 3}))
}

func has(t *testing.T, c *Cache, problem string) bool {
	t.Helper()
	r, ok := must.Two(c.Find(Run{Problem: problem, Planner: "p", Name: "asked"}))(t)
	if ok && (r.Height != 3 || r.Name != "asked") {
		t.Errorf("found %+v", r)
	}
	return ok
}

// TestCacheCutShort: a last line that was cut short is dropped, and the next one takes its place.
func TestCacheCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	c := open(t, path)
	add(t, c, "a")
	add(t, c, "b")
	c.Close()
	whole := must.Get(os.ReadFile(path))(t)
	for _, tail := range []string{`{"problem":"ab","na`, `{"pro`, `{`, "\x00\x00\x00", string(whole[:len(whole)/2-1])} {
		must.Do(t, os.WriteFile(path, append(whole[:len(whole):len(whole)], tail...), 0o666))
		c := open(t, path)
		if c.Len() != 2 {
			t.Errorf("after %q: %d runs", tail, c.Len())
		}
		add(t, c, "x")
		c.Close()
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), string(whole)) || strings.Count(string(text), "\n") != 3 ||
			!strings.HasSuffix(string(text), "}\n") {
			t.Errorf("after %q: error %v, file:\n%s", tail, err, text)
		}
	}
}

// TestCacheForeign: a file that has nothing to do with runs is refused, by the
// line, and left as it is, also if it has no end of line at all.
func TestCacheForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	const run = `{"problem":"a","name":"","planner":"p","status":"feasible"}` + "\n"
	for text, line := range map[string]string{
		"id,lower,upper,size\n":                     "1",
		"a note without an end":                     "1",
		"\x89PNG\r\x1a":                             "1",
		run + "a note without an end":               "2",
		run + `{"problem":"b","pla` + "\n" + run:    "2",
		run + run[:len(run)-1] + run:                "2",
		run + "{}\n":                                "2",
		run + `{"problem":"a","surprise":1}` + "\n": "2",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), "file:"+line+": is no run of an earlier comparison") {
			t.Errorf("%q: %v", text, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%q became %q, %v", text, after, err)
		}
	}
}

// TestCacheShared: two caches on one file, as in two processes, lose no run and see each other's runs.
func TestCacheShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	a, b := open(t, path), open(t, path)
	add(t, a, "of a")
	if !has(t, b, "of a") {
		t.Error("b does not see the run of a")
	}
	add(t, b, "of b")
	if !has(t, a, "of b") || !has(t, a, "of a") {
		t.Error("a does not see the runs")
	}
	var workers sync.WaitGroup
	const each = 40
	for k := range 4 {
		c := open(t, path)
		workers.Go(func() {
			for i := range each {
				add(t, c, fmt.Sprintf("%d of %d", i, k))
				has(t, c, fmt.Sprintf("%d of %d", i, (k+1)%4))
			}
		})
	}
	workers.Wait()
	if c := open(t, path); c.Len() != 2+4*each {
		t.Errorf("%d runs of %d", c.Len(), 2+4*each)
	}
}

// TestCacheFull: a write that fails leaves whole lines behind.
func TestCacheFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	c := open(t, path)
	add(t, c, "a")
	read, err := os.Open(path) // refuses to be written to
	if err != nil {
		t.Fatal(err)
	}
	c.file.Close()
	c.file = read
	if err := c.Add(Run{Problem: "b", Planner: "p", Status: "unknown"}); err == nil {
		t.Error("no error")
	}
	if has(t, c, "b") {
		t.Error("a run that is not in the file is known")
	}
	if again := open(t, path); again.Len() != 1 {
		t.Errorf("%d runs", again.Len())
	}
}
