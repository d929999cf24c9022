package onnx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/tiling"
)

// drawnImages returns a network of layers that strips know, with stored weights.
func drawnImages(seed uint64, layers int) *Model {
	rng := rand.New(rand.NewPCG(seed, 43))
	g := made.Graph{Inputs: []made.Value{made.Floats("input", 1, 4, 24, 20)}}
	stored := func(name string, dims ...int64) string {
		t := made.Tensor{Name: name, Type: made.Float, Dims: dims}
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		for range n {
			t.Floats = append(t.Floats, rng.Float64()-0.4)
		}
		g.Stored = append(g.Stored, t)
		return name
	}
	type image struct {
		name     string
		channels int64
		same     int // layers with this number have images of one size
	}
	all, strided := []image{{"input", 4, 0}}, 0
	for i := range layers {
		x := all[max(0, len(all)-1-rng.IntN(2))]
		y := image{fmt.Sprint("layer", i), x.channels, x.same}
		n := made.Node{Name: fmt.Sprint("node", i), In: []string{x.name}, Out: []string{y.name}, Attributes: map[string]any{}}
		window := func(most int) {
			k := int64(1 + rng.IntN(most))
			stride := int64(1)
			if k > 1 && strided < 2 && rng.IntN(4) == 0 {
				stride, strided = 2, strided+1
			}
			n.Attributes["kernel_shape"], n.Attributes["strides"] = []int64{k, k}, []int64{stride, stride}
			switch rng.IntN(4) {
			case 0:
				n.Attributes["auto_pad"] = []string{"SAME_UPPER", "SAME_LOWER", "VALID"}[rng.IntN(3)]
			default:
				p := k / 2
				n.Attributes["pads"] = []int64{p, p, p, max(0, p-int64(rng.IntN(2)))}
			}
			y.same = i + 1
		}
		switch others := slices.DeleteFunc(slices.Clone(all), func(z image) bool { return z.same != x.same }); rng.IntN(9) {
		case 0, 1, 2:
			n.Op = "Conv"
			window(3)
			k := n.Attributes["kernel_shape"].([]int64)[0]
			if rng.IntN(2) == 0 {
				n.Attributes["group"] = x.channels
				n.In = append(n.In, stored(fmt.Sprint("w", i), x.channels, 1, k, k))
			} else {
				y.channels = int64(1 + rng.IntN(6))
				n.In = append(n.In, stored(fmt.Sprint("w", i), y.channels, x.channels, k, k))
			}
		case 3:
			n.Op = "MaxPool"
			window(3)
			if seed%2 == 1 && n.Attributes["auto_pad"] == nil { // since version 10
				n.Attributes["ceil_mode"] = int64(rng.IntN(2))
			}
		case 4:
			n.Op = "AveragePool"
			window(3)
		case 5:
			n.Op = "Concat"
			z := others[rng.IntN(len(others))]
			n.In, n.Attributes["axis"], y.channels = append(n.In, z.name), int64(1), x.channels+z.channels
		case 6:
			n.Op = "Mul"
			n.In = append(n.In, stored(fmt.Sprint("c", i), 1, x.channels, 1, 1))
		case 7:
			others = slices.DeleteFunc(others, func(z image) bool { return z.channels != x.channels })
			n.Op, n.In = "Add", append(n.In, others[rng.IntN(len(others))].name)
		default:
			n.Op = []string{"Relu", "Sigmoid", "LRN"}[rng.IntN(3)]
			if n.Op == "LRN" {
				n.Attributes["size"] = int64(3)
			}
		}
		g.Nodes, all = append(g.Nodes, n), append(all, y)
	}
	read := map[string]bool{}
	for _, n := range g.Nodes {
		for _, name := range n.In {
			read[name] = true
		}
	}
	for _, x := range all[1:] {
		if !read[x.name] {
			g.Outputs = append(g.Outputs, made.Floats(x.name))
			g.Outputs[len(g.Outputs)-1].Dims = []any{"a", "b", "c", "d"}
		}
	}
	m, err := Parse(made.Model{Graph: g, Opset: []int64{9, 13}[seed%2]}.Bytes(), "drawn.onnx")
	if err != nil {
		panic(err)
	}
	return m
}

// drawnChains writes a model in strips of drawn chains; nil if none can be.
func drawnChains(t *testing.T, m *Model, rng *rand.Rand) *Model {
	t.Helper()
	o := Options{Alignment: Alignment, InPlace: true}
	w := must.Get(walk(m.file, o))(t)
	s := newSplitter(m, w)
	n := len(m.file.Graph.Nodes)
	c := &chooser{splitter: s, during: must.Get(m.during(o, w))(t)}
	var path []int
	for at := 0; at < n; {
		x := chained{at, min(n-1, at+rng.IntN(7)), tiling.Axis(rng.IntN(2)), 2 + rng.IntN(4)}
		b := &builder{s: s, taken: map[string]bool{}}
		if why := b.write(x); why != "" {
			at++
			continue
		}
		path, c.all = append(path, len(c.all)), append(c.all, segment{chained: x})
		at = x.last + 1
	}
	if len(path) == 0 {
		return nil
	}
	return must.Get(c.write(path))(t)
}

