package heights

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/simplex"
)

// Idea: the bound of split.go splits bodies between pools. With 30 or 100 bodies that gives several percent away, for
// each body is a large part of a pool. Branch and bound does not. This is its linear program; split.go climbs the dual:
//
//	least  sum of heights   so that   loads in a section of a pool <= its height   for each pool and section
//
// A body with several pools has an x for each of them but its first, which takes what is left of 1. Sections become
// rows when the loads exceed the height. A branch leaves out some pools of some bodies. It splits at the body that is
// most in parts, weighed by what it pays: that body is in its likeliest pool, or it is not. The search dives into the
// first of the two with the same table, and comes back to the open branch with the least bound. Each x also leads to a
// choice of pools, which descends while single bodies lower the sum.
//
// What a body pays more in a pool than in its cheapest one is an excess. If that lifts the bound to the best sum, the
// pool is left out.
//
// Invariant: bounds are those of split.go, from the prices of a branch, in whole numbers. A branch that the linear
// program cannot finish keeps the bound of its parent.
//
// Complexity: at most branchNodes linear programs and branchEffort numbers changed in their tables.
//
// Source: Land and Doig (1960); excesses that fix variables: Dantzig, Fulkerson and Johnson (1954).

const (
	branchNodes   = 20_000
	branchEffort  = 200_000_000
	branchEntries = 1_000 // pools of all bodies
	partly        = 1e-6  // an x that is less from 0 or 1 is whole
	everyChoice   = 4     // an x leads to a choice at every such branch
)

// A tree is the state of the branch and bound.
type tree struct {
	*split
	lp    *simplex.Program
	scale float64 // bytes that are 1 in the linear program
	x     []int32 // of each entry of paid, its variable; -1 for the first of a body
	row   []int32 // of each body, the row that keeps its parts to 1 in all, or -1
	of    []place // of each row, the section that it is about
	has   [][]bool
	at    [][]weight // of each section, who is there
	part  []float64  // of each entry, of which body how much is there
	loads [][]float64
	open  []branch
}

// A place is a section of a pool.
type place struct{ pool, section int32 }

// A weight is what a body has in a section.
type weight struct {
	body  int32
	bytes int64
}

// A branch is a part of all choices.
type branch struct {
	out []bool // of each entry, whether it is left out
	low int64  // no choice of the branch has a lower sum
}

// branch searches for the choice of the lowest sum, and raises the bound.
func (x *split) branch(ctx context.Context) {
	if x.bound >= x.least || len(x.paid) > branchEntries {
		return
	}
	t := x.tree()
	t.open = []branch{{make([]bool, len(x.paid)), x.bound}}
	given := int64(math.MaxInt64) // no choice of the branches that were given up has a lower sum
	n := 0
	for len(t.open) > 0 {
		at := 0
		for k := range t.open {
			if t.open[k].low <= t.open[at].low {
				at = k
			}
		}
		now := t.open[at]
		if now.low >= x.least {
			break
		}
		if n >= branchNodes || t.lp.Effort < 0 || ctx.Err() != nil {
			given = min(given, now.low)
			break
		}
		t.open = slices.Delete(t.open, at, at+1)
		n = t.dive(ctx, now, n, &given)
	}
	x.bound = max(x.bound, min(given, x.least))
}

// tree sets up the linear program.
func (x *split) tree() *tree {
	t := &tree{
		split: x, x: make([]int32, len(x.paid)), part: make([]float64, len(x.paid)), at: make([][]weight, x.sections),
	}
	var cost []float64
	for k := range x.bodies {
		b := &x.bodies[k]
		t.scale += float64(b.size)
		for n := range b.pools {
			if t.x[int(x.from[k])+n] = -1; n > 0 {
				t.x[int(x.from[k])+n] = int32(len(cost))
				cost = append(cost, float64(len(cost)%97)*1e-10) // no two alike, or many steps change nothing
			}
		}
		for _, u := range b.uses {
			for s := u.First; s < u.Last; s++ {
				t.at[s] = append(t.at[s], weight{int32(k), u.To - u.From})
			}
		}
	}
	for q := range x.pools {
		if q == 0 || !x.one {
			cost = append(cost, 1)
		}
		t.has, t.loads = append(t.has, make([]bool, x.sections)), append(t.loads, make([]float64, x.sections))
	}
	t.lp = simplex.New(cost, branchEffort)
	for k := range x.bodies {
		if t.row = append(t.row, -1); len(x.bodies[k].pools) > 2 {
			t.row[k] = int32(t.lp.Rows())
			of := t.x[x.from[k]+1:][:len(x.bodies[k].pools)-1]
			t.lp.Add(of, slices.Repeat([]float64{1}, len(of)), 1)
			t.of = append(t.of, place{-1, -1})
		}
	}
	return t
}

