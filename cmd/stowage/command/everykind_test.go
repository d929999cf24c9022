package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// Idea: stowage FILE is tried on one file of every kind that format reads. The test looks up the kinds in the source,
// so a new one needs a row. The answers stand in a table of a document, where people see whether they are right; the
// next command of each is run. go test ./cmd/stowage/command -run TestEveryKind -update writes the table.

const kindsDocument = "docs/lab/reading.md"

// aKind is a file of a kind, and the end of the command line.
type aKind struct {
	kind        format.Kind
	what, name  string
	text, flags string
}

func everyKind(t *testing.T, root string) []aKind {
	example := func(name string) string {
		return string(must.Get(os.ReadFile(filepath.Join(root, "examples", name)))(t))
	}
	const buffers = "id,lower,upper,size\na,0,2,8\nb,1,3,4\nc,2,4,8\n"
	const xla = "BufferAssignment:\nallocation 2: size 192, preallocated-temp:\n value: <1 dot @0> (size=100,offset=0): f32[25]{0}\n" +
		" value: <2 tanh @0> (size=100,offset=0): f32[25]{0}\n value: <3 add @0> (size=64,offset=128): f32[16]{0}\n"
	const iree = "// -----// IR Dump Before LayoutSlicesPass: iree-stream-layout-slices //----- //\nutil.func public @main() {\n" +
		"  %c64 = arith.constant 64 : index\n  %1:2 = stream.resource.pack slices({\n    [0, 1] = %c64,\n    [1, 2] = %c64\n  }) : index\n}\n"
	const inductor = "# AOT ID: ['0_inference']\n        buf0 = alloc_from_pool(pool0, 0, torch.float32, (4, ), (1, ))\n" +
		"        buf1 = alloc_from_pool(pool0, 64, torch.float32, (8, ), (1, ))\n        return (buf0, buf1)\n"
	const ggml = "ggml_dyn_tallocr_alloc: allocating x (64 bytes) - block 0, offset 0, chunk 0\nreusing parent x for y\nexec: ADD (y) <= x\n"
	// A pickle of one block that is allocated and never freed.
	const cuda = "\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x05\x8c\x04sizeK\x64\x8c\x06streamK\x00ueeu."
	const trace = "stowage-arena-trace 1\nb 1 0 train\na 4096 64 0 0\na 1024 64 0 0\nf 0 0\na 2048 64 0 0\nf 1 0\nf 2 0\ne 1 0\n" +
		"b 1 0 train\na 4096 64 0 0\na 1024 64 0 0\nf 3 0\na 2048 64 0 0\nf 4 0\nf 5 0\ne 1 0\nend 17 -\n"
	const dsa = `{"schema_version": 1, "profile": "pypto_hard_v1", "instance": "kernel", "problem": {
 "pools": [{"id": 1, "name": "Vec", "capacity": 64, "reserved_ranges": []}],
 "buffers": [{"id": 5, "name": "a", "size": 8, "alignment": 1, "live_intervals": [{"lower": 0, "upper": 2}], "allowed_pools": [1]},
             {"id": 6, "name": "b", "size": 4, "alignment": 1, "live_intervals": [{"lower": 1, "upper": 3}], "allowed_pools": [1]}],
 "constraints": {"colocations": [], "separations": [], "temporal_exclusions": [], "pinned_allocations": []},
 "cost_model": {"reuse_penalties": []}, "pypto_structure": {"alias_classes": [], "pipeline_groups": []},
 "objective": {"aggregation": "lexicographic", "terms": ["capacity_overflow", "reuse_cost", "total_peak", "max_peak", "bank_cost"]}}}`
	return []aKind{
		{format.CSV, "a problem", "model.csv", buffers, ""},
		{format.CSV, "a problem with a capacity", "model.csv", buffers, "-c 12"},
		{format.CSV, "the same, too small", "model.csv", buffers, "-c 11"},
		{format.CSV, "a plan", "plan.csv", "id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,4,8\nc,2,4,8,12\n", ""},
		{format.CSV, "packed", "model.csv.gz", string(packed([]byte(buffers))), ""},
		{format.JSON, "a problem", "model.json", `{"buffers": [{"id": "a", "lower": 0, "upper": 2, "size": 8}, {"lower": 1, "upper": 3, "size": 4}]}`, ""},
		{format.JSON, "a problem with rules", "rules.json", `{"version": 2, "pools": [{"id": "fast", "capacity": 8}, {"id": "slow"}],
 "buffers": [{"id": "a", "lower": 0, "upper": 2, "size": 8}, {"id": "b", "lower": 1, "upper": 3, "size": 4}]}`, ""},
		{format.JSON, "sizes that vary", "lengths.json", `{"scenarios": 2, "buffers": [{"id": "a", "lower": 0, "upper": 2, "sizes": [8, 16]},
 {"id": "b", "lower": 1, "upper": 3, "sizes": [8, 4]}]}`, ""},
		{format.TFLite, "a graph", "graph.json", `{"format": "graph", "version": 1, "values": [{"name": "x", "size": 8}, {"name": "y", "size": 8}],
 "operators": [{"name": "relu", "operands": ["x"], "results": ["y"], "permits": [{"result": "y", "operand": "x"}]}],
 "inputs": ["x"], "outputs": ["y"]}`, ""},
		{format.TFLite, "a model", "tiny.tflite", example("tiny.tflite"), ""},
		{format.TFLite, "a model of convolutions", "images.tflite", string(tflitemade.Images(1, 10)), ""},
		{format.ONNX, "a model", "tiny.onnx", example("tiny.onnx"), "--dim batch=1"},
		{format.ONNX, "a model for all batches", "tiny.onnx", example("tiny.onnx"), "--dim batch=1..8"},
		{format.XLA, "a module", "chain.hlo.pb", example("chain.hlo.pb"), ""},
		{format.XLA, "a text", "m-buffer-assignment.txt", xla, ""},
		{format.IREE, "a dump", "dump.mlir", iree, ""},
		{format.GGML, "a log", "graph.ggml-log", ggml, ""},
		{format.Inductor, "code", "code.py", inductor, ""},
		{format.CUDA, "a snapshot", "snapshot.pickle", cuda, ""},
		{format.DSA, "a problem", "problem.json", dsa, ""},
		{format.Trace, "a recorded program", "steps.trace", trace, ""},
		{format.Plans, "its plan", "steps.plan", "", ""},
	}
}

