package clauses

import (
	"cmp"
	"math"
	"slices"
)

// Idea: buffers that are all live at one moment lie one above another, as jobs follow one another on a machine. So what
// is known of jobs holds for them, with offsets in the place of time:
//
//	overload      a set begins so high that its sizes end above its highest end: a contradiction
//	edges         a buffer that does not fit below the highest end of a set together with it lies above all of the set
//	precedences   a buffer lies above all that is below it: above the lowest start of some of these, and their sizes
//
// All of it holds upside down too: side 0 is upwards, side 1 downwards. A buffer with another one above it takes its
// size rounded up to what both alignments divide, so sizes are padded by the least of these. Small cliques have tables
// in the place of the first two (stacks.go).
//
// Invariant: what follows from a clique has a reason among bounds and literals of the trail.
//
// Complexity: O(k²) for k buffers, and O(k) more for each literal that follows.
//
// Source: Baptiste, Le Pape and Nuijten, "Constraint-Based Scheduling" (2001); explained as by Schutt and others
// (2011).

// A clique is buffers that are live at one moment, at most mostMembers of them.
type clique struct {
	members  []int32
	literals []int32    // of members x and y at x·k+y: "x below y"
	padded   [2][]int64 // sizes by side, with what alignments add if another buffer follows
	stacks   [2][]int64 // of each set of members, where its lowest stack ends (stacks.go), or nil
	widest   int64      // the most that a member takes with its alignment

	// Of each member, the others that lie before it on a side, and their padded sizes together. Set anew in each look.
	before [2][]uint64
	total  [2][]int64
}

const mostMembers = 64

// makeCliques lists the maximal cliques by time. Buffers are in the order of their first sections.
func (s *Search) makeCliques(extent func(j int32) (first, end int32)) {
	if !s.switches.Cliques {
		return
	}
	n := int32(len(s.size))
	byEnd := make([]int32, n)
	for j := range byEnd {
		byEnd[j] = int32(j)
	}
	slices.SortStableFunc(byEnd, func(a, b int32) int {
		_, x := extent(a)
		_, y := extent(b)
		return cmp.Compare(x, y)
	})
	next, grown := int32(0), false // a clique is maximal if a buffer has begun since the last one ended
	var live []int32
	for _, e := range byEnd {
		_, end := extent(e)
		for ; next < n; next++ {
			if first, _ := extent(next); first >= end {
				break
			}
			s.cliqueFrom[next] = int32(len(s.cliques))
			live, grown = append(live, next), true
		}
		if grown && len(live) > 1 && len(live) <= mostMembers {
			s.addCliques(live)
		}
		grown = false
		live = slices.DeleteFunc(live, func(j int32) bool { return j == e })
		s.cliqueTo[e] = int32(len(s.cliques))
	}
	most := 0
	for k := range s.cliques {
		most = max(most, len(s.cliques[k].members))
	}
	s.dirty, s.begun, s.ended = make([]bool, len(s.cliques)), make([]int64, most), make([]int64, most)
	s.makeStacks()
}

// addCliques adds a clique. If it is too large for a table, its largest buffers are a clique of their own.
func (s *Search) addCliques(members []int32) {
	s.cliques = append(s.cliques, s.newClique(slices.Clone(members)))
	if most := mostStacked[1]; len(members) > most && s.switches.Stacks {
		largest := slices.Clone(members)
		slices.SortStableFunc(largest, func(a, b int32) int { return cmp.Compare(s.size[b], s.size[a]) })
		s.cliques = append(s.cliques, s.newClique(largest[:most]))
	}
}

// newClique describes the clique of some buffers.
func (s *Search) newClique(members []int32) clique {
	k := len(members)
	c := clique{members: members, literals: make([]int32, k*k)}
	for side := range 2 {
		c.padded[side], c.before[side], c.total[side] = make([]int64, k), make([]uint64, k), make([]int64, k)
	}
	for x, i := range members {
		c.widest = max(c.widest, s.size[i]+s.align[i]-1)
		for h := s.from[i]; h < s.from[i+1]; h++ {
			if y := slices.Index(members, s.other[h]); y >= 0 {
				c.literals[x*k+y] = s.halves[h]
			}
		}
	}
	for x, i := range members {
		up, down := int64(math.MaxInt64), int64(math.MaxInt64)
		for y, j := range members {
			if x != y {
				up = min(up, s.distance[c.literals[x*k+y]])
				down = min(down, s.distance[c.literals[y*k+x]]-s.size[j]+s.size[i])
			}
		}
		c.padded[0][x], c.padded[1][x] = up, down
	}
	return c
}

