// Package objects puts items into shared objects. An object has one item at a time and is as large as its largest
// item. The sizes of the objects add up to as little as possible, or the objects are as few as possible.
//
//	objects.go   the search
//	bound.go     what objects must cost, whoever shares them
//	exchange.go  better plans for a search that takes long
//
// Source: TensorFlow Lite's GPU delegate calls these shared objects and plans them greedily (Pisarchyk and Lee, 2020).
// In graph theory the problem is max-coloring (Pemmaraju, Raman and Varadarajan, 2004).
package objects

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: items are placed one by one, the largest first. So the first item of an object says how large the object is,
// and whatever follows shares it for nothing. An item tries the objects that are free for it, then a new one. First
// comes the object in which it is in the way of the fewest items that are still to be placed.
//
// If sizes have several dimensions, an object is as large as its largest item in each. So an item may make the object
// that it joins larger, and the object that grows least comes first.
//
// A branch ends if its objects, with what bound.go adds, take as much as the best plan or more than there is.
//
// Invariant: each branch that ends has no better plan. So if no limit comes, the best plan is the least.
//
// Complexity: exponential; O(conflicts · objects) a node. A node of the search counts as one.

// A Problem is a set of items that share objects.
type Problem struct {
	Sizes []int64 // of each item, at least 1
	// Boxes are the extents of each item; nil if sizes are numbers. An object takes the product of the largest, rounded
	// up to a multiple of Step, and an item alone takes its size.
	Boxes   []model.Box
	Step    int64
	Near    [][]int32 // of each item, those with which it shares no object, ascending
	Groups  [][]int32 // items that live at one time; cliques are taken from them, for the bound
	Objects int       // the most objects; 0 is no limit
	Most    int64     // what the objects may take in all; 0 is no limit
	Any     bool      // whether any plan will do
	Fewest  bool      // whether the number of objects is to be least, not their sizes
	Onward  bool      // whether to improve the plan until the context ends, after the nodes
	// MostNodes is the most nodes of the search and of what comes Onward; 0 is no limit.
	MostNodes int64
}

// A Plan is the outcome of a search.
type Plan struct {
	Of    []int32 // of each item, its object; nil if no plan was found. The largest object is number 0.
	Sum   int64   // the sizes of all objects; the number of objects if these are to be fewest
	Bound int64   // no plan has a lower Sum
	Done  bool    // the search came to its end: the plan is the least, or there is none
	Nodes int64
}

// search is the state of a search. Items are numbered by their size, the largest first.
type search struct {
	p       *Problem
	item    []int32     // of each number, the item of the problem
	size    []int64     // of each number
	boxes   []model.Box // of each number; nil if sizes are numbers
	box     []model.Box // of each object
	near    [][]int32   // of each number, numbers
	cliques [][]int32   // of numbers, ascending
	least   []int64     // the kth largest object is at least as large as this

	object  []int32   // of each number that is placed, its object
	clash   [][]int32 // of each object and number: the items of the object that conflict with it
	blocked []int     // of each number, the objects in which some item conflicts with it
	opened  int
	sum     int64
	forced  []int64 // scratch of the bound

	best        []int32
	most        int64 // a plan of interest has a Sum below this; 0 is no limit
	nodes, last int64 // nodes may come up to last; 0 is no limit
	watch       *run.Watch
	cut         bool
}

// Nodes returns how many nodes are worth while for a number of items: a billion pairs of items, but some for each item.
func Nodes(items int) int64 {
	n := int64(items)
	return max(4*n, 1_000_000_000/max(1, n*n))
}

// Least looks for the plan that takes least, for some nodes at most; 0 is no limit.
func Least(ctx context.Context, p *Problem, nodes int64) Plan {
	x := newSearch(p)
	x.watch = run.NewWatch(ctx)
	defer x.watch.Close()
	if p.Most > 0 && !p.Fewest {
		x.most = p.Most + 1
	}
	more, sum := x.rest(0, 0)
	x.search(nodes, sum)
	r := Plan{Bound: x.worth(sum, more), Done: !x.cut, Nodes: x.nodes}
	if x.best == nil {
		return r
	}
	r.Of = make([]int32, len(p.Sizes))
	for k, o := range x.best {
		r.Of[x.item[k]] = o
	}
	if r.Sum = x.most; r.Done && !p.Any {
		r.Bound = r.Sum
	}
	r.Done = r.Done || r.Bound == r.Sum
	return r
}

const (
	// untilExchange is the most nodes that a search has before its plan is improved by other means (exchange.go).
	untilExchange = 20_000
	firstRounds   = 2 // of exchanges, before the search goes on
)

