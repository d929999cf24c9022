package boxing

import "math"

// Idea: round sizes up to powers of 1+ε; each class then has one size, and
// Theorem 2 boxes it on its own. At most a factor of 1+ε is lost.
//
// Invariant: each item is in the class of the least power, rounded down, that
// is not under its size, so H of a class fit the box.
//
// Complexity: that of Theorem 2, and a pass over the items.
//
// Source: Corollary 15 of Buchsbaum et al. idealloc (a21f84d) walks the powers
// one by one and splits what is left at each; one sort by class does the same.

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

// power returns the least ⌊(1+ε)^k⌋ that is at least size; size itself where ε
// is too small for the powers to tell it from its neighbours.
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
