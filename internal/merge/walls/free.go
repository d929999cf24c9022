package walls

// Idea: free space is an item of the pile, too. It ends and begins at walls, and its size follows from the other items:
//
//	free space that begins = free space that ends + sizes that end - sizes that begin
//
// The guess is only which free items end at a wall: none, one, or two.
//
// Complexity: O(f²) choices at a moment for f free items, about freeTries of them tried if f is large.

// rest adds the guesses in which all remaining items of the moment are one wall, with free space if the sums differ.
// It reports whether there was a choice of free space.
func (s *Search) rest(g *guess, out, in []int32) bool {
	if s.freed == 0 {
		if len(out) > 0 {
			g = s.replace(g, out, in)
		}
		s.keep(g)
		return false
	}
	// Free items k and l < k end at the wall, -1 for none. An exact fit is always tried.
	n := len(g.free)
	for k := -1; k < n; k++ {
		for l := -1; l < max(k, 0); l++ {
			more := s.freed
			if k >= 0 {
				more += s.items[g.free[k]].Size
			}
			if l >= 0 {
				more += s.items[g.free[l]].Size
			}
			if more == 0 || k < 0 || s.o.Rand.IntN(n*n) < freeTries {
				s.endFree(g, out, in, k, l, more)
			}
		}
	}
	return len(g.free) > 0
}

// freeTries is about how many choices of free items are tried at a wall.
const freeTries = 8

// endFree adds a guess: the free items k and l < k (-1 for none) also end at the wall, and a new item of the given
// size begins.
func (s *Search) endFree(g *guess, out, in []int32, k, l int, size int64) {
	var ends, free []int32
	for x, i := range g.free {
		if x == k || x == l {
			ends = with(ends, i)
		} else {
			free = with(free, i)
		}
	}
	if out = with(out, ends...); size < 0 || len(out) == 0 {
		return
	}
	if size > 0 {
		i := s.add(Item{0, -1, size})
		in, free = with(in, i), with(free, i)
	}
	if g = s.replace(g, out, in); g != nil {
		g.free = free
	}
	s.keep(g)
}
