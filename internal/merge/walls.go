package merge

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: where every byte is in use, what ends at a moment leaves exactly the room that
// what begins then takes. If the moment has one wall, that is, all of it is one stretch
// of space, then what ends is contiguous, what begins is in its place in some order, and
// all else stays where it is. So the orders of the pile that all walls so far allow are
// a tree (orders.go), and a packing is found by going over the walls once; nothing is
// guessed, whatever the packing is made of. It is the test of planarity of a graph of
// which the walls are the nodes and the buffers the edges.
//
// Guesses there are where a moment has several walls: what ends and what begins there
// must be put together to groups of equal sums. And where some moments are not full,
// what is free is in pieces as well, which end and begin at walls like all else, and
// which these are is not known. Guesses are kept side by side, those that leave the
// most orders first (beam search).
//
// Invariant: a tree stands for the orders of the pile from which the walls of its guess
// lead back to a packing.
//
// Complexity: for each guess, walls times the height of the pile.
//
// Source: the graph of walls is that of Brooks, Smith, Stone and Tutte, "The Dissection
// of Rectangles into Squares", 1940; its planarity by trees of orders that of Lempel,
// Even and Cederbaum, 1967.

// An item is what the pile is made of: a root, or free space.
type item struct {
	first, last int32 // sections; last is unknown, -1, of free space
	size        int64
}

// A wall is where items took the place of others.
type wall struct {
	before *wall
	run    []*knot // that ended
	ref    int32
	lead   bool // ref was before
	made   *knot
}

// A guess is a pile after some moment. But for its score, it does not change once it is among
// the next.
type guess struct {
	pile  *knot
	wall  *wall   // the last one
	free  []int32 // free space in the pile
	prior float64 // logarithm of how likely its walls are
	score float64
}

// sweep goes over the moments.
type sweep struct {
	rng          *rand.Rand
	items        []item
	starts, ends [][]int32 // by boundary
	demand       demand
	width        int     // how many guesses are kept
	unit         float64 // that divides all sizes
	rare         float64 // logarithm of the share of moments that have a second wall
	noise        float64
	most         int64 // knots and groups that may be looked at
	looks        int64 // how many there were at the next look at the watch
	watch        *run.Watch
	ended        bool

	now, next []*guess
	// Of the moment: what ends and begins, what is freed, and the groups.
	out, in []int32
	freed   int64
	groups  []group
	grouped bool // whether the groups are found
}

// A group is a set of what ends at a moment and one of what begins, of equal sum.
type group struct{ out, in uint64 }

// A subset of what begins at a moment.
type subset struct {
	sum  int64
	mask uint64
}

// add adds an item.
func (w *sweep) add(i item) int32 {
	w.items = append(w.items, i)
	w.demand.mark = append(w.demand.mark, false)
	return int32(len(w.items) - 1)
}

// bunch is what begins at a wall.
func (w *sweep) bunch(items []int32) *knot {
	kids := make([]*knot, len(items))
	for k, i := range items {
		it := &w.items[i]
		kids[k] = &knot{item: i, leaves: 1, hash: mix(mix(uint64(it.size)) + uint64(it.last))}
	}
	return knotOf(kids, false)
}

// offsets returns those of the items in a pile of the given height, nil where no guess
// comes through or a limit comes.
func (w *sweep) offsets(height int64) []int64 {
	free := height
	for _, i := range w.starts[0] {
		free -= w.items[i].size
	}
	first := &guess{}
	begin := w.starts[0]
	if free > 0 {
		i := w.add(item{0, -1, free})
		first.free = []int32{i}
		begin = with(begin, i)
	}
	first.pile = w.bunch(begin)
	w.now = []*guess{first}
	for at := 1; at < len(w.starts)-1; at++ {
		w.moment(at)
		if len(w.now) == 0 || w.ended {
			return nil
		}
	}
	return w.back(w.now[0])
}

// spend counts work and looks for limits.
func (w *sweep) spend(work int) bool {
	d := &w.demand
	d.work += int64(work)
	if d.work >= w.looks {
		w.looks = d.work + looksEvery
		w.ended = w.ended || w.watch.Over()
	}
	w.ended = w.ended || d.work >= w.most
	return !w.ended
}

