// Package choices turns a problem with rules into choices between two sides, for the program of milp.
package choices

import (
	"math"
	"math/big"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: a problem with rules as choices between two sides, for all pools together. It shares nothing with the lowering
// of the product (internal/lower, internal/ruled), so that what is planned from here is a second opinion.
//
// Buffers that are tied are one body, with the offset of its lowest byte. Its difference to another body avoids open
// ranges, if the two are in one pool, and its own offset avoids others:
//
//	two members that conflict           offset(b) - offset(a) avoids (-size(b), size(a))
//	windows                             the same with the bytes that are in use, for each time
//	a distance of d, a dies, b is born  the same range, above -d alone
//	a penalised pair                    the same, or the penalty is paid
//	a reserved range [s, e)             offset(a) avoids (s - size(a), e)
//
// Ranges that meet are joined. Alignments of members and pool together leave first + k·step to a body.
//
// Invariant: a choice of pools and of sides has a plan if and only if Least finds one.
//
// Complexity: O(pairs of members · pieces of the two).
//
// Left out: evictions, which are a choice of problems.

// A Ruled is a problem with rules as choices. Quantities of space are in units of Unit bytes.
type Ruled struct {
	Problem   *model.Problem
	Unit      int64
	Bodies    []Body
	Apart     []Sides // differences that are forbidden in one pool
	Penalties []Sides // and those that cost something
	Reserved  []Sides // offsets that are forbidden in a pool: J is the pool
	Reach     []int64 // of each pool, a height that some best plan keeps
}

// A Body is a set of buffers at fixed distances.
type Body struct {
	Members []int32 // indices into Problem.Buffers
	At      []int64 // of each, its distance from the lowest byte of the body
	Extent  int64   // from there to the highest end
	Places  []Place // one for each pool that the body may be in; none if there is no such pool
}

// A Place is where a body may be in a pool: at First + k·Step, up to Last.
type Place struct {
	Pool              int32
	First, Step, Last int64
	Cost              int64 // what its members cost there
}

// Sides say that offset(J) - offset(I) is at least Up, or at most Down, if the two bodies are in one
// pool. For a reserved range it is the offset of I itself, if I is in pool J.
type Sides struct {
	I, J     int32
	Up, Down int64 // Down < Up
	Cost     int64 // that is paid otherwise; 0 if it must hold
}

// Encode makes the choices of a valid problem without evictions. limit bounds their number; the error is a
// *pairwise.TooManyPairsError.
func Encode(p *model.Problem, limit int) (*Ruled, error) {
	c := model.NewConflicts(p)
	e := &Ruled{Problem: p}
	of := e.bodies(c)
	e.unit()
	e.places()
	for i := range p.Buffers {
		for j := range i {
			if of[i] == of[j] {
				continue
			}
			e.Apart = append(e.Apart, e.sides(c, int32(j), int32(i), of)...)
			if len(e.Apart) > limit {
				return nil, &pairwise.TooManyPairsError{Buffers: len(p.Buffers), Limit: limit}
			}
		}
	}
	e.Apart = joined(e.Apart)
	for _, x := range c.PenaltiesOf() {
		i, j := x.Buffers[0], x.Buffers[1]
		s := e.between(i, j, of, -p.Buffers[j].Size, p.Buffers[i].Size)
		s.Cost = x.Cost
		e.Penalties = append(e.Penalties, s)
	}
	var reserved []Sides
	for b := range e.Bodies {
		for _, place := range e.Bodies[b].Places {
			for _, r := range p.AllPools()[place.Pool].Reserved {
				for m, i := range e.Bodies[b].Members {
					at := e.Bodies[b].At[m]
					reserved = append(reserved,
						Sides{I: int32(b), J: place.Pool, Up: r.Upper/e.Unit - at, Down: (r.Lower-p.Buffers[i].Size)/e.Unit - at})
				}
			}
		}
	}
	e.Reserved = joined(reserved)
	return e, nil
}

// bodies groups the buffers, with distances in bytes, and returns the body of each.
func (e *Ruled) bodies(c *model.Conflicts) (of []int32) {
	body, at := c.Bodies()
	of = make([]int32, len(e.Problem.Buffers))
	number := map[int32]int32{}
	for i := range e.Problem.Buffers {
		root, by := int32(i), int64(0)
		if body != nil {
			root, by = body[i], at[i]
		}
		n, known := number[root]
		if !known {
			n = int32(len(e.Bodies))
			number[root] = n
			e.Bodies = append(e.Bodies, Body{})
		}
		b := &e.Bodies[n]
		of[i], b.Members, b.At = n, append(b.Members, int32(i)), append(b.At, by)
		b.Extent = max(b.Extent, by+e.Problem.Buffers[i].Size)
	}
	return of
}

// unit finds the greatest unit in which all differences are whole, and divides the bodies by it.
func (e *Ruled) unit() {
	p, g := e.Problem, int64(0)
	add := func(x int64) { g = bound.GCD(x, g) }
	var aligns []int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		add(b.Size)
		aligns = append(aligns, b.Align())
		if b.Fixed != nil {
			add(*b.Fixed)
		}
		for _, x := range b.Gaps {
			if x.Window != nil {
				add(x.Window.Lower)
				add(x.Window.Upper)
			}
		}
	}
	for _, q := range p.AllPools() {
		aligns = append(aligns, max(q.Alignment, 1))
		for _, r := range q.Reserved {
			add(r.Lower)
			add(r.Upper)
		}
	}
	for _, d := range p.Rules.Distances {
		add(d.Distance)
	}
	for b := range e.Bodies {
		for _, at := range e.Bodies[b].At {
			add(at)
		}
	}
	e.Unit = bound.Unit(g, len(aligns), func(k int) int64 { return aligns[k] })
	for b := range e.Bodies {
		x := &e.Bodies[b]
		x.Extent /= e.Unit
		for m := range x.At {
			x.At[m] /= e.Unit
		}
	}
}

