package penalty

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: take a few related bodies out of a plan that fits, and put them back one by one, each where it pays least. Keep
// the new plan if it pays less, or not much more. How much more is allowed falls as the run goes on, as in simulated
// annealing.
//
// The bodies that a body conflicts with cut the range of its offsets into gaps. A body goes to the bottom or to the top
// of a gap. It may also go right above or right below a body with which it has a penalty. One of the cheapest of these
// places is drawn at random.
//
// Invariant: between steps, all bodies are placed and the plan is valid. cost is what the plan pays. pays[i] is the sum
// of the paid penalties of body i.
//
// Complexity: a step takes out at most mostOut bodies. A body goes back in O((conflicts + penalties) · gaps), and there
// are few gaps. Nothing is allocated and nothing is looked up.
//
// Source: ruin and recreate, after Schrimpf, Schneider, Stamm-Wilbrandt and Dueck (2000).
//
// Trials: docs/lab/ruled.md (a drawn place among the cheapest, with tops of gaps and near neighbours, pays least).

// mostOut is the most bodies that a step takes out.
const mostOut = 11

// hot and cold bound how much more a plan may pay than the plan before it, at the start and at the end of a run. The
// unit is the mean penalty.
const hot, cold = 6.0, 0.2

// away is the offset of a body that is not placed. No difference to it lies in a tie.
const away = math.MinInt64 / 2

// A ruin is a plan of a field that is being improved.
type ruin struct {
	field *Field
	rng   *rand.Rand
	at    []int64 // the offset of each body, or away
	pays  []int64 // what each body pays with others
	cost  int64   // what all pay
	unit  float64 // the mean penalty
	hurt  []int32 // the bodies that pay something
	rank  []int32 // of each body its place in hurt, or -1

	out   []int32 // the bodies that a step takes out
	old   []int64 // where these were
	moved []int64 // where they are to be
	order []int32 // the same bodies, in the order of putting them back
	isOut []bool
	gaps  []room // scratch of cheapest
	bumps []bump // scratch of cheapest, sorted by offset
}

// A bump is an offset from which on a body pays more, or less.
type bump struct{ at, cost int64 }

// newRuin starts from a valid plan.
func newRuin(f *Field, offsets []int64, seed uint64) *ruin {
	r := &ruin{
		field: f, rng: rand.New(rand.NewPCG(seed, 0x7275696e)),
		at: make([]int64, f.n), pays: make([]int64, f.n), isOut: make([]bool, f.n), rank: make([]int32, f.n),
	}
	for _, x := range f.soft {
		r.unit += float64(x.cost) / float64(len(f.soft))
	}
	for i := range r.at {
		r.at[i], r.rank[i] = away, -1
	}
	for i, at := range offsets {
		r.put(int32(i), at)
	}
	return r
}

// put places a body.
func (r *ruin) put(i int32, at int64) {
	r.at[i] = at
	sum := int64(0)
	for _, x := range r.field.softOf(i) {
		if d := at - r.at[x.to]; x.below < d && d < x.above {
			sum += x.cost
			r.pays[x.to] += x.cost
			r.list(x.to)
		}
	}
	r.pays[i] = sum
	r.cost += sum
	r.list(i)
}

// list keeps hurt up to date for a body.
func (r *ruin) list(i int32) {
	switch at := r.rank[i]; {
	case r.pays[i] > 0 && at < 0:
		r.rank[i] = int32(len(r.hurt))
		r.hurt = append(r.hurt, i)
	case r.pays[i] == 0 && at >= 0:
		last := r.hurt[len(r.hurt)-1]
		r.hurt[at], r.rank[last] = last, at
		r.hurt, r.rank[i] = r.hurt[:len(r.hurt)-1], -1
	}
}

// remove takes a body out.
func (r *ruin) remove(i int32) {
	at := r.at[i]
	r.at[i] = away
	for _, x := range r.field.softOf(i) {
		if d := at - r.at[x.to]; x.below < d && d < x.above {
			r.pays[x.to] -= x.cost
			r.list(x.to)
		}
	}
	r.cost -= r.pays[i]
	r.pays[i] = 0
	r.list(i)
}

