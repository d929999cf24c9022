package rows

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a row has the live buffers from below, and how much is free below each of them and above the last. All rows of
// a beam have the same buffers. The next buffer goes to either end of a free chunk, or into one that is too small
// and grows by what is missing, or on top. Chunks never shrink, so the length of a row is the height of a plan. The
// score of a row is its length, and what it will cost that
//
//	mates   neighbours end at different times: what the first one frees is shut in until the second one ends. This
//	        is counted when a buffer comes: beside the better neighbour, or beside both if it takes a whole chunk;
//	holes   what is free lies in many chunks. Each costs the fourth root of its size: two halves cost more than
//	        the whole, and a chunk that is filled costs nothing.
//
// Invariant: the length of a row is the sum of what is live and what is free. The nodes of the k-th buffer in the trace
// are levels[k] to levels[k+1], and parent is a row of the beam before.
//
// Complexity: O(live) for each row and buffer. Nothing is allocated for a row.
//
// Source: this project.

const (
	// mateCost is what a difference of one mean lifespan between ends costs, in mean sizes of growth.
	mateCost = 0.05
	// holeCost is what a free chunk of the mean size costs.
	holeCost = 0.015
	// holeMost is the size, in mean sizes, from which on chunks cost no more.
	holeMost = 2
	// perRow is how many children of a row there are at most.
	perRow = 2
	// nodeLive is how many live buffers make a row one node more.
	nodeLive = 64
	// holeParts is how many sizes of chunks have a price.
	holeParts = 1024
)

// A beam is the rows at a moment.
type beam struct {
	n, live int // rows, and buffers in each
	id      []int32
	free    []int64 // below each buffer, and above the last
	length  []int64
	mates   []float64 // cost so far
	holes   []float64 // cost now
}

// A child is a row with one buffer more.
type child struct {
	score, mates float64
	row, place   int32 // place is twice the number of buffers below it, and one more at the upper end of a chunk
}

// A way is the problem as a sweep sees it, forward or backward.
type way struct {
	from, to     []int64 // by buffer: when it begins and ends
	begins, ends []int32 // the buffers in these orders
}

// sweeper is what sweeps share.
type sweeper struct {
	settings settings
	nodes    int64
	over     func() bool

	size       []int64
	ways       [2]way
	peak       int     // a section with the highest load; before the first one if sweeps begin there
	mean, life float64 // of sizes and of lifespans
	stride     int     // of rows: most buffers that are live at once
	prices     [holeParts]float64
	part       float64 // of holeMost mean sizes, in prices for each byte

	now, next beam
	outside   []bool // buffers that are in no row
	children  []child
	levels    []int32 // the trace
	parent    []int32
	place     []int32
}

// begin sets the problem. It returns false if a limit comes first.
func (x *sweeper) begin(w *run.Watch, tl *timeline.Timeline) bool {
	buffers := tl.Problem.Buffers
	n := len(buffers)
	x.size = greedy.UnitSizes(tl)
	for way, words := range [...][2]string{{"bEZ", "e"}, {"EbZ", "B"}} {
		y := &x.ways[way]
		y.from, y.to = make([]int64, n), make([]int64, n)
		for i := range buffers {
			y.from[i], y.to[i] = buffers[i].Lower, buffers[i].Upper
			if way == 1 {
				y.from[i], y.to[i] = -buffers[i].Upper, -buffers[i].Lower
			}
		}
		y.begins, y.ends = greedy.Sorted(w, tl, words[0]), greedy.Sorted(w, tl, words[1])
		if len(y.begins) < n || len(y.ends) < n {
			return false
		}
	}
	for i := range buffers {
		x.mean += float64(x.size[i])
		x.life += float64(buffers[i].Upper - buffers[i].Lower)
	}
	x.mean, x.life = x.mean/float64(n), x.life/float64(n)
	x.price()
	x.peak = -1
	if x.settings.peak {
		x.peak = slices.Index(tl.Load, slices.Max(tl.Load))
	}
	live, ends := 0, x.ways[0].ends
	for _, i := range x.ways[0].begins {
		for ; x.ways[0].to[ends[0]] <= x.ways[0].from[i]; ends = ends[1:] {
			live--
		}
		live++
		x.stride = max(x.stride, live)
	}
	x.outside = make([]bool, n)
	return true
}

