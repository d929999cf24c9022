package spec

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

var planners = []string{"auto", "exact", "first-fit"}

// TestParse reads every key.
func TestParse(t *testing.T) {
	got, err := Parse([]byte(`
problems:
  - "models/**/*.onnx"
  - files: "*.pb"
    heap: big
    dims: {batch: 8}
  - generator: random
    buffers: [10, 20..21]
    seeds: [7, 1..2]
    min-size: 1KiB
    max-size: 4KiB
    horizon: 500
    gaps: 0.5
orders: [exported, reordered]
capacities: [minimize, 102.5%, 64KiB, 1000]
planners: [auto, first-fit]
nodes: 5_000
timeout: 2m
seed: 3
chunk: 16
out: "gs://bucket/nightly"
`), "/work/spec.yaml", planners)
	if err != nil {
		t.Fatal(err)
	}
	var options []gen.Options
	for _, b := range []int{10, 20, 21} {
		for _, seed := range []uint64{7, 1, 2} {
			options = append(options, gen.Options{Buffers: b, Seed: seed, MinSize: 1024, MaxSize: 4096, Horizon: 500, Gaps: 0.5})
		}
	}
	want := &Spec{
		File: "/work/spec.yaml",
		Problems: []Source{
			{File: "/work/spec.yaml", Line: 3, Pattern: filepath.FromSlash("/work/models/**/*.onnx")},
			{File: "/work/spec.yaml", Line: 4, Pattern: filepath.FromSlash("/work/*.pb"), Heap: "big", Dims: map[string]int64{
				"batch": 8,
			}},
			{File: "/work/spec.yaml", Line: 7, Kind: "random", Options: options},
		},
		Orders:     []string{Exported, Reordered},
		Capacities: []Capacity{{}, {Share: big.NewRat(1025, 1000)}, {Bytes: 65536}, {Bytes: 1000}},
		Planners:   []string{"auto", "first-fit"}, Nodes: 5000, Timeout: 2 * time.Minute, Seed: 3, Chunk: 16,
		Out: "gs://bucket/nightly",
	}
	same := cmp.Comparer(func(a, b *big.Rat) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })
	must.Same(t, want, got, same, cmpopts.EquateEmpty())
}

// TestOrders: each name of an order is another order, and all of its parts are read.
func TestOrders(t *testing.T) {
	seen := map[Order]string{}
	for _, name := range orders() {
		o := OrderOf(name)
		if other, twice := seen[o]; twice {
			t.Errorf("%s and %s are the same", name, other)
		}
		seen[o] = name
		if o.Reordered != strings.Contains(name, "reordered") || o.InPlace != strings.Contains(name, "in-place") ||
			(o.Kernels != "") != strings.Contains(name, "=") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if len(seen) != 4+2*len(tflm.KernelLibraries()) || OrderOf("") != (Order{}) {
		t.Errorf("%d orders", len(seen))
	}
}

// TestDefaults: problems alone are enough, and all planners have a word.
func TestDefaults(t *testing.T) {
	s, err := Parse([]byte(`{"problems": "*.csv", "planners": "all"}`), filepath.Join("a", "spec.json"), planners)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Planners) != 3 || s.Nodes != DefaultNodes || s.Timeout != DefaultTimeout || s.Chunk != 1 ||
		len(s.Capacities) != 1 || s.Capacities[0].Of(10) != 0 || s.Out != filepath.Join("a", DefaultOut) ||
		len(s.Orders) != 1 || s.Problems[0].Pattern != filepath.Join("a", "*.csv") {
		t.Errorf("%+v", s)
	}
}

