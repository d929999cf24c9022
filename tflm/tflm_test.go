package tflm

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

func parse(t *testing.T, data []byte) *tflite.Model {
	t.Helper()
	return must.Get(tflite.Parse(data, "test.tflite"))(t)
}

// TestMake plans networks: what is written is no worse than the runtime's own
// plan, passes the check, and reads back as the plan before.
func TestMake(t *testing.T) {
	better := 0
	for seed := range uint64(24) {
		for _, inPlace := range []bool{false, true} {
			m := parse(t, tflitemade.Network(seed, 8+int(seed)))
			rng := rand.New(rand.NewPCG(seed, 1))
			var scratch []tflite.Scratch
			for k := range m.Operators {
				if rng.IntN(3) == 0 {
					scratch = append(scratch, tflite.Scratch{Operator: k, Bytes: int64(rng.IntN(3000))})
				}
			}
			p, err := Make(t.Context(), m, Options{Scratch: scratch, InPlace: inPlace, Solve: stowage.Options{NodeLimit: 20000}})
			if err != nil {
				t.Fatal(err)
			}
			if p.Before != p.Greedy {
				t.Errorf("seed %d: before %d, greedy %d, without a plan", seed, p.Before, p.Greedy)
			}
			if p.Head < p.Result.LowerBound {
				t.Errorf("seed %d: head %d under the bound %d", seed, p.Head, p.Result.LowerBound)
			}
			if !p.Better() {
				continue
			}
			better++
			data := must.Get(m.WithOffsets(p.Offsets))(t)
			again := parse(t, data)
			v, err := Check(again, p.Head)
			if err != nil || !v.OK() {
				t.Fatalf("seed %d, in place %v: %+v, %v", seed, inPlace, v, err)
			}
			q, err := Make(t.Context(), again,
				Options{Scratch: scratch, InPlace: inPlace, Solve: stowage.Options{NodeLimit: 20000}})
			if err != nil || q.Before != p.Head || !slices.Equal(q.Offsets, p.Offsets) {
				t.Errorf("seed %d: planned again, before %d (head was %d), %v", seed, q.Before, p.Head, err)
			}
		}
	}
	if better < 12 {
		t.Errorf("only %d plans are better than the runtime's", better)
	}
}

