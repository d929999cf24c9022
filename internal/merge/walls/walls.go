package walls

import (
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/run"
)

// Idea: suppose that every byte is in use. Then at each moment
//
//	sum of the sizes that end = sum of the sizes that begin
//
// Suppose also that the moment has only one wall. Then the ending items are contiguous, the beginning items take their
// place in some order, and all other items stay where they are. So one pass over the moments finds a packing: a tree
// keeps all orders of the pile that the walls so far allow (orders.go). Nothing is guessed. It is the planarity test of
// a graph with the walls as nodes and the buffers as edges.
//
// Two cases need guesses. A moment may have several walls: then the ending and the beginning items must be divided into
// groups of equal sums (groups.go). And if a moment is not full, the free space is divided too, in an unknown way
// (free.go). Guesses are kept side by side, and those that leave the most orders survive (beam.go).
//
// Invariant: the tree of a guess stands for exactly those orders of the pile from which the
// walls of the guess lead back to a packing.
//
// Complexity: O(walls × items in the pile) for each guess.
//
// Source: the graph of walls is that of Brooks, Smith, Stone and Tutte, "The Dissection of Rectangles into Squares",
// 1940. The planarity test by trees of orders is that of Lempel, Even and Cederbaum, 1967.

// An Item is a part of the pile: a rectangle, or free space.
type Item struct {
	First, Last int32 // sections [First, Last); Last is unknown, -1, for free space
	Size        int64
}

// Options say how a search goes.
type Options struct {
	Rand  *rand.Rand
	Watch *run.Watch
	Width int     // how many guesses are kept
	Unit  float64 // divides all sizes
	Rare  float64 // logarithm of the share of moments that have a second wall
	Noise float64 // weight of chance in the choice of guesses
	Work  int64   // tree nodes and groups that the search may look at
}

// A Search looks for a packing of its items.
type Search struct {
	o            Options
	items        []Item
	starts, ends [][]int32 // by boundary between sections: the items that start or end there
	demand       demand
	pollAt       int64 // the work at which the watch is asked next
	ended        bool  // a limit has come

	now, next []*guess // before and after the current moment
	// Of the current moment: the items that end and begin, the bytes that become free, and
	// the groups, if they have been found.
	out, in []int32
	freed   int64
	groups  []group
	grouped bool
}

// New returns a search without items.
func New(sections int, o Options) *Search {
	return &Search{o: o, starts: make([][]int32, sections+1), ends: make([][]int32, sections+1)}
}

// Add adds a rectangle. Items are numbered from 0 in the order in which they are added.
func (s *Search) Add(i Item) {
	k := s.add(i)
	s.starts[i.First] = append(s.starts[i.First], k)
	s.ends[i.Last] = append(s.ends[i.Last], k)
}

// add adds an item without entering it at a boundary.
func (s *Search) add(i Item) int32 {
	s.items = append(s.items, i)
	s.demand.mark = append(s.demand.mark, false)
	return int32(len(s.items) - 1)
}

// Work is how many tree nodes and groups the search has looked at.
func (s *Search) Work() int64 { return s.demand.work }

// Offsets returns the offsets of the items in a packing of the given height, those of free
// space last. It returns nil if no guess comes through, or if a limit comes first.
func (s *Search) Offsets(height int64) []int64 {
	free := height
	for _, i := range s.starts[0] {
		free -= s.items[i].Size
	}
	first := &guess{}
	begin := s.starts[0]
	if free > 0 {
		i := s.add(Item{0, -1, free})
		first.free = []int32{i}
		begin = with(begin, i)
	}
	first.pile = s.anyOrder(begin)
	s.now = []*guess{first}
	for at := 1; at < len(s.starts)-1; at++ {
		s.moment(at)
		if len(s.now) == 0 || s.ended {
			return nil
		}
	}
	return s.back(s.now[0])
}

// moment replaces the guesses before a boundary by those after it.
func (s *Search) moment(at int) {
	s.out, s.in = s.ends[at], s.starts[at]
	s.freed = s.sum(s.out) - s.sum(s.in)
	s.next, s.grouped = s.next[:0], false
	for _, g := range s.now {
		s.divide(g)
	}
	s.prune()
}

// pollWork is the work between looks at the watch.
const pollWork = 1 << 14

// spend counts work. It returns false if a limit has come.
func (s *Search) spend(work int) bool {
	d := &s.demand
	d.work += int64(work)
	if d.work >= s.pollAt {
		s.pollAt = d.work + pollWork
		s.ended = s.ended || s.o.Watch.Over()
	}
	s.ended = s.ended || d.work >= s.o.Work
	return !s.ended
}

func (s *Search) sum(items []int32) (sum int64) {
	for _, i := range items {
		sum += s.items[i].Size
	}
	return sum
}

// random is a number of at least 0, with the mean 1.
func (s *Search) random() float64 { return -math.Log(1 - s.o.Rand.Float64()) }

// with returns a list with some more elements, and leaves the list as it was.
func with(list []int32, more ...int32) []int32 {
	return append(list[:len(list):len(list)], more...)
}
