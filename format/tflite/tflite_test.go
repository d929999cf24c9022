package tflite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/model"
)

// chain is a → RELU → b → RELU → c, with a tensor that nothing touches, one that
// keeps its value, a constant and an int4 one.
func chain() tflitemade.Graph {
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "a", Shape: []int32{1, 10}},
			{Name: "b", Shape: []int32{1, 10}},
			{Name: "c", Shape: []int32{1, 10}},
			{Name: "idle", Shape: []int32{3}},
			{Name: "state", Shape: []int32{4}, Variable: true},
			{Name: "weight", Shape: []int32{2}, Data: tflitemade.Floats(1, 2)},
			{Name: "nibbles", Shape: []int32{7}, Type: tfliteschema.TensorTypeINT4},
			{Name: "scalar"},
			{Name: "none", Shape: []int32{0, 5}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{1, -1, 7}, Outputs: []int32{2}},
		},
		Inputs: []int32{0}, Outputs: []int32{2},
	}
}

func parse(t *testing.T, data []byte) *Model {
	t.Helper()
	return must.Get(Parse(data, "test.tflite"))(t)
}

func TestChain(t *testing.T) {
	m := parse(t, tflitemade.Model([]tflitemade.Graph{chain()}))
	l := must.Get(m.Lifetimes())(t)
	want := []Lifespan{{0, 1}, {1, 2}, {2, 2}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, 2}, {-1, -1}}
	if !reflect.DeepEqual(l.Tensors, want) {
		t.Errorf("lifespans %v, want %v", l.Tensors, want)
	}
	a := must.Get(m.Arena(l, []Scratch{{Operator: 1, Bytes: 33}, {Operator: 0, Bytes: 0}}))(t)
	got := a.Problem.Buffers
	for i, w := range []model.Buffer{
		{ID: "a", Lower: 1, Upper: 3, Size: 48, Alignment: 16},
		{ID: "b", Lower: 2, Upper: 4, Size: 48, Alignment: 16},
		{ID: "c", Lower: 3, Upper: 4, Size: 48, Alignment: 16},
		{ID: "idle", Lower: 0, Upper: 1, Size: 16, Alignment: 16},
		{ID: "nibbles", Lower: 0, Upper: 1, Size: 16, Alignment: 16},
		{ID: "scalar", Lower: 0, Upper: 4, Size: 16, Alignment: 16},
		{ID: "scratch 0 of RELU 1", Lower: 3, Upper: 4, Size: 48, Alignment: 16},
	} {
		if i >= len(got) || !reflect.DeepEqual(got[i], w) {
			t.Errorf("buffer %d: %+v, want %+v", i, got, w)
			break
		}
	}
	if len(got) != 7 || a.Scratch != 6 || !reflect.DeepEqual(a.Tensor, []int{0, 1, 2, 3, 6, 7, -1}) {
		t.Errorf("%d buffers, scratch from %d, tensors %v", len(got), a.Scratch, a.Tensor)
	}
}