// TestCheck has one fault a plan.
func TestCheck(t *testing.T) {
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "a", Shape: []int32{8}},
			{Name: "b", Shape: []int32{8}},
			{Name: "c", Shape: []int32{8}},
			{Name: "state", Shape: []int32{8}, Variable: true},
			{Name: "weight", Shape: []int32{8}, Data: make([]byte, 32)},
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorMUL, Inputs: []int32{1, 4}, Outputs: []int32{2}},
		},
		Inputs: []int32{0}, Outputs: []int32{2},
	}
	plan := func(words ...int32) tflitemade.Metadata {
		var data []byte
		for _, w := range append([]int32{1, 0}, words...) {
			data = binary.LittleEndian.AppendUint32(data, uint32(w))
		}
		return tflitemade.Metadata{Name: tflite.MetadataName, Data: data}
	}
	for _, c := range []struct {
		name     string
		metadata []tflitemade.Metadata
		rules    []Rule
		want     string
		ok       bool
	}{
		{"none", nil, []Rule{Missing}, "no metadata", true},
		{"good", []tflitemade.Metadata{plan(5, 0, 32, 64, -1, -1)}, nil, "", true},
		{"half", []tflitemade.Metadata{plan(5, 0, -1, -1, -1, -1)}, nil, "", true},
		{"reused", []tflitemade.Metadata{plan(5, 0, 32, 0, -1, -1)}, nil, "", true},
		{"count", []tflitemade.Metadata{plan(4, 0, 32, 64, -1)}, []Rule{Count}, "for 4 tensors, but the model has 5", false},
		{"short", []tflitemade.Metadata{plan(5, 0, 32)}, []Rule{Count}, "ends after 2 of 5", false},
		{"over its operand", []tflitemade.Metadata{plan(5, 0, 0, 64, -1,
			-1)}, []Rule{Shared}, `at operator 0, SOFTMAX, tensor 0 "a" and tensor 1 "b" share the bytes 0 to 32, which its kernel may not support`, true},
		{"misaligned", []tflitemade.Metadata{plan(5, 0, 36, 0, -1,
			-1)}, []Rule{Misaligned}, "36, which is not a multiple of 16", false},
		{"negative", []tflitemade.Metadata{plan(5, 0, 32, -16, -1, -1)}, []Rule{Negative}, "-16, outside", false},
		{"high", []tflitemade.Metadata{plan(5, 0, 32, 2147483632, -1, -1)}, []Rule{OutOfRange}, "above 2 GiB", false},
		{"capacity", []tflitemade.Metadata{plan(5, 0, 32, 80, -1, -1)}, []Rule{TooHigh}, "ends at 112, above 96", false},
		{"variable shared", []tflitemade.Metadata{plan(5, 0, 32, 64, 0, -1)}, []Rule{Variable}, "", false},
		{"variable apart", []tflitemade.Metadata{plan(5, 0, 32, 0, 64, -1)}, nil, "", true},
		{"variable and online", []tflitemade.Metadata{plan(5, 0, -1, -1, 64,
			-1)}, []Rule{Variable}, "2 tensors are left to the device", false},
		{"constant", []tflitemade.Metadata{plan(5, 0, 32, 64, -1, 0)}, []Rule{Unused}, "takes no room", true},
		{"two", []tflitemade.Metadata{plan(5, 0, 0, 0, -1, -1), plan(5, 0, 32, 64, -1,
			-1)}, []Rule{Duplicate}, "the last one counts", true},
	} {
		v := must.Get(Check(parse(t, tflitemade.Model([]tflitemade.Graph{g}, c.metadata...)), 96))(t)
		var rules []Rule
		var all strings.Builder
		for _, f := range v.Findings {
			rules = append(rules, f.Rule)
			all.WriteString(f.Message + "\n")
		}
		if c.name == "high" {
			rules = rules[:min(1, len(rules))]
		}
		if !slices.Equal(rules, c.rules) || !strings.Contains(all.String(), c.want) || v.OK() != c.ok {
			t.Errorf("%s: %v, ok %v\n%s", c.name, rules, v.OK(), all.String())
		}
	}
}

// TestInPlace checks which results may lie over operands: a RESHAPE's over what
// dies there, not over what is read later or is an output.
func TestInPlace(t *testing.T) {
	shape := tflitemade.Tensor{
		Name: "shape", Shape: []int32{1}, Type: tfliteschema.TensorTypeINT32, Data: []byte{8, 0, 0, 0},
	}
	f := func(name string) tflitemade.Tensor { return tflitemade.Tensor{Name: name, Shape: []int32{8}} }
	m := parse(t, tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{f("in"), f("a"), f("b"), f("c"), f("d"), shape},
		Ops: []tflitemade.Op{
			// reads all before it writes
			{Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorRESHAPE, Inputs: []int32{1, 5}, Outputs: []int32{2}}, // a dies: shared
			{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{2}, Outputs: []int32{3}},       // b is read later
			// b dies: shared; c is an output
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{2, 3}, Outputs: []int32{4}},
		},
		Inputs: []int32{0}, Outputs: []int32{3, 4},
	}}))
	l := must.Get(m.Lifetimes())(t)
	if got, want := groups(m, l, func(int, int) bool { return true }), []int{0, 1, 1, 3, 1, 5}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