// places finds where each body may be in each pool.
func (e *Ruled) places() {
	p, pools := e.Problem, e.Problem.AllPools()
	steps := make([][]Place, len(e.Bodies))
	var sum, top int64
	for b := range e.Bodies {
		x := &e.Bodies[b]
		most := int64(1)
	next:
		for q := range pools {
			place := Place{Pool: int32(q), Step: e.Unit, Last: math.MaxInt64}
			for m, i := range x.Members {
				buffer, at := &p.Buffers[i], x.At[m]*e.Unit
				if !buffer.MayUse(int32(q)) {
					continue next
				}
				place.Cost += buffer.CostIn(pools, int32(q))
				for _, a := range []int64{buffer.Align(), max(pools[q].Alignment, 1)} {
					if !place.meet(-at, a) {
						continue next
					}
				}
			}
			most = max(most, place.Step)
			for m, i := range x.Members {
				if fixed := p.Buffers[i].Fixed; fixed != nil {
					at := *fixed - x.At[m]*e.Unit
					if at < place.First || (at-place.First)%place.Step != 0 || place.Last < math.MaxInt64 && place.Last != at {
						continue next
					}
					place.First, place.Last, place.Step = at, at, e.Unit
					top = max(top, at+x.Extent*e.Unit)
				}
			}
			steps[b] = append(steps[b], place)
		}
		sum += x.Extent*e.Unit + most - 1
	}
	for q := range pools {
		reach := top
		for _, r := range pools[q].Reserved {
			reach = max(reach, r.Upper)
		}
		if reach += sum; pools[q].Capacity > 0 {
			reach = min(reach, pools[q].Capacity)
		}
		e.Reach = append(e.Reach, reach/e.Unit)
	}
	for b, places := range steps {
		for _, place := range places {
			place.First, place.Step = place.First/e.Unit, place.Step/e.Unit
			last := e.Reach[place.Pool] - e.Bodies[b].Extent
			if place.Last < math.MaxInt64 {
				last = min(last, place.Last/e.Unit)
			}
			if last < place.First {
				continue
			}
			place.Last = last - (last-place.First)%place.Step
			e.Bodies[b].Places = append(e.Bodies[b].Places, place)
		}
	}
}

// meet restricts a place to the offsets that are of a rest modulo an alignment; ok is false if there are none. It is
// the Chinese remainder theorem: First + n·Step = rest modulo align, for the least n.
func (x *Place) meet(rest, align int64) (ok bool) {
	g := bound.GCD(x.Step, align)
	if (rest-x.First)%g != 0 {
		return false
	}
	step, modulus := big.NewInt(x.Step/g), big.NewInt(align/g)
	n := big.NewInt((rest - x.First) / g)
	if modulus.Cmp(big.NewInt(1)) > 0 {
		n.Mul(n, new(big.Int).ModInverse(step, modulus))
	}
	x.First += n.Mod(n, modulus).Int64() * x.Step
	x.Step *= align / g
	return true
}

