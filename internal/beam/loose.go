package beam

import "slices"

// Idea: at fixed offsets the free bytes of a layout lie scattered, and a buffer fits only if one hole is large enough.
// But only the order of live buffers matters. So a loose layout has no offsets. It has the order of the live buffers,
// from below, and for each two of them how far apart they must lie: the longest path from the lower one to the upper
// one, over all buffers so far that lie between them at some moment. The same to the ground and to the roof. A new
// buffer fits between two neighbours if their paths to ground and roof, and its size, are no more than the ceiling:
// all free bytes count that any move can bring together. Where a buffer ends nothing changes, since the
// paths over it are in the distances. At the end the orders of all moments are a graph, and its longest paths the plan.
//
// The score is of the holes that no move can close (looselayouts.go). So bytes that can still be used elsewhere cost
// nothing.
//
// Invariant: dist of two live buffers, the lower first, is the least distance of their offsets in any plan with the
// orders so far, and low and up are the same from the ground and to the roof. whole is the longest path of all.
//
// Complexity: a layout takes O(live²) of memory and of time; the score of a child takes a step for each buffer beside
// its place that ends one after the other. A pass goes back to one of the last beams, which are kept.
//
// Source: this project. Distances between operations are known from job-shop scheduling and from difference constraints
// (Dechter, Meiri and Pearl, 1991).

const (
	// looseCost is for how many live buffers a loose child counts as one node: it takes longer, the more there are.
	looseCost = 8
	// looseLive is how many live buffers loose layouts have at most: with 70 a child takes twice as long as with 40,
	// and plans end no lower. looseDist is how many distances a beam has.
	looseLive, looseDist = 48, 1 << 22
	// looseWide is how many times as wide as the first pass loose ones are before they aim less low.
	looseWide = 8
	// looseTall is how many granules a ceiling has at most: three of them can be added.
	looseTall = 1 << 29
	// kept is how many beams a pass keeps to go back to, each half as many buffers after the other as can be live.
	kept = goesBack + 2
	// weightsMost is how many sizes of holes have a weight of their own.
	weightsMost = 1 << 14
)

// loose is what a pass has beside that if its layouts are loose.
type loose struct {
	slot    []int16 // by live buffer: its row and column in dist, and its place in low and up, the same in all layouts
	free    []int16
	weights []int64 // of holes, by their size in units of 1<<shift granules
	shift   uint
	rows    []row      // of the layout that has children, by rank, from below
	stack   []int32    // ranks
	far     []apart    // of a new buffer
	saved   [kept]save // the first saves of them, the oldest first
	saves   int
}

// A row is a live buffer of a layout.
type row struct {
	slot, prev, next int16 // prev and next are the ranks of those below and above that live longer
	size             int32
	until            int64 // see worth
}

// An apart is a buffer above another one, and how far above.
type apart struct {
	slot int16
	d    int32
}

// A save is the beam before buffer k.
type save struct {
	k      int
	g      beam
	free   []int16
	levels int
	nodes  int
}

// loosen gives the pass loose layouts, for ceilings below a height. It reports whether it can.
func (x *pass) loosen(height int64) bool {
	stride := x.now.stride
	if stride > looseLive || height/x.granule >= looseTall || slices.ContainsFunc(x.align, func(a int64) bool { return a > 1 }) {
		return false
	}
	e := &loose{slot: make([]int16, len(x.order))}
	for height/x.granule>>e.shift >= weightsMost {
		e.shift++
	}
	for v := range height/x.granule>>e.shift + 2 {
		e.weights = append(e.weights, x.weight(v<<e.shift))
	}
	x.loose, x.cost = e, int64(max(1, stride/looseCost))
	x.most = max(1, min(x.most, looseDist/(stride*stride)))
	return true
}

// weightOf is the weight of a hole, rounded up to the next size that has one.
func (e *loose) weightOf(hole int32) int64 {
	return e.weights[(hole+1<<e.shift-1)>>e.shift]
}

