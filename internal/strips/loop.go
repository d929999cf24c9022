package strips

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the runtime keeps records for each operator of each strip. Strips that are equal but for where they begin are
// written once, as the body of a WHILE:
//
//	strip 0    strip 1 ▓▓▓▓▓▓   strip 2 ▓▓▓▓▓▓   strip 3 ▓▓▓▓▓▓   strip 4
//	strip 0    BROADCAST_TO   WHILE { ▓▓▓▓▓▓  DYNAMIC_UPDATE_SLICE  ADD }      strip 4    CONCATENATION
//
// All strips are written first, as without a loop (halo.go, ring.go). Then successive ones are compared, operator by
// operator. An operand in one strip and the same operand in the next are one of these:
//
//	fixed    both are the same tensor
//	inner    each is made by the same operator of its own strip
//	carried  the next one is made by an operator of the strip before: lines that a ring keeps
//	begin    constants that say where a SLICE begins, and differ by the same numbers from strip to strip
//
// What differs from run to run is a variable of the loop: begins, carried tensors, the result. So are the images that
// the body reads, since a subgraph sees no tensors of others; their values stay. BROADCAST_TO makes the result's first
// value; nothing reads it.
//
// Invariant: each run of the body calls the same kernels on the same numbers as its strip.
//
// Complexity: O(operators of the strips).
//
// Source: tensorflow/tflite-micro 90b983c: kernels/while.cc.

// A Loop is strips that run in a WHILE.
type Loop struct {
	Chain       int      // which of the chains it is of
	First, Last int      // strips, both included
	Body        int      // the subgraph that is a strip; its condition is the subgraph before
	Origins     []Origin // of the operators of the body
}

// Runs returns how often the body runs.
func (l *Loop) Runs() int { return l.Last + 1 - l.First }

// leastLooped is the fewest strips of a loop: two would be kept once less, but a loop has operators of its own.
const leastLooped = 3

const (
	codeAdd    = tflite.Code(tfliteschema.BuiltinOperatorADD)
	codeFill   = tflite.Code(tfliteschema.BuiltinOperatorBROADCAST_TO)
	codeLess   = tflite.Code(tfliteschema.BuiltinOperatorLESS)
	codePut    = tflite.Code(tfliteschema.BuiltinOperatorDYNAMIC_UPDATE_SLICE)
	codeWhile  = tflite.Code(tfliteschema.BuiltinOperatorWHILE)
	typeBool   = tflite.Type(tfliteschema.TensorTypeBOOL)
	typeNumber = tflite.Type(tfliteschema.TensorTypeINT32)
)

// A place is where a strip makes a tensor: which of its operators, and which of its results.
type place struct{ operator, result int }

// A relation is what an operand of a strip and the same operand of the next one are to each other.
type relation struct {
	kind relationKind
	at   place    // of an inner or carried operand: where it is made
	step [4]int32 // of a begin: the next one less this one
}

type relationKind int

const (
	fixed relationKind = iota
	inner
	carried
	begin
)

// looping are the operators of a chain in strips, from which a loop is made.
type looping struct {
	b      *builder
	strips [][2]int        // by strip: its operators, of the edit
	made   map[int32]place // tensors that strips make
	in     map[int32]int   // the strips that make them
}

// loop makes equal strips of a chain a loop. first is the first operator of the chain. It returns the parts of the
// result.
func (b *builder) loop(result int32, parts []piece, first int) ([]piece, error) {
	l := &looping{b: b, made: map[int32]place{}, in: map[int32]int{}}
	for k := first; k < len(b.edit.Operators); k++ {
		strip := b.origins[k].Strip
		for len(l.strips) <= strip {
			l.strips = append(l.strips, [2]int{k, k})
		}
		l.strips[strip][1] = k + 1
		for r, t := range b.edit.Operators[k].Outputs {
			l.made[t], l.in[t] = place{k - l.strips[strip][0], r}, strip
		}
	}
	relations := make([][]relation, len(l.strips)-1) // of a strip and the next; nil if they are not equal
	for i := range relations {
		relations[i] = l.compare(i, parts)
	}
	from, to := 0, -1
	for i := range relations {
		end := i
		for end < len(relations) && relations[end] != nil && slices.Equal(relations[end], relations[i]) {
			end++
		}
		for end > i && !l.ends(end, relations[i]) {
			end--
		}
		if end-i > to-from {
			from, to = i, end
		}
	}
	if to+1-from < leastLooped {
		return nil, b.s.refuse(b.s.maker[result], fmt.Sprintf("fewer than %d successive strips are equal", leastLooped))
	}
	return l.write(result, parts, from, to, relations[from]), nil
}