// TestControlFlow checks the clock on IF, WHILE and CALL_ONCE: the hull of a
// subgraph that runs twice, and scratch over both callees.
func TestControlFlow(t *testing.T) {
	tensor := func(names ...string) []tflitemade.Tensor {
		var out []tflitemade.Tensor
		for _, n := range names {
			out = append(out, tflitemade.Tensor{Name: n, Shape: []int32{4}})
		}
		return out
	}
	relu := func(in, out int32) tflitemade.Op {
		return tflitemade.Op{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{in}, Outputs: []int32{out}}
	}
	one := tflitemade.Graph{
		Tensors: tensor("x", "y"), Ops: []tflitemade.Op{relu(0, 1)}, Inputs: []int32{0}, Outputs: []int32{1},
	}
	m := parse(t, tflitemade.Model([]tflitemade.Graph{
		{
			Tensors: tensor("a", "b", "c", "d"),
			Ops: []tflitemade.Op{
				{Code: tfliteschema.BuiltinOperatorIF, Inputs: []int32{0}, Outputs: []int32{1}, Callees: []int32{1, 2}},
				{Code: tfliteschema.BuiltinOperatorWHILE, Inputs: []int32{1}, Outputs: []int32{2}, Callees: []int32{1, 3}},
				{Code: tfliteschema.BuiltinOperatorCALL_ONCE, Callees: []int32{3}},
				relu(2, 3),
			},
			Inputs: []int32{0}, Outputs: []int32{3},
		}, one, one, one,
	}))
	l := must.Get(m.Lifetimes())(t)
	// Ticks: IF 1, then 2 with its RELU 3, else 4 with 5; WHILE 6, cond 7 with 8,
	// body 9 with 10; CALL_ONCE 11, 12 with 13; RELU 14.
	want := []Lifespan{{0, 5}, {1, 10}, {6, 14}, {14, 14}, {2, 8}, {3, 8}, {4, 5}, {5, 5}, {9, 13}, {10, 13}}
	if !reflect.DeepEqual(l.Tensors, want) {
		t.Errorf("lifespans %v, want %v", l.Tensors, want)
	}
	if got := l.Operators[:3]; !reflect.DeepEqual(got, []Lifespan{{1, 5}, {6, 10}, {11, 13}}) {
		t.Errorf("operators %v", got)
	}
	loop := parse(t, tflitemade.Model([]tflitemade.Graph{
		{Ops: []tflitemade.Op{{Code: tfliteschema.BuiltinOperatorWHILE, Callees: []int32{0, 0}}}},
	}))
	if _, err := loop.Lifetimes(); err == nil || !strings.Contains(err.Error(), "runs itself") {
		t.Errorf("a subgraph that runs itself: %v", err)
	}
	// Each runs the next twice: 2^30 runs of the last.
	var deep []tflitemade.Graph
	for i := range int32(30) {
		deep = append(deep, tflitemade.Graph{
			Ops: []tflitemade.Op{{Code: tfliteschema.BuiltinOperatorIF, Callees: []int32{i + 1, i + 1}}},
		})
	}
	pace.Within(t, 5*time.Second, "nested control flow", func() {
		if _, err := parse(t, tflitemade.Model(append(deep, one))).Lifetimes(); err == nil ||
			!strings.Contains(err.Error(), "too often") {
			t.Errorf("control flow nested 30 deep: %v", err)
		}
	})
}

// TestRefused has one fault a model, each told by its place.
func TestRefused(t *testing.T) {
	with := func(change func(*tflitemade.Graph)) []byte {
		g := chain()
		change(&g)
		return tflitemade.Model([]tflitemade.Graph{g})
	}
	good := with(func(*tflitemade.Graph) {})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "is too short"},
		{"text", []byte("id,lower,upper,size\n"), "is not a TensorFlow Lite model"},
		{"truncated", good[:len(good)/2], "truncated or damaged"},
		{"no subgraph", tflitemade.Model(nil), "subgraphs: the model has none"},
		{"input", with(func(g *tflitemade.Graph) { g.Ops[1].Inputs[0] = 9 }), `subgraph 0, operator 1, input 0 "9": the subgraph has 9 tensors`},
		{"output", with(func(g *tflitemade.Graph) { g.Ops[1].Outputs[0] = -1 }), `operator 1, output 0 "-1"`},
		{"graph", with(func(g *tflitemade.Graph) { g.Outputs[0] = -7 }), `subgraph 0, output 0 "-7"`},
		{"shape", with(func(g *tflitemade.Graph) { g.Tensors[1].Shape = []int32{-1, 10} }), `tensor 1, shape "-1": a dimension must not be negative`},
		{"overflow", with(func(g *tflitemade.Graph) { g.Tensors[1].Shape = []int32{1 << 20, 1 << 20, 1 << 30} }), "takes more than 2 GiB"},
		{"type", with(func(g *tflitemade.Graph) { g.Tensors[1].Type = tfliteschema.TensorTypeSTRING }), `tensor 1, type "STRING"`},
		{"unknown type", with(func(g *tflitemade.Graph) { g.Tensors[1].Type = 99 }), `type "type 99"`},
		{"callee", with(func(g *tflitemade.Graph) {
			g.Ops[0].Code, g.Ops[0].Callees = tfliteschema.BuiltinOperatorIF, []int32{1, 0}
		}), `operator 0, subgraph "1": there are 1`},
		{"short plan", tflitemade.Model([]tflitemade.Graph{chain()},
			tflitemade.Metadata{Name: MetadataName, Data: make([]byte, 8)}), "has 8 bytes"},
	} {
		_, err := Parse(c.data, "test.tflite")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "test.tflite: ") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := parse(t, good).Arena(&Lifetimes{Tensors: make([]Lifespan, 9), Operators: make([]Lifespan, 2)},
		[]Scratch{{2, 1}, {0, -1}}); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("scratch out of range: %v", err)
	}
}

