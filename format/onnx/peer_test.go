package onnx

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPeer holds the shapes against those of onnx.shape_inference on the models that
// the onnx wheel carries: where both know a dimension it is the same one. Files that
// STOWAGE_ONNX names, separated by colons, are held against it instead.
func TestPeer(t *testing.T) {
	python := onnxPython(t)
	var files []string
	if named := os.Getenv("STOWAGE_ONNX"); named != "" {
		files = strings.Split(named, ":")
	}
	said, err := exec.Command(python, append([]string{filepath.Join("testdata", "infer_peer.py")}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var models []struct {
		Path   string
		Dims   map[string]int64
		Fixed  map[string]int64
		Error  string
		Values map[string][]struct {
			Type  Type
			Shape []int64
		}
	}
	if err := json.Unmarshal(said, &models); err != nil {
		t.Fatal(err)
	}
	compared, planned, theirs, ours := 0, 0, 0, 0
	for _, e := range models {
		raw, err := os.ReadFile(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(e.Path)) + "/" + filepath.Base(e.Path)
		m, err := Parse(raw, name)
		if err != nil {
			t.Error(err)
			continue
		}
		o := Options{Dims: e.Dims, Values: e.Fixed}
		w, err := m.walk(o)
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
			id := m.names[v.name]
			their := e.Values[id]
			if v.stored != nil || len(their) != 1 || seen[id] {
				continue // several of the name, in graphs of their own
			}
			seen[id] = true
			if v.elem != their[0].Type && their[0].Type != 0 && v.elem != 0 {
				t.Errorf("%s: %q is of type %v, and %v by onnx", name, id, v.elem, their[0].Type)
			}
			compared++
			if elements(their[0].Shape) >= 0 && elements(v.dims) < 0 {
				theirs++
				t.Logf("%s: %q is %s here and %s by onnx", name, id, shapeText(v.dims), shapeText(their[0].Shape))
			}
			if elements(their[0].Shape) < 0 && elements(v.dims) >= 0 {
				ours++
			}
			if v.dims == nil {
				continue
			}
			differ := len(v.dims) != len(their[0].Shape)
			for k := 0; !differ && k < len(v.dims); k++ {
				differ = v.dims[k] >= 0 && their[0].Shape[k] >= 0 && v.dims[k] != their[0].Shape[k]
			}
			if differ {
				t.Errorf("%s: %q is %s, and %s by onnx", name, id, shapeText(v.dims), shapeText(their[0].Shape))
			}
		}
	}
	t.Logf("%d models, %d planned; %d values compared, %d known to onnx alone, %d here alone", len(models), planned, compared, theirs, ours)
	if files == nil && (len(models) < 140 || planned < len(models)-12 || compared < 3500) {
		t.Errorf("too few: %d models, %d planned, %d values", len(models), planned, compared)
	}
}
