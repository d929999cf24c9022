package tflm

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: readers of an arena's size have some kernels in mind, and often not the kernels that the size is for. So each
// plan can be judged with the other known kernels: the least and the most that the model needs, and the kernels with
// which a plan is worse than none.
//
// Invariant: all figures are for the model that is written.
//
// Complexity: a prediction for each known set, a greedy plan for each that differs.

// Standings returns the standing of the plan with each known set, the reference kernels first. There are none if no
// plan was made, if the plan is kept, or if it assumes a library. Sets that need the same scratch have the same heads.
func (p *Plan) Standings() (all []Standing) {
	if p.Kept || len(p.Overlays) > 0 || p.Offsets == nil {
		return nil
	}
	for _, s := range KnownSets() {
		for k := range p.rivals {
			if r := &p.rivals[k]; slices.Contains(r.same, s) {
				all = append(all, Standing{Set: s, Own: r.Own, Before: r.Before, Head: r.Head})
			}
		}
	}
	return all
}

// Worse returns the standings in which the written plan takes more than the runtime's own plan or the model as it is.
// It is empty unless the kernels are named.
func (p *Plan) Worse() (all []Standing) {
	if !p.Worth() {
		return nil
	}
	for _, s := range p.Standings() {
		if s.Head > s.bar() {
			all = append(all, s)
		}
	}
	return all
}

// With returns the footprint of the written model on a target that is built with the kernels of a standing.
func (p *Plan) With(s Standing, t *Target) Footprint {
	for k := range p.rivals {
		if r := &p.rivals[k]; slices.Contains(r.same, s.Set) {
			head, offsets := s.Before, []int32(nil)
			if p.Model.Offline != nil && !p.Faulty {
				offsets = p.Model.Offline.Offsets
			}
			if p.Worth() {
				head, offsets = s.Head, p.Offsets
			}
			return s.Set.Predict(p.Model, r.arena, offsets, head, t)
		}
	}
	return Footprint{}
}

// WorseWith returns the known sets with which the plan in a model has a larger head than the runtime's own plan.
// Standing.Head is the head with the plan. It is empty for a model without a plan, and for a plan whose tensors share
// bytes, because such a plan is for one set of kernels. The plan must have no fault.
func WorseWith(ctx context.Context, m *tflite.Model) (all []Standing, err error) {
	v, err := Check(m, 0)
	if err != nil || m.Offline == nil || v.Shares > 0 || !v.OK() {
		return nil, err
	}
	p := &Plan{Model: m}
	if p.Life, err = m.Lifetimes(); err != nil {
		return nil, err
	}
	if p.rivals, err = p.rivalsOf(ctx); err != nil {
		return nil, err
	}
	for _, s := range KnownSets() {
		for k := range p.rivals {
			if r := &p.rivals[k]; r.Before > r.Own && slices.Contains(r.same, s) {
				all = append(all, Standing{Set: s, Own: r.Own, Before: r.Own, Head: r.Before})
			}
		}
	}
	return all, nil
}

// An Other is the arena that the written model needs with other kernels.
type Other struct {
	Set     Set   // the kernels
	Arena   int64 // the smallest that works, in bytes
	AtLeast bool  // it is a lower bound
}

// String names the kernels and the arena, such as "50288 (esp-nn 27d1f4a)".
func (o Other) String() string {
	if o.AtLeast {
		return fmt.Sprintf("at least %d (%s)", o.Arena, o.Set)
	}
	return fmt.Sprintf("%d (%s)", o.Arena, o.Set)
}

// Others returns the least and the most that the model needs on a target with other kernels. If the kernels are named,
// these are the other versions of their library. Otherwise they are the other known libraries, each at the version that
// its name stands for. ok is false if nothing differs. If the kernels are not named, it is also false if the model has
// no convolution of 8 bits.
func (p *Plan) Others(t *Target) (least, most Other, ok bool) {
	if t == &Interpreter {
		return least, most, false
	}
	standard, own := DefaultSets(), int64(0)
	for _, s := range p.Standings() {
		if p.named && s.Set.Name() != p.Set.Name() || !p.named && !slices.Contains(standard, s.Set) {
			continue
		}
		x := Other{s.Set, p.With(s, t).Smallest, p.AtLeast(s.Set)}
		if s.Set == p.Set {
			own = x.Arena
			continue
		}
		if least.Arena == 0 || x.Arena < least.Arena {
			least = x
		}
		if x.Arena > most.Arena {
			most = x
		}
	}
	differs := least.Arena != own || most.Arena != own
	return least, most, least.Arena > 0 && (differs || !p.named && convolves8(p.Model))
}

// AtLeast reports whether the arena with the kernels s is only a lower bound, for the same reasons as with the plan's
// kernels.
func (p *Plan) AtLeast(s Set) bool {
	doubts := DoubtsOf(p.Model, s)
	return p.doubtful || doubts.AtLeast()
}

// Elsewhere says what the model needs on a target with other kernels; empty if Others has nothing to say.
func (p *Plan) Elsewhere(t *Target) string {
	least, most, ok := p.Others(t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("with other %s the smallest arena, %s, is %s", p.others(), t.Name, between(least, most))
}

// others names the kernels that Others compares.
func (p *Plan) others() string {
	if p.named {
		return "versions of " + p.Set.Name()
	}
	return "kernels"
}

// between names the least and the most, or one arena if both are the same.
func between(least, most Other) string {
	if least == most {
		return least.String()
	}
	return least.String() + " to " + most.String()
}

// Within says whether the model fits a capacity on a target with other kernels; empty if Others has nothing to say.
func (p *Plan) Within(capacity int64, t *Target) string {
	least, most, ok := p.Others(t)
	if !ok {
		return ""
	}
	end := ", and fits with all that are known"
	switch {
	case least.Arena > capacity:
		end = ", and fits with none of them"
	case most.Arena > capacity:
		end = ", and does not fit with all"
	case least.AtLeast || most.AtLeast:
		end = ""
	}
	return "with other " + p.others() + " it needs " + between(least, most) + end
}