// roomLoose makes room for the distances of so many layouts.
func (g *beam) roomLoose(layouts int) {
	if len(g.whole) < layouts {
		g.low = append(g.low, make([]int32, layouts*g.stride-len(g.low))...)
		g.up = append(g.up, make([]int32, layouts*g.stride-len(g.up))...)
		g.dist = append(g.dist, make([]int32, layouts*g.stride*g.stride-len(g.dist))...)
		g.whole = append(g.whole, make([]int32, layouts-len(g.whole))...)
	}
}

// take makes a beam the same as another one.
func (g *beam) take(h *beam) {
	g.n, g.live, g.stride = h.n, h.live, h.stride
	g.room(h.n)
	g.roomLoose(h.n)
	copy(g.at, h.at[:h.n*h.stride])
	copy(g.id, h.id[:h.n*h.stride])
	copy(g.score, h.score[:h.n])
	copy(g.trace, h.trace[:h.n])
	copy(g.low, h.low[:h.n*h.stride])
	copy(g.up, h.up[:h.n*h.stride])
	copy(g.dist, h.dist[:h.n*h.stride*h.stride])
	copy(g.whole, h.whole[:h.n])
}

// every is how many buffers lie between two beams that are kept.
func (x *pass) every() int { return max(1, x.now.stride/2) }

// save keeps the beam before buffer k.
func (x *pass) save(k int) {
	e := x.loose
	if e.saves > 0 && e.saved[e.saves-1].k == k {
		return
	}
	if e.saves == kept {
		oldest := e.saved[0]
		copy(e.saved[:], e.saved[1:])
		e.saves--
		e.saved[e.saves] = oldest
	}
	s := &e.saved[e.saves]
	e.saves++
	s.g.take(&x.now)
	s.k, s.levels, s.nodes = k, len(x.levels), len(x.parent)
	s.free = append(s.free[:0], e.free...)
}

// restoreLoose makes the beam the last one that was kept before buffer k or a lower one, or the first one that is still
// there, and returns the buffer of that beam.
func (x *pass) restoreLoose(k int) int {
	e, g := x.loose, &x.now
	if k < x.every() {
		e.saves, g.n, g.live = 0, 1, 0
		g.trace[0], g.score[0], g.whole[0] = -1, 0, 0
		x.parent, x.at, x.levels, e.free = x.parent[:0], x.at[:0], x.levels[:0], e.free[:0]
		for s := g.stride - 1; s >= 0; s-- {
			e.free = append(e.free, int16(s))
		}
		return 0
	}
	for e.saves > 1 && e.saved[e.saves-1].k > k {
		e.saves--
	}
	s := &e.saved[e.saves-1]
	g.take(&s.g)
	x.parent, x.at, x.levels = x.parent[:s.nodes], x.at[:s.nodes], x.levels[:s.levels]
	e.free = append(e.free[:0], s.free...)
	return s.k
}

// offsetsLoose returns the lowest offsets with the orders of the first layout of the last beam, by buffer of the
// problem.
func (x *pass) offsetsLoose() []int64 {
	n := len(x.order)
	lower, upper, waits := make([]int32, n), make([]int32, n), make([]int32, n)
	node := x.now.trace[0]
	for k := n - 1; k >= 0; k-- {
		lower[k], upper[k] = int32(x.at[node]>>32)-1, int32(x.at[node]&(1<<32-1))-1
		node = x.parent[node]
	}
	// The edges of buffer k: to upper[k], and to each j with lower[j] = k.
	first, follow := make([]int32, n), make([]int32, n)
	for k := range first {
		first[k] = none
	}
	for k := range int32(n) {
		if b := lower[k]; b >= 0 {
			follow[k], first[b] = first[b], k
			waits[k]++
		}
		if a := upper[k]; a >= 0 {
			waits[a]++
		}
	}
	at, offsets := make([]int64, n), make([]int64, n)
	var ready []int32
	for k := range int32(n) {
		if waits[k] == 0 {
			ready = append(ready, k)
		}
	}
	for len(ready) > 0 {
		k := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		offsets[x.order[k]] = at[k] * x.granule
		reach := func(j int32) {
			at[j] = max(at[j], at[k]+x.size[k])
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
		if a := upper[k]; a >= 0 {
			reach(a)
		}
		for j := first[k]; j >= 0; j = follow[j] {
			reach(j)
		}
	}
	return offsets
}
