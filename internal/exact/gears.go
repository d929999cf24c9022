package exact

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: where a buffer may lie in the middle of another, the search keeps for each
// unplaced buffer not a least offset but all offsets that the placed ones leave it,
// under them, between them and above. Buffers are placed in any order, each at the low
// end of such a range, for in a plan with the least sum of offsets some unplaced buffer
// is there: otherwise all of them could come down together. What has failed at a place
// is not tried there again below, where it would be the same plan; and of each set of
// unplaced buffers the failed states are kept, as in front.go: who has no more room
// than in one of them fails as well.
//
// With different alignments some can come down together by the least common multiple
// of theirs only: those of a ring that adds up to nothing or less, each of which pushes
// the next. Members of such rings are tried at all places less than that above the low
// end, as long as two of them are unplaced.
//
// As soon as no two of what is unplaced interlock, the lowest is next, by shifted
// offsets, and what would leave a gap for another is left out (dominance).
//
// Invariant: room has for each unplaced buffer the offsets within the capacity that no
// placed one forbids; no completion of a node has a buffer where it was tried.
//
// Complexity: exponential in the buffers; a node costs O(buffers · ranges) and a pass
// over the sections.
// Source: dominance in dynamic programs (Held and Karp 1962) and corner points of
// two-dimensional packing; together Stowage's.
type gears struct {
	n     int
	align []int64
	size  []int64
	start []int64                // the fixed offset, -1 for none
	shift []int64                // of the kernel: places are tried in the order of shifted offsets
	bans  [][]timeline.Forbidden // of offset(j) - offset(i), at i*n+j
	loose []uint64               // of each buffer: those that it interlocks with
	above []int64                // of each buffer: whatever lies above it does so by this much at most, in shifted offsets
	rings []uint64               // of each buffer: those that are in rings with it
	spare []int64                // of each section: what the topmost piece may be counted too large
	uses  [][]use                // of each buffer

	room  [][]extent // of buffer j at depth d: d*n+j
	spots [][]spot   // of each depth
	tried [][]int64  // of each buffer: where it has failed, on the way down
	at    []int64    // offsets of what is placed, else the least that is left
	order []int32    // all buffers, those that lie highest first
	least []int64    // scratch of fits, by section
	sum   []int64
	known front // the failed states: of each buffer how many ranges it has, and those

	nodes, backtracks, nodeLimit int64
	watch                        *run.Watch
	tick                         func()
}

// extent is offsets in a row, both ends included and aligned.
type extent struct{ low, high int64 }

// use is what a buffer takes of a section.
type use struct {
	section     int32
	lower, size int64
}

// spot is where a buffer may be tried.
type spot struct {
	key, at int64
	j       int32
}

const (
	gearsMost = 24 // buffers; beyond, the lazy search of interlock.go comes to more plans
	riseMost  = 16 // places above a low end
)

// newGears prepares a partition; nil where it is not for this search.
func newGears(e *engine, p int) *gears {
	tl, part, k := e.tl, &e.tl.Partitions[p], e.parts[p].kernel
	n := len(part.Buffers)
	if n > gearsMost || !e.switches.gears {
		return nil
	}
	g := &gears{
		n: n, align: make([]int64, n), size: make([]int64, n), start: make([]int64, n), shift: make([]int64, n),
		bans: make([][]timeline.Forbidden, n*n), loose: make([]uint64, n), uses: make([][]use, n),
		room: make([][]extent, (n+1)*n), spots: make([][]spot, n+1), tried: make([][]int64, n), at: make([]int64, n), order: make([]int32, n),
		watch: e.watch, tick: func() {},
	}
	g.rings = make([]uint64, n)
	g.above, g.spare = make([]int64, n), make([]int64, part.Last-part.First)
	g.least, g.sum = make([]int64, part.Last-part.First), make([]int64, part.Last-part.First)
	for j, i := range part.Buffers {
		b := &tl.Problem.Buffers[i]
		g.align[j], g.size[j], g.start[j], g.shift[j], g.order[j] = b.Align(), b.Size, -1, k.of[j].shift, int32(j)
		if b.Fixed != nil {
			g.start[j] = *b.Fixed
		}
		g.above[j] = 1
		for _, s := range tl.Spans(int(i)) {
			for at := s.First; at < s.Last; at++ {
				g.uses[j] = append(g.uses[j], use{at - part.First, s.Lower, s.Upper - s.Lower})
			}
		}
		for h, other := range part.Buffers {
			if j == h {
				continue
			}
			bans := tl.Forbid(int(i), int(other))
			g.bans[j*n+h] = bans
			if len(bans) == 0 {
				continue
			}
			// Neither above the other by a lower shifted offset?
			off := k.of[j].shift - k.of[h].shift
			if len(bans) > 1 || bans[0].Below+off <= 0 || bans[0].Above+off >= 0 {
				g.loose[j] |= 1 << h
			}
			g.above[j] = max(g.above[j], bans[len(bans)-1].Below+off)
		}
	}
	if !g.findRings() {
		return nil
	}
	g.enlarge()
	return g
}