// TestWithOffsets checks that the old file is the end of the new one, that the new one says the same and the plan, and
// that a second plan takes the place of the first.
func TestWithOffsets(t *testing.T) {
	other := tflitemade.Metadata{Name: "min_runtime_version", Data: []byte("1.5.0")}
	old := make([]byte, 12+4*3)
	binary.LittleEndian.PutUint32(old[8:], 3)
	for name, data := range map[string][]byte{
		"plain":    tflitemade.Model([]tflitemade.Graph{chain()}),
		"metadata": tflitemade.Model([]tflitemade.Graph{chain()}, other),
		"wrong":    tflitemade.Model([]tflitemade.Graph{chain()}, tflitemade.Metadata{Name: MetadataName, Data: old}, other),
		"trailing": append(tflitemade.Model([]tflitemade.Graph{chain()}, other), "PK\x05\x06 an archive"...),
		"network":  tflitemade.Network(7, 40),
	} {
		m := parse(t, data)
		offsets := make([]int32, len(m.Tensors))
		for i := range offsets {
			offsets[i] = int32(16*i) - 1*int32(min(1, i%2))*int32(16*i+1)
		}
		out := must.Get(m.WithOffsets(offsets))(t, "%s", name)
		if !bytes.HasSuffix(out, data) || (len(out)-len(data))%headAlign != 0 {
			t.Errorf("%s: the old file is not the end of the new one", name)
		}
		got := parse(t, out)
		if o := got.Offline; o == nil || !reflect.DeepEqual(o.Offsets, offsets) || int(o.Count) != len(offsets) ||
			o.Entries != 1 {
			t.Errorf("%s: the plan is %+v, want %v", name, got.Offline, offsets)
		}
		if !m.sameBut(got) {
			t.Errorf("%s: the model is another", name)
		}
		again, err := got.WithOffsets(offsets)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("%s: planned twice it is not the same, %v", name, err)
		}
		offsets[0] += 16
		third, err := got.WithOffsets(offsets)
		if err != nil || len(third) != len(out) || !reflect.DeepEqual(parse(t, third).Offline.Offsets, offsets) {
			t.Errorf("%s: another plan: %v", name, err)
		}
		if name == "metadata" || name == "wrong" || name == "trailing" {
			root := tfliteschema.GetRootAsModel(out, 0)
			var e tfliteschema.Metadata
			root.Metadata(&e, 0)
			var b tfliteschema.Buffer
			root.Buffers(&b, int(e.Buffer()))
			if root.MetadataLength() != 2 || string(e.Name()) != other.Name || string(b.DataBytes()) != "1.5.0" {
				t.Errorf("%s: the other metadata is lost", name)
			}
		}
	}
	m := parse(t, tflitemade.Model([]tflitemade.Graph{chain()}))
	if _, err := m.WithOffsets(make([]int32, 3)); err == nil {
		t.Error("three offsets for nine tensors")
	}
}