// dive goes down from a branch. It returns n plus the number of branches.
func (t *tree) dive(ctx context.Context, now branch, n int, given *int64) int {
	t.lp.Effort -= t.lp.Len() * t.lp.Count()
	s := t.lp.Clone()
	for k := range t.bodies {
		t.apply(s, int32(k), now.out)
	}
	for ; ; n++ {
		solved := t.solve(ctx, s)
		t.lp.Effort = min(t.lp.Effort, s.Effort) - len(t.paid)
		t.prices(s)
		paid := t.whole(now.out)
		if now.low = max(now.low, t.up(paid)); now.low >= t.least {
			return n + 1
		}
		if !solved {
			if t.lp.Effort < 0 || ctx.Err() != nil {
				t.open = append(t.open, now)
			} else {
				*given = min(*given, now.low)
			}
			return n + 1
		}
		if n%everyChoice == 0 {
			t.choice(now.out)
			if now.low >= t.least {
				return n + 1
			}
		}
		if t.strike(s, now.out, paid) {
			continue // some part may have gone
		}
		k, likeliest := t.undecided(now.out)
		if k < 0 {
			if t.choice(now.out); now.low < t.least {
				*given = min(*given, now.low)
			}
			return n + 1
		}
		other := branch{slices.Clone(now.out), now.low}
		other.out[likeliest] = true
		t.open = append(t.open, other)
		for e := range t.entries(k) {
			now.out[e] = e != likeliest
		}
		t.apply(s, k, now.out)
	}
}

// entries ranges over the entries of a body.
func (t *tree) entries(k int32) func(func(int) bool) {
	return func(yield func(int) bool) {
		for n := range t.bodies[k].pools {
			if !yield(int(t.from[k]) + n) {
				return
			}
		}
	}
}

// apply leaves out entries of a body.
func (t *tree) apply(s *simplex.Program, k int32, out []bool) {
	first, left, last := int(t.from[k]), 0, -1
	for e := range t.entries(k) {
		if !out[e] {
			left, last = left+1, e
		}
	}
	for e := range t.entries(k) {
		switch {
		case t.x[e] < 0:
		case left == 1 && e == last:
			s.Fix(t.x[e], 1)
		case out[e]:
			s.Fix(t.x[e], 0)
		}
	}
	if out[first] && t.row[k] >= 0 {
		s.Tighten(int(t.row[k]))
	}
}

// solve solves a linear program. Sections whose loads are above the height become rows, there and in the first program.
func (t *tree) solve(ctx context.Context, s *simplex.Program) bool {
	for s.Solve(ctx) {
		x := s.Values()
		for q := range t.loads {
			clear(t.loads[q])
		}
		for k := range t.bodies {
			rest := 1.0
			for n, q := range t.bodies[k].pools {
				e := int(t.from[k]) + n
				if t.x[e] >= 0 {
					t.part[e] = x[t.x[e]]
					rest -= t.part[e]
					t.spread(k, q, t.part[e])
				}
			}
			t.part[t.from[k]] = max(0, rest)
			t.spread(k, t.bodies[k].pools[0], max(0, rest))
		}
		more := false
		for q := range t.loads {
			height := x[t.heightOf(s, q)]*t.scale + t.scale*10*simplex.Outside
			for at, load := range t.loads[q] {
				left, right := 0.0, 0.0
				if at > 0 {
					left = t.loads[q][at-1]
				}
				if at+1 < t.sections {
					right = t.loads[q][at+1]
				}
				if load > height && !t.has[q][at] && load >= left && load > right {
					t.add(s, int32(q), int32(at))
					more = true
				}
			}
		}
		if !more {
			return true
		}
	}
	return false
}

// spread adds a part of a body to the loads of a pool.
func (t *tree) spread(k int, q int32, part float64) {
	if part == 0 {
		return
	}
	for _, u := range t.bodies[k].uses {
		for at := u.First; at < u.Last; at++ {
			t.loads[q][at] += part * float64(u.To-u.From)
		}
	}
}