// mostRows is how many rows the memory allows.
func (x *sweeper) mostRows() int {
	return max(1, min(widthMost, traceMost/len(x.size), rowsMost/(x.stride+1)))
}

// sized sets the memory for a width.
func (b *beam) sized(width, stride int) {
	if len(b.length) < width {
		b.id, b.free = make([]int32, width*stride), make([]int64, width*(stride+1))
		b.length, b.mates, b.holes = make([]int64, width), make([]float64, width), make([]float64, width)
	}
}

// sweep places the buffers of the list, which begin after those of the first row, and returns them with these in
// the order of the shortest row, or nil if all rows get longer than the ceiling or a limit comes first.
func (x *sweeper) sweep(y *way, pile, list []int32, width int, ceiling int64) []int32 {
	x.now.sized(width, x.stride)
	x.next.sized(width, x.stride)
	x.levels, x.parent, x.place = append(x.levels[:0], 0), x.parent[:0], x.place[:0]
	x.stack(pile)
	x.empty(pile)
	ends := y.ends
	for _, i := range list {
		died := false
		for ; y.to[ends[0]] <= y.from[i]; ends = ends[1:] {
			if k := ends[0]; !x.outside[k] {
				x.outside[k], died = true, true
			}
		}
		if died {
			x.bury()
		}
		x.outside[i] = false
		x.bear(y, i, ceiling)
		x.choose(i, width)
		if x.now.n == 0 || x.over() {
			return nil
		}
	}
	best := 0
	for s := range x.now.n {
		if x.now.length[s] < x.now.length[best] {
			best = s
		}
	}
	return x.trace(y, pile, list, best)
}

// empty says that no buffer is in a row but those of the first one.
func (x *sweeper) empty(pile []int32) {
	for i := range x.outside {
		x.outside[i] = true
	}
	for _, i := range pile {
		x.outside[i] = false
	}
}

// stack makes the beam one row, the first one, without a free byte.
func (x *sweeper) stack(pile []int32) {
	b, length := &x.now, int64(0)
	b.n, b.live = 1, len(pile)
	for r, i := range pile {
		b.id[r], b.free[r] = i, 0
		length += x.size[i]
	}
	b.free[len(pile)], b.length[0], b.mates[0], b.holes[0] = 0, length, 0, 0
}

// bury makes what ended free, in all rows.
func (x *sweeper) bury() {
	b, live := &x.now, 0
	for s := range b.n {
		id, free := b.id[s*x.stride:][:b.live], b.free[s*(x.stride+1):][:b.live+1]
		space, cost := int64(0), 0.0
		live = 0
		for r, k := range id {
			if space += free[r]; x.outside[k] {
				space += x.size[k]
				continue
			}
			id[live], free[live] = k, space
			cost += x.hole(space)
			live++
			space = 0
		}
		free[live] = space + free[b.live]
		b.holes[s] = cost + x.hole(free[live])
	}
	b.live = live
}

// price sets what free chunks cost: the k-th price is for a size of k to k+1 parts of holeMost mean sizes.
func (x *sweeper) price() {
	for k := range x.prices {
		size := float64(holeMost * float64(k+1) / holeParts)
		x.prices[k] = float64(holeCost * math.Sqrt(math.Sqrt(size)))
	}
	x.part = holeParts / (holeMost * x.mean)
}

// hole returns what a free chunk costs.
func (x *sweeper) hole(size int64) float64 {
	if size == 0 || !x.settings.holes {
		return 0
	}
	return x.prices[min(int(float64(size)*x.part), holeParts-1)]
}