// Limits end a run of Improve. They are deterministic if Until is zero.
type Limits struct {
	Enough int64     // a plan that pays no more ends the run
	Steps  int64     // the most steps
	Until  time.Time // the run ends then, and cools down by the clock if that is faster; zero for no end
}

// Improve starts from the offsets of a valid plan and looks for a plan that pays less. It returns the best plan, what
// that plan pays, and the number of steps.
func (f *Field) Improve(ctx context.Context, offsets []int64, seed uint64, l Limits) (best []int64, paid, taken int64) {
	return newRuin(f, offsets, seed).improve(ctx, l)
}

// improve is Improve.
func (r *ruin) improve(ctx context.Context, l Limits) (offsets []int64, cost, taken int64) {
	watch := run.NewWatch(ctx)
	defer watch.Close()
	offsets, cost = slices.Clone(r.at), r.cost
	began := time.Now()
	heat := hot
	for taken < l.Steps && cost > l.Enough && !watch.Over() {
		if taken%16 == 0 {
			past := float64(taken) / float64(l.Steps)
			if !l.Until.IsZero() {
				past = max(past, float64(time.Since(began))/float64(l.Until.Sub(began)))
			}
			if past >= 1 {
				break
			}
			heat = hot * math.Pow(cold/hot, past)
		}
		taken++
		if r.step(r.cost+int64(r.unit*heat*r.rng.ExpFloat64())) && r.cost < cost {
			cost = r.cost
			copy(offsets, r.at)
		}
	}
	return offsets, cost, taken
}

// step takes bodies out and puts them back. If the plan then pays more than limit, or a body has no place, all are
// put back where they were.
func (r *ruin) step(limit int64) bool {
	r.choose()
	before := r.cost
	r.old = r.old[:0]
	for _, i := range r.out {
		r.old = append(r.old, r.at[i])
		r.cost -= r.paysNow(i)
		r.at[i] = away
	}
	r.arrange()
	for _, i := range r.order {
		at, cost, fits := r.cheapest(i)
		if !fits || r.cost+cost > limit {
			for k, i := range r.out {
				r.at[i] = r.old[k]
			}
			r.cost = before
			return false
		}
		r.at[i] = at
		r.cost += cost
	}
	// Most steps return above. So pays is updated only here, after the bodies are back at their old places.
	r.cost = before
	r.moved = r.moved[:0]
	for k, i := range r.out {
		r.moved = append(r.moved, r.at[i])
		r.at[i] = r.old[k]
	}
	for _, i := range r.out {
		r.remove(i)
	}
	for k, i := range r.out {
		r.put(i, r.moved[k])
	}
	if invariants.Enabled {
		r.check()
	}
	return true
}

// paysNow returns what a body pays with those that are placed.
func (r *ruin) paysNow(i int32) (sum int64) {
	at := r.at[i]
	for _, x := range r.field.softOf(i) {
		if d := at - r.at[x.to]; x.below < d && d < x.above {
			sum += x.cost
		}
	}
	return sum
}

// choose fills out with a body that pays, and with bodies that are tied to it by penalties or conflicts, directly or
// through others.
func (r *ruin) choose() {
	for _, i := range r.out {
		r.isOut[i] = false
	}
	first := int32(r.rng.IntN(r.field.n))
	if len(r.hurt) > 0 {
		first = r.hurt[r.rng.IntN(len(r.hurt))]
	}
	r.out = append(r.out[:0], first)
	r.isOut[first] = true
	for size := 2 + r.rng.IntN(mostOut-1); len(r.out) < size; {
		i := r.out[r.rng.IntN(len(r.out))]
		next := r.neighbour(i)
		if !r.isOut[next] {
			r.isOut[next] = true
			r.out = append(r.out, next)
		} else if r.rng.IntN(4) == 0 {
			size-- // perhaps no further neighbour is left
		}
	}
}

