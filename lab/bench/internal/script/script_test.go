package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
)

// TestRun has scripts that print what is right, what is no plan, and what cannot be read. A shell stands for Python.
func TestRun(t *testing.T) {
	p := &stowage.Problem{
		Name: "two", Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4}, {ID: "b", Lower: 1, Upper: 3, Size: 4}},
	}
	for _, c := range []struct{ name, prints, fails string }{
		{"a plan", `{"name":"two","status":"feasible","height":8,"seconds":0.5,"offsets":{"a":0,"b":4}}`, ""},
		{"no plan", `{"name":"two","status":"unknown","height":0}`, ""},
		{"an overlap", `{"name":"two","status":"feasible","height":8,"offsets":{"a":0,"b":2}}`, "overlap"},
		{"another height", `{"name":"two","status":"feasible","height":7,"offsets":{"a":0,"b":4}}`, "two: "},
		{"a buffer is missing", `{"name":"two","status":"feasible","height":4,"offsets":{"a":0}}`, `has no "b"`},
		{"nothing", ``, "0 lines for 1 problems"},
		{"no JSON", `good`, "invalid character"},
	} {
		path := filepath.Join(t.TempDir(), "peer.sh")
		if err := os.WriteFile(path, []byte("test \"$1\" = --limit && test \"$2\" = 3 && grep -q '^a,0,2,4' \"$3\" || exit 9\necho '"+c.prints+"'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := Run(t.Context(), "/bin/sh", path, []*stowage.Problem{p}, "--limit", "3")
		switch {
		case c.fails == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.fails == "" && (len(all) != 1 || all[0].Name != "two"):
			t.Errorf("%s: %+v", c.name, all)
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %v, want %q", c.name, err, c.fails)
		}
	}
	if _, err := Run(t.Context(), "/bin/sh", "/no/such/script", []*stowage.Problem{p}); err == nil {
		t.Error("a script that is not there is run")
	}
}
