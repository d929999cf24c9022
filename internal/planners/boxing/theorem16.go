package boxing

import (
	"cmp"
	"math"
)

// Idea: let r be the ratio of the largest size to the smallest. Boxes waste little if they are much larger than their
// contents and much smaller than the items beside them. So only small items are boxed, into boxes of an intermediate
// height h. These boxes join the other items, r is now smaller, and the same is done again. The parameters follow
// from r and one number ε:
//
//	μ = ε / lg²r     h = μ⁵ · max / lg²r     an item is small if its size is at most μ·h
//
// If r is too small for another round, all items are put into the last boxes, which all have the height max/μ.
//
// r gives a range for ε. A number of values in it are tried once per problem, and the one with the least ratio at the
// end is taken. For r below about 2217 the range is empty. Then a dummy widens the ratio: it lives all the time, has
// 2217 times the smallest size, and is dropped from the plan.
//
// Invariant: every buffer is inside exactly one item at any time.
//
// Complexity: O(n log n) a round; the ratio falls so fast that there are a handful of rounds.
//
// Source: Theorem 16 of Buchsbaum et al. The loop, in place of a second phase, the dummy and the search for ε are
// from idealloc (a21f84d).

// golden bounds μ: above it the boxes of Corollary 15 lose more than they gain.
var golden = (math.Sqrt(5) - 1) / 2

// widest is the ratio of sizes from which on a fitting ε exists.
const widest = 2216.54

// epsilons returns the ends of the range in which ε may lie, for the ratio r.
func epsilons(r float64) (low, high float64) {
	square := math.Pow(math.Log2(r), 2)
	return math.Pow(math.Pow(square, 7)/r, 1.0/6), golden * square
}

// tallest bounds the height of boxes, in bytes.
const tallest = math.MaxInt64 / 4

// A regime is what Theorem 16 does to items of given sizes.
type regime struct {
	ratio  float64
	mu     float64
	height float64 // of the boxes
	safe   bool    // whether boxing the small ones makes progress
}

func newRegime(least, most int64, eps float64) regime {
	r := regime{ratio: float64(most) / float64(least)}
	square := math.Pow(math.Log2(r.ratio), 2)
	r.mu = eps / square
	r.height = math.Ceil(math.Pow(r.mu, 5) * float64(most) / square)
	// Above 2^53 a float may be under the number that it stands for: then no item would be small, and nothing would
	// come of a round. If two large sizes are nearly equal, the boxes would be too tall to add up.
	limit := math.Floor(r.mu * r.height)
	r.safe = r.mu < golden && limit >= float64(least) && int64(limit) >= least && r.height <= tallest
	return r
}

// theorem16 boxes small items until another round gains nothing. It returns the items that are left then, in new
// memory.
func (t *try) theorem16(items []id, eps float64) []id {
	b := t.boxes
	now := append(t.items[:0], items...)
	for len(now) > 0 {
		least, most := b.heights(now)
		r := newRegime(least, most, eps)
		if !r.safe {
			break
		}
		limit := int64(math.Floor(r.mu * r.height))
		b.look()
		small, k := t.small[:0], 0
		for _, i := range now {
			if b.size[i] <= limit {
				small = append(small, i)
			} else {
				now[k] = i
				k++
			}
		}
		t.small = small
		t.out = t.out[:0]
		t.corollary15(small, int64(r.height), r.mu)
		now = append(now[:k], t.out...)
	}
	t.items = now
	return now
}

// last boxes all items into boxes of one height and returns these boxes. height and mu belong to the ε that was found.
func (t *try) last(items []id, height int64, mu float64) []id {
	t.out = t.out[:0]
	t.corollary15(items, height, mu)
	return t.out
}

// bySize sorts items by size, then by index.
func (t *try) bySize(items []id) {
	b := t.boxes
	b.sort(items, func(i, j id) int {
		if c := cmp.Compare(b.size[i], b.size[j]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
}

// A setting is what the search for ε has found for a problem.
type setting struct {
	eps    float64
	mu     float64 // of the last boxes
	height int64   // of the last boxes
}

// patience is how many values of ε in a row may fail to lower the ratio.
const patience = 3

// tune searches for ε. It adds the dummy if one is needed.
func (t *try) tune(horizon int32) setting {
	b := t.boxes
	all := make([]id, b.buffers)
	for k := range all {
		all[k] = id(k)
	}
	least, most := b.heights(all)
	low, high := epsilons(float64(most) / float64(least))
	if !(low < high) {
		most = int64(math.Ceil(widest * float64(least)))
		t.boxes.release(mark{rows: b.buffers})
		all = append(all, b.add(0, horizon, most))
		b.buffers++
		b.dummy = true
		low, high = epsilons(float64(most) / float64(least))
	}
	start := b.mark()
	s := setting{eps: low}
	best := math.Inf(1)
	ratio := newRegime(least, most, low)
	for e, left := low, patience; left > 0; e += (high - e) / 100 {
		items := t.theorem16(all, e)
		l, m := b.heights(items)
		b.release(start)
		if r := newRegime(l, m, e); r.ratio < best {
			best, s.eps, ratio, left = r.ratio, e, r, patience
		} else {
			left--
		}
	}
	s.mu = ratio.mu
	if !(s.mu <= golden) {
		s.mu = 0.99 * golden
	}
	s.height = int64(min(math.Ceil(float64(most)/s.mu), tallest))
	return s
}
