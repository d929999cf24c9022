package python_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/session"
)

// TestSession is sessions in Python: what they answer and refuse; and Go and Python agree on every call of random
// traces, byte for byte. The tests of bindings/c play the same traces in C.
func TestSession(t *testing.T) {
	library(t)
	dir := t.TempDir()
	cases, err := changes.Cases(plantest.Share(200, 40, 20))
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		text, err := c.Text()
		if err != nil {
			t.Fatal(err)
		}
		answers, err := c.Answers()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		options := map[string]any{"nodes": c.Options.NodeLimit, "seed": c.Options.Seed, "effort": ""}
		if c.Options.Effort != session.None {
			options["effort"] = c.Options.Effort.String()
		}
		said, err := json.Marshal(options)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"jsonl": text, "txt": []byte(answers), "json": said} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.%s", i, name)), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(t, "test_session", "nothing beside it (python3)", python310, 13, "STOWAGE_LIBRARY="+library(t),
		"STOWAGE_TRACES="+dir, "STOWAGE_RULED="+ruledCalls(t))
}

// ruledCalls writes calls of sessions with rules into a folder, with the answers of Go.
func ruledCalls(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cases, err := changes.RuledCases(plantest.Share(300, 24, 18))
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		for name, text := range map[string]string{
			"problem.json": string(c.Problem), "calls": c.Head + c.Calls, "answers": c.Answers,
		} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.%s", i, name)), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestSessionPage runs the Python code of docs/sessions.md, and compares what it prints with the page.
func TestSessionPage(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../docs/sessions.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile("(?s)```python\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```").FindAllSubmatch(page, -1)
	if len(all) != 2 {
		t.Fatalf("docs/sessions.md has %d programs in Python with their output, not one without rules and one with", len(all))
	}
	if exec.CommandContext(t.Context(), interpreter(), "-c", python310).Run() != nil {
		t.Skip("the page's code needs Python (python3)")
	}
	for _, m := range all {
		cmd := exec.CommandContext(t.Context(), interpreter(), "-c", string(m[1]))
		cmd.Env = append(os.Environ(), "STOWAGE_LIBRARY="+library(t), "PYTHONDONTWRITEBYTECODE=1")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Equal(out, m[2]) {
			t.Errorf("the page's code prints %q, %v, and the page says %q", out, err, m[2])
		}
	}
}