// tensorOf returns a tensor of ours, nil for one of the model.
func (b *builder) tensorOf(t int32) *tflite.NewTensor {
	if k := int(t) - len(b.s.maker); k >= 0 {
		return &b.edit.Tensors[k]
	}
	return nil
}

// alike reports whether two tensors of ours have the same form.
func (b *builder) alike(s, t int32) bool {
	x, y := b.tensorOf(s), b.tensorOf(t)
	return x != nil && y != nil && x.Data == nil && y.Data == nil && x.Like == y.Like && slices.Equal(x.Shape, y.Shape)
}

// compare returns what the operands of strip i and of the next one are to each other, in the order of the operators.
// It is nil if the strips are not equal.
func (l *looping) compare(i int, parts []piece) (out []relation) {
	b, x, y := l.b, l.strips[i], l.strips[i+1]
	p, q := parts[i].tensor, parts[i+1].tensor
	if x[1]-x[0] != y[1]-y[0] || l.in[p] != i || l.in[q] != i+1 || l.made[p] != l.made[q] {
		return nil
	}
	for k := range x[1] - x[0] {
		o, next := &b.edit.Operators[x[0]+k], &b.edit.Operators[y[0]+k]
		if o.From != next.From || o.Code != next.Code || o.Axis != next.Axis || o.Padding != next.Padding ||
			len(o.Inputs) != len(next.Inputs) || len(o.Outputs) != len(next.Outputs) {
			return nil
		}
		for r := range o.Outputs {
			if !b.alike(o.Outputs[r], next.Outputs[r]) {
				return nil
			}
		}
		for n := range o.Inputs {
			r, ok := l.relate(i, o.Inputs[n], next.Inputs[n], o.From < 0 && o.Code == codeSlice && n == 1)
			if !ok {
				return nil
			}
			out = append(out, r)
		}
	}
	return out
}

// relate compares an operand of strip i and the same one of the next.
func (l *looping) relate(i int, s, t int32, begins bool) (r relation, ok bool) {
	of := func(t int32) int {
		if strip, made := l.in[t]; made {
			return strip
		}
		return -1
	}
	switch from, to := of(s), of(t); {
	case s == t:
		return relation{kind: fixed}, from < i
	case from == i && to == i+1:
		return relation{kind: inner, at: l.made[s]}, l.made[s] == l.made[t]
	case from < i && to == i:
		return relation{kind: carried, at: l.made[t]}, l.b.alike(s, t)
	case begins && from < 0 && to < 0:
		x, y := l.b.tensorOf(s), l.b.tensorOf(t)
		if x == nil || y == nil || len(x.Data) != 4 || len(y.Data) != 4 {
			return r, false
		}
		r.kind = begin
		for d := range r.step {
			r.step[d] = y.Data[d] - x.Data[d]
		}
		return r, true
	}
	return r, false
}

// ends reports whether a loop may end with a strip: later strips read of it only what it carries.
func (l *looping) ends(strip int, relations []relation) bool {
	for k := l.strips[strip][1]; k < len(l.b.edit.Operators); k++ {
		for _, t := range l.b.edit.Operators[k].Inputs {
			if in, made := l.in[t]; made && in == strip && !slices.ContainsFunc(relations, func(r relation) bool {
				return r.kind == carried && r.at == l.made[t]
			}) {
				return false
			}
		}
	}
	return true
}