// TestFaults: each fault is told with its line, its key and its value.
func TestFaults(t *testing.T) {
	const rest = "problems: ['*.csv']\n"
	for text, want := range map[string]string{
		"":                                                            "spec.yaml: is empty; a sweep needs at least the key problems",
		"planners: [auto]\n":                                          "spec.yaml:1: problems: is missing",
		"- a\n":                                                       "spec.yaml:1: a sweep is a mapping with the keys problems, orders",
		"problems: [\n":                                               "spec.yaml:1: is not YAML",
		rest + "planner: auto\n":                                      `spec.yaml:2: "planner": is no key of a sweep; did you mean planners?`,
		rest + "seed: 1\nseed: 2\n":                                   `spec.yaml:3: "seed": is there twice`,
		rest + "planners: [auto, exat]\n":                             `spec.yaml:2: planners "exat": no planner is named so; did you mean exact?`,
		rest + "planners: [auto, milp]\n":                             `spec.yaml:2: planners "milp": is in stowage-lab: go install github.com/stowage-go/stowage/lab/cmd/stowage-lab@latest`,
		rest + "planners: [auto,\n  auto]\n":                          `spec.yaml:3: planners "auto": is there twice`,
		rest + "planners: []\n":                                       "spec.yaml:2: planners: is an empty list",
		rest + "planners: [all, exact]\n":                             `spec.yaml:2: planners "all": names each planner: nothing may stand beside it`,
		rest + "planners: [{a: b}]\n":                                 "spec.yaml:2: planners: must be the name of a planner",
		rest + "orders: [sorted]\n":                                   `spec.yaml:2: orders "sorted": no order is named so; there are exported, reordered, in-place, reordered+in-place, diagonal=reference`,
		rest + "orders: [diagonal]\n":                                 `spec.yaml:2: orders "diagonal": no order is named so`,
		rest + "orders: [in-place+reordered]\n":                       `spec.yaml:2: orders "in-place+reordered": no order is named so`,
		rest + "capacities: [100%, 0%]\n":                             `spec.yaml:2: capacities "0%": must be a share of the load above 0%`,
		rest + "capacities: [100%, 100.0%]\n":                         `spec.yaml:2: capacities "100.0%": is there twice`,
		rest + "capacities: 1e400%\n":                                 `spec.yaml:2: capacities "1e400%": must be a share`,
		rest + "capacities: [-5]\n":                                   `spec.yaml:2: capacities "-5": must be at least 1`,
		rest + "capacities: [many]\n":                                 `spec.yaml:2: capacities "many": must be a number`,
		rest + "capacities: [[1]]\n":                                  "spec.yaml:2: capacities: must be a number of bytes",
		rest + "nodes: ten\n":                                         `spec.yaml:2: nodes "ten": must be`,
		rest + "nodes: -1\n":                                          `spec.yaml:2: nodes "-1": must be at least 0`,
		rest + "nodes: 0\ntimeout: 0\n":                               `spec.yaml:1: nodes "0": needs a timeout`,
		rest + "timeout: [1]\n":                                       "spec.yaml:2: timeout: must be a number of seconds",
		rest + "timeout: soon\n":                                      `spec.yaml:2: timeout "soon": must be a number of seconds`,
		rest + "chunk: 0\n":                                           `spec.yaml:2: chunk "0": must be at least 1`,
		rest + "out: 7\n":                                             `spec.yaml:2: out "7": must be a text`,
		rest + "out:\n":                                               "spec.yaml:2: out: must be a text",
		"problems:\n  - 7\n":                                          `spec.yaml:2: problems "7": must be a pattern of files`,
		"problems:\n  - '[a'\n":                                       `spec.yaml:2: problems "[a": is no pattern of files`,
		"problems:\n  - {heap: a}\n":                                  "spec.yaml:2: problems: has neither the key files nor the key generator",
		"problems:\n  - {files: a, kind: b}\n":                        `spec.yaml:2: "kind": is no key of a source of files`,
		"problems:\n  - {generator: randon}\n":                        `spec.yaml:2: generator "randon": no generator is named so; did you mean random?`,
		"problems:\n  - {generator: [a, b]}\n":                        `spec.yaml:2: generator "a"`,
		"problems:\n  - {generator: random, seeds: 9..1}\n":           `spec.yaml:2: seeds "9..1": must be a number from 0`,
		"problems:\n  - {generator: random, seeds: [1, 1]}\n":         `spec.yaml:2: seeds "1": has 1 twice`,
		"problems:\n  - {generator: random, seeds: 0..99999999999}\n": `spec.yaml:2: seeds "0..99999999999": has 100000000000 numbers`,
		"problems:\n  - {generator: perfect, gaps: 0.5}\n":            "spec.yaml:2: problems: perfect: takes no gaps",
		"problems:\n  - {generator: random, gaps: 2}\n":               `spec.yaml:2: gaps "2": must be a number from 0 to 1`,
		"problems:\n  - {generator: unet, buffers: 3}\n":              "spec.yaml:2: problems: unet: takes no buffers",
		"problems:\n  - {generator: random, max-size: [1]}\n":         "spec.yaml:2: max-size: must be a number",
		"problems:\n  - *.csv\n": "spec.yaml:2: is not YAML: did not find expected alphabetic or numeric character; " +
			"a pattern that begins with * needs quotes",
		"problems: **/*.csv\n":          "spec.yaml: is not YAML: did not find expected alphabetic or numeric character; a pattern",
		"'" + strings.Repeat("x", 9999): "spec.yaml: is not YAML",
		strings.Repeat("x", 9999):       `spec.yaml:1: "` + strings.Repeat("x", 200) + `…": a sweep is a mapping`,
	} {
		_, err := Parse([]byte(text), "spec.yaml", planners)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestAllFaults: one reading tells all faults.
func TestAllFaults(t *testing.T) {
	_, err := Parse([]byte("planners: [no]\nnodes: x\nchunk: -1\n"), "spec.yaml", planners)
	input, ok := err.(*model.InputError)
	if !ok || input.Total != 4 {
		t.Errorf("%v", err)
	}
}

// TestOf: shares are rounded up, exactly.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		percent string
		load    int64
		want    int64
	}{
		{"100%", 1 << 60, 1 << 60},
		{"110%", 10, 11},
		{"110%", 11, 13},
		{"102.5%", 1000, 1025},
		{"0.1%", 1, 1},
		{"33.3%", 1000, 333},
		{"1000000%", model.MaxSum, model.MaxSum},
	} {
		s := must.Get(Parse([]byte("problems: a\ncapacities: "+c.percent+"\n"), "spec.yaml", planners))(t)
		if got := s.Capacities[0].Of(c.load); got != c.want || s.Capacities[0].String() != c.percent {
			t.Errorf("%s of %d is %d, want %d; it is written %s", c.percent, c.load, got, c.want, s.Capacities[0])
		}
	}
}

