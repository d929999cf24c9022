package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/model"
)

// Idea: as in ranges.go, but with rules, and for several pools. What is placed is a body: buffers that ties hold at fixed
// distances, or one buffer by itself. Its place is a pool and an origin, the offset of its lowest byte. Each buffer in
// the pool that conflicts with a member forbids an open range of origins, and so does each reserved range.
//
// Invariant: who conflicts, and at which distances, is known elsewhere (model.Conflicts, internal/ruled/places). verify reads the rules by itself.
//
// Complexity: O(members times n) for the bans of a body, and O(k log k) for k bans.

// bodies are the bodies of a problem with rules, and its conflicts.
type bodies struct {
	p         *model.Problem
	pools     []model.Pool
	conflicts *model.Conflicts
	pairs     *places.Pairs
	body      []int32           // the buffer that stands for the body of each buffer; nil if nothing is tied
	off       []int64           // distance of each buffer from the origin of its body; nil likewise
	tied      map[int32][]int32 // members of the bodies that have several
	alone     []int32           // every index, for bodies of one
}

func newBodies(p *model.Problem) *bodies {
	b := &bodies{p: p, pools: p.AllPools(), conflicts: model.NewConflicts(p), alone: make([]int32, len(p.Buffers))}
	b.body, b.off = b.conflicts.Bodies()
	b.pairs = places.NewPairs(p, b.conflicts)
	for i := range b.alone {
		b.alone[i] = int32(i)
	}
	if b.body != nil {
		b.tied = map[int32][]int32{}
		for i, k := range b.body {
			b.tied[k] = append(b.tied[k], int32(i))
		}
	}
	return b
}

// of returns the body of a buffer.
func (b *bodies) of(i int32) int32 {
	if b.body == nil {
		return i
	}
	return b.body[i]
}

// from returns the distance of a buffer from the origin of its body.
func (b *bodies) from(i int32) int64 {
	if b.off == nil {
		return 0
	}
	return b.off[i]
}

// members returns the buffers of a body.
func (b *bodies) members(body int32) []int32 {
	if b.tied != nil {
		return b.tied[body]
	}
	return b.alone[body : body+1]
}

// pinned returns the origin that a fixed offset gives a body. ok is false if no member has one.
func (b *bodies) pinned(body int32) (origin int64, ok bool) {
	for _, i := range b.members(body) {
		if fixed := b.p.Buffers[i].Fixed; fixed != nil {
			return *fixed - b.from(i), true
		}
	}
	return 0, false
}

// mayLie reports whether a body may have a place, whatever else is there.
func (b *bodies) mayLie(body, pool int32, origin int64) bool {
	q := &b.pools[pool]
	for _, i := range b.members(body) {
		x, at := &b.p.Buffers[i], origin+b.from(i)
		switch {
		case at < 0 || at%x.Align() != 0 || at%max(q.Alignment, 1) != 0 || x.Fixed != nil && *x.Fixed != at || !x.MayUse(pool):
			return false
		case q.Capacity > 0 && at > q.Capacity-x.Size:
			return false
		case slices.ContainsFunc(q.Reserved, func(r model.Range) bool { return at < r.Upper && r.Lower < at+x.Size }):
			return false
		}
	}
	return true
}

// bans appends the ranges of origins in a pool that placed buffers and reserved ranges forbid to a body.
func (b *bodies) bans(list []ban, body, pool int32, at []int64, in []int32) []ban {
	for _, i := range b.members(body) {
		for j := range at {
			if in[j] == pool && at[j] != away && int32(j) != i {
				base := at[j] - b.from(i)
				b.pairs.Between(i, int32(j), func(low, high int64) { list = append(list, ban{base + low, base + high, int32(j)}) })
			}
		}
		for _, r := range b.pools[pool].Reserved {
			list = append(list, ban{r.Lower - b.p.Buffers[i].Size - b.from(i), r.Upper - b.from(i), away})
		}
	}
	return list
}

// free reports whether no ban has an origin.
func free(bans []ban, origin int64) bool {
	return !slices.ContainsFunc(bans, func(x ban) bool { return x.low < origin && origin < x.high })
}

// grid returns the origins of a body that have all alignments in a pool. ok is false if there are none.
func (b *bodies) grid(body, pool int32) (g lower.Grid, ok bool) {
	g, ok = lower.Grid{First: 0, Step: 1}, true
	for _, i := range b.members(body) {
		for _, align := range [...]int64{b.p.Buffers[i].Align(), max(b.pools[pool].Alignment, 1)} {
			if ok {
				g, ok = g.And(b.from(i), align)
			}
		}
	}
	return g, ok
}

// bestOrigin returns the origin in the smallest gap of a pool that has room for a body, as bestFit does. It sorts the bans.
func (b *bodies) bestOrigin(bans []ban, body, pool int32) (origin int64, ok bool) {
	grid, ok := b.grid(body, pool)
	if !ok {
		return 0, false
	}
	up := func(top int64) int64 { return grid.Up(max(top, 0)) }
	slices.SortFunc(bans, byLow)
	top, best, gap := int64(0), int64(away), int64(0)
	for k := range bans {
		if low := bans[k].low; low >= top {
			if at := up(top); at <= low && (best == away || low-top < gap) {
				best, gap = at, low-top
			}
		}
		top = max(top, bans[k].high)
	}
	if best == away || !b.mayLie(body, pool, best) {
		best = up(top)
	}
	return best, b.mayLie(body, pool, best)
}
