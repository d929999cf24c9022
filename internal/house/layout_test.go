package house_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// Idea: docs/architecture.md draws the folders of the product as a tree, internal/README.md those that nobody outside
// may import, and lab/README.md those of the laboratory. The table layers says in which direction imports go. The tests
// compare them with the source.

const module = "github.com/stowage-go/stowage"

// goFolders returns each folder with Go code, with its files, by its path from the root ("." for the root itself).
func goFolders(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if filepath.Ext(p) == ".go" {
			folder := filepath.ToSlash(filepath.Dir(p))
			folders[folder] = append(folders[folder], p)
		}
		return nil
	})
	if err != nil || len(folders) < 40 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	return folders
}

// layouts has the documents with a tree of folders, and the root of each tree.
var layouts = []struct{ document, folder string }{
	{"docs/architecture.md", "."}, {"internal/README.md", "internal"}, {"lab/README.md", "lab"},
}

// drawnFolders returns the folders of the trees in layouts. A line has a folder's name, below its parent's and two
// columns further right, and then its description after at least two spaces. A name may be several folders deep. The
// first line of a tree is its root.
func drawnFolders(t *testing.T) (all []string) {
	t.Helper()
	for _, l := range layouts {
		for _, folder := range tree(t, l.document) {
			if folder != "." || l.folder == "." {
				all = append(all, path.Join(l.folder, folder))
			}
		}
	}
	return all
}

// tree returns the folders that a document draws, from the folder of its tree.
func tree(t *testing.T, document string) []string {
	t.Helper()
	lines := read(t, filepath.FromSlash(document))
	for _, b := range blocksOf(lines) {
		if b.info != "text layout" {
			continue
		}
		var all, above []string
		for i := b.from; i < b.to; i++ {
			line := strings.NewReplacer("│", " ", "├", " ", "└", " ", "─", " ").Replace(lines[i])
			text := strings.TrimLeft(line, " ")
			if text == "" || strings.HasPrefix(text, "…") { // a heading
				continue
			}
			depth := (len(line) - len(text)) / 2
			name, about, _ := strings.Cut(text, "  ")
			if name = strings.TrimSuffix(name, "/"); name == "" || depth > len(above) {
				t.Fatalf("%s:%d: %q is below nothing", document, i+1, text)
			}
			if strings.TrimSpace(about) == "" {
				t.Errorf("%s:%d: nothing is said of %s", document, i+1, name)
			}
			above = append(above[:depth], name)
			all = append(all, path.Join(above...))
		}
		return all
	}
	t.Fatalf("%s has no block of the layout", document)
	return nil
}

// TestDocsLayout: every folder with Go code has its own line, and every drawn folder exists.
func TestDocsLayout(t *testing.T) {
	folders, named := goFolders(t), drawnFolders(t)
	for folder := range folders {
		if !slices.Contains(named, folder) {
			t.Errorf("no layout draws %s: see docs/architecture.md, internal/README.md, and lab/README.md for the laboratory", folder)
		}
	}
	for _, folder := range tree(t, layouts[0].document) {
		if strings.HasPrefix(folder, "lab/") {
			t.Errorf("%s draws %s, which is not of the product", layouts[0].document, folder)
		}
	}
	for i, folder := range named {
		if info, err := os.Stat(filepath.FromSlash(folder)); err != nil || !info.IsDir() {
			t.Errorf("a layout draws %s, which is not there", folder)
		}
		if slices.Index(named, folder) != i {
			t.Errorf("the layouts draw %s twice", folder)
		}
	}
}

// kernel is what planners may stand on, each of these on those before it.
var kernel = []string{
	"model", "plan", "internal/thresholds", "internal/sorting", "internal/bound", "internal/timeline", "internal/run",
	"internal/splitmix", "internal/invariants", "internal/lent",
}

// placing is kernel with the placement, and pairs with the orders of pairs.
var (
	placing = with(kernel, "internal/place")
	pairs   = with(placing, "internal/planners/pairwise")
)

