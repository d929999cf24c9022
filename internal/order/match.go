package order

import "math"

// Idea: in one operator each result can lie over one operand, and each operand under one result. The saving is the
// weight of a heaviest matching between the results that begin here and the operands that die here. Nearly always all
// pairs have one result or one operand in common. Then the saving is the heaviest pair, or the sum of the pairs that
// add up (graph.go). Otherwise the Hungarian method finds it, with weight 0 for a result and an operand that are no
// pair.
//
// Complexity: O(pairs) nearly always, else O(k^3) for k results or operands.
//
// Source: Kuhn 1955, Munkres 1957, by shortest augmenting paths with potentials (Jonker and Volgenant 1987).

// matching is the scratch of a matching. Rows are results, columns operands; both from 1.
type matching struct {
	rows, columns []int32 // blocks
	weight        []int64 // row × stride + column
	stride        int
	up, down      []int64 // potentials of rows and columns
	of            []int32 // of each column, its row; 0 for none

	// Of each column, while a row is added:
	least []int64 // the cost of the cheapest path to it
	way   []int32 // the column before it on that path
	used  []bool  // whether that cost is final
}

func (m *matching) init(most int) {
	if most == 0 {
		return
	}
	m.stride = most + 1
	m.weight = make([]int64, m.stride*m.stride)
	m.rows, m.columns = make([]int32, 0, most), make([]int32, 0, most)
	m.up, m.down, m.least = make([]int64, m.stride), make([]int64, m.stride), make([]int64, m.stride)
	m.of, m.way, m.used = make([]int32, m.stride), make([]int32, m.stride), make([]bool, m.stride)
}

// saving returns what the best pairs of o save at the present state of the walk.
func (w *walk) saving(o int32) int64 {
	pairs := w.g.pairs[w.g.pairsFrom[o]:w.g.pairsFrom[o+1]]
	if w.g.severally[o] {
		return w.match.best(pairs, w.begun, w.left)
	}
	best, sum := int64(0), int64(0)
	for k := range pairs {
		if m := &pairs[k]; (m.saving > best || m.adds) && w.left[m.operand] == 1 && w.begun[m.result] == 0 {
			if best = max(best, m.saving); m.adds {
				sum += m.saving
			}
		}
	}
	return max(best, sum)
}

// place returns the number of a block in a list, from 1. It appends the block if it is new.
func place(list *[]int32, b int32) int {
	for k, c := range *list {
		if c == b {
			return k + 1
		}
	}
	*list = append(*list, b)
	return len(*list)
}

// best returns the weight of a heaviest matching among the pairs whose result has not begun and whose operand
// has one user left. begun and left may be nil: then all pairs count.
func (m *matching) best(pairs []pair, begun, left []int32) int64 {
	m.rows, m.columns = m.rows[:0], m.columns[:0]
	clear(m.weight)
	for _, p := range pairs {
		if begun != nil && (begun[p.result] != 0 || left[p.operand] != 1) {
			continue
		}
		at := place(&m.rows, p.result)*m.stride + place(&m.columns, p.operand)
		m.weight[at] = max(m.weight[at], p.saving)
	}
	// A square of the larger side; the rest of weight is 0, which stands for no pair.
	n := max(len(m.rows), len(m.columns))
	clear(m.up)
	clear(m.down)
	clear(m.of)
	for row := 1; row <= n; row++ {
		m.augment(row, n)
	}
	sum := int64(0)
	for column := 1; column <= n; column++ {
		sum += m.weight[int(m.of[column])*m.stride+column]
	}
	return sum
}

// augment adds a row to the matching of those before it, by a shortest path in the costs -weight.
func (m *matching) augment(row, n int) {
	m.of[0] = int32(row)
	at := 0
	for k := range n + 1 {
		m.least[k], m.used[k] = math.MaxInt64, false
	}
	for {
		m.used[at] = true
		from, step, to := int(m.of[at]), int64(math.MaxInt64), 0
		for k := 1; k <= n; k++ {
			if m.used[k] {
				continue
			}
			if cost := -m.weight[from*m.stride+k] - m.up[from] - m.down[k]; cost < m.least[k] {
				m.least[k], m.way[k] = cost, int32(at)
			}
			if m.least[k] < step {
				step, to = m.least[k], k
			}
		}
		for k := range n + 1 {
			if m.used[k] {
				m.up[m.of[k]] += step
				m.down[k] -= step
			} else {
				m.least[k] -= step
			}
		}
		if at = to; m.of[at] == 0 {
			break
		}
	}
	for at != 0 {
		before := int(m.way[at])
		m.of[at] = m.of[before]
		at = before
	}
}
