package tflm

import (
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: what firmware takes from a plan is the model with the plan in it and one number,
// kTensorArenaSize. Command and page get both here, and the words for them.

// A Sizes is how large the arena must be on a target, which is the number that firmware
// reserves: as the model is, and with the model that is written.
type Sizes struct {
	// Target is the build that the sizes are for.
	Target *Target
	// Before is with the plan that the model has, or with the runtime's own if it has none.
	Before Footprint
	// After is with the new plan if that is worth writing, and is Before if it is not.
	After Footprint
}

// Sizes returns what the arena takes on each target: firmware of 32 and of 64 bit, and the
// interpreter of PyPI. They are lower bounds if Unknown names an operator of the model.
func (p *Plan) Sizes() []Sizes {
	was := p // in the order of the model as it was
	if p.was != nil {
		was = p.was
	}
	own, planned := was.ownOffsets(), p.writtenOffsets()
	var out []Sizes
	for _, t := range []*Target{&Firmware32, &Firmware64, &Interpreter} {
		out = append(out, Sizes{
			t, p.Set.Predict(was.Model, was.Arena, own, p.Before, t),
			p.Set.Predict(p.Model, p.Arena, planned, p.WrittenHead(), t),
		})
	}
	return out
}

// Least returns the footprint on a target with the proven lower bound as the head, and that bound, in bytes: no plan
// has a smaller arena.
func (p *Plan) Least(t *Target) (f Footprint, head int64) {
	offsets := p.Offsets
	if !p.Worth() && p.Model.Offline != nil && !p.Faulty {
		offsets = p.Model.Offline.Offsets
	}
	head = p.Result.LowerBound
	if p.OrderBound > 0 { // what is proven of one order is not of all
		head = min(head, p.OrderBound)
	}
	return p.Set.Predict(p.Model, p.Arena, offsets, head, t), head
}

// ownOffsets returns those that the model has; nil for none that can be followed.
func (p *Plan) ownOffsets() []int32 {
	if p.Model.Offline == nil || p.Faulty {
		return nil
	}
	return p.Model.Offline.Offsets
}

// writtenOffsets returns those of the model that is written.
func (p *Plan) writtenOffsets() []int32 {
	if p.Worth() {
		return p.Offsets
	}
	return p.original().ownOffsets()
}

// WrittenHead returns the head of the arena with the model that is written.
func (p *Plan) WrittenHead() int64 {
	if p.Worth() {
		return p.Head
	}
	return p.Before
}

// Written returns the file of a model with the plan in it, or as it is if the plan is not worth writing. The model is
// the one that was planned, in its former order, or the same before its weights were folded.
func (p *Plan) Written(m *tflite.Model) ([]byte, error) {
	if !p.Worth() {
		return m.Bytes(), nil
	}
	if p.InStrips != nil {
		return p.Model.WithOffsets(p.Offsets)
	}
	if p.Order != nil {
		order, err := p.orderOf(m)
		if err != nil {
			return nil, err
		}
		data, err := m.Reordered(order)
		if err != nil {
			return nil, err
		}
		if m, err = tflite.Parse(data, m.File); err != nil {
			return nil, err
		}
	}
	return m.WithOffsets(p.Offsets)
}

// targets are how header, array and page call the targets, in the order of Sizes.
var targets = []cheader.ArenaSize{
	{Target: "32", About: "firmware of 32 bit"},
	{Target: "64", About: "firmware of 64 bit"},
	{Target: "PYTHON", About: "the interpreter of PyPI, tflite_micro"},
}

// KernelsNote is the sentence to print beside sizes: which kernels they are for.
func KernelsNote(s Set) string {
	if s == ReferenceSet {
		return "The sizes are for the reference kernels (tensorflow/tflite-micro " + s.Version() + ")."
	}
	return "The sizes are for the kernels of " + s.String() + "."
}

// Runtime returns what header and array say of the runtime's arena: the model that is
// written, and a size for each target, in the order of Sizes.
func Runtime(model []byte, sizes []int64, note string) *cheader.Runtime {
	out := &cheader.Runtime{Model: int64(len(model)), Hash: cheader.HashOf(model), Note: note}
	for k, bytes := range sizes {
		size := targets[k]
		size.Bytes = bytes
		out.Arenas = append(out.Arenas, size)
	}
	return out
}