// findRings finds which buffers are in rings, and reports whether these rise but a
// little. Least sums of distances are those of Floyd and Warshall.
func (g *gears) findRings() bool {
	n := g.n
	sums := make([]int64, n*n)
	for at, bans := range g.bans {
		sums[at] = model.MaxSum
		if len(bans) > 0 {
			sums[at] = bans[0].Below
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				if a, b := sums[i*n+k], sums[k*n+j]; a < model.MaxSum && b < model.MaxSum {
					sums[i*n+j] = max(min(sums[i*n+j], a+b), -model.MaxSum)
				}
			}
		}
	}
	for i := range n {
		for j := range n {
			if s := sums[i*n+j]; s < model.MaxSum && s+sums[j*n+i] <= 0 {
				g.rings[i] |= 1 << j
			}
		}
		if g.riseOf(i, math.MaxUint64)/g.align[i] > riseMost {
			return false
		}
	}
	return true
}

// riseOf returns by less than how much buffer j may lie above a low end where a set is
// unplaced; 0 where it may not.
func (g *gears) riseOf(j int, set uint64) int64 {
	set &= g.rings[j]
	rise := int64(1)
	for rest := set; rest != 0; rest &= rest - 1 {
		a := g.align[bits.TrailingZeros64(rest)]
		if b := rise / bound.GCD(rise, a); b > model.MaxSum/a {
			rise = model.MaxSum
		} else {
			rise = b * a
		}
	}
	if rise == g.align[j] || !g.tied(set) {
		return 0
	}
	return rise
}

// enlarge makes the sizes in sections effective (effective.go), but for buffers that
// interlock.
func (g *gears) enlarge() {
	sizes := make([][]int64, g.n)
	for j, uses := range g.uses {
		for _, u := range uses {
			least := int64(math.MaxInt64)
			for h, others := range g.uses {
				for _, w := range others {
					if h == j || w.section != u.section {
						continue
					}
					d := u.size
					if bans := g.bans[j*g.n+h]; len(bans) == 1 {
						d = bound.Up(bans[0].Below, bound.GCD(g.align[j], g.align[h])) - u.lower + w.lower
					}
					least = min(least, d)
				}
			}
			if least == math.MaxInt64 {
				least = u.size
			}
			sizes[j] = append(sizes[j], least)
		}
	}
	for j := range g.uses {
		for at := range g.uses[j] {
			u := &g.uses[j][at]
			u.size = sizes[j][at]
			g.spare[u.section] = max(g.spare[u.section], u.lower+u.size-g.size[j])
		}
	}
}

// run searches for a plan within the capacity; where it fits, at holds the offsets.
func (g *gears) run(capacity, limit int64) verdict {
	g.nodeLimit = g.nodes + limit
	for j := range g.n {
		x := extent{0, bound.Down(capacity-g.size[j], g.align[j])}
		if f := g.start[j]; f >= 0 {
			x.low, x.high = f, min(f, x.high)
		}
		if x.low > x.high {
			return refuted
		}
		g.room[j] = append(g.room[j][:0], x)
		g.tried[j] = g.tried[j][:0]
		g.at[j] = x.low
	}
	switch g.search(0, math.MaxUint64>>(64-g.n), capacity) {
	case solved:
		return fits
	case exhausted:
		return refuted
	}
	return undecided
}

// search completes a plan of which set is unplaced.
func (g *gears) search(depth int, set uint64, capacity int64) outcome {
	if set == 0 {
		return solved
	}
	if g.nodes >= g.nodeLimit || g.watch.Over() {
		return aborted
	}
	g.nodes++
	if g.nodes&(tickEvery-1) == 0 {
		g.tick()
	}
	room := g.room[depth*g.n : depth*g.n+g.n]
	spots := g.spots[depth][:0]
	tied := g.tied(set)
	ceiling := int64(math.MaxInt64)
	for rest := set; rest != 0 && !tied; rest &= rest - 1 {
		j := bits.TrailingZeros64(rest)
		ceiling = min(ceiling, room[j][0].low-g.shift[j]+g.above[j])
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		j := bits.TrailingZeros64(rest)
		rise := int64(0)
		if tied {
			rise = g.riseOf(j, set)
		}
		for _, x := range room[j] {
			// With rise, what is higher than the low end comes later.
			for at := x.low; at <= x.high; at += g.align[j] {
				if at-g.shift[j] < ceiling && !g.has(j, at) {
					spots = insert(spots, spot{at - g.shift[j], at, int32(j)})
				}
				if at+g.align[j] >= x.low+rise {
					break
				}
			}
		}
	}
	g.spots[depth] = spots
	r := exhausted
	for _, s := range spots {
		if g.put(depth, set, s, tied) && g.holds(capacity) && !g.seen(depth+1, set&^(1<<s.j)) {
			r = g.search(depth+1, set&^(1<<s.j), capacity)
		}
		if r != exhausted {
			break
		}
		g.tried[s.j] = append(g.tried[s.j], s.at)
	}
	if r == solved {
		return r
	}
	for _, s := range spots {
		if last := len(g.tried[s.j]) - 1; last >= 0 && r == exhausted {
			g.tried[s.j] = g.tried[s.j][:last]
		}
	}
	if r == exhausted {
		g.backtracks++
		g.keep(room, set)
	}
	return r
}