// neighbour draws three bodies that have a penalty with i, or three that conflict with i, and returns the nearest in
// offset. If i has no such body, it draws any.
func (r *ruin) neighbour(i int32) int32 {
	soft, hard := r.field.softOf(i), r.field.hardOf(i)
	next, least := int32(r.rng.IntN(r.field.n)), int64(math.MaxInt64)
	if len(soft) > 0 && (len(hard) == 0 || r.rng.IntN(2) == 0) {
		for range 3 {
			j := soft[r.rng.IntN(len(soft))].to
			if d := max(r.at[i]-r.at[j], r.at[j]-r.at[i]); d < least {
				next, least = j, d
			}
		}
	} else if len(hard) > 0 {
		for range 3 {
			j := hard[r.rng.IntN(len(hard))].to
			if d := max(r.at[i]-r.at[j], r.at[j]-r.at[i]); d < least {
				next, least = j, d
			}
		}
	}
	return next
}

// arrange fills order: out shuffled, and half of the time sorted by size after that, the largest first.
func (r *ruin) arrange() {
	r.order = append(r.order[:0], r.out...)
	o := r.order
	r.rng.Shuffle(len(o), func(a, b int) { o[a], o[b] = o[b], o[a] })
	if r.rng.IntN(2) == 0 {
		return
	}
	for k := 1; k < len(o); k++ {
		for m := k; m > 0 && r.field.size[o[m-1]] < r.field.size[o[m]]; m-- {
			o[m-1], o[m] = o[m], o[m-1]
		}
	}
}

// cheapest returns an offset at which a body pays least beside the placed bodies, and what it pays there. fits is false
// if there is no place for it.
func (r *ruin) cheapest(i int32) (at, cost int64, fits bool) {
	gaps, align := append(r.gaps[:0], r.field.free[r.field.freeAt[i]:r.field.freeAt[i+1]]...), r.field.align[i]
	for _, x := range r.field.hardOf(i) {
		other := r.at[x.to]
		below, above := other+x.below, other+x.above
		for k := range gaps {
			if gaps[k].high > below && gaps[k].low < above && other != away {
				if gaps = cut(gaps, below, above, align); len(gaps) == 0 {
					return 0, 0, false
				}
				break
			}
		}
	}
	r.gaps = gaps
	cost = math.MaxInt64
	equal := 0 // places found that are as cheap
	for _, g := range gaps {
		pays := r.findBumps(i, g)
		for k := 0; ; {
			// From here to the next bump the body pays the same.
			from, to := g.low, g.high
			if k > 0 {
				from = r.bumps[k-1].at
			}
			if k < len(r.bumps) {
				to = r.bumps[k].at - align
			} else if align > 1 {
				to -= to % align
			}
			if pays < cost {
				cost, equal = pays, 0
			}
			if pays == cost {
				if equal++; equal == 1 || r.rng.IntN(equal) == 0 {
					at = from
				}
				if to > from {
					if equal++; r.rng.IntN(equal) == 0 {
						at = to
					}
				}
			}
			if k == len(r.bumps) {
				break
			}
			for here := r.bumps[k].at; k < len(r.bumps) && r.bumps[k].at == here; k++ {
				pays += r.bumps[k].cost
			}
		}
	}
	return at, cost, len(gaps) > 0
}

// findBumps fills bumps with the offsets inside a gap, above its low end, at which the cost of the body changes. It
// returns what the body pays at the low end.
func (r *ruin) findBumps(i int32, g room) (pays int64) {
	bumps, align := r.bumps[:0], r.field.align[i]
	for _, x := range r.field.softOf(i) {
		other := r.at[x.to]
		below, above := other+x.below, other+x.above
		if below >= g.high || above <= g.low || other == away {
			continue
		}
		if below < g.low {
			pays += x.cost
		} else if from := bound.Up(below+1, align); from <= g.high {
			bumps = append(bumps, bump{from, x.cost})
		}
		if to := bound.Up(above, align); to <= g.high {
			bumps = append(bumps, bump{to, -x.cost})
		}
	}
	for k := 1; k < len(bumps); k++ {
		x, m := bumps[k], k
		for ; m > 0 && bumps[m-1].at > x.at; m-- {
			bumps[m] = bumps[m-1]
		}
		bumps[m] = x
	}
	r.bumps = bumps
	return pays
}
