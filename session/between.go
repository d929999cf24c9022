package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: as in ranges.go, but with rules, and for several pools. What is placed is a body: buffers that ties hold at fixed
// distances, or one buffer by itself. Its place is a pool and an origin, the offset of its lowest byte. Each buffer in
// the pool that conflicts with a member forbids an open range of origins, and so does each reserved range.
//
//	offset of i - offset of j is forbidden
//	    apart         from -size of i to size of j
//	    live together the same, for each pair of pieces that meet
//	    a distance    only below the distance, if i dies and j is born
//
// Invariant: model.Conflicts says who conflicts. Only the distances between those that do are computed here. verify reads the rules by
// itself.
//
// Complexity: O(members times n) for the bans of a body, and O(k log k) for k bans.

// bodies are the bodies of a problem with rules, and its conflicts.
type bodies struct {
	p         *model.Problem
	pools     []model.Pool
	conflicts *model.Conflicts
	body      []int32           // the buffer that stands for the body of each buffer; nil if nothing is tied
	off       []int64           // distance of each buffer from the origin of its body; nil likewise
	tied      map[int32][]int32 // members of the bodies that have several
	alone     []int32           // every index, for bodies of one
	distances map[model.Pair]model.Distance
}

func newBodies(p *model.Problem) *bodies {
	b := &bodies{p: p, pools: p.AllPools(), conflicts: model.NewConflicts(p), alone: make([]int32, len(p.Buffers))}
	b.body, b.off = b.conflicts.Bodies()
	for i := range b.alone {
		b.alone[i] = int32(i)
	}
	if b.body != nil {
		b.tied = map[int32][]int32{}
		for i, k := range b.body {
			b.tied[k] = append(b.tied[k], int32(i))
		}
	}
	if len(p.Rules.Distances) > 0 {
		b.distances = make(map[model.Pair]model.Distance, len(p.Rules.Distances))
		for _, d := range p.Rules.Distances {
			b.distances[d.Buffers.Sorted()] = d
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
				list = b.between(list, i, int32(j), at[j]-b.from(i))
			}
		}
		for _, r := range b.pools[pool].Reserved {
			list = append(list, ban{r.Lower - b.p.Buffers[i].Size - b.from(i), r.Upper - b.from(i), away})
		}
	}
	return list
}

// between appends what buffer j forbids to buffer i: differences of their offsets, plus base.
func (b *bodies) between(list []ban, i, j int32, base int64) []ban {
	if !b.conflicts.Conflict(int(i), int(j)) {
		return list
	}
	x, y := &b.p.Buffers[i], &b.p.Buffers[j]
	low, high := -x.Size, y.Size
	if b.conflicts.Apart(int(i), int(j)) {
		return append(list, ban{base + low, base + high, j})
	}
	if d, ok := b.distances[model.Pair{i, j}.Sorted()]; ok && d.Buffers[0] == i {
		high = min(high, d.Distance)
	} else if ok {
		low = max(low, -d.Distance)
	}
	if len(x.Gaps) == 0 && len(y.Gaps) == 0 {
		return append(list, ban{base + low, base + high, j})
	}
	shifts := [...]int64{0, b.p.Rules.Period, -b.p.Rules.Period}
	turns := shifts[:1]
	if b.p.Rules.Period > 0 {
		turns = shifts[:]
	}
	for _, shift := range turns {
		for u := range x.Pieces {
			for v := range y.Pieces {
				if u.Lower < v.Upper+shift && v.Lower+shift < u.Upper {
					list = append(list, ban{base + max(low, v.From-u.To), base + min(high, v.To-u.From), j})
				}
			}
		}
	}
	return list
}

// free reports whether no ban has an origin.
func free(bans []ban, origin int64) bool {
	return !slices.ContainsFunc(bans, func(x ban) bool { return x.low < origin && origin < x.high })
}

// alignSteps is how many origins are tried for members with alignments that do not divide each other.
const alignSteps = 1 << 12

// alignment returns the origins of a body that have all alignments in a pool: first, first + step, and so on. ok is false if none is found.
func (b *bodies) alignment(body, pool int32) (first, step int64, ok bool) {
	members := b.members(body)
	if len(members) > 1 {
		members = slices.Clone(members)
		slices.SortStableFunc(members, func(i, j int32) int { return int(min(max(b.p.Buffers[j].Align()-b.p.Buffers[i].Align(), -1), 1)) })
	}
	step = 1
	for _, i := range members {
		align := bound.LCM(b.p.Buffers[i].Align(), max(b.pools[pool].Alignment, 1), model.MaxSum)
		if step == 1 {
			first, step = (align-b.from(i)%align)%align, align
			continue
		}
		for tries := 0; (first+b.from(i))%align != 0; tries++ {
			if tries == alignSteps {
				return 0, 0, false
			}
			first += step
		}
		if step = bound.LCM(step, align, model.MaxSum); step == 0 {
			return 0, 0, false
		}
	}
	return first % step, step, true
}

// bestOrigin returns the origin in the smallest gap of a pool that has room for a body, as bestFit does. It sorts the bans.
func (b *bodies) bestOrigin(bans []ban, body, pool int32) (origin int64, ok bool) {
	first, step, ok := b.alignment(body, pool)
	if !ok {
		return 0, false
	}
	up := func(top int64) int64 { return first + bound.Up(max(top-first, 0), step) }
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