// insert keeps spots in ascending order of their keys.
func insert(spots []spot, s spot) []spot {
	spots = append(spots, s)
	at := len(spots) - 1
	for ; at > 0 && spots[at-1].key > s.key; at-- {
		spots[at] = spots[at-1]
	}
	spots[at] = s
	return spots
}

// tied reports whether two of a set interlock.
func (g *gears) tied(set uint64) bool {
	for rest := set; rest != 0; rest &= rest - 1 {
		if g.loose[bits.TrailingZeros64(rest)]&set != 0 {
			return true
		}
	}
	return false
}

// has reports whether j has failed at an offset on the way down.
func (g *gears) has(j int, at int64) bool {
	for _, t := range g.tried[j] {
		if t == at {
			return true
		}
	}
	return false
}

// put places a buffer and works out what room it leaves the others at the next depth.
// Where none interlock, those are no lower.
func (g *gears) put(depth int, set uint64, s spot, tied bool) bool {
	from, to := g.room[depth*g.n:depth*g.n+g.n], g.room[(depth+1)*g.n:(depth+2)*g.n]
	g.at[s.j] = s.at
	for rest := set &^ (1 << s.j); rest != 0; rest &= rest - 1 {
		j := bits.TrailingZeros64(rest)
		left := append(to[j][:0], from[j]...)
		if floor := bound.Up(s.key+g.shift[j], g.align[j]); !tied {
			for len(left) > 0 && left[0].high < floor {
				left = append(left[:0], left[1:]...)
			}
			if len(left) > 0 {
				left[0].low = max(left[0].low, floor)
			}
		}
		for _, ban := range g.bans[int(s.j)*g.n+j] {
			above, below := bound.Down(s.at+ban.Above, g.align[j]), bound.Up(s.at+ban.Below, g.align[j])
			for at := 0; at < len(left); at++ {
				x := left[at]
				if x.high <= above || x.low >= below {
					continue
				}
				switch {
				case x.low <= above && x.high >= below:
					left = append(left, extent{})
					copy(left[at+2:], left[at+1:])
					left[at], left[at+1] = extent{x.low, above}, extent{below, x.high}
					at++
				case x.low <= above:
					left[at].high = above
				case x.high >= below:
					left[at].low = below
				default:
					left = append(left[:at], left[at+1:]...)
					at--
				}
			}
		}
		to[j] = left
		if len(left) == 0 {
			return false
		}
		g.at[j] = left[0].low
	}
	return true
}

// holds reports whether in each section what lies at a level or above fits above it.
func (g *gears) holds(capacity int64) bool {
	at, order := g.at, g.order
	for i, j := range order {
		p := i
		for ; p > 0 && at[order[p-1]] < at[j]; p-- {
			order[p] = order[p-1]
		}
		order[p] = j
	}
	for s := range g.sum {
		g.sum[s], g.least[s] = -g.spare[s], math.MaxInt64
	}
	for _, j := range order {
		for _, u := range g.uses[j] {
			g.sum[u.section] += u.size
			g.least[u.section] = min(g.least[u.section], at[j]+u.lower)
			if g.least[u.section]+g.sum[u.section] > capacity {
				return false
			}
		}
	}
	return true
}

// seen reports whether a state that failed had as much room for each of a set.
func (g *gears) seen(depth int, set uint64) bool {
	f := &g.known
	if f.used == 0 || set == 0 {
		return false
	}
	room := g.room[depth*g.n : depth*g.n+g.n]
	at := f.heads[f.slot(set)]
	for tries := 0; at != 0 && tries < frontMost; tries++ {
		if within(room, set, f.cells[at+1:]) {
			return true
		}
		at = int32(f.cells[at])
	}
	return false
}

// within reports whether the room of a set is part of what cells say.
func within(room [][]extent, set uint64, cells []int64) bool {
	x := 0
	for rest := set; rest != 0; rest &= rest - 1 {
		n := int(cells[x])
		them := cells[x+1 : x+1+2*n]
		x += 1 + 2*n
		for _, y := range room[bits.TrailingZeros64(rest)] {
			for len(them) > 0 && them[1] < y.low {
				them = them[2:]
			}
			if len(them) == 0 || them[0] > y.low || them[1] < y.high {
				return false
			}
		}
	}
	return true
}

// keep records that a state has failed.
func (g *gears) keep(room [][]extent, set uint64) {
	f := &g.known
	if 2*f.used >= len(f.sets) || len(f.cells) > frontCells {
		f.grow()
	}
	slot := f.slot(set)
	if f.sets[slot] == 0 {
		f.sets[slot] = set
		f.used++
	}
	old := f.heads[slot]
	f.heads[slot] = int32(len(f.cells))
	f.cells = append(f.cells, int64(old))
	for rest := set; rest != 0; rest &= rest - 1 {
		mine := room[bits.TrailingZeros64(rest)]
		f.cells = append(f.cells, int64(len(mine)))
		for _, x := range mine {
			f.cells = append(f.cells, x.low, x.high)
		}
	}
}