// search runs the search with so many nodes; 0 is no limit. No plan takes less than low.
func (x *search) search(last, low int64) {
	first := int64(untilExchange)
	if last > 0 {
		first = min(first, max(2*int64(len(x.size)), last/4))
	}
	if x.last = last; x.p.Fewest || x.p.Objects > 0 || last > 0 && last <= first {
		x.place(0)
		return
	}
	x.last = first
	x.place(0)
	if !x.cut || x.watch.Over() {
		return
	}
	x.cut = false
	for round := range firstRounds {
		if x.last = 0; last > 0 { // the search gets a third of what is left
			x.last = x.nodes + (last-x.nodes)/(firstRounds+1-int64(round))
		}
		x.exchange(low, round)
	}
	if x.last = last; !x.cut {
		x.place(0)
	}
	x.last = x.p.MostNodes
	left := func() bool { return x.last == 0 || x.nodes < x.last }
	for round := firstRounds; x.cut && x.p.Onward && x.most > low && left() && !x.watch.Over(); round++ {
		x.cut = false
		x.exchange(low, round)
		x.cut = true
	}
}

func newSearch(p *Problem) *search {
	n := len(p.Sizes)
	x := &search{
		p: p, item: make([]int32, n), size: make([]int64, n), near: make([][]int32, n), object: make([]int32, n),
		blocked: make([]int, n),
	}
	for k := range x.item {
		x.item[k] = int32(k)
	}
	slices.SortStableFunc(x.item, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.Sizes[b], p.Sizes[a]), cmp.Compare(len(p.Near[b]), len(p.Near[a])))
	})
	number := make([]int32, n)
	for k, i := range x.item {
		number[i], x.size[k] = int32(k), p.Sizes[i]
		if p.Boxes != nil {
			x.boxes = append(x.boxes, p.Boxes[i])
		}
	}
	for k, i := range x.item {
		for _, j := range p.Near[i] {
			x.near[k] = append(x.near[k], number[j])
		}
		slices.Sort(x.near[k])
	}
	x.group(number)
	return x
}

// place places the numbers from k on.
func (x *search) place(k int) {
	if x.nodes++; x.last > 0 && x.nodes > x.last || x.watch.Over() {
		x.cut = true
		return
	}
	if x.most > 0 && x.worth(x.sum, x.opened) >= x.most || x.p.Most > 0 && x.sum > x.p.Most {
		return
	}
	if k == len(x.size) {
		x.best, x.most = slices.Clone(x.object), x.worth(x.sum, x.opened)
		return
	}
	if x.most > 0 || x.p.Objects > 0 || x.p.Most > 0 {
		more, sum := x.rest(k, x.opened)
		if x.p.Objects > 0 && x.opened+more > x.p.Objects || x.p.Most > 0 && x.sum+sum > x.p.Most ||
			x.most > 0 && x.worth(x.sum+sum, x.opened+more) >= x.most {
			return
		}
	}
	for _, o := range x.shared(k) {
		sum, box := x.sum, model.Box{}
		if x.boxes != nil {
			box, x.box[o] = x.box[o], x.box[o].Over(x.boxes[k])
			x.sum += x.bytes(x.box[o]) - x.bytes(box)
		}
		x.put(k, o, 1)
		x.place(k + 1)
		if x.put(k, o, -1); x.boxes != nil {
			x.sum, x.box[o] = sum, box
		}
		if x.over() {
			return
		}
	}
	if x.p.Objects > 0 && x.opened == x.p.Objects {
		return
	}
	o := int32(x.opened)
	if x.opened++; x.opened > len(x.clash) {
		x.clash, x.box = append(x.clash, make([]int32, len(x.size))), append(x.box, model.Box{})
	}
	if x.boxes != nil {
		x.box[o] = x.boxes[k]
	}
	x.sum += x.size[k]
	x.put(k, o, 1)
	x.place(k + 1)
	x.put(k, o, -1)
	x.sum -= x.size[k]
	x.opened--
}

// worth returns what is to be least, of the sizes of objects and of their number.
func (x *search) worth(sum int64, objects int) int64 {
	if x.p.Fewest {
		return int64(objects)
	}
	return sum
}

// bytes returns what an object takes.
func (x *search) bytes(b model.Box) int64 { return bound.Up(b.Bytes(), x.p.Step) }

// over reports whether the search is over.
func (x *search) over() bool { return x.cut || x.p.Any && x.best != nil }

// put places a number in an object, or takes it out.
func (x *search) put(k int, o, by int32) {
	x.object[k] = o
	for _, j := range x.near[k] {
		c := &x.clash[o][j]
		if *c == 0 {
			x.blocked[j]++
		}
		if *c += by; *c == 0 {
			x.blocked[j]--
		}
	}
}

// shared returns the objects that are free for a number, the best first.
func (x *search) shared(k int) (all []int32) {
	type way struct {
		o    int32
		more int64 // bytes
		hurt int
	}
	var ways []way
	for o := range int32(x.opened) {
		if x.clash[o][k] > 0 {
			continue
		}
		w := way{o: o}
		if x.boxes != nil {
			w.more = x.bytes(x.box[o].Over(x.boxes[k])) - x.bytes(x.box[o])
		}
		for _, j := range x.near[k] {
			if int(j) > k && x.clash[o][j] == 0 {
				w.hurt++
			}
		}
		ways = append(ways, w)
	}
	sorting.Structs(ways, func(a, b way) int { return cmp.Or(cmp.Compare(a.more, b.more), cmp.Compare(a.hurt, b.hurt)) })
	for _, w := range ways {
		all = append(all, w.o)
	}
	return all
}
