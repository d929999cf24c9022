package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// TestFamily plans families and checks the plans: one file, two files, and plans with a fault.
func TestFamily(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { must.Do(t, os.WriteFile(path(name), []byte(text), 0o666)) }
	run := func(args ...string) (code int, out string) {
		var stdout, stderr bytes.Buffer
		code = execute(args, &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	const lists = `{"scenarios": ["short", "long"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "sizes": [8, 16]},
		{"id": "b", "lower": 1, "upper": 3, "sizes": [4, 4]},
		{"id": "c", "lower": 2, "upper": 4, "sizes": [1, 32]}]}`
	write("lists.json", lists)
	write("torn.json", strings.Replace(strings.Replace(lists, "[1, 32]", "[40, 32]", 1), "[8, 16]", "[8, 16]", 1))
	write("symbols.json", `{"symbols": {"n": [1, 100000]}, "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": "64*n"}, {"id": "b", "lower": 1, "upper": 3, "size": "ceil(n/2)^2"}]}`)
	write("bad.json", strings.Replace(lists, "[8, 16]", "[8]", 1))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"solve", "-o", path("plan.json"), path("lists.json")}, exitOK, "order: at the load at 2 scenarios; 2 pairs"},
		{[]string{"verify", path("plan.json")}, exitOK, "order: valid for any sizes, 2 scenarios checked\nvalid: height 36"},
		{[]string{"verify", path("lists.json"), path("plan.json")}, exitOK, "order: valid for any sizes"},
		{[]string{"solve", "-o", path("torn-plan.json"), path("torn.json")}, exitOK, "no scenario is the largest in every buffer"},
		{[]string{"verify", path("lists.json"), path("torn-plan.json")}, exitUsage, "claimed"},
		{[]string{"solve", "-o", path("symbols-plan.json"), path("symbols.json")}, exitOK, "values were not looked at"},
		{[]string{"verify", path("symbols-plan.json")}, exitOK, "order: valid for any sizes"},
		{[]string{"solve", "-c", "35", path("lists.json")}, exitInfeasible, "infeasible"},
		{[]string{"solve", path("bad.json")}, exitUsage, "bad.json:2: buffer a: sizes: has 1 values for 2 scenarios"},
		{[]string{"solve", "--start", path("plan.json"), path("lists.json")}, exitUsage, "--start does not go with sizes that vary"},
		{[]string{"solve", "-o", path("all"), path("lists.json"), path("torn.json")}, exitOK, "2 problems: 2 optimal"},
		{[]string{"show", path("lists.json")}, exitOK, ""},
	} {
		if code, out := run(c.args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d: %s\nwant %d: %s", c.args, code, out, c.code, c.want)
		}
	}
	write("net.onnx", string(onnxmade.Network(3, 20)))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"solve", "--dim", "batch=1..8", "-o", path("net.json")}, exitOK, "order: at the load at 8 values"},
		{[]string{"--dim=batch=2..8/2", "-o", path("net4.json")}, exitOK, "order: at the load at 4 values"},
		{[]string{"solve", "--dim", "batch=8..1"}, exitUsage, "a range is LOW..HIGH or LOW..HIGH/STEP"},
		{[]string{"solve", "--dim", "batch=1..x"}, exitUsage, "must be a whole number"},
		{[]string{"solve", "--dim", "batch=1..8", "--dim", "batch=1..9"}, exitUsage, "another range by the one before"},
		{[]string{"solve", "--dim", "batch=1..8", "--dim", "batch=3"}, exitUsage, "has both a value and a range"},
		{[]string{"solve", "--dim", "batch=1..8", "--dim", "width=batch"}, exitUsage, "is not open in the model"},
		{[]string{"plan", "--dim", "batch=1..8"}, exitUsage, "put solve in the place of plan"},
	} {
		if code, out := run(append(c.args, path("net.onnx"))...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d: %s\nwant %d: %s", c.args, code, out, c.code, c.want)
		}
	}
	if code, out := run("verify", path("net.json")); code != exitOK || !strings.Contains(out, "order: valid for any sizes, 8") {
		t.Errorf("exit code %d: %s", code, out)
	}
	plan := string(must.Get(os.ReadFile(path("plan.json")))(t))
	for _, c := range []struct{ old, new, want string }{
		{`["c", "a"]`, `["c"]`, "are live together, but the order puts neither above the other"},
		{`"loads": [12, 36]`, `"loads": [11, 36]`, "scenario short: the load claimed is 11, but it is 12"},
	} {
		if !strings.Contains(plan, c.old) {
			t.Fatalf("%s is not in %s", c.old, plan)
		}
		write("wrong.json", strings.Replace(plan, c.old, c.new, 1))
		if code, out := run("verify", path("wrong.json")); code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d: %s", c.new, code, out)
		}
	}
}