// moment replaces the guesses before a boundary by those after it.
func (w *sweep) moment(at int) {
	w.out, w.in = w.ends[at], w.starts[at]
	w.freed = w.sum(w.out) - w.sum(w.in)
	w.next, w.grouped = w.next[:0], false
	for _, g := range w.now {
		w.divide(g)
	}
	w.prune()
}

func (w *sweep) sum(items []int32) (sum int64) {
	for _, i := range items {
		sum += w.items[i].size
	}
	return sum
}

// random is a number of at least 0, 1 in the mean.
func (w *sweep) random() float64 { return -math.Log(1 - w.rng.Float64()) }

// freeCost is what a piece of free space costs a guess.
const freeCost = 1

// prune keeps the best of the next guesses, and of those that are alike one. Better is
// what is likelier, and what has more orders.
func (w *sweep) prune() {
	for _, g := range w.next {
		n := float64(g.pile.leaves)
		all := (n+0.5)*math.Log(n) - n // orders of so many, nearly
		g.score = g.prior + g.pile.ways - all - freeCost*float64(len(g.free)) + w.noise*w.random()
	}
	order := sorting.Order(len(w.next), func(i, j int32) bool { return w.next[i].score > w.next[j].score })
	w.now = w.now[:0]
	for _, k := range order {
		g, other := w.next[k], 0
		for other < len(w.now) && w.now[other].pile.hash != g.pile.hash {
			other++
		}
		if other == len(w.now) {
			if w.now = append(w.now, g); len(w.now) == w.width {
				break
			}
		}
	}
}

// Of the up to groupAll items that end or begin at a moment all subsets are looked at, of
// more those of up to four, of more than groupFew those of two. Of more than groupNone,
// and where there are more than groupsMost groups, what is not looked at can only be the
// rest.
const groupAll, groupFew, groupNone, groupsMost = 11, 20, 63, 4000

// group finds the groups of the moment.
func (w *sweep) group() {
	w.groups, w.grouped = w.groups[:0], true
	if len(w.out) < 2 && len(w.in) < 2 && w.freed == 0 || len(w.out) > groupNone || len(w.in) > groupNone {
		return
	}
	in, out := w.subsets(w.in), w.subsets(w.out)
	order := sorting.Order(len(in), func(i, j int32) bool { return in[i].sum < in[j].sum })
	w.spend(len(in) + len(out))
	for _, s := range out {
		at := sort.Search(len(in), func(k int) bool { return in[order[k]].sum >= s.sum })
		for ; at < len(in) && in[order[at]].sum == s.sum && len(w.groups) < groupsMost; at++ {
			w.groups = append(w.groups, group{s.mask, in[order[at]].mask})
		}
	}
}

// subsets returns subsets of the items, those of few first.
func (w *sweep) subsets(of []int32) []subset {
	most := 4
	switch {
	case len(of) > groupFew:
		most = 2
	case len(of) <= groupAll:
		most = len(of)
	}
	to := []subset{{}}
	for from := 0; most > 0; most-- {
		for end := len(to); from < end; from++ {
			s := to[from]
			for k := bits.Len64(s.mask); k < len(of); k++ {
				to = append(to, subset{s.sum + w.items[of[k]].size, s.mask | 1<<k})
			}
		}
	}
	return to[1:]
}

// divisions is how often the moment of a guess is divided where there is a choice.
const divisions = 6

// divide divides what ends and begins at the moment into walls: first as one, then at
// random. Where one guess alone is kept, one wall is taken for granted where it can be.
func (w *sweep) divide(g *guess) {
	choice := w.rest(g, w.out, w.in)
	if w.width == 1 && len(w.next) > 0 {
		return
	}
	if !w.grouped {
		w.group()
	}
	for k := 0; k < divisions && !w.ended && (choice || len(w.groups) > 0); k++ {
		if w.draw(g) {
			choice = true
		}
	}
}

// draw divides at random. It reports whether there was a choice.
func (w *sweep) draw(g *guess) bool {
	out, in := uint64(1)<<len(w.out)-1, uint64(1)<<len(w.in)-1
	for out != 0 && in != 0 && w.spend(len(w.groups)/16) {
		// One that ends is in some group; which, the noise decides, and few go before many.
		e := out
		for n := w.rng.IntN(bits.OnesCount64(out)); n > 0; n-- {
			e &= e - 1
		}
		e &= -e
		best, least := group{}, w.key(group{out, in})
		for _, c := range w.groups {
			if c.out&e != 0 && c.out&^out == 0 && c.in&^in == 0 {
				if k := w.key(c); k < least {
					best, least = c, k
				}
			}
		}
		if best.in == 0 {
			break
		}
		begin := pick(w.in, best.in)
		next := w.wall(g, pick(w.out, best.out), begin)
		if next == nil {
			break
		}
		g = next
		g.prior += math.Log(float64(w.sum(begin))/w.unit) + w.rare
		out, in = out&^best.out, in&^best.in
	}
	return w.rest(g, pick(w.out, out), pick(w.in, in))
}

