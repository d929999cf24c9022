package tflm

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
	"github.com/stowage-go/stowage/internal/verify"
)

// planned returns a model of one graph with an offset for each of its tensors.
func planned(t *testing.T, g tflitemade.Graph, offsets ...int32) *tflite.Model {
	t.Helper()
	if offsets == nil {
		return parse(t, tflitemade.Model([]tflitemade.Graph{g}))
	}
	var data []byte
	for _, w := range append([]int32{1, 0, int32(len(offsets))}, offsets...) {
		data = binary.LittleEndian.AppendUint32(data, uint32(w))
	}
	return parse(t, tflitemade.Model([]tflitemade.Graph{g}, tflitemade.Metadata{Name: tflite.MetadataName, Data: data}))
}

func floats(name string, n int32) tflitemade.Tensor {
	return tflitemade.Tensor{Name: name, Shape: []int32{n}}
}

// around is one that Vela leaves operators of on the CPU: x and w live while the NPU
// runs for the second time, and are none of its operands.
func around() tflitemade.Graph {
	constant := func(name string) tflitemade.Tensor {
		return tflitemade.Tensor{Name: name, Shape: []int32{16}, Data: make([]byte, 64)}
	}
	npu := func(commands int32, in, out int32) tflitemade.Op {
		return tflitemade.Op{
			Code: tfliteschema.BuiltinOperatorCUSTOM, Custom: "ethos-u", Inputs: []int32{commands, 1, 2, 2, in},
			Outputs: []int32{out},
		}
	}
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			constant("commands"), constant("weights"), floats("scratch", 64), floats("in", 16),
			floats("x", 16), floats("y", 16), constant("more commands"), floats("z", 16), floats("out", 16), floats("w", 16),
		},
		Ops: []tflitemade.Op{
			npu(0, 3, 4),
			{Code: tfliteschema.BuiltinOperatorTANH, Inputs: []int32{3}, Outputs: []int32{9}},
			{Code: tfliteschema.BuiltinOperatorDIV, Inputs: []int32{4, 3}, Outputs: []int32{5}},
			npu(6, 5, 7),
			{Code: tfliteschema.BuiltinOperatorADD_N, Inputs: []int32{4, 7, 9}, Outputs: []int32{8}},
		},
		Inputs: []int32{3}, Outputs: []int32{8},
	}
}

// chain is in → a → b → out by operators of these codes; the first of them is read by the last one, too, if late.
func chain(late bool, code tfliteschema.BuiltinOperator) tflitemade.Graph {
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{floats("in", 16), floats("a", 16), floats("b", 16), floats("out", 16)},
		Ops: []tflitemade.Op{
			{Code: code, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: code, Inputs: []int32{1}, Outputs: []int32{2}},
			{Code: code, Inputs: []int32{2}, Outputs: []int32{3}},
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}
	if late {
		g.Ops[2].Inputs = []int32{2, 1}
	}
	return g
}

// custom is in → a → out by an operator of somebody's compiler with scratch, after one
// of the runtime's, and before another.
func custom(later ...int32) tflitemade.Graph {
	return tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			floats("in", 16), floats("a", 16), floats("scratch", 64), floats("b", 16), floats("out", 16),
		},
		Ops: []tflitemade.Op{
			{Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: []int32{0}, Outputs: []int32{1}},
			{Code: tfliteschema.BuiltinOperatorCUSTOM, Custom: "accelerator", Inputs: []int32{1, 2}, Outputs: []int32{3}},
			{Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: append([]int32{3}, later...), Outputs: []int32{4}},
		},
		Inputs: []int32{0}, Outputs: []int32{4},
	}
}

