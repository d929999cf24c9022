package assign

import (
	"cmp"
	"slices"
)

// Idea: a section of a pool is a knapsack: its bodies are taken whole. A linear program takes them in part. A cover C
// is a set of bodies that do not fit together. At least one of them must be elsewhere, so the program gets the row
//
//	sum over bodies of C in the pool of 1 <= |C| - 1
//
// Lifting makes the row stronger. Bodies get weights one after the other, each as large as all sets that fit allow.
// most is the right side of the row, and z(room) the greatest weight of a set that fits into room:
//
//	up     body k is not in C:   weight[k] = most - z(room - cells[k])
//	down   body k is in C, and its variable is 1 in the program's solution. These variables are fixed to 1 first, and
//	       room is what they leave. To free k:   room += cells[k];  weight[k] = z(room) - most;  most += weight[k]
//
// z comes from a table. It has for each weight the least cells of a set with at least this weight.
//
// Invariant: sum of weights of the bodies in the pool <= most, for every set of bodies that fits into the section. All
// numbers are whole, so the row is exact. The program's solution x only says which covers to try.
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

// A lifting gives weights to the bodies of a section.
type lifting struct {
	cells  []int64 // of each body
	weight []int64
	table  []int64 // of each weight, the least cells of a set with at least this weight
	room   int64   // cells that the bodies that are fixed to 1 leave
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

// mostWeight bounds the sum of the weights of a cover. A longer table takes more time than it saves.
const mostWeight = 5_000

// up gives a weight to a body that is not in the cover. It returns false if the body does not fit beside the bodies
// that are fixed to 1.
func (l *lifting) up(k int) bool {
	beside := l.heaviest(l.room - l.cells[k])
	if beside < 0 {
		return false
	}
	l.give(k, l.most-beside)
	return true
}

// down frees a body that is fixed to 1, and gives it its weight.
func (l *lifting) down(k int) {
	l.room += l.cells[k]
	weight := l.heaviest(l.room) - l.most
	l.most += weight
	l.give(k, weight)
}

// coverOf looks for a cover that the program's solution x may violate, and returns its lifted weights. x[k] is the part
// of body k that is in the pool. Bodies enter the cover in the given order. It returns false if there is no cover.
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
	// Bodies that the cover does not need leave it, the least x first.
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
	for len(present) > 0 && kept < 2 { // a row needs two bodies that are not fixed
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
	slices.Reverse(back) // the largest x first
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
