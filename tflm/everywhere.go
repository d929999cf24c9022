package tflm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: a plan pins tensors, and the device places the scratch of its kernels around them. Other kernels need other
// scratch. So a plan that is good with one library may be worse with another than the runtime's own plan. If the user
// does not name the kernels, the plan must be worse with no known set.
//
// Each plan is judged by the runtime's greedy planner with the scratch of each known set. If it fails, some of its
// tensors are left to the device. The device places them around the scratch of its kernels, and the few pinned tensors
// keep the head low. A local search, one tensor at a time, chooses which tensors stay pinned.
//
//	cost = (sum over sets of bytes above the bar, head, sum of heads), the bar being the head without the plan
//
// The search begins with all tensors pinned. If it fails, it begins again with no tensor pinned, and then with a plan
// of the tensors with the largest scratch of all sets. If all fail, the runtime's own plan is kept.
//
// Invariant: if Options.Named is false, a written plan has no larger head than the runtime's own plan, and than the
// model as it is, with any known set. (A larger head is a larger arena, or one of the same size.)
//
// Complexity: a greedy plan for each set that differs, in at most mostTries tries; one if the first plan passes.
//
// Trials: docs/lab/tflm.md (a roof below the scratch of all sets has no plan on the wake words).
//
// Source: Stowage.

// mostTries is how many choices of pinned tensors are judged from each start.
const mostTries = 1_000

// A Standing compares a plan with the runtime's own for one set of kernels. Its figures are heads of the arena, in
// bytes.
type Standing struct {
	Set    Set   // the kernels
	Own    int64 // with the runtime's own plan
	Before int64 // of the model as it is: Own, unless it has a plan that can be followed
	Head   int64 // with the new plan
}

// bar is what a plan must not exceed.
func (s *Standing) bar() int64 { return min(s.Own, s.Before) }

// A rival is a standing with its scratch, and the other sets that need the same scratch.
type rival struct {
	Standing
	same    []Set
	arena   *tflite.Arena
	scratch []model.Buffer
}