// TestFiles: patterns find files in folders of any depth, and say where they stand if they find none.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b/c.csv", "b/d/e.csv", "b/d/f.json"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, nil, 0o644))
	}
	s, err := Parse([]byte("problems:\n  - '**/*.csv'\n  - '*.onnx'\n"), filepath.Join(dir, "spec.yaml"), planners)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := s.Problems[0].Files(); err != nil || len(files) != 3 {
		t.Errorf("%q, %v", files, err)
	}
	want := filepath.Join(dir, "spec.yaml") + `:3: problems "` + filepath.Join(dir, "*.onnx") + `": no file is named so`
	if _, err := s.Problems[1].Files(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// FuzzParse: no text makes the reader fail in another way than by an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("problems: [{generator: random, seeds: 0..3}, '*.csv']\ncapacities: [100%, minimize]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("problems: &p\n  - *p\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 || strings.Contains(string(text), "..") {
			return // a range may be long
		}
		s, err := Parse(text, "spec.yaml", planners)
		if (s == nil) == (err == nil) {
			t.Errorf("%v, %v", s, err)
		}
	})
}

// TestPlannersWithOptions: options are part of the planner's name; each stands for all techniques, one at a time.
func TestPlannersWithOptions(t *testing.T) {
	s, err := Parse([]byte("problems: [{generator: unet}]\nplanners: [exact, exact --without fronts, exact --without each --set x=1]\n"), "s.yaml", planners)
	if err == nil || !strings.Contains(err.Error(), `s.yaml:2`) || !strings.Contains(err.Error(), `no parameter "x"`) {
		t.Errorf("%v, %v", s, err)
	}
	s, err = Parse([]byte("problems: [{generator: unet}]\nplanners: [exact, exact --without each]\n"), "s.yaml", planners)
	if err != nil {
		t.Fatal(err)
	}
	var exact int
	for _, i := range stowage.Planners() {
		if i.Name == "exact" {
			exact = len(i.Techniques)
		}
	}
	if len(s.Planners) != 1+exact || exact < 5 || s.Planners[0] != "exact" ||
		!strings.HasPrefix(s.Planners[1], "exact --without ") {
		t.Errorf("%q", s.Planners)
	}
	for text, want := range map[string]string{
		"exact --without no-such":                          `no technique "no-such"`,
		"nobody --without fronts":                          "planner nobody: no planner is named so",
		"milp --without each":                              "planner milp: is in stowage-lab",
		"exact --nodes 5":                                  "exact --nodes 5",
		"[exact --without fronts, exact --without fronts]": "is there twice",
		"[all, exact --without fronts]":                    "nothing may stand beside it",
	} {
		if _, err := Parse([]byte("problems: [{generator: unet}]\nplanners: "+text+"\n"), "s.yaml", planners); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "s.yaml:2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGenerators: a list of generators is a source for each, with the same options.
func TestGenerators(t *testing.T) {
	s := must.Get(Parse([]byte("problems: [{generator: [random, tiles], buffers: [10, 20], seeds: 0..1}]\n"),
		"s.yaml", planners))(t)
	if len(s.Problems) != 2 || s.Problems[0].Kind != "random" || s.Problems[1].Kind != "tiles" {
		t.Fatalf("%+v", s.Problems)
	}
	for _, from := range s.Problems {
		if len(from.Options) != 4 || from.Options[3] != (gen.Options{Buffers: 20, Seed: 1}) || from.Line != 1 {
			t.Errorf("%+v", from)
		}
	}
	for text, want := range map[string]string{
		"{generator: [random, nobody]}": "no generator is named so", "{generator: [random, random]}": "is there twice",
		"{generator: [random, unet], buffers: 10}": "unet: ", "{generator: []}": "is an empty list",
	} {
		if _, err := Parse([]byte("problems: ["+text+"]\n"), "s.yaml", planners); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
