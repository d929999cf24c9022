package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: SLICE of whole rows and CONCATENATION of rows copy blocks of bytes. If a block's copy lies in place in the
// block, the kernel copies bytes to themselves: a self-copy. So the result of SLICE can be a view of its operand, and a
// part can be a view of CONCATENATION's result. A tensor with all its views is a body, and its bytes have one value
// each.
//
// The rows of a body do not live equally long. SLICE reads only its rows, so those of an operand die one by one. The
// parts of a result are born one by one. So a body is cut into bands, each with its own lifespan:
//
//	first = first tick at which an operator writes the band, last = last tick at which one reads or writes it
//
// Invariant: all tensors of a body agree on the value of each byte. For a view has one body, and either is a copy of it
// (SLICE) or is copied into it (CONCATENATION). The result of a SLICE that is also a part of a CONCATENATION lies in
// the latter alone.
//
// CONCATENATION copies by memcpy, and memcpy(p, p, n) is undefined in C, though it works in every library that is
// known. No vendor's library replaces SLICE or CONCATENATION (CMSIS-NN, ESP-NN, Xtensa, ARC, CEVA).
//
// Complexity: O(uses of a body²) for its bands.
//
// Source: Stowage; kernels/internal/reference/concatenation.h, slice.h of tensorflow/tflite-micro 90b983c.

// A selfCopy is a block that an operator copies: inner is the block at byte at of outer. If inner lies there, the
// operator copies it to itself.
type selfCopy struct {
	inner, outer int // tensors
	at           int64
	part         bool // of CONCATENATION
}

// selfCopies returns the blocks that an operator copies whole.
func selfCopies(m *tflite.Model, operator int) (all []selfCopy) {
	o := &m.Operators[operator]
	switch tfliteschema.BuiltinOperator(o.Code) {
	case tfliteschema.BuiltinOperatorSLICE:
		if from, to, ok := sliced(m, o); ok && to-from == m.Tensors[o.Outputs[0]].Bytes {
			all = append(all, selfCopy{int(o.Outputs[0]), int(o.Inputs[0]), from, false})
		}
	case tfliteschema.BuiltinOperatorCONCATENATION:
		if len(o.Outputs) != 1 || o.Outputs[0] < 0 || o.Options == nil || o.Options.Activation != 0 {
			return nil
		}
		y := &m.Tensors[o.Outputs[0]]
		axis := int(o.Options.Axis)
		if axis < 0 {
			axis += len(y.Shape)
		}
		if axis < 0 || axis >= len(y.Shape) || y.Type == tflite.Type(tfliteschema.TensorTypeUINT8) { // which is scaled anew
			return nil
		}
		for _, d := range y.Shape[:axis] {
			if d != 1 {
				return nil
			}
		}
		at := int64(0)
		for n, t := range o.Inputs {
			if t < 0 || m.Tensors[t].Type != y.Type {
				return nil
			}
			if slices.Index(o.Inputs, t) == n {
				all = append(all, selfCopy{int(t), int(o.Outputs[0]), at, true})
			}
			at += m.Tensors[t].Bytes
		}
		if at != y.Bytes {
			return nil
		}
	}
	return all
}

// copies reports whether an operator may copy blocks to themselves.
func copies(o *tflite.Operator) bool {
	c := tfliteschema.BuiltinOperator(o.Code)
	return c == tfliteschema.BuiltinOperatorSLICE || c == tfliteschema.BuiltinOperatorCONCATENATION
}

// hasCopies reports whether a model has an operator that may.
func hasCopies(m *tflite.Model) bool {
	return slices.ContainsFunc(m.Operators, func(o tflite.Operator) bool { return copies(&o) })
}

// sliced returns the bytes of its operand that a SLICE reads, from the first to the last. ok is false for another
// operator, and if it is not known which these are.
func sliced(m *tflite.Model, o *tflite.Operator) (from, to int64, ok bool) {
	if tfliteschema.BuiltinOperator(o.Code) != tfliteschema.BuiltinOperatorSLICE || len(o.Inputs) != 3 ||
		len(o.Outputs) != 1 || slices.Min(o.Inputs) < 0 || o.Outputs[0] < 0 {
		return 0, 0, false
	}
	x, y := &m.Tensors[o.Inputs[0]], &m.Tensors[o.Outputs[0]]
	begin := m.Integers(int(o.Inputs[1]))
	if len(begin) != len(x.Shape) || len(y.Shape) != len(x.Shape) || x.Type != y.Type || x.Bytes == 0 || y.Bytes == 0 {
		return 0, 0, false
	}
	step := x.Bytes // of an index of a dimension
	for d, b := range begin {
		n := int64(x.Shape[d])
		if b < 0 || b+int64(y.Shape[d]) > n {
			return 0, 0, false
		}
		step /= n
		from += b * step
		to += (b + int64(y.Shape[d]) - 1) * step
	}
	return from, to + step, true
}