// sides returns the differences that two buffers may not have.
func (e *Ruled) sides(c *model.Conflicts, i, j int32, of []int32) (all []Sides) {
	p := e.Problem
	a, b := &p.Buffers[i], &p.Buffers[j]
	if !c.Conflict(int(i), int(j)) {
		return nil
	}
	if c.Apart(int(i), int(j)) || p.Rules.Threads > 0 {
		return []Sides{e.between(i, j, of, -b.Size, a.Size)}
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64) // differences that a distance forbids
	for _, d := range p.Rules.Distances {
		switch d.Buffers {
		case model.Pair{i, j}:
			low = -d.Distance
		case model.Pair{j, i}:
			high = d.Distance
		}
	}
	shifts := []int64{0}
	if t := p.Rules.Period; t > 0 {
		shifts = []int64{0, t, -t}
	}
	for _, shift := range shifts {
		for x := range a.Pieces {
			for y := range b.Pieces {
				if x.Lower >= y.Upper+shift || y.Lower+shift >= x.Upper {
					continue
				}
				if from, to := max(x.From-y.To, low), min(x.To-y.From, high); to-from > 1 {
					all = append(all, e.between(i, j, of, from, to))
				}
			}
		}
	}
	return all
}

// between makes an open range of offset(j) - offset(i), in bytes, one of their bodies, the lesser number first.
func (e *Ruled) between(i, j int32, of []int32, from, to int64) Sides {
	at := func(i int32) int64 { return e.Bodies[of[i]].At[slices.Index(e.Bodies[of[i]].Members, i)] }
	by := at(i) - at(j)
	s := Sides{I: of[i], J: of[j], Up: to/e.Unit + by, Down: from/e.Unit + by}
	if s.I > s.J {
		s = Sides{I: s.J, J: s.I, Up: -s.Down, Down: -s.Up}
	}
	return s
}

// joined sorts ranges and joins those that meet.
func joined(all []Sides) (out []Sides) {
	slices.SortFunc(all, func(x, y Sides) int {
		return slices.Compare([]int64{int64(x.I), int64(x.J), x.Down, x.Up}, []int64{int64(y.I), int64(y.J), y.Down, y.Up})
	})
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && out[n].I == s.I && out[n].J == s.J && s.Down < out[n].Up {
			out[n].Up = max(out[n].Up, s.Up)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// A Decision is the pool of each body, as an index into its Places, and a side of each choice.
type Decision struct {
	Place                      []int
	Apart, Penalties, Reserved []pairwise.Choice // Above: at least Up; Below: at most Down; Open: neither is asked for
}

// mostPasses bounds the passes of Least, since sides may raise each other for ever.
const mostPasses = 1 << 14

// Least returns the lowest offsets of the bodies that have the sides of a decision, in units; nil if there are none, or
// the watch ended. Sides of bodies in two pools do not count.
func (e *Ruled) Least(w *run.Watch, d *Decision) []int64 {
	at, last := make([]int64, len(e.Bodies)), make([]int64, len(e.Bodies))
	pool := func(b int32) int32 { return e.Bodies[b].Places[d.Place[b]].Pool }
	raise := func(b int32, least int64) bool {
		x := &e.Bodies[b].Places[d.Place[b]]
		if at[b] < least {
			at[b] = x.First + bound.Up(least-x.First, x.Step)
		}
		return at[b] <= last[b]
	}
	for b := range e.Bodies {
		x := &e.Bodies[b].Places[d.Place[b]]
		at[b], last[b] = x.First, x.Last
	}
	for k, s := range e.Reserved {
		switch {
		case pool(s.I) != s.J:
		case d.Reserved[k] == pairwise.Above:
			if !raise(s.I, s.Up) {
				return nil
			}
		case d.Reserved[k] == pairwise.Below:
			last[s.I] = min(last[s.I], s.Down)
		}
	}
	for range mostPasses {
		rose := false
		for k, list := range [][]Sides{e.Apart, e.Penalties} {
			choices := [][]pairwise.Choice{d.Apart, d.Penalties}[k]
			for n, s := range list {
				up, least := s.J, at[s.I]+s.Up
				if choices[n] == pairwise.Below {
					up, least = s.I, at[s.J]-s.Down
				}
				if choices[n] == pairwise.Open || pool(s.I) != pool(s.J) || at[up] >= least {
					continue
				}
				if !raise(up, least) {
					return nil
				}
				rose = true
			}
		}
		if !rose {
			for b := range at {
				if at[b] > last[b] {
					return nil
				}
			}
			return at
		}
		if w.Over() {
			return nil
		}
	}
	return nil
}

// Plan makes the plan of a decision and of offsets in units.
func (e *Ruled) Plan(place []int, at []int64) model.Plan {
	p := e.Problem
	plan := model.Plan{Offsets: make([]int64, len(p.Buffers))}
	if len(p.Rules.Pools) > 1 {
		plan.Pools = make([]int32, len(p.Buffers))
	}
	for b := range e.Bodies {
		for m, i := range e.Bodies[b].Members {
			plan.Offsets[i] = (at[b] + e.Bodies[b].At[m]) * e.Unit
			if plan.Pools != nil {
				plan.Pools[i] = e.Bodies[b].Places[place[b]].Pool
			}
		}
	}
	return plan
}