// rivalsOf returns the rivals of a model as it is. Sets that need the same scratch are one rival.
func (p *Plan) rivalsOf(ctx context.Context) (all []rival, err error) {
	m := p.Model
	at := map[string]int{}
	for _, s := range KnownSets() {
		scratch := s.Scratch(m)
		key := fmt.Sprint(scratch)
		if k, ok := at[key]; ok {
			all[k].same = append(all[k].same, s)
			continue
		}
		at[key] = len(all)
		r := rival{Standing: Standing{Set: s}, same: []Set{s}}
		if r.arena, err = m.Arena(p.Life, scratch); err != nil {
			return nil, err
		}
		r.scratch = r.arena.Problem.Buffers[r.arena.Scratch:]
		if r.Own, err = emulate(ctx, r.arena.Problem, nil); err != nil {
			return nil, err
		}
		r.Before = r.Own
		if m.Offline != nil && !p.Faulty && !p.replaces() {
			if r.Before, _, _, err = followed(ctx, m, p.Life, r.arena); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// A try is a plan of the tensors, with its heads.
type try struct {
	pins  []int64 // by buffer of United: offsets of pinned tensors; the rest is Online
	head  int64
	heads []int64 // by rival
	worse bool    // on some rival
}

// judgeTry places the scratch of each set around the tensors. It returns nil if the offsets cannot be pinned.
func (p *Plan) judgeTry(ctx context.Context, offsets []int64) (*try, error) {
	n := p.unitedTensors()
	x := &try{pins: slices.Repeat([]int64{tflite.Online}, len(p.United.Buffers))}
	if offsets != nil {
		copy(x.pins, offsets[:n])
	}
	p.leave(x.pins)
	for _, at := range x.pins {
		if at > maxOffset {
			return nil, nil
		}
	}
	var err error
	if x.head, err = emulate(ctx, p.United, x.pins); err != nil {
		return nil, err
	}
	x.heads = make([]int64, len(p.rivals))
	for k := range p.rivals {
		r := &p.rivals[k]
		q := &model.Problem{Buffers: slices.Concat(p.United.Buffers[:n], r.scratch)}
		pins := slices.Concat(x.pins[:n], slices.Repeat([]int64{tflite.Online}, len(r.scratch)))
		if x.heads[k], err = emulate(ctx, q, pins); err != nil {
			return nil, err
		}
		x.worse = x.worse || x.heads[k] > r.bar()
	}
	return x, nil
}

// unitedTensors returns how many buffers of United are tensors; the others are scratch.
func (p *Plan) unitedTensors() int {
	return len(p.United.Buffers) - (len(p.Arena.Tensor) - p.Arena.Scratch)
}

// everywhere replaces the plan that was found by one that is no worse on any known set, if there is one. Otherwise the
// model keeps the runtime's own plan, or the one that it has, unless the kernels are named.
func (p *Plan) everywhere(ctx context.Context, o *Options) error {
	if p.Offsets == nil || p.Kept || len(p.Overlays) > 0 { // a plan with overlays holds only with its own kernels
		return nil
	}
	first, err := p.judgeTry(ctx, p.Result.Offsets)
	if err != nil || first == nil {
		return err
	}
	best, most := first, p.most()
	if first.worse && first.head <= most {
		if best, err = p.elsewhere(ctx, o, first, most); err == nil && best == nil {
			return p.withhold(ctx, first)
		}
		if err != nil {
			return err
		}
	}
	if best != first {
		if err := p.adoptTry(ctx, best); err != nil {
			return err
		}
	}
	p.stand(best)
	if p.Model.Offline != nil && p.Head == p.Before && !p.Worth() {
		return p.asItIs(ctx)
	}
	return nil
}

// asItIs adopts the plan that the model has, because that plan is written.
func (p *Plan) asItIs(ctx context.Context) (err error) {
	p.Head, p.Offsets = p.Before, slices.Clone(p.Model.Offline.Offsets)
	_, p.Placed, _, err = followed(ctx, p.Model, p.Life, p.Arena)
	return err
}

// most returns the largest head with which a plan is written.
func (p *Plan) most() int64 {
	switch {
	case p.Faulty || p.replaces():
		return math.MaxInt64
	case slices.ContainsFunc(p.rivals, func(r rival) bool { return r.Before > r.Own }):
		return p.Before // the plan repairs the plan in the model
	}
	return p.Before - tflite.Alignment
}

// withhold keeps the runtime's own plan, or the plan that the model has.
func (p *Plan) withhold(ctx context.Context, first *try) error {
	for k, r := range p.rivals {
		if first.heads[k] > r.bar() {
			r.Head = first.heads[k]
			p.Withheld = append(p.Withheld, r.Standing)
		}
	}
	if p.Model.Offline != nil && !p.Faulty && !p.replaces() {
		return p.asItIs(ctx)
	}
	p.United, p.In = unite(p.Arena, groups(p.Model, p.Life, func(int, int) bool { return false }))
	own, err := p.judgeTry(ctx, nil)
	if err != nil {
		return err
	}
	if own.worse { // in another order of the operators
		p.Offsets, p.Placed, p.Head = nil, nil, 0
		p.Result = &stowage.Result{Status: stowage.Unknown, LowerBound: p.Result.LowerBound, Planner: p.Result.Planner}
		return nil
	}
	if err := p.adoptTry(ctx, own); err != nil {
		return err
	}
	p.stand(own)
	return nil
}

// stand notes the standing of the plan with each set. It also notes if the model's own plan is worse than the runtime's
// with some set, and the new plan is with none.
func (p *Plan) stand(x *try) {
	was, is := false, false
	for k := range p.rivals {
		r := &p.rivals[k]
		r.Head = x.heads[k]
		was, is = was || r.Before > r.Own, is || r.Head > r.Own
	}
	p.mends = was && !is && p.Head <= p.Before
}

// raise adopts the bars of the model in its former order, if the order has changed.
func (p *Plan) raise(bars map[Set]int64) {
	for k := range p.rivals {
		r := &p.rivals[k]
		least, ok := int64(0), false
		for _, s := range r.same {
			if bar, there := bars[s]; there && (!ok || bar < least) {
				least, ok = bar, true
			}
		}
		if ok {
			r.Own, r.Before = least, least
		}
	}
}

// bars returns the bar of each known set.
func (p *Plan) bars() map[Set]int64 {
	out := map[Set]int64{}
	for k := range p.rivals {
		for _, s := range p.rivals[k].same {
			out[s] = p.rivals[k].bar()
		}
	}
	return out
}

// adoptTry makes a try the plan.
func (p *Plan) adoptTry(ctx context.Context, x *try) error {
	offsets, height, err := Greedy(ctx, p.United, x.pins)
	if err != nil {
		return err
	}
	r := *p.Result
	r.Offsets, r.Height, r.Status = offsets, height, stowage.Feasible
	if height <= r.LowerBound {
		r.Status = stowage.Optimal
	}
	p.Result = &r
	return p.pinAt(ctx, x.pins)
}

// elsewhere looks for the lowest plan that is worse with no rival and has a head of at most most. It returns nil if
// there is none. With named kernels it returns first, unless another plan is as low.
func (p *Plan) elsewhere(ctx context.Context, o *Options, first *try, most int64) (*try, error) {
	if o.Named {
		most = first.head
	}
	var best *try
	begin := func(offsets []int64, pinned bool) error {
		x, err := p.loosen(ctx, offsets, pinned, first.head)
		if err == nil && x != nil && !x.worse && x.head <= most && (best == nil || x.head < best.head) {
			best = x
		}
		return err
	}
	found := func() bool { return best != nil && best.head <= first.head }
	for _, pinned := range []bool{true, false} {
		if err := begin(p.Result.Offsets, pinned); err != nil || found() {
			return best, err
		}
	}
	if o.Named {
		return first, nil
	}
	run := stowage.Options{Minimize: true, Seed: o.Solve.Seed, NodeLimit: AlternativeNodes}
	r, err := stowage.Solve(ctx, &model.Problem{Buffers: slices.Concat(p.United.Buffers[:p.unitedTensors()],
		p.largest())}, run)
	if err == nil && r.Status.HasPlan() {
		err = begin(r.Offsets, true)
	}
	return best, err
}

// loosen looks for a choice of tensors to pin at their offsets in a plan. It begins with all tensors, or with none. It
// ends early at a choice that is worse with no rival and whose head is at most hoped. It returns nil if the offsets
// cannot be pinned.
func (p *Plan) loosen(ctx context.Context, plan []int64, pinned bool, hoped int64) (*try, error) {
	n := p.unitedTensors()
	offsets, tensors := slices.Clone(plan[:n]), make([]int, n)
	for _, in := range p.In[:p.Arena.Scratch] {
		tensors[in]++
	}
	for i := range offsets {
		if !pinned && tensors[i] == 1 {
			offsets[i] = tflite.Online
		}
	}
	best, err := p.judgeTry(ctx, offsets)
	if err != nil || best == nil {
		return nil, err
	}
	for tries, moved := 1, true; moved && (best.worse || best.head > hoped); {
		moved = false
		for i := range n {
			if tensors[i] > 1 {
				continue // a result lies over its operand only if both are pinned
			}
			if tries++; tries > mostTries || ctx.Err() != nil {
				return best, nil
			}
			was := offsets[i]
			if offsets[i] = plan[i]; was != tflite.Online {
				offsets[i] = tflite.Online
			}
			x, err := p.judgeTry(ctx, offsets)
			if err != nil {
				return nil, err
			}
			if x == nil || p.dearer(x, best) > 0 {
				offsets[i] = was
				continue
			}
			moved = moved || p.dearer(x, best) < 0
			best = x
		}
	}
	return best, nil
}

// dearer compares the costs of two tries.
func (p *Plan) dearer(x, y *try) int {
	above := func(x *try) (n int64) {
		for k := range p.rivals {
			n += max(0, x.heads[k]-p.rivals[k].bar())
		}
		return n
	}
	return cmp.Or(cmp.Compare(above(x), above(y)), cmp.Compare(x.head, y.head), cmp.Compare(sum(x.heads), sum(y.heads)))
}

func sum(all []int64) (n int64) {
	for _, x := range all {
		n += x
	}
	return n
}

// largest returns the scratch of all operators, each buffer as large as the largest that a rival needs.
func (p *Plan) largest() []model.Buffer {
	type request struct{ operator, number int }
	most := map[request]model.Buffer{}
	for k := range p.rivals {
		r := &p.rivals[k]
		asked := map[int]int{}
		for i, b := range r.scratch {
			at := request{r.arena.Operators[i], asked[r.arena.Operators[i]]}
			asked[at.operator]++
			if b.Size > most[at].Size {
				b.ID = fmt.Sprintf("scratch %d of operator %d", at.number, at.operator)
				most[at] = b
			}
		}
	}
	return slices.SortedFunc(maps.Values(most), func(a, b model.Buffer) int { return strings.Compare(a.ID, b.ID) })
}
