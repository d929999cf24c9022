package tflite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: other operators of a model are a list that refers to old operators, to old ones with other tensors, and to new
// ones. Edited returns the model as it would be read from a file with that list: a sketch. It can be planned like any
// other model, and it costs no copy of weights. Only Written, or WithOffsets, makes a file of it (editwrite.go).
//
// Tensors that no operator uses any more leave the model: a runtime would give them a place. New tensors take over
// their numbers, and further ones come behind. So all other tensors keep their numbers, which signatures refer to.
//
// New subgraphs come behind those of the model. A subgraph has a list of tensors of its own, so weights that it reads
// are in that list once more, as the same table.
//
// Invariant: the file of a sketch parses to the sketch.
//
// Complexity: O(tensors + operators).

// An Edit gives the first subgraph of a model other operators.
type Edit struct {
	// Tensors are new. An operator refers to tensor k of them as TensorCount + k of the subgraph.
	Tensors []NewTensor
	// Operators are all of the subgraph, in the order in which they run.
	Operators []NewOperator
	// Subgraphs are new, for operators that run them.
	Subgraphs []NewSubgraph
}

// A NewSubgraph is behind the subgraphs of a model. Its operators, inputs and outputs refer to its own tensors.
type NewSubgraph struct {
	Name            string        // may be empty
	Tensors         []NewTensor   // all of the subgraph
	Operators       []NewOperator // all of the subgraph, in the order in which they run
	Inputs, Outputs []int32       // what the operator that runs it hands over, and gets
}

// A NewTensor has a shape of its own.
type NewTensor struct {
	Name  string  // may be empty
	Shape []int32 // dimensions, none 0
	Like  int32   // the tensor of the model that has the same type and quantization; not read for a constant with Data
	Data  []int32 // of a constant of type INT32; nil for others
	Zeros bool    // it is a constant of zeros
	Type  Type    // of a value without quantization; then Like is -1
	// Same says that it is the tensor Like itself, which the list of a subgraph needs, too. All else is not read.
	Same bool
}

// A NewOperator is an old one with other tensors, or one without options, a CONCATENATION, or a WHILE.
type NewOperator struct {
	From            int     // the operator of the model; -1: a new one
	Code            Code    // of a new one
	Axis            int32   // of a CONCATENATION
	Callees         []int32 // of a WHILE: its condition and its body, as indices into Edit.Subgraphs
	Padding         Padding // what that of an old one becomes
	Inputs, Outputs []int32 // tensors of the subgraph, and new ones: see Edit
}

// Padding says what becomes of the padding of an operator.
type Padding int

// What may become of it.
const (
	KeptPadding Padding = iota
	ValidPadding
	SamePadding
)

// edited is what a sketch has in place of a file.
type edited struct {
	old       *Model
	tensors   []*NewTensor  // of the first subgraph; nil: the old one of the same number
	operators []NewOperator // with the sketch's numbers of tensors
	graphs    []NewSubgraph // with their own numbers
	constants [][]byte
	first     int // the buffer of the first of the constants
}

// keep gives a constant its buffer: constants of the same bytes have one.
func (d *edited) keep(t *Tensor, of *NewTensor) {
	data := words(of.Data)
	if of.Data == nil {
		data = make([]byte, t.Bytes)
	}
	at := slices.IndexFunc(d.constants, func(x []byte) bool { return string(x) == string(data) })
	if at < 0 {
		at = len(d.constants)
		d.constants = append(d.constants, data)
	}
	t.Buffer = d.first + at
}