// TestNotRewritten has a model that keeps a constant behind its flatbuffer, one with a field that its schema got later,
// and one that has neither: the first two are planned but not written.
func TestNotRewritten(t *testing.T) {
	for _, c := range []struct {
		external, newer bool
		want            error
	}{{false, false, nil}, {true, false, ErrExternal}, {false, true, ErrNewer}} {
		b := flatbuffers.NewBuilder(0)
		list := func(at ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
			b.StartVector(4, len(at), 4)
			for i := len(at) - 1; i >= 0; i-- {
				b.PrependUOffsetT(at[i])
			}
			return b.EndVector(len(at))
		}
		tfliteschema.BufferStart(b)
		empty := tfliteschema.BufferEnd(b)
		tfliteschema.BufferStart(b)
		if c.external {
			tfliteschema.BufferAddOffset(b, 4096)
			tfliteschema.BufferAddSize(b, 16)
		}
		buffers := list(empty, tfliteschema.BufferEnd(b))
		b.StartVector(4, 1, 4)
		b.PrependInt32(4)
		shape := b.EndVector(1)
		tfliteschema.TensorStart(b)
		tfliteschema.TensorAddShape(b, shape)
		tfliteschema.TensorAddBuffer(b, 1)
		tensors := list(tfliteschema.TensorEnd(b))
		tfliteschema.SubGraphStart(b)
		tfliteschema.SubGraphAddTensors(b, tensors)
		subgraphs := list(tfliteschema.SubGraphEnd(b))
		const fields, subgraphsField, buffersField, later = 11, 2, 4, 10
		b.StartObject(fields)
		b.PrependUOffsetTSlot(subgraphsField, subgraphs, 0)
		b.PrependUOffsetTSlot(buffersField, buffers, 0)
		if c.newer {
			b.PrependUint32Slot(later, 7, 0)
		}
		b.FinishWithFileIdentifier(b.EndObject(), []byte("TFL3"))
		m := parse(t, b.FinishedBytes())
		if m.Tensors[0].Constant != c.external {
			t.Errorf("%+v: the tensor is constant: %v", c, m.Tensors[0].Constant)
		}
		if _, err := m.WithOffsets([]int32{0}); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAlignment checks that data keep their alignment: ours lie at a multiple of
// 16, and the old ones where they were, modulo headAlign.
func TestAlignment(t *testing.T) {
	for seed := range uint64(20) {
		m := parse(t, tflitemade.Network(seed, 10+int(seed)))
		out := must.Get(m.WithOffsets(make([]int32, len(m.Tensors))))(t)
		root := tfliteschema.GetRootAsModel(out, 0)
		var b tfliteschema.Buffer
		for i := range root.BuffersLength() {
			root.Buffers(&b, i)
			tab := b.Table()
			if o := tab.Offset(4); o != 0 {
				if at := tab.Vector(flatbuffers.UOffsetT(o)); at%16 != 0 {
					t.Fatalf("seed %d: buffer %d lies at %d", seed, i, at)
				}
			}
		}
	}
}

// TestFold folds a float16 weight and leaves a DEQUANTIZE of a value alone.
func TestFold(t *testing.T) {
	half := []byte{0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x01, 0x00} // 1, -2, 65504, 2^-24
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "in", Shape: []int32{4}},
			{Name: "half", Shape: []int32{4}, Type: tfliteschema.TensorTypeFLOAT16, Data: half},
			{Name: "weight", Shape: []int32{4}},
			{Name: "out", Shape: []int32{4}},
			{Name: "in16", Shape: []int32{4}, Type: tfliteschema.TensorTypeFLOAT16},
			{Name: "value", Shape: []int32{4}},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorDEQUANTIZE, Inputs: []int32{1}, Outputs: []int32{2}},
			{Code: tfliteschema.BuiltinOperatorDEQUANTIZE, Inputs: []int32{4}, Outputs: []int32{5}},
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{0, 2}, Outputs: []int32{3}},
		},
		Inputs: []int32{0, 4}, Outputs: []int32{3, 5},
	}
	data := tflitemade.Model([]tflitemade.Graph{g})
	m := parse(t, data)
	f, n, err := m.Fold()
	if err != nil || n != 1 {
		t.Fatalf("%d folded, %v", n, err)
	}
	if !bytes.HasSuffix(f.Bytes(), data) {
		t.Error("the old file is not the end of the new one")
	}
	if len(f.Operators) != 2 || f.Operators[0].Inputs[0] != 4 || !f.Tensors[2].Constant || f.Tensors[5].Constant {
		t.Errorf("folded: %+v", f)
	}
	if got, want := f.constant(2), tflitemade.Floats(1, -2, 65504, 1.0/(1<<24)); !bytes.Equal(got, want) {
		t.Errorf("the weight is % x, want % x", got, want)
	}
	for i := range m.Tensors {
		a, b := m.Tensors[i], f.Tensors[i]
		if a.Name != b.Name || !reflect.DeepEqual(a.Shape, b.Shape) || a.Type != b.Type {
			t.Errorf("tensor %d: %+v became %+v", i, a, b)
		}
	}
	again, n, err := f.Fold()
	if again != f || n != 0 || err != nil {
		t.Errorf("folded twice: %d, %v", n, err)
	}
	out, err := f.WithOffsets(make([]int32, 6))
	if err != nil || !bytes.HasSuffix(out, f.Bytes()) || !parse(t, out).Tensors[2].Constant {
		t.Errorf("planned after folding: %v", err)
	}
}

// TestHalves converts every float16.
func TestHalves(t *testing.T) {
	for h := range 1 << 16 {
		got := float64(math.Float32frombits(float32Bits(uint16(h))))
		exponent, mantissa := h>>10&0x1f, float64(h&0x3ff)
		want := math.Ldexp(1+mantissa/1024, exponent-15)
		switch {
		case exponent == 0:
			want = math.Ldexp(mantissa, -24)
		case exponent == 31 && mantissa == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if h&0x8000 != 0 {
			want = -want
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) &&
			!math.IsNaN(want) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
	}
}

// options is a graph whose operators have options that are read, and whose tensors have scales.
func options() tflitemade.Graph {
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "a", Shape: []int32{2, 4, 4}, Scales: []float32{0.5}},
			{Name: "b", Shape: []int32{2, 4, 4}, Scales: []float32{1, 2, 3, 4}},
			{Name: "c", Shape: []int32{2, 4, 4}},
			{Name: "d", Shape: []int32{2, 4, 4}},
			{Name: "handle", Shape: []int32{1}, Type: tfliteschema.TensorTypeRESOURCE},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorBATCH_MATMUL, Inputs: []int32{0, 1}, Outputs: []int32{2}, Callees: []int32{1, 0}},
			{Code: tfliteschema.BuiltinOperatorBATCH_MATMUL, Inputs: []int32{0, 2}, Outputs: []int32{3}, Callees: []int32{0, 1}},
			{Code: tfliteschema.BuiltinOperatorVAR_HANDLE, Outputs: []int32{4}, Callees: []int32{0, 4}},
		},
		Inputs: []int32{0, 1}, Outputs: []int32{3},
	}
}

