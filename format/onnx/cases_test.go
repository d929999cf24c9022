package onnx

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestCases compares shapes and elements with the results of onnx's 1,884 test cases of operators, each unchanged and
// with its small inputs known.
func TestCases(t *testing.T) {
	python := onnxPython(t)
	said := must.Get(exec.Command(python, filepath.Join("testdata", "cases_peer.py"), t.TempDir()).Output())(t)
	var cases []struct {
		Path    string
		Baked   bool
		Outputs []struct {
			Name     string
			Tensor   bool
			Type     shape.Type
			Shape    []int64
			Elements []string
		}
	}
	must.Do(t, json.Unmarshal(said, &cases))
	tensors, shapes, elementwise, missing := 0, 0, 0, map[string]int{}
	for _, e := range cases {
		raw := must.Get(os.ReadFile(e.Path))(t)
		name := filepath.Base(e.Path)
		m, err := Parse(raw, name)
		if err != nil {
			t.Error(err)
			continue
		}
		w, _ := walk(m.file, Options{})
		if w.fault != nil && w.fault.Message == runsGraph {
			missing[m.file.Graph.Nodes[len(m.file.Graph.Nodes)-1].Operator()]++
			continue
		}
		if w.fault != nil {
			t.Errorf("%s: %v", name, w.fault)
			continue
		}
		for _, o := range e.Outputs {
			var v *value
			for i := range w.values {
				if m.file.Names[w.values[i].name] == o.Name {
					v = &w.values[i]
				}
			}
			if !o.Tensor || v == nil {
				continue
			}
			tensors++
			if v.Elem != 0 && v.Elem != o.Type {
				t.Errorf("%s: %s is of type %v, and is really %v", name, o.Name, v.Elem, o.Type)
			}
			if v.Dims != nil {
				differ := len(v.Dims) != len(o.Shape)
				for k := 0; !differ && k < len(v.Dims); k++ {
					differ = v.Dims[k] >= 0 && v.Dims[k] != o.Shape[k]
				}
				if differ {
					t.Errorf("%s: %s is %s, and is really %s", name, o.Name, shape.Text(v.Dims), shape.Text(o.Shape))
				}
			}
			if want := shape.BytesOf(o.Type, o.Shape); want >= 0 && v.Bytes() >= 0 && v.Bytes() < want {
				t.Errorf("%s: %s takes %d bytes, and really %d", name, o.Name, v.Bytes(), want)
			}
			if v.Dims != nil && shape.Elements(v.Dims) >= 0 || v.Bytes() >= 0 {
				shapes++
			} else if e.Baked {
				missing[m.file.Graph.Nodes[len(m.file.Graph.Nodes)-1].Operator()]++
			}
			if v.Data == nil || o.Elements == nil {
				continue
			}
			elementwise++
			for k, text := range o.Elements {
				if v.Data.Ints != nil {
					if x, err := strconv.ParseInt(text, 10, 64); err != nil || k >= len(v.Data.Ints) || v.Data.Ints[k] != x {
						t.Errorf("%s: %s is %v, and is really %v", name, o.Name, v.Data.Ints, o.Elements)
						break
					}
				} else if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) {
					if k >= len(v.Data.Floats) || math.Abs(v.Data.Floats[k]-x) > 1e-6*math.Max(1, math.Abs(x)) {
						t.Errorf("%s: %s is %v, and is really %v", name, o.Name, v.Data.Floats, o.Elements)
						break
					}
				}
			}
		}
	}
	if tensors < 3500 || shapes < 3000 || elementwise < 250 {
		t.Error("too few")
	}
	t.Logf("%d models, %d outputs, sizes of %d, elements of %d; not of %v", len(cases), tensors, shapes, elementwise,
		missing)
}

// onnxPython returns an interpreter that has the package onnx.
func onnxPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("STOWAGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import onnx").Run(); err != nil {
		t.Skip("needs the Python package onnx; set STOWAGE_PYTHON to an interpreter that has it")
	}
	return python
}