// TestStripsWritten: models in strips of drawn chains are read again, with sizes that follow from the nodes alone, and
// the same results.
func TestStripsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	split := 0
	for seed := range uint64(120) {
		m := drawnImages(seed, 6+int(seed%12))
		whole := must.Get(m.Arena(Options{}))(t)
		x := drawnChains(t, m, rng)
		if x == nil {
			continue
		}
		split++
		a, err := x.Arena(Options{})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		shapes := map[string][]int64{}
		for _, v := range a.Tensors {
			shapes[v.Name] = v.Shape
		}
		for _, v := range whole.Tensors {
			if got, ok := shapes[v.Name]; ok && !slices.Equal(got, v.Shape) {
				t.Errorf("seed %d: %s has the shape %v, was %v", seed, v.Name, got, v.Shape)
			}
		}
	}
	if split < 60 {
		t.Errorf("only %d models were written in strips", split)
	}
}

// TestStripsOutputs runs models in strips of drawn chains in ONNX Runtime beside the same as they were.
func TestStripsOutputs(t *testing.T) {
	plantest.Nightly(t)
	python := runtimePython(t)
	script := string(must.Get(os.ReadFile("../../internal/models/verifyonnx.py"))(t))
	rng := rand.New(rand.NewPCG(3, 4))
	seeds := uint64(12)
	if more, err := strconv.ParseUint(os.Getenv("STOWAGE_CASES"), 10, 64); err == nil {
		seeds = more
	}
	for seed := range seeds {
		m := drawnImages(seed, 8+int(seed%12))
		x := drawnChains(t, m, rng)
		if x == nil {
			continue
		}
		folder := t.TempDir()
		given, planned := filepath.Join(folder, "given.onnx"), filepath.Join(folder, "planned.onnx")
		must.Do(t, os.WriteFile(given, m.Bytes(), 0o600))
		must.Do(t, os.WriteFile(planned, x.Bytes(), 0o600))
		if said, err := exec.Command(python, "-c", script, given, planned, "{}").CombinedOutput(); err != nil ||
			!strings.HasPrefix(string(said), "equal") {
			t.Errorf("seed %d: %v: %s", seed, err, said)
		}
	}
}

// TestSplit: the peak of the file is the one that is told, the arithmetic keeps its limit, and no set of the considered
// chains with so little arithmetic has a lower peak than the first choice.
func TestSplit(t *testing.T) {
	found := 0
	for seed := range uint64(150) {
		m := drawnImages(seed, 5+int(seed%6))
		const most = 0.5
		s := must.Get(m.Split(t.Context(), Options{}, SplitOptions{MaxMACs: most}))(t)
		if s.Model == nil {
			if s.Why == "" {
				t.Errorf("seed %d: no model, and no reason", seed)
			}
			continue
		}
		found++
		if float64(s.Extra) > most*float64(s.MACs) || s.Peak >= s.Before || s.Peak < s.Bound {
			t.Errorf("seed %d: %d of %d multiply-accumulates more, peak %d of %d", seed, s.Extra, s.MACs, s.Peak, s.Before)
		}
		o := Options{InPlace: true, Alignment: Alignment}
		if path, bytes := lowestPath(t, m, o, int64(most*float64(s.MACs))); bytes != s.Bound {
			t.Errorf("seed %d: bound %d, the lowest of all sets of chains is %d with %v", seed, s.Bound, bytes, path)
		}
		before, after := must.Get(m.Arena(o))(t), must.Get(s.Model.Arena(o))(t)
		if x, y := placed(before.Problem), placed(after.Problem); y >= x {
			t.Errorf("seed %d: ONNX Runtime places %d, %d without strips", seed, y, x)
		}
	}
	if found < 10 {
		t.Errorf("only %d networks were split", found)
	}
}

// lowestPath tries all sets of chains in strips, and returns the one with the lowest peak within a limit of arithmetic.
func lowestPath(t *testing.T, m *Model, o Options, most int64) (best []int, bytes int64) {
	w := must.Get(walk(m.file, o))(t)
	c := &chooser{splitter: newSplitter(m, w), during: must.Get(m.during(o, w))(t), most: most}
	c.collect(t.Context(), nil)
	bytes = -1
	var try func(at int, load, macs int64, path []int)
	try = func(at int, load, macs int64, path []int) {
		if macs > most || bytes >= 0 && load >= bytes {
			return
		}
		if at == len(c.during) {
			best, bytes = slices.Clone(path), load
			return
		}
		for i := range c.all {
			if x := &c.all[i]; x.first == at {
				try(x.last+1, max(load, x.load), macs+x.macs, append(path, i))
			}
		}
		try(at+1, max(load, c.during[at]), macs, path)
	}
	try(0, 0, 0, nil)
	return best, bytes
}

// TestTurns: storage is held from the first of those that take turns to the last.
func TestTurns(t *testing.T) {
	all := []lived{{4, 0, 2}, {8, 1, 3}, {4, 5, 6}, {4, 5, 7}, {8, 2, 9}}
	if got, want := turns(all), []lived{{4, 0, 6}, {8, 1, 3}, {8, 2, 9}, {4, 5, 7}}; !slices.Equal(got, want) {
		t.Errorf("held %v, want %v", got, want)
	}
	if got := loadOf(turns(all)); got != 20 {
		t.Errorf("load %d, want 20", got)
	}
}
