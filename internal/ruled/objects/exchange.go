package objects

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: a search that is cut off has seen only plans that are alike in their largest items. So its plan is also
// improved from all sides. Take an item of one object to another object. The items there that conflict with it come
// back, those that conflict with these go over, and so on: a chain. Two objects after such an exchange are whole again,
// and only their sizes change. Mostly the item is the largest of its object, because only without it the object gets
// smaller.
//
// An exchange that makes the sum larger is made with a probability that falls with what it adds and with time. Every
// other round begins ten times as warm: it leaves the plan that it began with, where all near it are higher.
//
// Invariant: the plan is always whole.
//
// Complexity: O(items of the two objects, squared) for an exchange; exchanges is how many there are.
//
// Source: Kempe chains, as colorings use them; simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983).

const (
	exchanges        = 300_000    // of a round
	stepsANode       = 32         // so many exchanges count as a node
	warmest, coolest = 0.1, 0.001 // the first and the last temperature, in mean sizes
	warmer           = 10         // by which every other round begins warmer
)

// An exchanger is the state of the improvement.
type exchanger struct {
	x      *search
	items  [][]int32 // of each object
	size   []int64   // of each object: what it takes
	sum    int64
	words  int
	edges  []uint64 // of each number a row of bits: those with which it conflicts
	in     []bool   // scratch: of each number, whether it is in the chain
	random uint64
}

// exchange improves the best plan of the search, as long as there are nodes. It stops at a plan that takes no more than
// low.
func (x *search) exchange(low int64, round int) {
	n := len(x.size)
	e := &exchanger{
		x: x, words: (n + 63) / 64, edges: x.rows(), in: make([]bool, n), random: uint64(n) + uint64(round)<<32,
	}
	if of, sum := e.fitting(); x.best == nil || sum < x.most {
		e.start(of)
	} else {
		e.start(x.best)
	}
	total := int64(0)
	for _, size := range x.size {
		total += size
	}
	warm := float64(total) / float64(n) * warmest
	if round%2 == 1 {
		warm *= warmer
	}
	cool := float64(total) / float64(n) * coolest
	e.keep()
	for step := 0; step < exchanges && e.sum > low && x.most > low && len(e.items) > 1 && !x.over(); step++ {
		if step%stepsANode == 0 {
			if x.nodes++; x.last > 0 && x.nodes > x.last {
				return
			}
			if x.watch.Over() {
				x.cut = true
				return
			}
		}
		e.step(warm * math.Pow(cool/warm, float64(step)/exchanges))
		e.keep()
	}
}

// rows returns the conflicts as rows of bits.
func (x *search) rows() []uint64 {
	words := (len(x.size) + 63) / 64
	rows := make([]uint64, len(x.size)*words)
	for k, near := range x.near {
		for _, j := range near {
			rows[k*words+int(j)/64] |= 1 << (j % 64)
		}
	}
	return rows
}

// keep makes the plan the best of the search, if it takes less.
func (e *exchanger) keep() {
	if x := e.x; x.most == 0 || e.sum < x.most {
		of := make([]int32, len(x.size))
		for o, items := range e.items {
			for _, k := range items {
				of[k] = int32(o)
			}
		}
		x.best, x.most = of, e.sum
	}
}

// near reports whether two numbers conflict.
func (e *exchanger) near(a, b int32) bool { return e.edges[int(a)*e.words+int(b)/64]>>(b%64)&1 == 1 }

// A taking is what some items take in one object: the largest size, or the largest in each dimension.
type taking struct {
	size int64
	box  model.Box
}

// over adds a number.
func (e *exchanger) over(t taking, k int32) taking {
	if e.x.boxes != nil {
		t.box = t.box.Over(e.x.boxes[k])
		return t
	}
	t.size = max(t.size, e.x.size[k])
	return t
}