// layers has the packages of this repository that the code of a folder may import, tests aside. "" is the root package,
// and a name includes the folders below it. The longest name that a folder is at or below counts. any allows all.
// A folder that none is for imports nothing of ours.
var layers = []struct {
	folder string
	may    []string
}{
	{"plan", []string{"model", "internal/laboratory", "internal/suggest"}},
	{"examples/plan", []string{""}},
	{"arena", []string{"", "model", "plan", "format/arena", "internal/lower"}},
	{"session", with(kernel, "format/trace", "internal/auto", "internal/greedy", "internal/exact", "internal/merge",
		"internal/beam", "internal/climb", "internal/lower", "internal/ruled", "internal/verify")},
	{"session/repack", []string{"", "model", "internal/bound", "internal/splitmix"}},
	{"internal/sorting", []string{"internal/thresholds"}},
	{"internal/bound", []string{"model"}},
	{"internal/barrier", []string{"model", "plan"}},
	{"internal/verify", []string{"model", "internal/sorting"}},
	{"internal/timeline", []string{
		"model", "internal/bound", "internal/invariants", "internal/sorting", "internal/thresholds", "internal/lent",
	}},
	{"internal/run", []string{
		"model", "plan", "internal/thresholds", "internal/lower", "internal/timeline", "internal/bound",
	}},
	{"internal/place", []string{
		"model", "internal/bound", "internal/timeline", "internal/run", "internal/sorting", "internal/thresholds",
		"internal/invariants", "internal/lent",
	}},
	{"internal/planners/pairwise", []string{
		"model", "internal/bound", "internal/timeline", "internal/run", "internal/exact/pairs", "internal/invariants",
	}},
	{"internal/exact/common", []string{"internal/run"}},
	{"internal/exact/engine", with(placing, "internal/exact/common", "internal/exact/canonical", "internal/exact/ladder",
		"internal/exact/clauses")},
	{"internal/exact/clauses", with(kernel, "internal/exact/common", "internal/exact/pairs")},
	{"internal/exact/canonical", with(kernel, "internal/exact/common")},
	{"internal/exact/ladder", with(kernel, "internal/exact/common")},
	{"internal/exact", with(kernel, "internal/exact/engine", "internal/merge")},
	{"internal/exact/pairs", []string{
		"model", "internal/bound", "internal/timeline", "internal/run", "internal/exact/common", "internal/invariants",
	}},
	{"internal/greedy", placing},
	{"internal/planners", with(pairs, "internal/planners/descend", "internal/greedy")},
	{"plan/all", []string{"internal/planners"}},
	{"internal/beam", with(placing, "internal/greedy")},
	{"internal/rows", with(placing, "internal/greedy")},
	{"internal/climb", with(placing, "internal/greedy", "internal/exact/engine")},
	{"internal/merge/walls", []string{"internal/run", "internal/sorting", "internal/invariants"}},
	{"internal/merge", with(placing, "internal/greedy", "internal/exact/engine", "internal/merge/walls", "internal/beam")},
	{"internal/auto", with(placing, "internal/greedy", "internal/exact/engine", "internal/merge", "internal/beam",
		"internal/rows", "internal/climb", "internal/planners/tela")},
	// names the fixed offsets that collide
	{"internal/explain", with(kernel, "internal/exact/engine", "internal/ruled/parts", "internal/ruled/places",
		"internal/ruled/assign", "internal/units", "internal/verify")},
	{"internal/lower", []string{"model", "internal/sorting"}},
	{"internal/shapes", []string{"model", "plan"}}, // it is given its planner
	{"internal/sampled", []string{"model"}},
	{"internal/ruled/conflictgraph", []string{"model", "internal/bound", "internal/run"}},
	{"internal/ruled/stackdp", []string{"internal/bound", "internal/timeline"}},
	// no planner
	{"internal/ruled/penalty", []string{
		"model", "internal/invariants", "internal/bound", "internal/lower", "internal/run", "internal/timeline",
		"internal/sorting",
	}},
	// no planner
	{"internal/ruled/assign", []string{
		"model", "internal/invariants", "internal/bound", "internal/lower", "internal/ruled/places", "internal/ruled/simplex",
		"internal/ruled/stackdp", "internal/sorting",
	}},
	{"internal/ruled/simplex", nil},
	// no planner
	{"internal/ruled/evictbound", []string{
		"model", "internal/invariants", "internal/bound", "internal/lower", "internal/sorting",
	}},
	{"internal/ruled/pools", []string{
		"model", "internal/invariants", "plan", "internal/bound", "internal/ruled/conflictgraph", "internal/lower",
		"internal/ruled/stackdp", "internal/profile", "internal/run", "internal/timeline", "internal/ruled/penalty",
		"internal/ruled/objects", "internal/sorting",
	}},
	{"internal/ruled/poolchoice", []string{
		"internal/ruled/stage", "model", "internal/invariants", "plan", "internal/lower", "internal/ruled/stackdp",
		"internal/run", "internal/ruled/places", "internal/ruled/pools", "internal/ruled/assign", "internal/ruled/heights",
		"internal/ruled/floor", "internal/sorting",
	}},
	{"internal/ruled/heights", []string{
		"model", "internal/bound", "internal/lower", "internal/ruled/assign", "internal/ruled/objects",
		"internal/ruled/places", "internal/ruled/simplex", "internal/splitmix",
	}},
	{"internal/ruled/relax", []string{"model", "plan", "internal/run"}},
	{"internal/ruled/poollists", []string{"model", "plan", "internal/ruled/relax"}},
	{"internal/ruled/sizes", []string{"model", "plan", "internal/ruled/relax"}},
	{"internal/ruled/groups", []string{"model", "plan", "internal/ruled/relax"}},
	{"internal/ruled/forms", []string{"model", "plan", "internal/ruled/relax"}},
	{"internal/ruled/inorder", []string{
		"model", "plan", "internal/lower", "internal/ruled/assign", "internal/ruled/heights", "internal/ruled/places",
		"internal/ruled/relax", "internal/run",
	}},
	{"internal/ruled/pages", []string{"model", "plan", "internal/bound", "internal/ruled/inorder", "internal/ruled/relax"}},
	{"internal/ruled/banks", []string{
		"model", "plan", "internal/bound", "internal/lower", "internal/ruled/floor", "internal/ruled/inorder",
		"internal/ruled/places", "internal/ruled/relax", "internal/sorting",
	}},
	{"internal/ruled/objects", []string{"model", "internal/bound", "internal/run", "internal/splitmix", "internal/sorting"}},
	{"internal/ruled/places", []string{"model", "internal/bound", "internal/lower", "internal/ruled/parts"}}, // no planner
	{"internal/ruled/parts", []string{"model", "plan"}},
	{"internal/ruled/stage", []string{"plan"}},
	{"internal/ruled/eviction", []string{
		"model", "plan", "internal/run", "internal/ruled/evictbound", "internal/ruled/parts",
	}},
	// no planner
	{"internal/ruled/floor", []string{"model", "internal/bound", "internal/lower", "internal/ruled/parts"}},
	// no planner
	{"internal/ruled/enumerate", []string{
		"model", "internal/bound", "internal/lower", "internal/run", "internal/timeline", "internal/ruled/floor",
		"internal/ruled/parts", "internal/sorting",
	}},
	{"internal/ruled", []string{
		"internal/ruled/stage", "model", "plan", "internal/run", "internal/ruled/poolchoice", "internal/ruled/enumerate",
		"internal/ruled/floor", "internal/ruled/places", "internal/ruled/eviction", "internal/ruled/pools",
		"internal/ruled/poollists", "internal/ruled/banks", "internal/ruled/relax", "internal/ruled/sizes",
		"internal/ruled/pages", "internal/ruled/groups", "internal/ruled/forms",
	}},
	{"internal/digest", []string{"model"}},
	{"internal/figures", []string{"model", "plan", "internal/explain"}},
	{"internal/certify", with(kernel, "internal/exact/engine")},
	{".", with(placing, "internal/barrier", "internal/certify", "internal/auto", "internal/greedy",
		"internal/exact", "internal/merge", "internal/beam", "internal/rows", "internal/climb", "internal/explain",
		"internal/ruled", "internal/shapes", "internal/verify")},

	{"lab/baseline", with(pairs, "internal/planners/descend", "internal/greedy")},
	{"lab/baselines", []string{"lab/baseline", "plan/all"}},
	{"lab/milp", with(pairs, "internal/greedy", "lab/milp")},
	{"lab/kernels/reference", []string{"internal/distance"}},
	{"lab/bench", any},
	{"lab/cmd", any},
	{"lab/command", any},
	{"lab/internal", any},
	{"lab/kernels", []string{
		"", "graph", "format/tflite", "internal/distance", "internal/kernelscratch", "internal/testkit/kernelcase",
		"internal/testkit/scratchcase", "lab/kernels",
	}},

	{"internal/testkit/networks", []string{"internal/order", "internal/splitmix"}},
	{"internal/order", []string{"model", "internal/invariants"}},
	{"graph", []string{"model", "plan", "internal/bound", "internal/order", "internal/tiling"}},
	{"internal/units", []string{"model"}},
	{"internal/picture", []string{"internal/shown"}},
	{"internal/kernelscratch", []string{"internal/distance"}},
	{"internal/columns", []string{"model"}},
	{"internal/setting", []string{"model", "plan", "internal/laboratory", "internal/units", "internal/suggest"}},
	{"format", []string{"model", "graph", "format", "internal/profile", "internal/lower"}},
	{"format/arena", []string{"model", "format/internal", "internal/units"}},
	{"format/csv", []string{"model", "format/internal", "format/times", "internal/units"}},
	{"format/dsa", []string{"model", "format/internal", "internal/bound"}},
	{"format/json", []string{"model", "graph", "format/internal", "format/times", "internal/suggest", "internal/units"}},
	{"format/onnx", []string{
		"model", "format/internal", "format/onnx/internal", "internal/bound", "internal/order", "internal/sampled", "internal/tiling",
	}},
	{"format/onnx/internal/shape", nil},
	{"format/onnx/internal/graph", []string{"model", "format/internal", "format/onnx/internal/shape"}},
	{"format/onnx/internal/ops", []string{"format/internal", "format/onnx/internal/graph", "format/onnx/internal/shape"}},
	{"format/times", []string{"internal/units"}},
	{"format/trace", []string{"model", "format/internal", "format/json", "internal/suggest"}},
	{"format/tflite", []string{"model", "format/internal", "internal/tfliteschema"}},
	{"internal/described", []string{"format/tflite", "internal/distance", "internal/tfliteschema"}},
	{"internal/strips", []string{
		"format/tflite", "internal/described", "internal/distance", "internal/tfliteschema", "internal/tiling",
	}},
	{"internal/profile", []string{"model"}},
	{"internal/colour", []string{"model"}},
	{"internal/poolview", []string{"model"}},
	{"internal/viewdata", []string{"model", "plan", "internal/colour", "internal/poolview", "internal/verify"}},
	{"render", []string{"model", "render", "internal/layout"}},
	{"internal/layout", []string{
		"model", "render", "internal/colour", "internal/poolview", "internal/profile", "internal/units", "internal/verify",
	}},
	{"internal/testkit/sample", []string{"model", "render", "internal/gen", "internal/testkit/golden"}},
	{"render/html", []string{
		"model", "plan", "render", "internal/layout", "internal/poolview", "internal/viewdata", "internal/jsbundle",
	}},
	{"bindings/js", []string{
		"plan/all", "internal/explain", "internal/figures", "tflm", "", "model", "plan", "format", "internal/run",
		"internal/columns", "internal/viewdata", "internal/jsbundle", "render/html", "bindings/js/wasm/bridge",
	}},

	{"internal/gen", []string{"model", "internal/splitmix", "internal/profile"}},
	{"internal/gen/traces", []string{"model", "format/trace", "internal/gen"}},
	{"internal/testkit/drawn", []string{"model", "internal/gen"}},
	{"internal/testkit/oracle", []string{"model"}}, // judges planners: shares nothing with them
	{"internal/testkit/public", []string{"model", "format/csv"}},
	{"internal/testkit/pace", []string{"internal/testkit/processor"}},
	{"internal/testkit/plantest", with(kernel, "internal/verify", "internal/testkit/drawn", "internal/testkit/oracle",
		"internal/testkit/public")},
	{"lab/agree", with(kernel, "", "internal/verify", "internal/testkit/drawn", "internal/testkit/oracle", "format/csv")},
	{"internal/comparison", with(kernel, "", "plan", "internal/picture", "internal/digest", "internal/verify")},
	{"lab/experiment", []string{"format", "internal/comparison", "internal/testkit/public"}},
	{"internal/testkit/changes", []string{
		"format/json", "format/trace", "internal/gen", "internal/testkit/drawn", "model", "session",
	}},
	{"internal/testkit/golden", []string{"model"}},
	{"internal/testkit/placed", []string{"", "model", "format/json", "internal/testkit/must"}},
	{"internal/testkit/recorded", with(kernel, "internal/testkit/drawn", "internal/testkit/golden", "internal/testkit/plantest")},
	{"internal/testkit/mutate", []string{"internal/testkit/plantest", "internal/testkit/pace"}},
	{"internal/testkit/operators", []string{"internal/distance"}},
	{"internal/testkit/kernelcase", []string{"internal/distance"}},
	{"internal/testkit/scratchcase", []string{"internal/distance"}},
	{"internal/testkit/tflitemade", []string{"internal/tfliteschema"}},
	{"internal/testkit/interpreter", []string{"", "model", "format/tflite", "internal/testkit/pypi", "tflm"}},
	{"tflm", []string{
		"", "model", "graph", "format/cheader", "format/tflite", "internal/described", "internal/bound", "internal/distance",
		"internal/kernelscratch", "internal/strips", "internal/tiling", "internal/tfliteschema", "internal/units", "internal/verify",
		"internal/place", "internal/run", "internal/timeline",
	}},
	{"internal/models", []string{
		"", "model", "plan", "graph", "format", "tflm", "render", "internal/bound", "internal/picture", "internal/shown",
		"internal/suggest", "internal/timeline", "internal/units",
	}},
	{"cmd", any},
	{"sweep/spec", []string{
		"", "model", "plan", "tflm", "internal/models", "internal/comparison", "internal/gen", "internal/laboratory",
		"internal/suggest", "internal/units",
	}},
	// no engine
	{"sweep/core", []string{
		"", "model", "format", "internal/models", "internal/gen", "internal/version", "internal/comparison", "sweep/spec",
	}},
	// no file, no engine
	{"sweep/report", []string{"internal/picture", "internal/units", "internal/comparison", "sweep/core"}},
	{"sweep/beam", []string{"sweep/core", "sweep/spec"}},
	{"sweep/command", any},
	{"sweep/cmd", any},
	{"bindings/c", []string{
		"", "model", "plan", "graph", "session", "arena", "format/arena", "format/json", "plan/all", "internal/columns",
		"internal/digest", "internal/explain", "internal/figures", "internal/gen", "internal/profile", "internal/setting",
		"internal/shown", "internal/units",
	}},
}

