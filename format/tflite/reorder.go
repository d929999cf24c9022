package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the runtime runs operators in the order of the vector that refers to their tables. So a
// permutation of these references is another order of the model, and nothing else of the file
// changes: its size, all tables and all weights stay where they are.
//
// What must run before what (Prior) follows from the tensors:
//
//	one operator writes a tensor, later ones read it   the writer before each reader
//	any other tensor that is written                    all its operators in the order of the file
//	state that no tensor shows                          all its operators in the order of the file
//
// The second line is for variable tensors, and for a tensor that is written twice or read before it is written. The
// third is for resource variables, control flow, random numbers and custom operators, whose state is unknown.
//
// Invariant: the result parses to the same model, with the operators of its first subgraph in the other order.
//
// Complexity: O(size of the file).
//
// Source: Stowage. eliberis/tflite-tools reorders operators, too, and packs the whole model anew.

// ErrOrder means that operators cannot run in an order. An error that says why wraps it.
var ErrOrder = errors.New("the operators cannot run in this order")

// Prior returns, for each operator of the first subgraph, the operators that must run before it:
// ascending indices into Model.Operators, each once. Operators that need one another indirectly
// need not be there. In the order of the file an operator is behind all that it needs.
func (m *Model) Prior() [][]int {
	s := &m.Subgraphs[0]
	prior := make([][]int, s.OperatorCount)
	need := func(operator, before int) {
		if operator != before {
			prior[operator] = append(prior[operator], before)
		}
	}
	type touch struct {
		operator int
		writes   bool
	}
	touches := make([][]touch, s.TensorCount)
	state := -1 // the last operator with state that no tensor shows
	for k := range s.OperatorCount {
		o := &m.Operators[k]
		for _, t := range o.Inputs {
			if t >= 0 {
				touches[t] = append(touches[t], touch{k, false})
			}
		}
		for _, t := range o.Outputs {
			touches[t] = append(touches[t], touch{k, true})
		}
		if m.hidden(o) {
			if state >= 0 {
				need(k, state)
			}
			state = k
		}
	}
	for t, all := range touches {
		writers := 0
		for _, x := range all {
			if x.writes {
				writers++
			}
		}
		x := &m.Tensors[t]
		if writers == 0 && !x.Variable {
			continue
		}
		plain := writers == 1 && all[0].writes && !x.Variable && !slices.Contains(s.Inputs, int32(t))
		for i := 1; i < len(all); i++ {
			if plain {
				need(all[i].operator, all[0].operator)
			} else {
				need(all[i].operator, all[i-1].operator)
			}
		}
	}
	for k := range prior {
		slices.Sort(prior[k])
		prior[k] = slices.Compact(prior[k])
	}
	return prior
}

// hidden reports whether an operator may read or change state that is in none of its tensors.
func (m *Model) hidden(o *Operator) bool {
	switch tfliteschema.BuiltinOperator(o.Code) {
	case tfliteschema.BuiltinOperatorIF, tfliteschema.BuiltinOperatorWHILE, tfliteschema.BuiltinOperatorCALL_ONCE,
		tfliteschema.BuiltinOperatorCALL,
		tfliteschema.BuiltinOperatorRANDOM_UNIFORM, tfliteschema.BuiltinOperatorRANDOM_STANDARD_NORMAL,
		tfliteschema.BuiltinOperatorMULTINOMIAL:
		return true
	}
	resource := func(t int32) bool {
		return t >= 0 && (m.Tensors[t].Handle || m.Tensors[t].Type == Type(tfliteschema.TensorTypeRESOURCE) ||
			m.Tensors[t].Type == Type(tfliteschema.TensorTypeVARIANT))
	}
	return o.Custom != "" || len(o.Callees) > 0 || slices.ContainsFunc(o.Inputs, resource) ||
		slices.ContainsFunc(o.Outputs, resource)
}

// checkOrder reports why the operators of the first subgraph cannot run in an order.
func (m *Model) checkOrder(order []int) error {
	label := func(k int) string { return fmt.Sprintf("operator %d (%s)", k, m.Operators[k].Name()) }
	return source.CheckOrder(order, m.Prior(), ErrOrder, "operator", "the first subgraph", label)
}

// Reordered returns the model as a file with the operators of its first subgraph in another order:
// order has their indices into Model.Operators, the first to run first. The file has the same size
// and differs in the references to operators only.
//
// A plan that the model has does not hold in another order. It becomes a plan that leaves each
// tensor to the device. If that has no place in the file, the file grows as with WithOffsets.
//
// The error wraps ErrOrder if an operator would run before one that it needs (Prior), or if order
// does not have each operator once. It is ErrDamaged if the file refers to operators in a way that
// does not allow it, or one of WithOffsets.
func (m *Model) Reordered(order []int) ([]byte, error) {
	if err := m.checkOrder(order); err != nil {
		return nil, err
	}
	m, err := m.Written()
	if err != nil {
		return nil, err
	}
	if slices.IsSorted(order) {
		return slices.Clone(m.data), nil
	}
	from := m
	if m.Offline != nil {
		data, err := m.WithOffsets(slices.Repeat([]int32{Online}, len(m.Tensors)))
		if err != nil {
			return nil, err
		}
		if from, err = Parse(data, m.File); err != nil {
			return nil, ErrDamaged
		}
	}
	var g tfliteschema.SubGraph
	tfliteschema.GetRootAsModel(from.data, 0).Subgraphs(&g, 0)
	const operators = 4 + 2*3 // the field, in a vtable
	table := g.Table()
	at := int(table.Vector(flatbuffers.UOffsetT(table.Offset(operators))))
	out := slices.Clone(from.data)
	for to, k := range order {
		old, slot := at+4*k, at+4*to
		target := old + int(binary.LittleEndian.Uint32(from.data[old:]))
		if target <= slot {
			return nil, ErrDamaged // references lead forward only
		}
		binary.LittleEndian.PutUint32(out[slot:], uint32(target-slot))
	}
	// In an odd file other parts may lie in the same bytes.
	want := *m
	want.Operators = slices.Clone(m.Operators)
	for to, k := range order {
		want.Operators[to] = m.Operators[k]
	}
	if again, err := Parse(out, m.File); err != nil || !want.sameBut(again) {
		return nil, ErrDamaged
	}
	return out, nil
}
