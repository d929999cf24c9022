package python_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestSession is sessions in Python: what they answer and refuse; and Go and Python agree on every call of random
// sessions, byte for byte. The tests of bindings/c make the same calls in C.
func TestSession(t *testing.T) {
	library(t)
	plain, err := changes.Cases(plantest.Share(200, 40, 20))
	ruled, errRuled := changes.RuledCases(plantest.Share(300, 24, 18))
	must.Do(t, errors.Join(err, errRuled))
	dir := t.TempDir()
	for i, c := range append(plain, ruled...) {
		for name, text := range map[string]string{
			"problem.json": string(c.Problem), "calls": c.Head + c.Calls, "answers": c.Answers,
		} {
			must.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.%s", i, name)), []byte(text), 0o666))
		}
	}
	run(t, "test_session", nil, 13, "STOWAGE_LIBRARY="+library(t), "STOWAGE_CALLS="+dir)
}

// TestSessionPage runs the Python code of docs/sessions.md, and compares what it prints with the page.
func TestSessionPage(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.FromSlash("../docs/sessions.md")))(t)
	all := regexp.MustCompile("(?s)```python\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindAllSubmatch(page, -1)
	if len(all) != 2 {
		t.Fatalf("docs/sessions.md has %d programs in Python with their output, not one without rules and one with", len(all))
	}
	for _, m := range all {
		cmd := exec.CommandContext(t.Context(), python(t, 10), "-c", string(m[1]))
		cmd.Env = append(os.Environ(), "STOWAGE_LIBRARY="+library(t), "PYTHONDONTWRITEBYTECODE=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Equal(out, m[2]) {
			t.Errorf("the page's code prints %q, %v, and the page says %q", out, err, m[2])
		}
	}
}
