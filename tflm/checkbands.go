package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: a plan may lay the result of SLICE in place in its operand, and a part in place in the result of CONCATENATION
// (bands.go). Rows that were read last may be overwritten while others of their tensor are still needed. So such
// tensors are checked band by band. Two bands of different bodies that share bytes may meet only at one tick, as an
// operand that dies and a result of the same operator, and then the kernel decides.
//
// Only blocks that the plan lays in place make a body. So a block that is off by a byte is checked as any other tensor.

// inBands replaces tensors that lie in one another, and those whose rows die one by one, by their bands.
func (x *pinned) inBands() {
	m, offsets := x.model, x.model.Offline.Offsets
	at := map[int]int{} // by tensor: its buffer
	for k, t := range x.tensors {
		at[t] = k
	}
	if hasCopies(m) {
		x.bodies = bodiesOf(m, x.lifetimes, func(c selfCopy) bool {
			_, inner := at[c.inner]
			_, outer := at[c.outer]
			return inner && outer && int64(offsets[c.inner]) == int64(offsets[c.outer])+c.at
		})
	}
	view := func(t int) bool { return x.bodies != nil && x.bodies.in[t] != t }
	for _, t := range x.misaligned {
		severity := Fault
		if n := elementBytes(&m.Tensors[t]); view(t) && n > 0 && int64(offsets[t])%n == 0 {
			severity = Warning // it lies where its rows are
		}
		x.add(severity, Misaligned, t, -1, "%s has the offset %d, which is not a multiple of %d", m.Label(t), offsets[t],
			tflite.Alignment)
	}
	if x.bodies == nil {
		return
	}
	x.leaveOut(func(t int) bool { _, there := at[t]; return there && !x.bodies.whole(t) })
	if x.kernels == "" {
		x.ordered, x.refused = ordered(m, x.lifetimes, ReferenceKernels)
	}
	x.bands = map[int]band{}
	for t := range m.Tensors {
		if _, there := at[t]; !there || x.bodies.whole(t) || x.bodies.in[t] != t {
			continue
		}
		for _, b := range x.bodies.bands[t] {
			x.bands[len(x.tensors)] = b
			x.problem.Buffers = append(x.problem.Buffers, model.Buffer{
				ID: m.Label(t), Lower: int64(b.first) + 1, Upper: int64(b.last) + 2, Size: b.to - b.from,
			})
			x.offsets, x.tensors = append(x.offsets, int64(offsets[t])+b.from), append(x.tensors, t)
		}
	}
	all, parts := x.bodies.counted()
	if x.Shares += all + x.bodies.looped(); parts > 0 {
		x.add(Note, Shared, -1, -1, "%d %s in place in the result of CONCATENATION, whose kernel then copies bytes to "+
			"themselves by memcpy: that works, but C does not promise it", parts, lie(parts))
	}
}

// elementBytes returns the size of an element of a tensor; 0 if it has none.
func elementBytes(t *tflite.Tensor) int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= int64(d)
	}
	if n == 0 {
		return 0
	}
	return t.Bytes / n
}

func (x *pinned) banded(buffer int) bool { _, ok := x.bands[buffer]; return ok }

// bandAt returns the bytes of a buffer of the problem, and the body that has them.
func (x *pinned) bandAt(buffer int) (body int, b band) {
	body = x.tensors[buffer]
	if b, ok := x.bands[buffer]; ok {
		return body, b
	}
	if x.model.Tensors[body].Variable {
		return body, band{0, x.model.Tensors[body].Bytes, -1, x.bodies.end}
	}
	return body, x.bodies.bandOf(body)
}

// meet judges two buffers that share bytes and of which one is a band.
func (x *pinned) meet(i, j int, by map[int]*shared) {
	m, offsets := x.model, x.model.Offline.Offsets
	one, a := x.bandAt(i)
	other, b := x.bandAt(j)
	from, to := max(x.offsets[i], x.offsets[j]), min(x.offsets[i]+a.to-a.from, x.offsets[j]+b.to-b.from)
	met, ok := x.bodies.meet(one, a, other, b)
	if !ok {
		rule := Overlap
		if m.Tensors[one].Variable || m.Tensors[other].Variable {
			rule = Variable
		}
		one, other = min(one, other), max(one, other)
		x.add(Fault, rule, one, other, "%s and %s share the bytes %d to %d while both live", m.Label(one), m.Label(other),
			from, to)
		return
	}
	o, library := &m.Operators[met.operator], x.kernels
	if library == "" && copies(o) {
		library = ReferenceKernels // no library has others of these
	}
	for _, operand := range met.operands {
		at := slices.IndexFunc(x.ordered, func(q permit) bool {
			return q.operator == met.operator && q.result == met.result && q.operand == operand
		})
		switch p, y := &m.Tensors[operand], &m.Tensors[met.result]; {
		case library != "" && at >= 0:
			if !x.near(&x.ordered[at], library) {
				return
			}
		case library != "":
			why := x.refused[met.operator]
			if why == "" {
				why = o.Name() + ": its result has to be apart from this operand"
			}
			x.add(Fault, Overlap, met.result, operand, "at operator %d, %s and %s share bytes, which %s does not permit: %s",
				met.operator, m.Label(met.result), m.Label(operand), library, why)
			return
		case inPlace[o.Name()] && p.Bytes == y.Bytes && p.Type == y.Type && offsets[operand] == offsets[met.result]:
		default:
			x.share(by, met.operator, shared{a: met.result, b: operand, from: from, to: to})
		}
	}
	x.Shares++
}