// key is low for the groups that go first: those of few, but for noise.
func (w *sweep) key(c group) float64 {
	return float64(bits.OnesCount64(c.out)+bits.OnesCount64(c.in)) + 1.5*w.random()
}

// pick returns what the mask has of a list.
func pick(from []int32, mask uint64) (list []int32) {
	for ; mask != 0; mask &= mask - 1 {
		list = with(list, from[bits.TrailingZeros64(mask)])
	}
	return list
}

// wall returns the guess with what begins in the place of what ends, nil if the orders of the
// pile forbid it.
func (w *sweep) wall(g *guess, out, in []int32) *guess {
	d := &w.demand
	for _, i := range out {
		d.mark[i] = true
	}
	d.want, d.made = int32(len(out)), w.bunch(in)
	pile := d.met(g.pile)
	for _, i := range out {
		d.mark[i] = false
	}
	if pile == nil || !w.spend(0) {
		return nil
	}
	return &guess{pile: pile, wall: &wall{g.wall, d.run, d.ref, d.before, d.made}, free: g.free, prior: g.prior}
}

// rest adds the guesses in which what is left at the moment is one wall, with free
// space where the sums differ. It reports whether there was a choice of that.
func (w *sweep) rest(g *guess, out, in []int32) bool {
	if w.freed == 0 {
		if len(out) > 0 {
			g = w.wall(g, out, in)
		}
		w.take(g)
		return false
	}
	// What is taken is what a piece has, or two, or some of it.
	n := len(g.free)
	for k := -1; k < n; k++ {
		for l := -1; l < max(k, 0); l++ {
			more := w.freed
			if k >= 0 {
				more += w.items[g.free[k]].size
			}
			if l >= 0 {
				more += w.items[g.free[l]].size
			}
			if more == 0 || k < 0 || w.rng.IntN(n*n) < tries {
				w.open(g, out, in, k, l, more)
			}
		}
	}
	return len(g.free) > 0
}

// tries is how many guesses there are at a wall, about, of what is free and ends there.
const tries = 8

// open adds the guess in which the pieces k and l < k of free space end at the wall as
// well, -1 for none, which frees so much.
func (w *sweep) open(g *guess, out, in []int32, k, l int, freed int64) {
	var ends, free []int32
	for x, i := range g.free {
		if x == k || x == l {
			ends = with(ends, i)
		} else {
			free = with(free, i)
		}
	}
	if out = with(out, ends...); freed < 0 || len(out) == 0 {
		return
	}
	if freed > 0 {
		i := w.add(item{0, -1, freed})
		in, free = with(in, i), with(free, i)
	}
	if g = w.wall(g, out, in); g != nil {
		g.free = free
	}
	w.take(g)
}

// take adds a guess, if it is one, to the next.
func (w *sweep) take(g *guess) {
	if g != nil {
		w.next = append(w.next, g)
	}
}

// with returns a list with some more, and leaves the list as it was.
func with(list []int32, more ...int32) []int32 {
	return append(list[:len(list):len(list)], more...)
}

// back goes back over the walls of a guess and returns where each item was.
func (w *sweep) back(g *guess) []int64 {
	at := make([]int64, len(w.items))
	order := g.pile.items(nil)
	for x := g.wall; ; x = x.before {
		sum := int64(0)
		for _, i := range order {
			at[i] = sum
			sum += w.items[i].size
		}
		if x == nil {
			return at
		}
		// What began is contiguous; what ended takes its place.
		began := x.made.items(nil)
		from := slices.IndexFunc(order, func(i int32) bool { return slices.Contains(began, i) })
		run := x.run
		if x.ref >= 0 && (slices.Index(order, x.ref) < from) != x.lead {
			run = backwards(nil, run)
		}
		var ended []int32
		for _, k := range run {
			ended = k.items(ended)
		}
		order = with(order[:from], with(ended, order[from+len(began):]...)...)
	}
}