// TestLog reads what stowage_probe.h prints and what TF_LITE_SHOW_MEMORY_USE
// does, among other lines, and finds the scratch in it.
func TestLog(t *testing.T) {
	m := parse(t, tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{{Name: "a", Shape: []int32{8}}, {Name: "b", Shape: []int32{8}}},
		Ops:     []tflitemade.Op{{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{0}, Outputs: []int32{1}}},
		Inputs:  []int32{0}, Outputs: []int32{1},
	}}))
	l := must.Get(m.Lifetimes())(t)
	probe := "boot\nI (12) stowage: 0,0,1,32,\r\nI (13) stowage: 1,1,1,32,\nI (14) stowage: 2,1,1,208,\ndone\n"
	usage := "0 (id=0): size=32, offset=0, first_used=0 last_used=1\n* (id=1): size=32, offset=32, first_used=1 last_used=1\n* (id=2): size=208, offset=64, first_used=1 last_used=1\n   0: 000...... (1k)\n"
	for name, text := range map[string]string{"probe": probe, "usage": usage, "twice": probe + usage} {
		requests, err := tflite.ReadLog(strings.NewReader(text), "log")
		if err != nil || len(requests) != 3 {
			t.Fatalf("%s: %v, %v", name, requests, err)
		}
		s, err := m.ScratchOf(requests, l, "log")
		if err != nil || !slices.Equal(s, []tflite.Scratch{{Operator: 0, Bytes: 208}}) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	for want, text := range map[string]string{
		"has no line":         "boot\n",
		"lines are missing":   "stowage: 0,0,1,32,\nstowage: 2,1,1,208,\n",
		"is not a request":    "stowage: 0,5,1,32,\n",
		"is not a request of": "stowage: 0,0,1,99999999999,\n",
	} {
		if _, err := tflite.ReadLog(strings.NewReader(text), "log"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for want, text := range map[string]string{
		"ends before":            "stowage: 0,0,1,32,\n",
		"has 48 bytes":           "stowage: 0,0,1,32,\nstowage: 1,1,1,48,\n",
		"where no operator runs": "stowage: 0,0,1,32,\nstowage: 1,1,1,32,\nstowage: 2,4,4,16,\n",
	} {
		requests, err := tflite.ReadLog(strings.NewReader(text), "log")
		if err == nil {
			_, err = m.ScratchOf(requests, l, "log")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if !bytes.Contains([]byte(Probe), []byte(`"stowage: %d,%d,%d,%d,"`)) {
		t.Error("the probe prints other lines than are read")
	}
}

// TestMutated predicts damaged models: figures or an error, no panic.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	op := func(code tfliteschema.BuiltinOperator, out int32, in ...int32) tflitemade.Op {
		return tflitemade.Op{Code: code, Inputs: in, Outputs: []int32{out}, Callees: []int32{1}}
	}
	seeds := [][]byte{
		tflitemade.Network(5, 20), tflitemade.Model([]tflitemade.Graph{{
			Tensors: []tflitemade.Tensor{
				{Shape: []int32{1, 4, 4, 8}, Scales: []float32{1}},
				{Shape: []int32{1, 4, 4, 8}},
				{Shape: []int32{1, 8}},
				{Shape: []int32{8, 8}, Variable: true},
				{Shape: []int32{1, 8}},
			},
			Ops: []tflitemade.Op{
				op(tfliteschema.BuiltinOperatorCONV_2D, 1, 0, 3, 2), op(tfliteschema.BuiltinOperatorSVDF, 2, 0, 3, 3, -1, 3),
				op(tfliteschema.BuiltinOperatorMEAN, 4, 0, 2),
				op(tfliteschema.BuiltinOperatorBATCH_MATMUL, 4, 2, 3), op(tfliteschema.BuiltinOperatorVAR_HANDLE, 4),
				op(tfliteschema.BuiltinOperatorASSIGN_VARIABLE, 4, 4, 2),
				op(tfliteschema.BuiltinOperatorTRANSPOSE_CONV, 1, 2, 3, 0),
				op(tfliteschema.BuiltinOperatorADD_N, 4, 2, 2), op(tfliteschema.BuiltinOperatorSOFTMAX, 4, 2),
			},
			Inputs: []int32{0}, Outputs: []int32{1, 4},
		}}), tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()},
			tflitemade.Metadata{Name: tflite.MetadataName, Data: tflitemade.Words(1, 0, 6, -1, -1, 0, 0, 0, 512)}),
		tflitemade.NetworkWith(7, 5, tflitemade.Metadata{
			Name: tflite.MetadataName, Data: tflitemade.Words(append([]int32{1, 0, 9}, make([]int32, 9)...)...),
		}),
	}
	kept, read, files := 0, 0, mutate.Times(t, 6000)
	for k := range files {
		data := bytes.Clone(seeds[k%len(seeds)])
		for range 1 + rng.IntN(3) {
			binary.LittleEndian.PutUint32(data[rng.IntN(len(data)-3):], rng.Uint32()>>rng.IntN(32))
		}
		m, err := tflite.Parse(data, "damaged")
		if err != nil {
			continue
		}
		l, err := m.Lifetimes()
		if err != nil {
			continue
		}
		a, err := m.Arena(l, ReferenceSet.Scratch(m))
		if err != nil {
			continue
		}
		read++
		for _, target := range []*Target{&Firmware32, &Firmware64, &Interpreter} {
			ReferenceSet.Predict(m, a, nil, 0, target)
		}
		peakOf(a.Problem, l)
		InPlaceLoad(m, l, a)
		v := must.Get(Check(m, 0))(t)
		if m.Offline == nil || !v.OK() || v.Shares == 0 {
			continue
		}
		p := must.Get(Make(t.Context(), m, Options{}))(t)
		if p.Kept {
			kept++
			p.Peak()
			p.Shown()
		}
	}
	if kept < 50 {
		t.Errorf("only %d plans are kept", kept)
	}
	if read < files/20 {
		t.Errorf("only %d of %d could be read", read, files)
	}
}