// bytes returns how many bytes that is.
func (t taking) bytes(x *search) int64 {
	if x.boxes != nil {
		return x.bytes(t.box)
	}
	return t.size
}

// fitting places the numbers one after the other, each in the smallest object that is free for it, or that grows least.
func (e *exchanger) fitting() (of []int32, sum int64) {
	var items [][]int32
	var takes []taking
	for k, size := range e.x.size {
		o, least := len(items), size
		for at := len(items) - 1; at >= 0 && least > 0; at-- { // objects are mostly opened in the order of their sizes
			if slices.ContainsFunc(items[at], func(j int32) bool { return e.near(int32(k), j) }) {
				continue
			}
			if more := e.over(takes[at], int32(k)).bytes(e.x) - takes[at].bytes(e.x); more < least {
				o, least = at, more
			}
		}
		if o == len(items) {
			items, takes = append(items, nil), append(takes, taking{})
		}
		items[o], takes[o], sum = append(items[o], int32(k)), e.over(takes[o], int32(k)), sum+least
		of = append(of, int32(o))
	}
	return of, sum
}

// start begins with a plan.
func (e *exchanger) start(of []int32) {
	for k, o := range of {
		for int(o) >= len(e.items) {
			e.items, e.size = append(e.items, nil), append(e.size, 0)
		}
		e.items[o] = append(e.items[o], int32(k))
	}
	for o, items := range e.items {
		e.size[o] = e.largest(items)
		e.sum += e.size[o]
	}
}

// largest returns what some numbers take in one object.
func (e *exchanger) largest(items []int32) int64 {
	var t taking
	for _, k := range items {
		t = e.over(t, k)
	}
	return t.bytes(e.x)
}

// below draws a number below n.
func (e *exchanger) below(n int) int { return int(splitmix.Next(&e.random) % uint64(n)) }

// step makes one exchange, if the temperature lets it.
func (e *exchanger) step(temperature float64) {
	a := e.below(len(e.items))
	b := e.below(len(e.items) - 1)
	if b >= a {
		b++
	}
	first := e.items[a][e.below(len(e.items[a]))]
	if e.below(2) == 0 {
		first = slices.MinFunc(e.items[a], func(i, j int32) int { return int(i - j) }) // the largest has the least number
	}
	chain := []int32{first}
	e.in[first] = true
	from := map[bool][]int32{false: e.items[a], true: e.items[b]}
	over := []bool{false} // of each of the chain, whether it is in b
	for n := 0; n < len(chain); n++ {
		for _, j := range from[!over[n]] {
			if !e.in[j] && e.near(chain[n], j) {
				e.in[j] = true
				chain, over = append(chain, j), append(over, !over[n])
			}
		}
	}
	var inA, inB taking
	for side, items := range [][]int32{e.items[a], e.items[b]} {
		for _, k := range items {
			if e.in[k] == (side == 0) {
				inB = e.over(inB, k)
			} else {
				inA = e.over(inA, k)
			}
		}
	}
	sizeA, sizeB := inA.bytes(e.x), inB.bytes(e.x)
	more := sizeA + sizeB - e.size[a] - e.size[b]
	take := more <= 0 || float64(splitmix.Next(&e.random)>>11)/(1<<53) < math.Exp(-float64(more)/temperature)
	if take {
		var newA, newB []int32
		for side, items := range [][]int32{e.items[a], e.items[b]} {
			for _, k := range items {
				if e.in[k] == (side == 0) {
					newB = append(newB, k)
				} else {
					newA = append(newA, k)
				}
			}
		}
		e.items[a], e.items[b], e.size[a], e.size[b] = newA, newB, sizeA, sizeB
		e.sum += more
	}
	for _, k := range chain {
		e.in[k] = false
	}
	if take && len(e.items[a]) == 0 {
		last := len(e.items) - 1
		e.items[a], e.size[a] = e.items[last], e.size[last]
		e.items, e.size = e.items[:last], e.size[:last]
	}
}