var any = []string{"*"}

// wire has the modules that the readers of binary formats and some tests need beyond the standard library. The root
// package does not depend on them.
var wire = map[string]string{
	"format/tflite": "github.com/google/flatbuffers", "internal/tfliteschema": "github.com/google/flatbuffers",
	"internal/testkit/tflitemade": "github.com/google/flatbuffers",
	"internal/testkit/onnxmade":   "google.golang.org/protobuf",
	"format":                      "github.com/bmatcuk/doublestar",
	"format/onnx":                 "google.golang.org/protobuf",
	"format/xla":                  "google.golang.org/protobuf",
	"internal/testkit/chromium":   "github.com/chromedp",
	"internal/testkit/must":       "github.com/google/go-cmp",
}

func with(list []string, more ...string) []string { return append(slices.Clone(list), more...) }

// TestDocsImports compares the imports with the layers. The root module may import only the standard library.
func TestDocsImports(t *testing.T) {
	own := map[string]bool{} // folders with a go.mod, the root's aside
	for folder := range goFolders(t) {
		for at := folder; at != "."; at = path.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				own[folder] = true
			}
		}
	}
	checked := 0
	for folder, files := range goFolders(t) {
		layer := -1
		for k, l := range layers {
			if (l.folder == folder || strings.HasPrefix(folder, l.folder+"/")) &&
				(layer < 0 || len(l.folder) > len(layers[layer].folder)) {
				layer = k
			}
		}
		var may []string
		if layer >= 0 {
			may = layers[layer].may
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed := must.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly))(t)
			for _, spec := range parsed.Imports {
				name := must.Get(strconv.Unquote(spec.Path.Value))(t)
				ours, ok := strings.CutPrefix(name, module)
				if first, _, _ := strings.Cut(name, "/"); !ok {
					if strings.Contains(first, ".") && !own[folder] && !needed(folder, name) {
						t.Errorf("%s imports %s, which is not of the standard library", file, name)
					}
					continue
				}
				checked++
				if ours = strings.TrimPrefix(ours, "/"); !allowed(may, ours) {
					t.Errorf("%s imports %q: the layer of %s may not", file, ours, folder)
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d imports", checked)
	}
}

// needed reports whether an import is a reader's or that of a package below it.
func needed(folder, name string) bool {
	for reader, library := range wire {
		if (folder == reader || strings.HasPrefix(folder, reader+"/")) && strings.HasPrefix(name, library+"/") {
			return true
		}
	}
	return false
}

func allowed(may []string, name string) bool {
	for _, m := range may {
		if m == "*" || m == name || m != "" && strings.HasPrefix(name, m+"/") {
			return true
		}
	}
	return false
}