// TestEveryKind asks stowage FILE about a file of every kind, and runs the command that the answer names next.
func TestEveryKind(t *testing.T) {
	root := must.Get(filepath.Abs("../../.."))(t)
	rows := everyKind(t, root)
	source := must.Get(os.ReadFile(filepath.Join(root, "format", "readers.go")))(t)
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +Kind = "(\w+)"`).FindAllSubmatch(source, -1) {
		if !slices.ContainsFunc(rows, func(r aKind) bool { return string(r.kind) == string(m[1]) }) {
			t.Errorf("no file of the kind %s is tried", m[1])
		}
	}
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("m-live-range.txt", []byte("HloLiveRange (max 9):\n  BufferLiveRange:\n    dot{}:1-2\n    tanh{}:2-5\n    add{}:4-8\n"), 0o666))
	var table strings.Builder
	table.WriteString("| kind | `stowage FILE` | says | next |\n|---|---|---|---|\n")
	for _, r := range rows {
		if r.text != "" {
			must.Do(t, os.WriteFile(r.name, []byte(r.text), 0o666))
		}
		if kind := fileKind(r.name); kind != r.kind {
			t.Errorf("%s is of the kind %s and not %s", r.name, kind, r.kind)
		}
		var out, stderr bytes.Buffer
		line := strings.TrimSpace(r.flags + " " + r.name)
		code := execute(strings.Fields(line), &out, &stderr)
		if code != exitOK && code != exitInfeasible {
			t.Errorf("stowage %s: exit code %d\n%s%s", line, code, &out, &stderr)
			continue
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		says, next := lines[:len(lines)-1], ""
		if m := regexp.MustCompile(`^next: '(stowage [^']*)'`).FindStringSubmatch(lines[len(lines)-1]); m != nil {
			next = m[1]
			var said bytes.Buffer
			if again := execute(strings.Fields(next)[1:], &said, &said); again != code {
				t.Errorf("%s: exit code %d\n%s", next, again, &said)
			}
		} else {
			t.Errorf("stowage %s names no next command:\n%s", line, &out)
		}
		said := regexp.MustCompile(`[\d.]+ s(;|$)`).ReplaceAllString(strings.Join(says, "; "), "… s$1")
		said = regexp.MustCompile(`[\d,]+ nodes`).ReplaceAllString(said, "… nodes")
		table.WriteString("| " + string(r.kind) + ": " + r.what + " | `" + line + "` | " +
			strings.ReplaceAll(said, "|", "\\|") + " | `" + next + "` |\n")
		if r.kind == format.Trace {
			if code := execute([]string{"-o", "steps.plan", r.name}, &out, &out); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &out)
			}
		}
	}
	path := filepath.Join(root, filepath.FromSlash(kindsDocument))
	page := string(must.Get(os.ReadFile(path))(t))
	before, rest, begun := strings.Cut(page, "<!-- kinds -->\n")
	was, after, ended := strings.Cut(rest, "<!-- /kinds -->")
	switch {
	case !begun || !ended:
		t.Fatalf("%s has no block of the kinds", kindsDocument)
	case was == table.String():
	case *update:
		must.Do(t, os.WriteFile(path, []byte(before+"<!-- kinds -->\n"+table.String()+"<!-- /kinds -->"+after), 0o666))
	default:
		t.Errorf("%s has other answers; they are now\n%s", kindsDocument, &table)
	}
}
