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

// switched is a family in which one order is above the load, and two orders together are at it.
const switched = `{"scenarios": ["a", "b", "c"], "buffers": [
	{"id": "0", "lower": 3, "upper": 6, "alignment": 8, "sizes": [3, 5, 2]}, {"id": "1", "lower": 5, "upper": 7, "size": 1},
	{"id": "2", "lower": 2, "upper": 6, "sizes": [6, 6, 5]}, {"id": "3", "lower": 2, "upper": 4, "alignment": 2, "sizes": [4, 2, 2]},
	{"id": "4", "lower": 5, "upper": 9, "alignment": 3, "size": 6}, {"id": "5", "lower": 0, "upper": 5, "sizes": [6, 3, 0]}]}`

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
	write("switched.json", switched)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"solve", path("switched.json")}, exitOK, "order: at most 28.571% above the load, at c, of 3 scenarios"},
		{[]string{"solve", "--orders", "2", "-o", path("two.json"), path("switched.json")}, exitOK, "\n2 orders, the next from b: at the load\n"},
		{[]string{"verify", path("two.json")}, exitOK, "3 orders: valid for any sizes"},
		{[]string{"verify", path("switched.json"), path("two.json")}, exitOK, "3 orders: valid for any sizes"},
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
		{[]string{"plan", "--dim", "batch=1..8", "-o", path("planned.json"), "-o", path("planned.h")}, exitOK, "batch=8"},
		{[]string{"plan", "--dim", "batch=1..8", "-c", "1"}, exitInfeasible, "infeasible"},
		{[]string{"plan", "--dim", "batch=1..8", "--json"}, exitOK, `"worst_excess": 0,`},
		{[]string{"plan", "--dim", "batch=1..8", "--in-place"}, exitUsage, "--in-place does not go with a --dim that has a range"},
		{[]string{"plan", "--dim", "batch=1..8", "-o", path("x.onnx")}, exitUsage, "no such output format"},
		{[]string{"size", "--dim", "batch=1..8"}, exitOK, "What the order needs at some values, in the arena of the largest.\nVALUES"},
		{[]string{"size", "--dim", "batch=1..8", "--json"}, exitOK, `"at": "batch=8"`},
		{[]string{"plan", "--dim", "batch=1..8", "--orders", "9"}, exitUsage, "invalid argument 9 for --orders: must be from 1 to 8"},
		{[]string{"solve", "--dim", "batch=8", "--orders", "2"}, exitUsage, "--orders is for sizes that vary"},
	} {
		if code, out := run(append(c.args, path("net.onnx"))...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d: %s\nwant %d: %s", c.args, code, out, c.code, c.want)
		}
	}
	if a, b := must.Get(os.ReadFile(path("net.json")))(t), must.Get(os.ReadFile(path("planned.json")))(t); !bytes.Equal(a, b) {
		t.Error("plan and solve write other plans")
	}
	if code, out := run("show", "-o", path("page.html"), path("planned.json")); code != exitOK {
		t.Errorf("show: exit code %d: %s", code, out)
	}
	if page := string(must.Get(os.ReadFile(path("page.html")))(t)); !strings.Contains(page, `"shapes":[{"name":"batch=1",`) {
		t.Error("the page has no shapes")
	}
	if text := string(must.Get(os.ReadFile(path("planned.h")))(t)); !strings.Contains(text, "_sizes(int64_t n_batch, int64_t *sizes)") {
		t.Error("the header has no function of the sizes")
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