// heightOf returns the variable of the height of a pool.
func (t *tree) heightOf(s *simplex.Program, q int) int {
	if t.one {
		return s.Count() - 1
	}
	return s.Count() - len(t.pools) + q
}

// add makes a section of a pool a row.
func (t *tree) add(s *simplex.Program, q, at int32) {
	of, a, b := []int32{int32(t.heightOf(s, int(q)))}, []float64{-1}, 0.0
	for _, w := range t.at[at] {
		n := slices.Index(t.bodies[w.body].pools, q)
		if n < 0 {
			continue
		}
		weight := float64(w.bytes) / t.scale
		if n > 0 {
			of, a = append(of, t.x[int(t.from[w.body])+n]), append(a, weight)
			continue
		}
		b -= weight
		for e := range t.entries(w.body) {
			if t.x[e] >= 0 {
				of, a = append(of, t.x[e]), append(a, -weight)
			}
		}
	}
	s.Add(of, a, b)
	t.lp.Add(of, a, b)
	t.of, t.has[q][at] = append(t.of, place{q, at}), true
}

// prices takes the prices of a linear program.
func (t *tree) prices(s *simplex.Program) {
	for q := range t.price {
		clear(t.price[q])
	}
	s.Prices(func(row int, price float64) {
		if of := t.of[row]; of.pool >= 0 {
			t.price[of.pool][of.section] = price
		}
	})
}

// strike leaves out the entries of paid that no choice below the best sum has. It reports whether some of them had a
// part of their body.
func (t *tree) strike(s *simplex.Program, out []bool, paid int64) (parts bool) {
	for k := range t.bodies {
		least := int64(math.MaxInt64)
		for e := range t.entries(int32(k)) {
			if !out[e] {
				least = min(least, t.paid[e])
			}
		}
		struck := false
		for e := range t.entries(int32(k)) {
			if !out[e] && t.up(paid-least+t.paid[e]) >= t.least {
				out[e], struck = true, true
				parts = parts || t.part[e] > partly
			}
		}
		if struck {
			t.apply(s, int32(k), out)
		}
	}
	return parts
}

// undecided returns the body to branch on and the entry that has most of it, or -1 if all are whole.
func (t *tree) undecided(out []bool) (next int32, likeliest int) {
	next, most := int32(-1), 0.0
	for k := range t.bodies {
		best, left := -1, 0
		for e := range t.entries(int32(k)) {
			if out[e] {
				continue
			}
			if left++; best < 0 || t.part[e] > t.part[best] {
				best = e
			}
		}
		missing := 1 - t.part[best]
		if missing < partly || left == 1 {
			continue
		}
		if by := missing * (float64(t.paid[best])/float64(t.unit) + 0.01*float64(t.bodies[k].size)); by > most {
			next, likeliest, most = int32(k), best, by
		}
	}
	return next, likeliest
}

// lower reports whether two pools with other greatest loads are better than as they are.
func (t *split) lower(topFrom, topTo int64, from, to int32) bool {
	if t.one {
		return max(topFrom, topTo) < max(t.top[from], t.top[to])
	}
	return topFrom+topTo < t.top[from]+t.top[to]
}

// choice makes the parts a choice, and lowers its sum by single bodies. It keeps the best.
func (t *tree) choice(out []bool) {
	for k := range t.bodies {
		best := -1
		for e := range t.entries(int32(k)) {
			if !out[e] && (best < 0 || t.part[e] > t.part[best]) {
				best = e
			}
		}
		t.in[k] = t.bodies[k].pools[best-int(t.from[k])]
	}
	t.fill()
	for again := true; again; {
		again = false
		for k := range t.bodies {
			for _, q := range t.bodies[k].pools {
				from := t.in[k]
				if q == from {
					continue
				}
				t.move(int32(k), from, -1)
				t.move(int32(k), q, 1)
				topFrom, topTo := slices.Max(t.load[from]), slices.Max(t.load[q])
				if t.lower(topFrom, topTo, from, q) {
					t.in[k], t.top[from], t.top[q], again = q, topFrom, topTo, true
					continue
				}
				t.move(int32(k), q, -1)
				t.move(int32(k), from, 1)
			}
		}
	}
	t.keep()
}
