package oracle

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: which rules the pieces that are placed follow, each rule read from the problem as it stands. See rules.go.
//
// Complexity: O(pieces · lists) for a piece.

// alone reports whether piece k follows the rules of one buffer.
func (o *ruled) alone(k int) bool {
	x := &o.pieces[k]
	b, q := &o.p.Buffers[x.buffer], &o.pools[x.pool]
	if b.Extra != nil && b.Extra.Pools != nil && !slices.Contains(b.Extra.Pools, int32(x.pool)) {
		return false
	}
	if x.at < 0 || x.at%max(b.Alignment, 1) != 0 || x.at%max(q.Alignment, 1) != 0 || b.Fixed != nil && *b.Fixed != x.at {
		return false
	}
	if q.Capacity > 0 && x.at+b.Size > q.Capacity {
		return false
	}
	return !slices.ContainsFunc(o.ranges(k, x.pool), func(r model.Range) bool { return x.at < r.Upper && r.Lower < x.at+b.Size })
}

// ranges returns the ranges of a pool that piece k may not meet: reserved bytes, and none at a border.
func (o *ruled) ranges(k, pool int) []model.Range {
	ranges := slices.Clone(o.pools[pool].Reserved)
	if x := o.p.Buffers[o.pieces[k].buffer].Extra; x == nil || !x.Spans {
		for _, at := range o.pools[pool].Borders {
			ranges = append(ranges, model.Range{Lower: at, Upper: at})
		}
	}
	return ranges
}

// pooled reports whether the lists of different pools and of one pool hold for piece k and those that are placed.
func (o *ruled) pooled(k int, placed func(m int) bool) bool {
	x := &o.pieces[k]
	for m := range o.pieces {
		if !placed(m) {
			continue
		}
		y := &o.pieces[m]
		both := func(list []int32) bool {
			return slices.Contains(list, int32(x.buffer)) && slices.Contains(list, int32(y.buffer))
		}
		if x.pool == y.pool && x.buffer != y.buffer && slices.ContainsFunc(o.rules.DifferentPools, both) ||
			x.pool != y.pool && slices.ContainsFunc(o.rules.SamePool, both) {
			return false
		}
		if x.at != y.at && !o.rising && slices.ContainsFunc(o.rules.Lockstep, both) {
			return false
		}
	}
	return true
}

// tied reports whether the ties of piece k to those before it hold.
func (o *ruled) tied(k int) bool {
	x := &o.pieces[k]
	for _, t := range o.rules.Together {
		for m, i := range t.Buffers {
			if int(i) != x.buffer {
				continue
			}
			for n, j := range t.Buffers {
				var by int64
				if t.At != nil {
					by = t.At[m] - t.At[n]
				}
				for _, y := range o.pieces[:k] {
					if y.buffer == int(j) && (y.pool != x.pool || x.at-y.at != by) {
						return false
					}
				}
			}
		}
	}
	return true
}

// legal reports whether piece k shares no byte with those before it that it may not.
func (o *ruled) legal(k int) bool {
	if !o.fitting(k) {
		return false
	}
	for m := range o.links[k] {
		if o.clash(&o.pieces[k], &o.pieces[m], &o.links[k][m]) {
			return false
		}
	}
	return true
}

// clash reports whether two pieces share a byte that they may not. l is what x and y mean to one another.
func (o *ruled) clash(x, y *piece, l *link) bool {
	objects := x.pool == y.pool && o.pools[x.pool].Objects
	if objects && x.at != y.at && o.share(x, y) {
		return true
	}
	if l.same && x.buffer != y.buffer || x.pool != y.pool {
		return false
	}
	if o.paged(x, y, l) {
		return true
	}
	if l.apart {
		return o.share(x, y)
	}
	near := slices.ContainsFunc(l.offsets, func(d model.Distance) bool {
		if int(d.Buffers[0]) == x.buffer {
			return x.at-y.at >= d.Distance
		}
		return y.at-x.at >= d.Distance
	})
	if l.free || near {
		return false
	}
	if objects {
		return len(l.uses) > 0 && o.share(x, y)
	}
	return slices.ContainsFunc(l.uses, func(u [4]int64) bool {
		return x.at+u[0] < y.at+u[3] && y.at+u[2] < x.at+u[1]
	})
}

// paged reports whether two pieces of a pool lie on one page and may not.
func (o *ruled) paged(x, y *piece, l *link) bool {
	g := o.pools[x.pool].Granularity
	if g == 0 || !l.kinds || !l.apart && (l.free || len(l.uses) == 0) {
		return false
	}
	return x.at/g <= (y.at+o.p.Buffers[y.buffer].Size-1)/g && y.at/g <= (x.at+o.p.Buffers[x.buffer].Size-1)/g
}

// share reports whether two pieces of one pool have a byte in common.
func (o *ruled) share(x, y *piece) bool {
	return x.pool == y.pool && x.at < y.at+o.p.Buffers[y.buffer].Size && y.at < x.at+o.p.Buffers[x.buffer].Size
}

// pays reports whether the pieces that are placed pay for a group, whatever the others do.
func (o *ruled) pays(g int, placed func(m int) bool) bool {
	x := &o.rules.Groups[g]
	for _, pair := range x.Pairs {
		m, n := o.pieceOf(pair[0]), o.pieceOf(pair[1])
		if counts := m >= 0 && n >= 0 && placed(m) && placed(n) && o.counts(x, m, n); counts != x.All {
			return counts
		}
	}
	return x.All
}

// counts reports whether two pieces count in a group.
func (o *ruled) counts(g *model.Group, m, n int) bool {
	x, y := &o.pieces[m], &o.pieces[n]
	l := &o.links[max(m, n)][min(m, n)]
	conflict := !l.same && (l.apart || !l.free && len(l.uses) > 0)
	if g.Moved {
		return conflict || x.pool != y.pool || x.at != y.at
	}
	return !conflict && !l.same && o.share(x, y)
}

// pieceOf returns the only piece of a buffer; -1 if it is not there.
func (o *ruled) pieceOf(i int32) int {
	return slices.IndexFunc(o.pieces, func(x piece) bool { return x.buffer == int(i) })
}

// shares reports whether pieces m and n have a byte in common.
func (o *ruled) shares(m, n int) bool { return o.share(&o.pieces[m], &o.pieces[n]) }