// TestOptions reads what sizes of kernels depend on.
func TestOptions(t *testing.T) {
	m := parse(t, tflitemade.Model([]tflitemade.Graph{options()}))
	for k, want := range [][2]bool{{true, false}, {false, true}, {false, false}} {
		if o := &m.Operators[k]; o.TransposedX != want[0] || o.TransposedY != want[1] {
			t.Errorf("operator %d: %v, %v, want %v", k, o.TransposedX, o.TransposedY, want)
		}
	}
	for i, want := range []int{1, 4, 0, 0, 0} {
		if got := m.Tensors[i].Channels; got != want {
			t.Errorf("tensor %d has %d channels, want %d", i, got, want)
		}
	}
	if h := &m.Tensors[4]; !h.Handle || h.Arena() || m.Tensors[3].Handle {
		t.Errorf("the handle: %+v", h)
	}
}

// TestMutated reads damaged files: each gives an error or a model, within the limits of
// package mutate. Half have damage of any kind, half that of references and lengths.
func TestMutated(t *testing.T) {
	seeds := [][]byte{
		tflitemade.Model([]tflitemade.Graph{chain()}, tflitemade.Metadata{Name: MetadataName, Data: make([]byte, 12+4*9)}),
		tflitemade.Network(3, 30), tflitemade.Model([]tflitemade.Graph{options()}),
	}
	read := func(data []byte) error { return try(t, data) }
	mutate.Read(t, 1500, seeds, read)
	rng := rand.New(rand.NewPCG(1, 2))
	for range mutate.Times(t, 1500) {
		data := bytes.Clone(seeds[rng.IntN(len(seeds))])
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(data)-3) &^ 3
			word := uint32(rng.IntN(len(data))) // somewhere else
			if rng.IntN(2) == 0 {
				word = rng.Uint32() >> rng.IntN(32)
			}
			binary.LittleEndian.PutUint32(data[at:], word)
		}
		_ = mutate.Hold(t, data, read)
	}
}

// TestLeadsBack damages the options of an operator so that their field table would lie
// in front of the file, where a plan puts its own: that is no other model, but no plan.
func TestLeadsBack(t *testing.T) {
	data := tflitemade.Model([]tflitemade.Graph{options()})
	refused := 0
	for at := 0; at+4 <= len(data); at += 4 {
		for _, word := range []uint32{uint32(at) + 4, uint32(at) + 16, uint32(at) + 28, uint32(at) + 64, uint32(at) + 160} {
			damaged := bytes.Clone(data)
			binary.LittleEndian.PutUint32(damaged[at:], word)
			if m, err := Parse(damaged, "damaged"); err == nil {
				if _, err := m.WithOffsets(make([]int32, len(m.Tensors))); errors.Is(err, ErrDamaged) {
					refused++
				}
			}
			_ = try(t, damaged)
		}
	}
	if refused == 0 {
		t.Error("no model was refused")
	}
}

// try takes a file as far as it goes, and writes a plan into it.
func try(t *testing.T, data []byte) error {
	t.Helper()
	m, err := Parse(data, "damaged")
	if err != nil {
		return err
	}
	l, err := m.Lifetimes()
	if err == nil {
		_, err = m.Arena(l, nil)
	}
	if out, err := m.WithOffsets(make([]int32, len(m.Tensors))); err == nil {
		if again, err := Parse(out, "planned"); err != nil || !m.sameBut(again) {
			t.Fatalf("a damaged model that reads is another after planning: %v", err)
		}
	}
	if _, _, err := m.Fold(); err != nil && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrExternal) &&
		!errors.Is(err, ErrDamaged) {
		t.Fatalf("folding: %v", err)
	}
	return err
}

// FuzzParse never panics.
func FuzzParse(f *testing.F) {
	f.Add(tflitemade.Model([]tflitemade.Graph{chain()}))
	f.Add(tflitemade.Network(1, 12))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data, "fuzzed")
		if err != nil {
			return
		}
		if l, err := m.Lifetimes(); err == nil {
			_, _ = m.Arena(l, nil)
		}
	})
}