// Edited returns the model with other operators in its first subgraph. Plans that it has are dropped: they are for
// other tensors. The error says what is wrong with the edit.
func (m *Model) Edited(e *Edit) (*Model, error) {
	if m.edit != nil {
		written, err := m.Written()
		if err != nil {
			return nil, err
		}
		m = written
	}
	root := tfliteschema.GetRootAsModel(m.data, 0)
	if len(m.buffer(0)) > 0 {
		return nil, errors.New("buffer 0 of the model has data, so that a tensor cannot do without")
	}
	d := &edited{old: m, first: max(root.BuffersLength(), 1)}
	number, err := m.numbered(e)
	if err != nil {
		return nil, err
	}
	s := m.Subgraphs[0]
	count := s.TensorCount
	for _, t := range number {
		count = max(count, int(t)+1)
	}
	out := *m
	out.Offline, out.edit = nil, d
	out.Tensors = append(make([]Tensor, 0, count+len(m.Tensors)-s.TensorCount), m.Tensors[:s.TensorCount]...)
	out.Tensors = append(out.Tensors, make([]Tensor, count-s.TensorCount)...)
	out.Tensors = append(out.Tensors, m.Tensors[s.TensorCount:]...)
	d.tensors = make([]*NewTensor, count)
	for k := range e.Tensors {
		t := &e.Tensors[k]
		d.tensors[number[k]] = t
		if out.Tensors[number[k]], err = m.sketched(t); err != nil {
			return nil, err
		}
		if out.Tensors[number[k]].Constant {
			d.keep(&out.Tensors[number[k]], t)
		}
	}
	renumber := func(all []int32) []int32 {
		if !slices.ContainsFunc(all, func(t int32) bool { return int(t) >= s.TensorCount }) {
			return all
		}
		all = slices.Clone(all)
		for i, t := range all {
			if int(t) >= s.TensorCount {
				all[i] = number[int(t)-s.TensorCount]
			}
		}
		return all
	}
	d.operators = make([]NewOperator, 0, len(e.Operators))
	out.Operators = make([]Operator, 0, len(e.Operators)+len(m.Operators)-s.OperatorCount)
	for _, o := range e.Operators {
		o.Inputs, o.Outputs = renumber(o.Inputs), renumber(o.Outputs)
		o.Callees = m.behind(o.Callees)
		d.operators = append(d.operators, o)
		out.Operators = append(out.Operators, m.operatorOf(&o, o.Inputs, o.Outputs))
	}
	out.Subgraphs = slices.Clone(m.Subgraphs)
	out.Subgraphs[0].TensorCount, out.Subgraphs[0].OperatorCount = count, len(e.Operators)
	out.moveOthers(m, count-s.TensorCount, len(e.Operators)-s.OperatorCount)
	for k := range e.Subgraphs {
		if err := out.add(d, &e.Subgraphs[k]); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// behind returns the numbers of new subgraphs in the model.
func (m *Model) behind(callees []int32) []int32 {
	callees = slices.Clone(callees)
	for k := range callees {
		callees[k] += int32(len(m.Subgraphs))
	}
	return callees
}

// operatorOf returns an operator of an edit as it would be read.
func (m *Model) operatorOf(o *NewOperator, inputs, outputs []int32) Operator {
	made := Operator{Code: o.Code, Callees: o.Callees}
	if o.From >= 0 {
		made = m.Operators[o.From]
	} else if o.Code == Code(tfliteschema.BuiltinOperatorCONCATENATION) {
		made.Options = &Options{Axis: o.Axis}
	}
	made.Inputs, made.Outputs = inputs, outputs
	if o.Padding != KeptPadding {
		changed := *made.Options
		changed.Same = o.Padding == SamePadding
		made.Options = &changed
	}
	return made
}

// add adds a new subgraph to a sketch.
func (m *Model) add(d *edited, e *NewSubgraph) error {
	first := len(m.Tensors)
	place := func(all []int32) []int32 {
		all = slices.Clone(all)
		for i := range all {
			if all[i] >= 0 {
				all[i] += int32(first)
			}
		}
		return all
	}
	for k := range e.Tensors {
		t := &e.Tensors[k]
		made := Tensor{}
		if t.Same {
			made = d.old.Tensors[t.Like]
		} else {
			var err error
			if made, err = d.old.sketched(t); err != nil {
				return err
			}
			if made.Constant {
				d.keep(&made, t)
			}
		}
		m.Tensors = append(m.Tensors, made)
	}
	s := Subgraph{
		Name: e.Name, FirstTensor: first, TensorCount: len(e.Tensors), FirstOperator: len(m.Operators),
		OperatorCount: len(e.Operators), Inputs: place(e.Inputs), Outputs: place(e.Outputs),
	}
	for k := range e.Operators {
		o := &e.Operators[k]
		m.Operators = append(m.Operators, d.old.operatorOf(o, place(o.Inputs), place(o.Outputs)))
	}
	m.Subgraphs, d.graphs = append(m.Subgraphs, s), append(d.graphs, *e)
	return nil
}

// numbered returns the number of each new tensor, or what is wrong with the operators of an edit.
func (m *Model) numbered(e *Edit) ([]int32, error) {
	s := &m.Subgraphs[0]
	known := s.TensorCount + len(e.Tensors)
	used := make([]bool, known)
	use(used, s.Inputs)
	use(used, s.Outputs)
	for k := range e.Operators {
		o := &e.Operators[k]
		if o.From >= s.OperatorCount || o.Padding != KeptPadding && (o.From < 0 || m.Operators[o.From].Options == nil) {
			return nil, fmt.Errorf("operator %d of the edit: it is made from operator %d, which has no such form", k,
				o.From)
		}
		for _, all := range [][]int32{o.Inputs, o.Outputs} {
			for _, t := range all {
				if t < -1 || int(t) >= known {
					return nil, fmt.Errorf("operator %d of the edit: it has tensor %d of %d", k, t, known)
				}
			}
			use(used, all)
		}
	}
	before := make([]bool, s.TensorCount)
	for k := range m.Operators[:s.OperatorCount] {
		use(before, m.Operators[k].Inputs)
		use(before, m.Operators[k].Outputs)
	}
	var free []int32
	for t, b := range before {
		if b && !used[t] {
			free = append(free, int32(t))
		}
	}
	number := make([]int32, len(e.Tensors))
	next := int32(s.TensorCount)
	for k := range number {
		if len(free) > 0 {
			number[k], free = free[0], free[1:]
			continue
		}
		number[k] = next
		next++
	}
	if len(free) > 0 {
		return nil, fmt.Errorf("%d tensors leave and %d come, so that others would change their numbers",
			len(e.Tensors)+len(free), len(e.Tensors))
	}
	return number, nil
}

// use marks tensors.
func use(used []bool, tensors []int32) {
	for _, t := range tensors {
		if t >= 0 {
			used[t] = true
		}
	}
}

// sketched returns a new tensor as it would be read.
func (m *Model) sketched(t *NewTensor) (Tensor, error) {
	out := Tensor{Name: t.Name, Shape: t.Shape, Constant: t.Data != nil || t.Zeros, Type: t.Type}
	switch {
	case t.Data != nil:
		out.Type = Type(tfliteschema.TensorTypeINT32)
	case t.Like >= 0:
		like := &m.Tensors[t.Like]
		out.Type, out.Channels = like.Type, like.Channels
	}
	out.Bytes = typeSizes[out.Type]
	for _, d := range t.Shape {
		out.Bytes *= int64(d)
	}
	if t.Data != nil && out.Bytes != int64(4*len(t.Data)) || out.Bytes == 0 {
		return out, fmt.Errorf("tensor %q of the edit has shape %v and %d elements", t.Name, t.Shape, len(t.Data))
	}
	return out, nil
}

// moveOthers changes the numbers in the further subgraphs, if the first has more tensors and operators than before.
func (m *Model) moveOthers(old *Model, tensors, operators int) {
	s := &old.Subgraphs[0]
	move := func(all []int32) []int32 {
		all = slices.Clone(all)
		for i := range all {
			if all[i] >= 0 {
				all[i] += int32(tensors)
			}
		}
		return all
	}
	for _, o := range old.Operators[s.OperatorCount:] {
		o.Inputs, o.Outputs = move(o.Inputs), move(o.Outputs)
		m.Operators = append(m.Operators, o)
	}
	for i := range m.Subgraphs[1:] {
		g := &m.Subgraphs[1+i]
		g.FirstTensor, g.FirstOperator = g.FirstTensor+tensors, g.FirstOperator+operators
		g.Inputs, g.Outputs = move(g.Inputs), move(g.Outputs)
	}
}

// Written returns the model as it is read from its file: itself, or the file of a sketch, with the sketch's operators.
// The error is ErrNewer, ErrExternal or ErrDamaged.
func (m *Model) Written() (*Model, error) {
	if m.edit == nil {
		return m, nil
	}
	data, err := m.rewrite(changes{edit: m.edit})
	if err != nil {
		return nil, err
	}
	out, err := Parse(data, m.File)
	if err != nil || !m.sameBut(out) {
		return nil, ErrDamaged
	}
	return out, nil
}
