package assign

import (
	"cmp"
	"slices"
)

// Idea: a section of a pool is a knapsack, in which buffers are taken whole. A linear program takes them in part. A cover is bodies that
// do not fit together, C. One of them must be elsewhere, so a linear program must keep to
//
//	sum over bodies of C in the pool of 1 <= |C| - 1
//
// This is made stronger by lifting: bodies get weights one after the other, each as large as all sets that fit allow:
//
//	up     a body that is not in C gets most - (the most weight of a set that fits beside it)
//	down   bodies of C that the linear program takes whole are first left out of C as present. Each then gets
//	       (the most weight of a set that fits without it) - most, and most grows by as much
//
// The most weight of a set that fits comes from a table: of each weight, the least cells of a set with this weight at least.
//
// Invariant: sum of weights of the bodies in the pool <= most, for every set of bodies that fits into the section. All of it is
// counted in whole numbers, so it is exact; the linear program's x only says which covers are worth a look.
//
// Complexity: O(bodies · weights) for a cover.
//
// Source: Balas (1975); Padberg (1975); order of lifting: Gu, Nemhauser and Savelsbergh (1998).

// A weighing is an inequality of the bodies in a section of a pool.
type weighing struct {
	pool    int32
	section int32
	bodies  []int32 // counted from the first with a choice
	weights []int64
	most    int64
	guess   bool // it may not hold (cores.go)
}

// left returns what an assignment leaves of the most weight.
func (x *weighing) left(c *Choices, of Assignment) int64 {
	left := x.most
	for n, k := range x.bodies {
		if c.Bodies[c.Single+int(k)].Pools[of[k]] == x.pool {
			left -= x.weights[n]
		}
	}
	return left
}

// A lifting is bodies of a section that get weights.
type lifting struct {
	cells  []int64 // of each body
	weight []int64
	table  []int64 // of each weight, the least cells of a set that has it or more
	room   int64   // that is left beside the bodies that count as present
	most   int64
}

// heaviest returns the most weight of a set that fits into room, or -1 if none does.
func (l *lifting) heaviest(room int64) int64 {
	for v := len(l.table) - 1; v >= 0; v-- {
		if l.table[v] <= room {
			return int64(v)
		}
	}
	return -1
}

// give gives a body its weight.
func (l *lifting) give(k int, weight int64) {
	l.weight[k] = weight
	if weight <= 0 {
		return
	}
	old := len(l.table)
	l.table = append(l.table, make([]int64, weight)...)
	for v := len(l.table) - 1; v > 0; v-- {
		with := l.table[max(0, v-int(weight))] + l.cells[k]
		if v >= old {
			l.table[v] = with
		} else {
			l.table[v] = min(l.table[v], with)
		}
	}
}

// mostWeight is the most that weights of one cover come to: a table for more is not worth it.
const mostWeight = 5_000

// up gives a weight to a body that is not in the cover. It returns false if the body does not fit beside those that count as present.
func (l *lifting) up(k int) bool {
	beside := l.heaviest(l.room - l.cells[k])
	if beside < 0 {
		return false
	}
	l.give(k, l.most-beside)
	return true
}

// down gives a weight to a body that counts as present, which it then does no more.
func (l *lifting) down(k int) {
	l.room += l.cells[k]
	weight := l.heaviest(l.room) - l.most
	l.most += weight
	l.give(k, weight)
}

// coverOf looks for a cover that x, the parts of the bodies that are in the pool, is against, and returns the weights. order is the order in
// which bodies are taken into the cover. It returns false if there is none.
func coverOf(cells []int64, x []float64, room int64, order []int) (weights []int64, most int64, ok bool) {
	const whole = 1 - 1e-6
	in := make([]bool, len(cells))
	sum := int64(0)
	for _, k := range order {
		if sum > room || x[k] < 1e-6 {
			break
		}
		in[k], sum = true, sum+cells[k]
	}
	if sum <= room {
		return nil, 0, false
	}
	// What is not needed leaves again, the least part first.
	back := slices.Clone(order)
	slices.SortStableFunc(back, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for _, k := range back {
		if in[k] && sum-cells[k] > room {
			in[k], sum = false, sum-cells[k]
		}
	}
	l := &lifting{cells: cells, weight: make([]int64, len(cells)), table: make([]int64, 1), room: room}
	var present []int
	kept := 0
	for _, k := range back {
		if in[k] && x[k] >= whole {
			present = append(present, k)
			l.room -= cells[k]
		} else if in[k] {
			kept++
		}
	}
	for len(present) > 0 && kept < 2 { // an inequality needs some of the cover
		k := present[len(present)-1]
		present, kept = present[:len(present)-1], kept+1
		l.room += cells[k]
	}
	done := make([]bool, len(cells))
	for _, k := range back {
		if in[k] && !slices.Contains(present, k) {
			l.give(k, 1)
			done[k] = true
		}
	}
	l.most = int64(kept) - 1
	slices.Reverse(back) // the largest parts first
	for _, k := range back {
		if !in[k] && x[k] >= 1e-6 && len(l.table) < mostWeight {
			done[k] = l.up(k)
		}
	}
	for _, k := range present {
		l.down(k)
		done[k] = true
	}
	for _, k := range back {
		if !done[k] && len(l.table) < mostWeight && cells[k] <= room {
			l.up(k)
		}
	}
	return l.weight, l.most, true
}