// TestShared has plans whose tensors share bytes: those that are meant are kept, with
// their head, and the model comes out as it went in. The others are faults.
func TestShared(t *testing.T) {
	both := custom()
	both.Tensors = append(both.Tensors, floats("more", 16))
	both.Ops[2].Outputs = []int32{4, 5}
	both.Outputs = []int32{4, 5}
	state := tflitemade.EthosU()
	state.Tensors = append(state.Tensors, tflitemade.Tensor{Name: "state", Shape: []int32{4}, Variable: true},
		tflitemade.Tensor{Name: "state", Shape: []int32{4}, Variable: true})
	state.Ops[0].Inputs = append(state.Ops[0].Inputs, 6)
	state.Ops[0].Outputs = append(state.Ops[0].Outputs, 7)
	// As Vela compiles for the Ethos-U85: a state that nothing writes but the NPU.
	hidden := tflitemade.EthosU()
	hidden.Tensors = append(hidden.Tensors, floats("old state", 16), floats("new state", 16))
	hidden.Ops[0].Inputs = append(hidden.Ops[0].Inputs, 6)
	hidden.Ops[0].Outputs = append(hidden.Ops[0].Outputs, 7)
	for _, c := range []struct {
		name  string
		model *tflite.Model
		rule  Rule // that Check names; for a fault the only one
		says  string
		head  int64 // of a plan that is kept; 0 for a fault
	}{
		{"compiled by Vela", planned(t, tflitemade.EthosU(), -1, -1, 0, 0, 0,
			0), Shared, `note: 2 tensors lie inside tensor 2 "scratch"`, 1024},
		{"at other places", planned(t, tflitemade.EthosU(), -1, -1, 16, 16, 512, 1024), Shared, "", 1040},
		{"state of the NPU", planned(t, state, -1, -1, 0, 0, 256, 0, 512, 512), Shared, "", 1024},
		{"state under its output", planned(t, state, -1, -1, 0, 0, 256, 512, 512, 512), Variable, "", 0},
		{"state that nothing writes", planned(t, hidden, -1, -1, 0, 0, 0, 288, 256,
			256), Shared, `note: 4 tensors lie inside tensor 2 "scratch"`, 1024},
		{"moved out", planned(t, tflitemade.EthosU(), -1, -1, 0, 1024, 2048,
			2304), Outside, `"in" lies outside of tensor 2 "scratch", in which ethos-u 0 looks for it`, 0},
		{"left to the device", planned(t, tflitemade.EthosU(), -1, -1, 0, 0, 0, -1), Outside, `"out" lies outside`, 0},
		// x is no operand of operator 3
		{"CPU around", planned(t, around(), -1, -1, 0, 64, 0, 128, -1, 192, 64, 256), Shared, "5 tensors lie inside", 320},
		{"over x while it lives", planned(t, around(), -1, -1, 0, 64, 0, 128, -1, 0, 64,
			256), Overlap, `"x" and tensor 7 "z" share the bytes 0 to 64`, 0},
		{"across the window", planned(t, around(), -1, -1, 0, 64, 0, 128, -1, 192, 64,
			240), Overlap, `"w" lies partly inside`, 0},
		{"result over operand", planned(t, chain(false, tfliteschema.BuiltinOperatorSOFTMAX), 0, 32, 128,
			192), Shared, "warning: at operator 0, SOFTMAX", 256},
		{"all at 0", planned(t, chain(false, tfliteschema.BuiltinOperatorSOFTMAX), 0, 0, 0,
			0), Shared, "warning: at operator 2, SOFTMAX", 64},
		{"in place", planned(t, chain(false, tfliteschema.BuiltinOperatorTANH), 0, 0, 64, 64), "", "", 128},
		{"over what is read later", planned(t, chain(true, tfliteschema.BuiltinOperatorSOFTMAX), 64, 0, 0,
			64), Overlap, `"a" and tensor 2 "b"`, 0},
		{"in place, over what is read later", planned(t, chain(true, tfliteschema.BuiltinOperatorADD), 64, 0, 0,
			64), Overlap, `"a" and tensor 2 "b"`, 0},
		{"two operators on", planned(t, chain(true, tfliteschema.BuiltinOperatorSOFTMAX), 0, 64, 128,
			64), Shared, "at operator 2", 192},
		{"scratch over all", planned(t, custom(), 0, 0, 0, 128,
			128), Shared, `note: at operator 1, accelerator, tensor 1 "a" and tensor 2 "scratch" share the bytes 0 to 64, and 1 more pair`, 256},
		{"scratch over a bystander", planned(t, custom(0), 64, 0, 0, 128, 256), Overlap, `"in" and tensor 2 "scratch"`, 0},
		{"two outputs", planned(t, both, 0, 64, 256, 128, 512, 512), Overlap, `"out" and tensor 5 "more"`, 0},
		{"variable and scratch", planned(t, state, -1, -1, 0, 0, 256, 0, 960, 960), Shared, "", 1024},
		{"no plan, compiled by Vela", planned(t, tflitemade.EthosU()), Outside, "finds tensor 4", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := must.Get(Check(c.model, 0))(t)
			var all strings.Builder
			found := c.rule == ""
			for _, f := range v.Findings {
				found = found || f.Rule == c.rule && (c.head > 0) == (f.Severity != Fault)
				all.WriteString(string(f.Severity) + ": " + f.Message + "\n")
			}
			if !found || v.OK() != (c.head > 0) || !strings.Contains(all.String(), c.says) {
				t.Errorf("ok %v, want rule %q that says %q; found:\n%s", v.OK(), c.rule, c.says, &all)
			}
			p, err := Make(t.Context(), c.model, Options{InPlace: true})
			switch {
			case c.rule == Outside:
				if err == nil || !strings.Contains(err.Error(), "compile the model again") {
					t.Errorf("planned nevertheless: %v", err)
				}
			case c.head == 0 && slices.ContainsFunc(c.model.Operators, func(o tflite.Operator) bool { return o.Custom == npu }):
				if err == nil || !strings.Contains(err.Error(), "only Vela can plan the model") {
					t.Errorf("a plan that Vela has made is replaced: %v", err)
				}
			case err != nil:
				t.Fatal(err)
			case c.head == 0:
				if !p.Faulty || p.Kept || !p.Worth() {
					t.Errorf("faulty %v, kept %v, to be written %v", p.Faulty, p.Kept, p.Worth())
				}
			case !p.Kept || p.Worth() || p.Head != c.head || p.Before != c.head || p.Faulty:
				t.Errorf("kept %v, to be written %v, head %d, as it is %d; want %d", p.Kept, p.Worth(), p.Head, p.Before, c.head)
			default:
				if same, err := c.model.WithOffsets(p.Offsets); err != nil || !bytes.Equal(same, c.model.Bytes()) {
					t.Errorf("the offsets are not those of the model: %v, %v", p.Offsets, err)
				}
				if q, at := p.Shown(); len(verify.Check(q, at, 0).Violations) > 0 || len(q.Buffers) == 0 {
					t.Errorf("what is shown is no plan: %+v at %v", q.Buffers, at)
				}
				if peak := p.Peak(); peak.Bytes > p.Head || peak.Bytes == 0 {
					t.Errorf("a peak of %d in a head of %d", peak.Bytes, p.Head)
				}
			}
			// The flag replaces any plan, by one without what is shared.
			p, err = Make(t.Context(), c.model, Options{Replace: true})
			if err != nil || p.Kept || p.Worth() != (c.model.Offline != nil || p.Head < p.Greedy) {
				t.Errorf("replaced: %+v, %v", p, err)
			}
		})
	}
}

