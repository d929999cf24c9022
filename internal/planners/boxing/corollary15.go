package boxing

import "math"

// Idea: sizes are rounded up to powers of 1+ε. Each class of items then has one size, and Theorem 2 boxes it by
// itself. This wastes at most a factor of 1+ε.
//
// Invariant: the size of a class is the least power, rounded down, that is at least the size of each item in it. So H
// items of a class fit into a box.
//
// Complexity: that of Theorem 2, and a pass over the items.
//
// Source: Corollary 15 of Buchsbaum et al. idealloc (a21f84d) splits the items at each power; here they are sorted by
// class.

// corollary15 boxes items into boxes of the given height, at least the largest
// size, and appends them to t.out. It reorders items.
func (t *try) corollary15(items []id, height int64, eps float64) {
	b := t.boxes
	if len(items) == 0 {
		return
	}
	t.bySize(items)
	for from := 0; from < len(items); {
		unit := power(b.size[items[from]], eps)
		to := from + 1
		for to < len(items) && b.size[items[to]] <= unit {
			to++
		}
		class := items[from:to]
		b.sortByStart(class)
		t.theorem2(class, max(height/unit, 1), height, eps, nil)
		from = to
	}
}

// power returns the least ⌊(1+ε)^k⌋ that is at least size. It returns size itself if ε is too small to step on from
// there.
func power(size int64, eps float64) int64 {
	if !(eps > 1e-12) {
		return size
	}
	k := math.Ceil(math.Log(float64(size)) / math.Log1p(eps))
	for k = max(k-1, 0); ; k++ {
		if p := math.Floor(math.Pow(1+eps, k)); p >= float64(size) {
			return int64(min(p, math.MaxInt64/2))
		}
	}
}