// touch marks the cliques that have both buffers.
func (s *Search) touch(i, j int32) {
	for c := max(s.cliqueFrom[i], s.cliqueFrom[j]); c < min(s.cliqueTo[i], s.cliqueTo[j]); c++ {
		if !s.dirty[c] {
			s.dirty[c] = true
			s.waiting = append(s.waiting, c)
		}
	}
}

// nextClique takes the clique that was marked first. The order matters: the last one first takes twice the time.
func (s *Search) nextClique() (c *clique, number int32) {
	if s.served == len(s.waiting) {
		s.waiting, s.served = s.waiting[:0], 0
		return nil, 0
	}
	number = s.waiting[s.served]
	s.served++
	s.dirty[number] = false
	return &s.cliques[number], number
}

// clean forgets which cliques are marked, and what has not been followed.
func (s *Search) clean() {
	for _, c := range s.waiting[s.served:] {
		s.dirty[c] = false
	}
	s.waiting, s.served = s.waiting[:0], 0
	s.head = int32(len(s.trail))
}

// look follows what holds for a clique. It returns false if there is a contradiction.
func (s *Search) look(c *clique, number int32) bool {
	s.orders(c)
	for side := range int32(2) {
		s.sort(c, side)
		if c.stacks[side] != nil && !s.tooHigh(c, side) || c.stacks[side] == nil && !s.edges(c, side) {
			return false
		}
		if !s.precedences(c, number, side) {
			return false
		}
	}
	return true
}

// orders sets what lies before what.
func (s *Search) orders(c *clique) {
	for side := range 2 {
		clear(c.before[side])
		clear(c.total[side])
	}
	k := len(c.members)
	for x := range k {
		for y, m := range c.literals[x*k : x*k+x] {
			switch {
			case s.holds(m):
				c.put(0, x, y)
			case s.refuted(m):
				c.put(0, y, x)
			}
		}
	}
}

// put notes that x lies before y on a side, and after it on the other one.
func (c *clique) put(side int32, x, y int) {
	c.before[side][y] |= 1 << x
	c.total[side][y] += c.padded[side][x]
	c.before[1-side][x] |= 1 << y
	c.total[1-side][x] += c.padded[1-side][y]
}

// literal returns the literal that says that x lies before y on a side.
func (c *clique) literal(x, y int, side int32) int32 {
	if side == 0 {
		return c.literals[x*len(c.members)+y]
	}
	return c.literals[y*len(c.members)+x]
}

// begin returns the least start of a buffer on a side, and end its greatest end.
func (s *Search) begin(i, side int32) int64 {
	if side == 0 {
		return s.value[2*i]
	}
	return s.value[2*i+1] - s.size[i]
}

func (s *Search) end(i, side int32) int64 { return -s.begin(i, 1-side) }

// begins returns the item that a buffer begins at x or later on a side, and ends that it ends by x.
func (s *Search) begins(i, side int32, x int64, slack bool) item {
	if side == 1 {
		x += s.size[i]
	}
	return item{at: s.at[2*i+side], v: 2*i + side, value: x, slack: slack}
}

func (s *Search) endsBy(i, side int32, x int64) item { return s.begins(i, 1-side, -x, false) }

// sort sets begun and ended, byBegin to the members by falling start, and byEnd to them by rising end.
func (s *Search) sort(c *clique, side int32) {
	s.byBegin, s.byEnd = s.byBegin[:0], s.byEnd[:0]
	for x, i := range c.members {
		begun, ended := s.begin(i, side), s.end(i, side)
		s.begun[x], s.ended[x] = begun, ended
		k := len(s.byBegin)
		s.byBegin = append(s.byBegin, int32(x))
		for ; k > 0 && s.begun[s.byBegin[k-1]] < begun; k-- {
			s.byBegin[k] = s.byBegin[k-1]
		}
		s.byBegin[k] = int32(x)
		k = len(s.byEnd)
		s.byEnd = append(s.byEnd, int32(x))
		for ; k > 0 && s.ended[s.byEnd[k-1]] > ended; k-- {
			s.byEnd[k] = s.byEnd[k-1]
		}
		s.byEnd[k] = int32(x)
	}
}

