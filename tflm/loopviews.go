package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: a variable of a WHILE has five tensors: before the loop, after it, in the condition, and at the begin and the
// end of the body. The runtime copies the value from one to the next, but not if both are at one place. So all five can
// be views of one body (bands.go):
//
//	before ─▶ after ─┬─▶ condition
//	                 └─▶ begin of the body … end of the body ─▶ after
//
// Two kinds of variables:
//
//	it stays    the body hands on what it was given: an image that all runs read. The five have the same bytes always
//	it changes  the five hold the value of before, then that of each run. So nobody else may read the tensor before the
//	            loop. The begin and the end of the body may be at one place if the operator that makes the end writes in
//	            place, as DYNAMIC_UPDATE_SLICE does, and nobody reads the begin later
//
// Invariant: in the bytes of a variable that changes, no other tensor has a value while the loop runs.
//
// A tensor of the body has its bytes only within one run, so its lifespan says all. The variable is in use as long as
// the WHILE runs.
//
// Source: tensorflow/tflite-micro 90b983c: kernels/while.cc, kernels/dynamic_update_slice.cc, kernel_util.cc.

// A loopVariable is a variable of a WHILE.
type loopVariable struct {
	operator                            int // the WHILE
	before, after, condition, from, end int // tensors
	stays                               bool
	inPlace                             bool // the end may lie where the begin of the body does
}

// loopVariables returns the variables of all WHILEs. ok is false if other operators run subgraphs, or if one is run by
// several.
func loopVariables(m *tflite.Model) (all []loopVariable, ok bool) {
	runs := make([]int, len(m.Subgraphs))
	for k := range m.Operators {
		o := &m.Operators[k]
		for _, g := range o.Callees {
			runs[g]++
		}
		if len(o.Callees) == 0 {
			continue
		}
		if o.Code != tflite.Code(tfliteschema.BuiltinOperatorWHILE) {
			return nil, false
		}
		condition, body := &m.Subgraphs[o.Callees[0]], &m.Subgraphs[o.Callees[1]]
		n := len(o.Inputs)
		if len(o.Outputs) != n || len(condition.Inputs) != n || len(body.Inputs) != n || len(body.Outputs) != n {
			return nil, false
		}
		for i, t := range o.Inputs {
			if t < 0 {
				return nil, false
			}
			v := loopVariable{
				k, int(t), int(o.Outputs[i]), int(condition.Inputs[i]), int(body.Inputs[i]), int(body.Outputs[i]),
				body.Inputs[i] == body.Outputs[i], false,
			}
			v.inPlace = updates(m, body, &v)
			all = append(all, v)
		}
	}
	for g, n := range runs {
		if (g == 0) != (n == 0) || n > 1 {
			return nil, false
		}
	}
	return all, true
}

// updates reports whether the end of a body is written into its begin by its last reader.
func updates(m *tflite.Model, body *tflite.Subgraph, v *loopVariable) bool {
	for k := body.FirstOperator + body.OperatorCount - 1; k >= body.FirstOperator; k-- {
		o := &m.Operators[k]
		if reads := slices.Index(o.Inputs, int32(v.from)); reads >= 0 {
			return o.Code == tflite.Code(tfliteschema.BuiltinOperatorDYNAMIC_UPDATE_SLICE) && reads == 0 &&
				!slices.Contains(o.Inputs[1:], int32(v.from)) && slices.Equal(o.Outputs, []int32{int32(v.end)})
		}
	}
	return false
}

// alone reports whether a WHILE is all that reads the value of a variable before it, which an operator has made.
func (v *loopVariable) alone(m *tflite.Model) bool {
	reads, made := 0, false
	for k := range m.Operators {
		for _, t := range m.Operators[k].Inputs {
			reads += number(int(t) == v.before)
		}
		made = made || slices.Contains(m.Operators[k].Outputs, int32(v.before))
	}
	for g := range m.Subgraphs {
		if slices.Contains(m.Subgraphs[g].Outputs, int32(v.before)) {
			return false
		}
	}
	return reads == 1 && made
}

// copies are the pairs of tensors between which the runtime copies a variable: an inner one may lie where the outer one
// does.
func (v *loopVariable) copies(m *tflite.Model) []selfCopy {
	if v.stays {
		return []selfCopy{
			{inner: v.after, outer: v.before}, {inner: v.condition, outer: v.before}, {inner: v.from, outer: v.before},
		}
	}
	out := []selfCopy{{inner: v.condition, outer: v.after}, {inner: v.from, outer: v.after}}
	if v.alone(m) {
		out = append(out, selfCopy{inner: v.before, outer: v.after})
	}
	if v.inPlace {
		out = append(out, selfCopy{inner: v.end, outer: v.after})
	}
	return out
}

// lay makes the tensors of variables views, but for those of which kept says that they are not.
func (b *bodies) lay(variables []loopVariable, kept []bool, may func(c selfCopy) bool) (changes map[int]bool) {
	changes = map[int]bool{}
	for i := range variables {
		v := &variables[i]
		if kept[i] {
			continue
		}
		for _, c := range v.copies(b.model) {
			if b.model.Tensors[c.inner].Bytes == b.model.Tensors[c.outer].Bytes && b.in[c.inner] == c.inner && may(c) &&
				b.inside(c.outer) != c.inner {
				b.in[c.inner], b.at[c.inner] = c.outer, 0
				if !v.stays {
					changes[c.inner], changes[c.outer] = true, true
				}
			}
		}
	}
	return changes
}

// disturbed returns a variable that changes while another tensor in its bytes has a value; -1 for none.
func (b *bodies) disturbed(variables []loopVariable, kept []bool) int {
	for i := range variables {
		v := &variables[i]
		if v.stays || kept[i] {
			continue
		}
		during := b.life.Operators[v.operator]
		from, to := b.at[v.after], b.at[v.after]+b.model.Tensors[v.after].Bytes
		for t := range b.in {
			own := t == v.before || t == v.after || t == v.condition || t == v.from || t == v.end
			if s := b.life.Tensors[t]; !own && b.in[t] == b.in[v.after] && b.at[t] < to &&
				from < b.at[t]+b.model.Tensors[t].Bytes && s.First <= during.Last && s.Last > during.First {
				return i
			}
		}
	}
	return -1
}

// looped counts the tensors of variables that lie in place.
func (b *bodies) looped() (n int) {
	for i := range b.variables {
		for _, c := range b.variables[i].copies(b.model) {
			n += number(b.in[c.inner] == b.in[c.outer] && b.at[c.inner] == b.at[c.outer])
		}
	}
	return n
}
