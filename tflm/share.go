package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: a plan may lay tensors over one another on purpose, if one operator reads and writes them together: a result
// over its operand, or scratch over both. Such a plan is right if each moment at which both tensors are in use is the
// run of an operator that has both. Whether sharing is right then depends only on the kernel of that operator, so the
// plan is kept.
//
// A tensor is in use during its lifespan, as the runtime counts it, with one exception. A scratch operand is a tensor
// that operators read and nothing writes. It has no value to keep, so it is in use only while those operators run. The
// runtime lets it live from the beginning.
//
// Models for Arm's Ethos-U go further. Vela compiles operators into one operator "ethos-u". Its third operand is a
// scratch tensor that covers the part of the arena that the NPU may reach: a window. All other tensors lie inside the
// window, also those of operators on the CPU. The NPU's commands address them by their distance from its beginning.
// So a tensor inside a window is there on purpose, and the NPU cannot find a tensor outside.
//
// Invariant: windows aside, two accepted tensors overlap only at moments of their common operator. Operators that run
// subgraphs, and those of subgraphs that are run more than once, are never accepted: they have more than one moment.
//
// Complexity: O(operands) to prepare, O(operators of a tensor) for each pair.
//
// Source: Stowage; for Ethos-U tflite-micro 90b983c, kernels/ethos_u/ethosu.cc, and models of ethos-u-vela 5.2.0
// (TestVela).

// npu is the custom operator into which Vela compiles.
const npu = "ethos-u"

// window is the operand of npu that is the NPU's window to the arena. The next one is that to its fast memory.
const window = 2

// maxWindows bounds the windows that are known as such, so that a damaged model costs no more than its size.
const maxWindows = 64

// sharing says which overlaps of a plan are meant.
type sharing struct {
	m *tflite.Model
	l *tflite.Lifetimes
	// touch has, for each tensor, the operators that have it, ascending.
	touch [][]int
	// value has the tensors that something gives a value: an operator or the caller.
	value   []bool
	output  []bool // results of a subgraph: whoever runs it reads them at the end
	windows []int  // tensors that only npu operators have, and that have no value
}

func newSharing(m *tflite.Model, l *tflite.Lifetimes) *sharing {
	s := &sharing{
		m: m, l: l, touch: make([][]int, len(m.Tensors)), value: make([]bool, len(m.Tensors)),
		output: make([]bool, len(m.Tensors)),
	}
	for k := range m.Operators {
		o := &m.Operators[k]
		for _, list := range [][]int32{o.Inputs, o.Outputs} {
			for _, t := range list {
				if t >= 0 && (len(s.touch[t]) == 0 || s.touch[t][len(s.touch[t])-1] != k) {
					s.touch[t] = append(s.touch[t], k)
				}
			}
		}
		for _, t := range o.Outputs {
			if t >= 0 {
				s.value[t] = true
			}
		}
	}
	for g := range m.Subgraphs {
		for _, t := range m.Subgraphs[g].Inputs {
			s.value[t] = true
		}
		for _, t := range m.Subgraphs[g].Outputs {
			s.value[t], s.output[t] = true, true
		}
	}
	for t := range m.Tensors {
		if s.scratch(t) && len(s.windows) < maxWindows &&
			!slices.ContainsFunc(s.touch[t], func(k int) bool { return !isWindow(&m.Operators[k], t) }) {
			s.windows = append(s.windows, t)
		}
	}
	return s
}

// isWindow reports whether an operator is an npu, and a tensor is one of its windows. Other operands may have no
// value either: for the Ethos-U85 Vela keeps states in such tensors.
func isWindow(o *tflite.Operator, t int) bool {
	if o.Custom != npu {
		return false
	}
	for k, in := range o.Inputs {
		if int(in) == t && k != window && k != window+1 {
			return false
		}
	}
	return true
}

// scratch reports whether a tensor is one that operators read and nothing writes.
func (s *sharing) scratch(t int) bool {
	return s.m.Tensors[t].Arena() && !s.value[t] && len(s.touch[t]) > 0
}

// owner reports whether two tensors may share bytes: each moment at which both are in use is the run of an operator
// that has both. It returns the last such operator, or -1 if they are never in use together. Two tensors with values
// have at most one such moment. Between two of them both values would have to be kept.
func (s *sharing) owner(a, b int) (operator int, ok bool) {
	if s.scratch(b) && !s.scratch(a) {
		a, b = b, a
	}
	if s.scratch(a) {
		return s.ownerOfScratch(a, b)
	}
	if s.m.Tensors[a].Variable || s.m.Tensors[b].Variable || s.output[a] && s.output[b] {
		return -1, false // in use together when no operator runs; see state for variables
	}
	x, y := s.l.Tensors[a], s.l.Tensors[b]
	from, to := max(x.First, y.First), min(x.Last, y.Last)
	if from < to {
		return -1, false // each keeps a value from one operator to the next, and the bytes can hold one
	}
	for _, k := range s.touch[a] {
		if at := s.l.Operators[k]; at.First < from || at.Last > to || !s.once(k) || !s.has(b, k) {
			continue
		}
		return k, !s.destroys(k, a, b) && !s.destroys(k, b, a)
	}
	return -1, false
}