// bear lists the best children of all rows for a buffer.
func (x *sweeper) bear(y *way, i int32, ceiling int64) {
	b, size, to := &x.now, x.size[i], y.to[i]
	x.children = x.children[:0]
	tick := mateCost / x.life
	if !x.settings.mates {
		tick = 0
	}
	for s := range b.n {
		id, free := b.id[s*x.stride:][:b.live], b.free[s*(x.stride+1):][:b.live+1]
		first := len(x.children)
		base := float64(float64(b.length[s])/x.mean) + b.holes[s] + b.mates[s]
		for r, space := range free {
			if space == 0 && r < b.live {
				continue
			}
			below, above := 0.0, 0.0
			if r > 0 {
				below = float64(math.Abs(float64(y.to[id[r-1]]-to)) * tick)
			}
			if r < b.live {
				above = float64(math.Abs(float64(y.to[id[r]]-to)) * tick)
			}
			rest, mates, place := space-size, min(below, above), int32(2*r)
			score := base - x.hole(space)
			switch {
			case rest > 0:
				score += mates + x.hole(rest)
				if above < below && r < b.live {
					place++
				}
			case rest == 0:
				score += mates
			case b.length[s]-rest > ceiling:
				continue
			default:
				mates = float64((below + above) / 2)
				score += mates - float64(float64(rest)/x.mean)
			}
			if last := len(x.children) - 1; last-first < perRow-1 || score < x.children[last].score {
				x.offer(first, child{score, b.mates[s] + mates, int32(s), place})
			}
		}
	}
}

// offer keeps a child, which is one of the best of its row so far. The children of the row begin at first.
func (x *sweeper) offer(first int, c child) {
	k := len(x.children)
	if k-first == perRow {
		k--
		x.children = x.children[:k]
	}
	x.children = append(x.children, c)
	for ; k > first && c.score < x.children[k-1].score; k-- {
		x.children[k] = x.children[k-1]
	}
	x.children[k] = c
}

// choose makes the best children the next beam.
func (x *sweeper) choose(i int32, width int) {
	if len(x.children) > width {
		slices.SortFunc(x.children, func(a, b child) int {
			return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.row, b.row), cmp.Compare(a.place, b.place))
		})
		x.children = x.children[:width]
	}
	b, next := &x.now, &x.next
	for s, c := range x.children {
		from, r := int(c.row), int(c.place/2)
		id, free := b.id[from*x.stride:][:b.live], b.free[from*(x.stride+1):][:b.live+1]
		ids, frees := next.id[s*x.stride:][:b.live+1], next.free[s*(x.stride+1):][:b.live+2]
		copy(ids, id[:r])
		ids[r] = i
		copy(ids[r+1:], id[r:])
		copy(frees, free[:r])
		copy(frees[r+2:], free[r+1:])
		rest := max(free[r]-x.size[i], 0)
		if frees[r], frees[r+1] = 0, rest; c.place%2 == 1 {
			frees[r], frees[r+1] = rest, 0
		}
		next.length[s] = b.length[from] + max(x.size[i]-free[r], 0)
		next.holes[s] = b.holes[from] - x.hole(free[r]) + x.hole(rest)
		next.mates[s] = c.mates
		x.parent, x.place = append(x.parent, c.row), append(x.place, c.place)
	}
	next.n, next.live = len(x.children), b.live+1
	x.now, x.next = x.next, x.now
	x.levels = append(x.levels, int32(len(x.parent)))
	x.nodes += int64(next.n) * int64(1+next.live/nodeLive)
}

// trace returns all buffers in the order of a row of the last beam: each one directly above what was below it when it
// came. It returns nil if a limit comes first.
func (x *sweeper) trace(y *way, pile, list []int32, row int) []int32 {
	places := make([]int32, len(list))
	for k := len(list) - 1; k >= 0; k-- {
		node := x.levels[k] + int32(row)
		places[k], row = x.place[node]/2, int(x.parent[node])
	}
	n := len(x.size)
	above := make([]int32, n+1) // by buffer, n for the ground
	low := int32(n)
	for _, i := range pile {
		above[low], low = i, i
	}
	above[low] = -1
	live, ends := slices.Clone(pile), y.ends
	x.empty(pile)
	for k, i := range list {
		if x.over() {
			return nil
		}
		for ; y.to[ends[0]] <= y.from[i]; ends = ends[1:] {
			if gone := ends[0]; !x.outside[gone] {
				at := slices.Index(live, gone)
				live = slices.Delete(live, at, at+1)
			}
		}
		x.outside[i] = false
		if low = int32(n); places[k] > 0 {
			low = live[places[k]-1]
		}
		above[low], above[i] = i, above[low]
		live = slices.Insert(live, int(places[k]), i)
	}
	order := make([]int32, 0, len(pile)+len(list))
	for i := above[n]; i >= 0; i = above[i] {
		order = append(order, i)
	}
	return order
}