// TestFaultyPlan replaces a plan that a device would follow into wrong results, even
// if no plan is lower than the device's own.
func TestFaultyPlan(t *testing.T) {
	for _, seed := range []uint64{60, 61, 62, 63, 64, 65} {
		data := tflitemade.Network(seed, 8)
		m := parse(t, data)
		offsets := make([]int32, len(m.Tensors)) // all at 0
		faulty := must.Get(m.WithOffsets(offsets))(t)
		want := must.Get(Make(t.Context(), m, Options{}))(t)
		m = parse(t, faulty)
		p, err := Make(t.Context(), m, Options{})
		if err != nil || !p.Faulty || !p.Worth() || p.Before != want.Greedy || p.Head != want.Head {
			t.Fatalf("seed %d: faulty %v, heads %d and %d, %v, want %d and %d", seed, p.Faulty, p.Before, p.Head, err,
				want.Greedy, want.Head)
		}
		mended := must.Get(m.WithOffsets(p.Offsets))(t)
		if v, err := Check(parse(t, mended), 0); err != nil || !v.OK() {
			t.Errorf("seed %d: %+v, %v", seed, v, err)
		}
	}
}

// TestExample compares the model among the examples with how it is made, and with what is said of it.
func TestExample(t *testing.T) {
	data := tflitemade.Network(60, 8)
	golden.File(t, "../examples/tiny.tflite", data)
	p, err := Make(t.Context(), parse(t, data), Options{})
	if err != nil || p.Greedy != 2560 || p.Head != 2048 {
		t.Errorf("heads %d and %d, %v", p.Greedy, p.Head, err)
	}
	// No plan is lower than the peak of what is planned, in place or not.
	for inPlace, want := range map[bool]int64{false: 2048, true: 1536} {
		p, err := Make(t.Context(), parse(t, data), Options{InPlace: inPlace})
		if err != nil || p.Head != want || peakOf(p.United, p.Life).Bytes != want {
			t.Errorf("in place %v: %+v, %v, want a head and a peak of %d", inPlace, p, err, want)
		}
	}
}