// edges looks for overloads, and for buffers that lie after a set: for each end, the set of what ends by then, from the
// one that begins last on.
func (s *Search) edges(c *clique, side int32) bool {
	padded := c.padded[side]
	over := func(x int32) int64 { return padded[x] - s.size[c.members[x]] } // what the last one of a set need not take
	for _, u := range s.byEnd {
		roof := s.ended[u]
		var sum, spare int64
		widest := int64(-1) // of those that end later and begin no earlier than what is summed
		for n, x := range s.byBegin {
			if s.ended[x] > roof {
				end := s.begun[x] + sum + padded[x] - max(spare, over(x))
				if sum > 0 && end > roof && !s.after(c, side, s.byBegin[:n], x, s.begun[x], roof, end) {
					return false
				}
				widest = max(widest, padded[x])
				continue
			}
			sum += padded[x]
			spare = max(spare, over(x))
			low := s.begun[x]
			if end := low + sum - spare; end > roof {
				s.fail = s.fail[:0]
				for _, z := range s.byBegin[:n+1] {
					if i := c.members[z]; s.ended[z] <= roof {
						s.fail = append(s.fail, s.begins(i, side, low-(end-roof-1), false), s.endsBy(i, side, roof))
					}
				}
				return false
			}
			if widest < 0 || low+sum+widest-spare <= roof {
				continue
			}
			for _, y := range s.byBegin[:n] {
				end := low + sum + padded[y] - max(spare, over(y))
				if s.ended[y] > roof && end > roof && !s.after(c, side, s.byBegin[:n+1], y, low, roof, end) {
					return false
				}
			}
		}
	}
	return true
}

// after puts y after those of a set that end by roof: together they begin at low, and end at end, above roof.
func (s *Search) after(c *clique, side int32, set []int32, y int32, low, roof, end int64) bool {
	from, to := int32(-1), int32(0)
	low -= end - roof - 1
	for _, x := range set {
		m := c.literal(int(x), int(y), side)
		if s.ended[x] > roof || s.holds(m) {
			continue
		}
		if from < 0 {
			from = int32(len(s.items))
			for _, z := range set {
				if i := c.members[z]; s.ended[z] <= roof {
					s.items = append(s.items, s.begins(i, side, low, false), s.endsBy(i, side, roof))
				}
			}
			s.items = append(s.items, s.begins(c.members[y], side, low, false))
			to = int32(len(s.items))
		}
		if !s.conclude(m, from, to) {
			return false
		}
		c.put(side, int(x), int(y))
	}
	return true
}

// conclude makes a literal hold that follows from a list of items. It returns false if it is refuted.
func (s *Search) conclude(m, from, to int32) bool {
	if s.refuted(m) {
		s.fail = append(s.fail[:0], s.items[from:to]...)
		s.fail = append(s.fail, item{at: s.orderAt[m>>1], v: -1})
		return false
	}
	s.set(m, listed, from, to)
	return true
}

// precedences raises the starts of buffers to what those before them take: by the table, or by sums of sizes from each
// start on.
func (s *Search) precedences(c *clique, number, side int32) bool {
	for y, before := range c.before[side] {
		if before == 0 {
			continue
		}
		j := c.members[y]
		v, above := 2*j+side, int64(side)*s.size[j] // the bound, and what it is above the start
		best, last := int64(math.MinInt64), 0
		var sum int64
		for n, x := range s.byBegin {
			if s.begun[x]+c.total[side][y] <= max(best, s.begun[y]) {
				break // nor do those that begin earlier raise it
			}
			if before>>x&1 == 1 {
				sum += c.padded[side][x]
				if at := s.begun[x] + sum; at > best {
					best, last = at, n
				}
			}
		}
		if t := c.stacks[side]; t != nil && t[before] > max(best, s.begun[y]) {
			s.items = append(s.items, item{v: int32(y), value: int64(before)})
			if !s.raise(v, t[before]+above, stacked, number, int32(len(s.items))-1) {
				return false
			}
			continue
		}
		if best <= s.begun[y] {
			continue
		}
		from, low := int32(len(s.items)), s.begun[s.byBegin[last]]
		s.items = append(s.items, item{value: best + above}) // what the list proves
		for _, x := range s.byBegin[:last+1] {
			if before>>x&1 == 1 {
				m := c.literal(int(x), y, side)
				s.items = append(s.items, s.begins(c.members[x], side, low, true), item{at: s.orderAt[m>>1], v: -1})
			}
		}
		if !s.raise(v, best+above, listed, from, int32(len(s.items))) {
			return false
		}
	}
	return true
}
