package shapes

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: buffers are put down one after the other, each on top of those that share time with it. Seen from above, the
// buffers that are on top at some time form a skyline, whose segments are stretches of time. A new buffer lies above the
// owners of the segments below it, and takes their place. So one walk finds the pairs that matter, for any sizes.
//
// Invariant: of each segment, the bit of its first section is set in starts; owner and until hold for that section.
// Every section is in one segment.
//
// Complexity: O(buffers + gaps) for a walk: a piece cuts at most two segments and removes the others it meets. Heights
// are O(pairs), and there are at most three for each piece.

// A field has what the orders of a family have in common: which buffers meet, when, in which pool.
type field struct {
	n        int
	sections int     // of all pools, one pool after the other
	first    []int32 // pieces of buffer i: first[i] to first[i+1]
	lower    []int32 // of each piece, in sections
	upper    []int32
	pool     []int32 // of each buffer
	pools    int
	align    []int64
	fixed    []int64 // -1 for none
	step     int64   // divides each alignment

	// the walk
	starts []uint64
	owner  []int32 // -1: nothing yet
	until  []int32
	seen   []int32 // by buffer: the walk in which it was last found below another
	walk   int32
}

// newField prepares the problem; pools has the pool of each buffer, nil for one pool.
func newField(p *model.Problem, pools []int32) *field {
	f := &field{n: len(p.Buffers), pools: 1, pool: make([]int32, len(p.Buffers))}
	var times []int64
	for i := range p.Buffers {
		for x := range p.Buffers[i].Pieces {
			times = append(times, x.Lower, x.Upper)
		}
		if pools != nil {
			f.pool[i] = pools[i]
			f.pools = max(f.pools, int(pools[i])+1)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	f.sections = max(1, len(times)*f.pools)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		f.first = append(f.first, int32(len(f.lower)))
		shift := int32(int(f.pool[i]) * len(times))
		for x := range b.Pieces {
			from, _ := slices.BinarySearch(times, x.Lower)
			to, _ := slices.BinarySearch(times, x.Upper)
			f.lower, f.upper = append(f.lower, int32(from)+shift), append(f.upper, int32(to)+shift)
		}
		fixed := int64(-1)
		if b.Fixed != nil {
			fixed = *b.Fixed
		}
		f.align, f.fixed = append(f.align, p.AlignIn(i, pools)), append(f.fixed, fixed)
	}
	for _, a := range f.align {
		for x := f.step; a != 0; {
			x, a = a, x%a
			f.step = x
		}
	}
	f.step = max(1, f.step)
	f.first = append(f.first, int32(len(f.lower)))
	f.starts = make([]uint64, f.sections/64+1)
	f.owner, f.until = make([]int32, f.sections), make([]int32, f.sections)
	f.seen = make([]int32, f.n)
	return f
}

// A stack is an order of the buffers from the lowest to the highest, with the pairs that matter.
type stack struct {
	order []int32 // all buffers
	first []int32 // of the buffer at position k: below[first[k]:first[k+1]]
	below []int32
}

// trace finds the pairs of an order.
func (f *field) trace(s *stack) {
	clear(f.starts)
	f.starts[0], f.owner[0], f.until[0] = 1, -1, int32(f.sections)
	s.first, s.below = s.first[:0], s.below[:0]
	for _, b := range s.order {
		s.first = append(s.first, int32(len(s.below)))
		if f.walk++; f.walk < 0 { // it has come round
			clear(f.seen)
			f.walk = 1
		}
		for piece := f.first[b]; piece < f.first[b+1]; piece++ {
			s.below = f.put(b, f.lower[piece], f.upper[piece], s.below)
		}
	}
	s.first = append(s.first, int32(len(s.below)))
}

// put puts a piece of b on top of the skyline, and adds those that are below it.
func (f *field) put(b, lower, upper int32, below []int32) []int32 {
	from := lower // the first section of the segment that has lower
	if word := f.starts[lower>>6] << (63 - lower&63); word != 0 {
		from -= int32(bits.LeadingZeros64(word))
	} else {
		w := lower>>6 - 1
		for f.starts[w] == 0 {
			w--
		}
		from = w<<6 + 63 - int32(bits.LeadingZeros64(f.starts[w]))
	}
	end, who := f.until[from], f.owner[from]
	if from < lower {
		f.until[from] = lower
	}
	for at := lower; ; {
		if who >= 0 && f.seen[who] != f.walk {
			f.seen[who] = f.walk
			below = append(below, who)
		}
		if end >= upper {
			break
		}
		at = end
		f.starts[at>>6] &^= 1 << (at & 63)
		end, who = f.until[at], f.owner[at]
	}
	if end > upper {
		f.starts[upper>>6] |= 1 << (upper & 63)
		f.until[upper], f.owner[upper] = end, who
	}
	f.starts[lower>>6] |= 1 << (lower & 63)
	f.until[lower], f.owner[lower] = upper, b
	return below
}

// place computes the end of each buffer at sizes, and the height of each pool. It returns the sum of the heights; -1 if
// a fixed buffer would not be at its offset.
func (f *field) place(s *stack, sizes, ends, tops []int64) int64 {
	clear(tops)
	for k, b := range s.order {
		at := int64(0)
		for _, j := range s.below[s.first[k]:s.first[k+1]] {
			at = max(at, ends[j])
		}
		if a := f.align[b]; a > 1 {
			at = (at + a - 1) / a * a
		}
		if x := f.fixed[b]; x >= 0 {
			if at > x {
				return -1
			}
			at = x
		}
		at += sizes[b]
		ends[b] = at
		if p := f.pool[b]; at > tops[p] {
			tops[p] = at
		}
	}
	sum := int64(0)
	for _, top := range tops {
		sum += top
	}
	return sum
}

// padded returns sizes with what alignment adds to each buffer that has another above it.
func (f *field) padded(sizes []int64) []int64 {
	if f.step == 1 {
		return sizes
	}
	padded := make([]int64, len(sizes))
	for i, size := range sizes {
		padded[i] = (size + f.step - 1) / f.step * f.step
	}
	return padded
}

// load returns the peak load at sizes, added up over the pools. scratch has a number for each section.
func (f *field) load(sizes, scratch []int64) int64 {
	clear(scratch)
	for i := range f.n {
		for piece := f.first[i]; piece < f.first[i+1]; piece++ {
			scratch[f.lower[piece]] += sizes[i]
			if f.upper[piece] < int32(f.sections) {
				scratch[f.upper[piece]] -= sizes[i]
			}
		}
	}
	sum, each := int64(0), f.sections/f.pools
	for p := range f.pools {
		now, most := int64(0), int64(0)
		for _, change := range scratch[p*each : (p+1)*each] {
			now += change
			most = max(most, now)
		}
		sum += most
	}
	return sum
}

// below returns the pairs of an order without those that follow from others: for each buffer, those right below it.
func (f *field) reduced(s *stack) [][]int32 {
	position := make([]int32, f.n)
	for k, b := range s.order {
		position[b] = int32(k)
	}
	pairs := make([][]int32, f.n)
	for k, b := range s.order {
		pairs[b] = slices.Clone(s.below[s.first[k]:s.first[k+1]])
		slices.SortFunc(pairs[b], func(i, j int32) int { return int(position[j] - position[i]) })
	}
	// A pair follows from others if a way leads from a higher neighbour down to the lower one. Ways are short, for they
	// stay between the two positions.
	seen := make([]int32, f.n)
	stamp := int32(0)
	var todo []int32
	for _, b := range s.order {
		list := pairs[b]
		if len(list) < 2 {
			continue
		}
		stamp++
		lowest := position[list[len(list)-1]]
		kept := list[:0:0]
		for _, j := range list {
			if seen[j] == stamp {
				continue
			}
			kept = append(kept, j)
			todo = append(todo[:0], j)
			for len(todo) > 0 {
				x := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				for _, y := range pairs[x] {
					if seen[y] != stamp && position[y] >= lowest {
						seen[y] = stamp
						todo = append(todo, y)
					}
				}
			}
		}
		pairs[b] = kept
	}
	return pairs
}