// A band is bytes of a body that are in use from one tick to another, both included.
type band struct {
	from, to    int64
	first, last int32
}

// bodies are the tensors of a model, and what lies in what.
type bodies struct {
	model *tflite.Model
	life  *tflite.Lifetimes
	in    []int    // by tensor: the tensor in whose bytes it lies; itself if it is no view
	at    []int64  // by tensor: its first byte there
	bands [][]band // by tensor that is no view, in the order of the bytes; nil if nothing is known but its lifespan
	views []int    // by tensor: how many others lie in it

	variables []loopVariable
	end       int32 // a tick after all operators, at which results of the model are still in use
}

// bodiesOf returns the bodies of a model if a block is a view whenever accept says so. It is nil for a model with
// subgraphs that are not those of loops.
func bodiesOf(m *tflite.Model, l *tflite.Lifetimes, accept func(c selfCopy) bool) *bodies {
	variables, ok := loopVariables(m)
	if !ok {
		return nil
	}
	kept := make([]bool, len(variables))
	for {
		b := bodiesWith(m, l, variables, kept, accept)
		at := b.disturbed(variables, kept)
		if at < 0 {
			return b
		}
		kept[at] = true // its tensors are no views
	}
}

func bodiesWith(m *tflite.Model, l *tflite.Lifetimes, variables []loopVariable, kept []bool,
	accept func(c selfCopy) bool,
) *bodies {
	b := &bodies{
		model: m, life: l, in: make([]int, len(m.Tensors)), at: make([]int64, len(m.Tensors)), variables: variables,
	}
	writes := make([]int, len(m.Tensors))
	for g := range m.Subgraphs {
		for _, t := range m.Subgraphs[g].Inputs {
			writes[t]++
		}
	}
	for k := range m.Operators {
		b.end = max(b.end, l.Operators[k].Last+1)
		for _, t := range m.Operators[k].Outputs {
			if t >= 0 {
				writes[t]++
			}
		}
	}
	known := func(t int) bool { return m.Tensors[t].Arena() && writes[t] == 1 }
	for t := range b.in {
		b.in[t] = t
	}
	may := func(c selfCopy) bool { return known(c.inner) && known(c.outer) && accept(c) }
	changes := b.lay(variables, kept, may)
	for _, part := range []bool{true, false} { // a part of CONCATENATION lies in its result, not where SLICE took it from
		for k := range m.Operators {
			for _, c := range selfCopies(m, k) {
				if c.part == part && b.in[c.inner] == c.inner && may(c) && b.inside(c.outer) != c.inner &&
					(part || !changes[c.outer]) {
					b.in[c.inner], b.at[c.inner] = c.outer, c.at
				}
			}
		}
	}
	b.views = make([]int, len(m.Tensors))
	for t := range b.in { // in the outermost tensor
		for u := b.in[t]; b.in[u] != u; u = b.in[t] {
			b.at[t] += b.at[u]
			b.in[t] = b.in[u]
		}
		if b.in[t] != t {
			b.views[b.in[t]]++
		}
	}
	b.cut(b.uses(known))
	return b
}

// inside returns the outermost tensor in which a tensor lies.
func (b *bodies) inside(t int) int {
	for b.in[t] != t {
		t = b.in[t]
	}
	return t
}

// uses returns, for each body, the bytes that are in use at a tick: as bands of one tick.
func (b *bodies) uses(known func(t int) bool) [][]band {
	m := b.model
	uses := make([][]band, len(m.Tensors))
	b.room(uses)
	use := func(t int32, from, to int64, tick int32) {
		if t >= 0 && known(int(t)) {
			in, at := b.in[t], b.at[t]
			uses[in] = append(uses[in], band{at + from, at + to, tick, tick})
		}
	}
	whole := func(t, tick int32) {
		if t >= 0 {
			use(t, 0, m.Tensors[t].Bytes, tick)
		}
	}
	for g := range m.Subgraphs {
		for _, t := range m.Subgraphs[g].Inputs {
			whole(t, b.life.Tensors[t].First)
		}
		for _, t := range m.Subgraphs[g].Outputs {
			if g > 0 {
				whole(t, b.life.Tensors[t].Last)
			}
		}
	}
	for k := range m.Operators {
		o, now := &m.Operators[k], b.life.Operators[k].First
		if len(o.Callees) > 0 { // in use as long as its subgraphs run
			for _, t := range slices.Concat(o.Inputs, o.Outputs) {
				whole(t, now)
				whole(t, b.life.Operators[k].Last)
			}
			continue
		}
		for place, t := range o.Inputs {
			if from, to, ok := sliced(m, o); ok && place == 0 {
				use(t, from, to, now)
				continue
			}
			whole(t, now)
		}
		for _, t := range o.Outputs {
			whole(t, now)
		}
	}
	for _, t := range m.Subgraphs[0].Outputs {
		whole(t, b.end)
	}
	return uses
}