// TestFlood has more overlaps than are looked at. The last one is a fault.
func TestFlood(t *testing.T) {
	g := tflitemade.Graph{Inputs: []int32{0}, Outputs: []int32{1}}
	g.Tensors = []tflitemade.Tensor{floats("in", 4), floats("out", 4)}
	offsets := []int32{0, 0}
	op := tflitemade.Op{
		Code: tfliteschema.BuiltinOperatorCUSTOM, Custom: "accelerator", Inputs: []int32{0}, Outputs: []int32{1},
	}
	for k := range int32(100) {
		g.Tensors = append(g.Tensors, floats("scratch", 4))
		op.Inputs = append(op.Inputs, k+2)
		offsets = append(offsets, 0)
	}
	g.Ops = []tflitemade.Op{op}
	v, err := Check(planned(t, g, offsets...), 0)
	if err != nil || v.OK() {
		t.Errorf("%+v, %v: 5,151 overlaps cannot all have been looked at", v, err)
	}
}

// TestOccupied compares rectangles with those that they are made of, byte by byte.
func TestOccupied(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var p []rectangle
		for range 1 + rng.IntN(6) {
			lower, start := rng.Int64N(8), 16*rng.Int64N(8)
			p = append(p, rectangle{lower, lower + 1 + rng.Int64N(5), start, start + 16*(1+rng.Int64N(5))})
		}
		count := func(p []rectangle) (out [16][16]int) {
			for _, r := range p {
				for t := r.lower; t < r.upper; t++ {
					for at := r.start / 16; at < r.end/16; at++ {
						out[t][at]++
					}
				}
			}
			return out
		}
		was, is := count(p), count(disjoint(p))
		for t1 := range was {
			for at := range was[t1] {
				if is[t1][at] != min(was[t1][at], 1) {
					t.Fatalf("%v gives %v", p, disjoint(p))
				}
			}
		}
	}
}