// ownerOfScratch is owner for a scratch operand and any other tensor.
func (s *sharing) ownerOfScratch(a, b int) (operator int, ok bool) {
	operator = -1
	if s.scratch(b) {
		// Each is in use at the runs of its operators, which are moments of their own.
		for _, k := range slices.Concat(s.touch[a], s.touch[b]) {
			if !s.once(k) {
				return -1, false
			}
			if s.has(a, k) && s.has(b, k) {
				operator = k
			}
		}
		return operator, true
	}
	life := s.l.Tensors[b]
	for _, k := range s.touch[a] {
		if at := s.l.Operators[k]; !s.m.Tensors[b].Variable && (at.Last < life.First || at.First > life.Last) {
			continue // b is not in use
		}
		if !s.once(k) || !s.has(b, k) {
			return -1, false
		}
		operator = k
	}
	return operator, true
}

// destroys reports whether an operator has one tensor as its result and the other as an operand that is read later:
// no kernel can keep both values.
func (s *sharing) destroys(operator, result, operand int) bool {
	out := s.m.Operators[operator].Outputs
	return slices.Contains(out, int32(result)) && !slices.Contains(out, int32(operand)) &&
		(s.output[operand] || s.l.Tensors[operand].Last > s.l.Operators[operator].Last)
}

// has reports whether an operator has a tensor.
func (s *sharing) has(t, operator int) bool {
	_, ok := slices.BinarySearch(s.touch[t], operator)
	return ok
}

// once reports whether an operator has one moment alone: it runs no subgraph, and is run once.
func (s *sharing) once(operator int) bool {
	return len(s.m.Operators[operator].Callees) == 0 && s.l.Operators[operator].First == s.l.Operators[operator].Last
}

// state reports whether two variable tensors are the same state: at least one operator has both, and each of these
// has one as an operand and the other as a result.
func (s *sharing) state(a, b int) bool {
	x, y := &s.m.Tensors[a], &s.m.Tensors[b]
	if !x.Variable || !y.Variable || x.Bytes != y.Bytes {
		return false
	}
	found := false
	for _, k := range s.touch[a] {
		if !s.has(b, k) {
			continue
		}
		o := &s.m.Operators[k]
		reads := func(t int) bool { return slices.Contains(o.Inputs, int32(t)) }
		writes := func(t int) bool { return slices.Contains(o.Outputs, int32(t)) }
		if reads(a) && reads(b) || writes(a) && writes(b) {
			return false
		}
		found = true
	}
	return found
}

// inside reports whether a tensor has an offset and lies inside of another.
func (s *sharing) inside(t, other int, offsets []int32) bool {
	at, in := int64(offsets[t]), int64(offsets[other])
	return offsets[t] != tflite.Online && offsets[other] != tflite.Online &&
		in <= at && at+s.m.Tensors[t].Bytes <= in+tflite.RoundUp(s.m.Tensors[other].Bytes)
}

// across reports whether a tensor and a window share bytes at a time.
func (s *sharing) across(t, window int, offsets []int32) bool {
	at, in := int64(offsets[t]), int64(offsets[window])
	if at >= in+tflite.RoundUp(s.m.Tensors[window].Bytes) || in >= at+tflite.RoundUp(s.m.Tensors[t].Bytes) {
		return false
	}
	last := s.l.Tensors[window].Last // it lives from the beginning
	if s.scratch(t) {
		return slices.ContainsFunc(s.touch[t], func(k int) bool { return s.l.Operators[k].First <= last })
	}
	return s.m.Tensors[t].Variable || s.l.Tensors[t].First <= last
}

// lost returns the first tensor of an operator for Ethos-U that lies outside of the
// operator's window, and the operator; -1 if there is none. Without offsets all do.
func (s *sharing) lost(offsets []int32) (tensor, operator int) {
	for k := range s.m.Operators {
		o := &s.m.Operators[k]
		if o.Custom != npu || len(o.Inputs) <= window || o.Inputs[window] < 0 ||
			!slices.Contains(s.windows, int(o.Inputs[window])) {
			continue
		}
		in := int(o.Inputs[window])
		for _, list := range [][]int32{o.Inputs, o.Outputs} {
			for _, t := range list {
				if t < 0 || slices.Contains(s.windows, int(t)) || !s.m.Tensors[t].Arena() && !s.m.Tensors[t].Variable {
					continue
				}
				if offsets == nil || !s.inside(int(t), in, offsets) {
					return int(t), k
				}
			}
		}
	}
	return -1, -1
}