// room gives the list of each body the capacity that its uses need at most.
func (b *bodies) room(uses [][]band) {
	count, all := make([]int, len(uses)), 0
	each := func(list []int32) {
		for _, t := range list {
			if t >= 0 {
				count[b.in[t]]++
				all++
			}
		}
	}
	m := b.model
	for g := range m.Subgraphs {
		each(m.Subgraphs[g].Inputs)
		each(m.Subgraphs[g].Outputs)
	}
	for k := range m.Operators {
		for range 1 + min(len(m.Operators[k].Callees), 1) {
			each(m.Operators[k].Inputs)
			each(m.Operators[k].Outputs)
		}
	}
	flat := make([]band, all)
	for t, n := range count {
		uses[t], flat = flat[:0:n], flat[n:]
	}
}

// cut makes bands of uses.
func (b *bodies) cut(uses [][]band) {
	b.bands = make([][]band, len(uses))
	var cuts []int64
	for t, of := range uses {
		if len(of) == 0 {
			continue
		}
		cuts = cuts[:0]
		for _, u := range of {
			cuts = append(cuts, u.from, u.to)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for k := 0; k+1 < len(cuts); k++ {
			x := band{cuts[k], cuts[k+1], b.end + 1, -1}
			for _, u := range of {
				if u.from <= x.from && x.to <= u.to {
					x.first, x.last = min(x.first, u.first), max(x.last, u.last)
				}
			}
			if x.last < 0 {
				continue
			}
			if n := len(b.bands[t]); n > 0 && b.bands[t][n-1].to == x.from && b.bands[t][n-1].first == x.first &&
				b.bands[t][n-1].last == x.last {
				b.bands[t][n-1].to = x.to
				continue
			}
			b.bands[t] = append(b.bands[t], x)
		}
	}
}

// whole reports whether a tensor is no view, has none, and lives equally long in all its bytes.
func (b *bodies) whole(t int) bool {
	return b.in[t] == t && b.views[t] == 0 && len(b.bands[t]) < 2
}

// counted returns how many blocks lie in place, and how many of them are parts of a CONCATENATION.
func (b *bodies) counted() (all, parts int) {
	for k := range b.model.Operators {
		for _, c := range selfCopies(b.model, k) {
			if c.inner != c.outer && b.in[c.inner] == b.in[c.outer] && b.at[c.inner] == b.at[c.outer]+c.at {
				all++
				if c.part {
					parts++
				}
			}
		}
	}
	return all, parts
}

// A meeting is a moment at which a result is written over bytes that die: of one operator, at one tick.
type meeting struct {
	operator, result int
	operands         []int // that have these bytes
}

// meet returns the operator at whose tick bytes of one body die and bytes of another are born, if those are the only
// moment at which the two are in use together. a and b are bands of the bodies x and y, in any order.
func (b *bodies) meet(x int, a band, y int, z band) (out meeting, ok bool) {
	now := max(a.first, z.first)
	if now != min(a.last, z.last) {
		return out, false
	}
	if a.first == now { // a dies
		x, a, y, z = y, z, x, a
	}
	k := slices.IndexFunc(b.life.Operators, func(s tflite.Lifespan) bool { return s.First == now && s.Last == now })
	if k < 0 || a.last != now || z.first != now || a.first == now {
		return out, false
	}
	within := func(t int32, body int, part band) bool {
		return t >= 0 && b.in[t] == body && b.at[t] <= part.from && part.to <= b.at[t]+b.model.Tensors[t].Bytes
	}
	o := &b.model.Operators[k]
	out = meeting{operator: k, result: -1}
	for _, t := range o.Outputs {
		if within(t, y, z) {
			out.result = int(t)
		}
	}
	for _, t := range o.Inputs {
		if within(t, x, a) && !slices.Contains(out.operands, int(t)) {
			out.operands = append(out.operands, int(t))
		}
	}
	return out, out.result >= 0 && len(out.operands) > 0
}

// bandOf returns the band of a tensor that is whole.
func (b *bodies) bandOf(t int) band {
	if b.bands[t] != nil {
		return b.bands[t][0]
	}
	s := b.life.Tensors[t]
	return band{0, b.model.Tensors[t].Bytes, s.First, s.Last}
}
