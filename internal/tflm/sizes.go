package tflm

// A Sizes is how large the arena must be on a target, which is the number that firmware
// reserves: as the model is, and with the model that is written.
type Sizes struct {
	Target *Target
	// Before is with the plan that the model has, or with the runtime's own if it has none.
	Before Footprint
	// After is with the new plan if that is worth writing, and is Before if it is not.
	After Footprint
}

// Sizes returns what the arena takes on each target: firmware of 32 and of 64 bit, and the
// interpreter of PyPI. They are lower bounds if Unknown names an operator of the model.
func (p *Plan) Sizes() []Sizes {
	var own []int32
	if p.Model.Offline != nil && !p.Faulty {
		own = p.Model.Offline.Offsets
	}
	after, planned := p.Before, own
	if p.Worth() {
		after, planned = p.Head, p.Offsets
	}
	var out []Sizes
	for _, t := range []*Target{&Firmware32, &Firmware64, &Interpreter} {
		out = append(out, Sizes{t, Predict(p.Model, p.Arena, own, p.Before, t), Predict(p.Model, p.Arena, planned, after, t)})
	}
	return out
}
