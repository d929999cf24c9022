package clauses

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: how high a set of buffers of one clique is at least, stacked from the ground, with all alignments: a dynamic
// program over the subsets. The last buffer of the lowest stack of a set lies on the lowest stack of the others,
//
//	stack(S) = min over j in S of Up(stack(S \ j), alignment of j) + size of j
//
// since a lower stack is never worse. From the roof downwards likewise, for each capacity anew. So what lies below a
// buffer, and what has to end by some offset, is known to the byte, where sums of sizes leave out what alignments take.
//
// Complexity: k·2^k for a clique of k buffers, within the limits below.

// The most members of a clique that has a table, and the most entries of all tables, by side. Tables of side 1 are made
// anew for each capacity, so they are smaller. All together take 40 MiB at most.
var (
	mostStacked = [2]int{20, 18}
	mostStacks  = [2]int{1 << 22, 1 << 20}
)

// makeStacks gives tables to the smallest cliques.
func (s *Search) makeStacks() {
	if !s.switches.Stacks {
		return
	}
	bySize := make([]*clique, len(s.cliques))
	for k := range s.cliques {
		bySize[k] = &s.cliques[k]
	}
	slices.SortStableFunc(bySize, func(a, b *clique) int { return cmp.Compare(len(a.members), len(b.members)) })
	for side := range 2 {
		left := mostStacks[side]
		for _, c := range bySize {
			if n := 1 << min(len(c.members), 30); len(c.members) <= mostStacked[side] && n <= left {
				c.stacks[side] = make([]int64, n)
				left -= n
			}
		}
	}
	for _, c := range bySize {
		s.stack(c, 0)
	}
}

// stack fills the table of a clique on a side, if it has one. That of side 1 begins at the capacity.
func (s *Search) stack(c *clique, side int) {
	t := c.stacks[side]
	if t == nil {
		return
	}
	if side == 1 {
		t[0] = -s.capacity
	}
	for set := 1; set < len(t); set++ {
		least := int64(math.MaxInt64)
		for rest := uint(set); rest != 0; rest &= rest - 1 {
			x := bits.TrailingZeros(rest)
			i, at := c.members[x], t[set&^(1<<x)]
			if side == 0 {
				at = bound.Up(at, s.align[i]) + s.size[i]
			} else {
				at = bound.Up(at+s.size[i], s.align[i])
			}
			least = min(least, at)
		}
		t[set] = least
	}
}

// fewest takes members out of a set as long as its stack ends above a value. Those of keep stay.
func fewest(t []int64, set, keep uint64, value int64) uint64 {
	for rest := set &^ keep; rest != 0; rest &= rest - 1 {
		if less := set &^ (rest & -rest); t[less] > value {
			set = less
		}
	}
	return set
}

// tooHigh looks for sets whose stack ends above the highest end of their members, and for buffers that lie after a set
// because with them it would.
func (s *Search) tooHigh(c *clique, side int32) bool {
	t, set := c.stacks[side], uint64(0)
	for n, x := range s.byEnd {
		set |= 1 << x
		roof := s.ended[x]
		if n+1 < len(s.byEnd) && s.ended[s.byEnd[n+1]] == roof || t[set]+c.widest <= roof {
			continue // more end by then, or any other fits too
		}
		if t[set] > roof {
			set = fewest(t, set, 0, roof)
			s.fail = s.fail[:0]
			for rest := set; rest != 0; rest &= rest - 1 {
				s.fail = append(s.fail, s.endsBy(c.members[bits.TrailingZeros64(rest)], side, t[set]-1))
			}
			return false
		}
		for _, y := range s.byEnd[n+1:] {
			if t[set|1<<y] > roof && set&^c.before[side][y] != 0 && !s.onTop(c, side, set, int(y), roof) {
				return false
			}
		}
	}
	return true
}

// onTop puts y after a set that ends by roof, and does not with y.
func (s *Search) onTop(c *clique, side int32, set uint64, y int, roof int64) bool {
	t := c.stacks[side]
	for rest := set &^ c.before[side][y]; rest != 0; rest &= rest - 1 {
		x := bits.TrailingZeros64(rest)
		few := fewest(t, set|1<<y, 1<<y|1<<x, roof)
		from := int32(len(s.items))
		for all := few &^ (1 << y); all != 0; all &= all - 1 {
			s.items = append(s.items, s.endsBy(c.members[bits.TrailingZeros64(all)], side, t[few]-1))
		}
		if !s.conclude(c.literal(x, y, side), from, int32(len(s.items))) {
			return false
		}
		c.put(side, x, y)
	}
	return true
}

// stackOf marks the literals from which it follows that the stack before a buffer ends above x. The entry is that of
// the buffer's bound.
func (s *Search) stackOf(e *entry, x int64) {
	it := &s.items[e.b]
	c, side, y := &s.cliques[e.a], e.v&1, int(it.v)
	for set := fewest(c.stacks[side], uint64(it.value), 0, x); set != 0; set &= set - 1 {
		s.needLiteral(s.orderAt[c.literal(bits.TrailingZeros64(set), y, side)>>1])
	}
}
