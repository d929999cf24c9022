package penalty

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: offsets can be rounded down to a grid. If all ends of forbidden and of costly differences are multiples of g,
// then
//
//	offset(i) - offset(j) >= above   becomes   down(offset(i)) - down(offset(j)) >= above
//
// and the same holds for below. So rounding a plan to the grid does not raise its penalty, and each body has only a few
// slots. If all bodies have one size, two of them share a slot or no byte: this is a partition of least weight
// (max-k-cut). The search chooses a slot for each body, depth first, one body at each level.
//
// The bound is a sum of three parts that count different pairs:
//
//	what the placed bodies pay
//	for each body to come, the least that it pays with placed ones, over the slots that are open to it
//	the least that the bodies to come pay among themselves, solved before, from the last body on (Russian dolls)
//
// If plans differ only by a symmetry, the search keeps the first of them in the order of the levels. Symmetries are
//
//	twins        bodies with the same slots and ties: slots ascend
//	one size     if only bodies in the same slot tie: a body opens no slot but the first that is unused
//	reflection   if upside down everything is the same: the first body lies in the lower half
//
// Invariant: dolls[k] is at most what any plan of the bodies from level k on pays. The least of all plans is dolls[0],
// if every level is solved; otherwise that of the last solved level is a bound.
//
// Complexity: exponential; a node takes O(bodies · slots). Components of ties are searched apart.
//
// Trials: docs/lab/ruled.md (0.02 s at most on PyPTO's problems that must pay, except for two of 4 and 14 s).
//
// Source: Russian doll search, Verfaillie, Lemaître and Schiex (1996). The symmetries can be combined because the first
// plan in lexicographic order survives all of them at once.

const (
	// SlotNodes is the node limit of LeastBySlots for a pool if the run has no limit.
	SlotNodes = 1_500_000
	// mostLevels is the most bodies of a component that is searched.
	mostLevels = 100
	// mostSlots is the most slots of a body. mostRanges is the most ties times slots of a component.
	mostSlots, mostRanges = 512, 1_000_000
)

// A slotter searches one component of a field. Bodies are numbered by level.
type slotter struct {
	watch *run.Watch
	nodes int64 // left

	bodies []int32   // of each level, the body of the field
	at     [][]int64 // of each level, the offsets of its slots, ascending
	links  [][]link  // of each level, to higher levels
	twin   []int32   // the last level before that is a twin, or -1
	equal  bool      // only bodies in the same slot tie
	turns  bool      // upside down everything is the same

	dolls  []int64
	solved bool      // dolls[0] is the least
	first  int       // the level at which the doll at hand begins
	pays   [][]int64 // of each level and slot, what the body pays there with placed bodies
	shut   [][]int32 // of each level and slot, how many placed bodies forbid it
	slot   []int32   // of each placed body
	best   []int32   // slots of the best plan of the doll at hand, or of the dolls before it
	least  int64     // the least penalty of a plan found
}

// A link is a tie or a toll to a later body. For each slot of this body it has the slots of the other that are
// forbidden or cost.
type link struct {
	to     int32
	cost   int64 // 0 for a tie
	ranges [][2]int32
}

// LeastBySlots looks for the plan of a field that pays least. offsets is a plan that pays; a cheaper plan is written
// into it. No plan pays less than least. taken is the number of nodes.
func (f *Field) LeastBySlots(ctx context.Context, offsets []int64, nodes int64) (least, taken int64) {
	watch := run.NewWatch(ctx)
	defer watch.Close()
	left := nodes
	for _, bodies := range f.components() {
		most := int64(0)
		for order := range levelOrders {
			s := f.slotter(bodies, order)
			if s == nil {
				break
			}
			spare := left - int64(float64(left)*levelShares[order])
			s.watch, s.nodes = watch, left-spare
			most = max(most, s.solve(f, offsets))
			left = s.nodes + spare
			if s.solved {
				break
			}
		}
		least += most
	}
	return least, nodes - left
}

// components returns the components of the graph of ties and tolls. Components without tolls are left out.
func (f *Field) components() (of [][]int32) {
	seen := make([]bool, f.n)
	for i := range f.n {
		if seen[i] {
			continue
		}
		seen[i] = true
		x, tolls := []int32{int32(i)}, 0
		for k := 0; k < len(x); k++ {
			visit := func(to int32) {
				if !seen[to] {
					seen[to] = true
					x = append(x, to)
				}
			}
			for _, t := range f.hardOf(x[k]) {
				visit(t.to)
			}
			for _, t := range f.softOf(x[k]) {
				visit(t.to)
				tolls++
			}
		}
		if tolls > 0 {
			of = append(of, x)
		}
	}
	return of
}

// grid returns the largest grid to which the offsets of bodies can be rounded down.
func (f *Field) grid(bodies []int32) (g int64) {
	for _, i := range bodies {
		for _, x := range f.hardOf(i) {
			g = bound.GCD(g, bound.GCD(x.below, x.above))
		}
		for _, x := range f.softOf(i) {
			g = bound.GCD(g, bound.GCD(x.below, x.above))
		}
		for _, x := range f.roomsOf(i) {
			g = bound.GCD(g, x.low)
		}
	}
	// An alignment divides the grid, or is a multiple of it.
	for again := true; again; {
		again = false
		for _, i := range bodies {
			if a := f.align[i]; g%a != 0 && a%g != 0 {
				g, again = bound.GCD(g, a), true
			}
		}
	}
	return g
}

// slotter prepares the search of a component, or returns nil if the component is too large.
func (f *Field) slotter(bodies []int32, order int) *slotter {
	if len(bodies) > mostLevels {
		return nil
	}
	s := &slotter{bodies: f.levels(bodies, order), equal: true, turns: true}
	g := f.grid(bodies)
	level := make(map[int32]int, len(bodies))
	total := 0
	for k, i := range s.bodies {
		level[i] = k
		step := max(g, f.align[i])
		var at []int64
		for _, x := range f.roomsOf(i) {
			if (x.high-x.low)/step >= mostSlots {
				return nil
			}
			for o := x.low; o <= x.high; o += step {
				at = append(at, o)
			}
		}
		slices.Sort(at)
		if total += len(at) * (len(f.hardOf(i)) + len(f.softOf(i))); len(at) > mostSlots || total > mostRanges {
			return nil
		}
		s.at = append(s.at, at)
		s.pays, s.shut = append(s.pays, make([]int64, len(at))), append(s.shut, make([]int32, len(at)))
	}
	s.links = make([][]link, len(s.bodies))
	for k, i := range s.bodies {
		// A difference in a tie is this body's offset less the other's, so the other is at offset - difference.
		for _, x := range f.hardOf(i) {
			s.link(k, level[x.to], -x.above, -x.below, 0)
		}
		for _, x := range f.softOf(i) {
			s.link(k, level[x.to], -x.above, -x.below, x.cost)
		}
	}
	s.findTwins(f)
	n := len(s.bodies)
	s.dolls, s.slot, s.best = make([]int64, n+1), make([]int32, n), make([]int32, n)
	return s
}

// levelOrders is the number of orders of levels that are tried. The first order solves nearly all problems that any
// order solves. In the others the last levels pay more among themselves, so their bounds are better if the search is
// cut off.
const levelOrders = 3

// levelShares says which part of the remaining nodes each order may take.
var levelShares = [levelOrders]float64{0.1, 0.35, 1}

// levels orders bodies by the most that each pays with the bodies before it, then by the most that it pays in all. The
// order is
//
//	0   descending, then the largest first
//	1   ascending
//	2   descending, where a penalty counts as often as the body is large
func (f *Field) levels(bodies []int32, order int) (levels []int32) {
	left := slices.Clone(bodies)
	slices.Sort(left)
	near, all := make(map[int32]int64), make(map[int32]int64)
	for _, i := range left {
		for _, x := range f.softOf(i) {
			all[i] += x.cost
		}
	}
	before := func(i, j int32) int {
		byNear, byAll, bySize := cmp.Compare(near[j], near[i]), cmp.Compare(all[j], all[i]), cmp.Compare(f.size[j], f.size[i])
		switch order {
		case 0:
			return cmp.Or(byNear, byAll, bySize)
		case 1:
			return cmp.Or(-byNear, -byAll)
		}
		return cmp.Or(cmp.Compare(float64(near[j])*float64(f.size[j]), float64(near[i])*float64(f.size[i])), byAll)
	}
	for len(left) > 0 {
		next := 0
		for k, i := range left {
			if before(i, left[next]) < 0 {
				next = k
			}
		}
		i := left[next]
		left = slices.Delete(left, next, next+1)
		levels = append(levels, i)
		for _, x := range f.softOf(i) {
			near[x.to] += x.cost
		}
	}
	return levels
}

// link adds a link from one level to another. It concerns offsets of the other body between below and above, relative
// to this body. Only the lower level keeps it, but symmetries look at it from both sides.
func (s *slotter) link(from, to int, below, above, cost int64) {
	x := link{to: int32(to), cost: cost, ranges: make([][2]int32, len(s.at[from]))}
	for p, at := range s.at[from] {
		low, _ := slices.BinarySearch(s.at[to], at+below+1)
		high, _ := slices.BinarySearch(s.at[to], at+above)
		x.ranges[p] = [2]int32{int32(low), int32(high)}
		s.equal = s.equal && len(s.at[from]) == len(s.at[to]) && low == p && high == p+1
	}
	for p := range x.ranges {
		other := x.ranges[len(x.ranges)-1-p]
		slots := int32(len(s.at[to]))
		s.turns = s.turns && x.ranges[p] == [2]int32{slots - other[1], slots - other[0]}
	}
	if from < to {
		s.links[from] = append(s.links[from], x)
	}
}

// findTwins fills twin.
func (s *slotter) findTwins(f *Field) {
	ties := make([][]toll, len(s.bodies))
	for k, i := range s.bodies {
		for _, x := range f.hardOf(i) {
			ties[k] = append(ties[k], toll{x, -1})
		}
		ties[k] = append(ties[k], f.softOf(i)...)
		slices.SortFunc(ties[k], func(x, y toll) int {
			return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.cost, y.cost), cmp.Compare(x.below, y.below),
				cmp.Compare(x.above, y.above))
		})
	}
	// without returns the ties of a level except those to a body, and these with the bodies swapped.
	same := func(a, b int) bool {
		i, j := s.bodies[a], s.bodies[b]
		if !slices.Equal(s.at[a], s.at[b]) || len(ties[a]) != len(ties[b]) {
			return false
		}
		x, y := ties[a], ties[b]
		for len(x) > 0 || len(y) > 0 {
			switch {
			case len(x) > 0 && x[0].to == j:
				if x[0].below != -x[0].above {
					return false
				}
				x = x[1:]
			case len(y) > 0 && y[0].to == i:
				y = y[1:]
			case len(x) == 0 || len(y) == 0 || x[0] != y[0]:
				return false
			default:
				x, y = x[1:], y[1:]
			}
		}
		return true
	}
	for b := range s.bodies {
		s.twin = append(s.twin, -1)
		for a := b - 1; a >= 0 && s.twin[b] < 0; a-- {
			if same(a, b) {
				s.twin[b] = int32(a)
			}
		}
	}
}

// solve solves the dolls from the last level to the first. If it finds a cheaper plan than offsets, it writes it there.
// It returns the bound.
func (s *slotter) solve(f *Field, offsets []int64) int64 {
	given, paid := make([]int64, f.n), int64(0) // the plan from the level at hand on, and what that pays
	for i := range given {
		given[i] = away
	}
	all := int64(0)
	for _, i := range s.bodies {
		for _, x := range f.softOf(i) {
			if d := offsets[i] - offsets[x.to]; i < x.to && x.below < d && d < x.above {
				all += x.cost
			}
		}
	}
	for s.first = len(s.bodies) - 1; s.first >= 0; s.first-- {
		i := s.bodies[s.first]
		given[i] = offsets[i]
		for _, x := range f.softOf(i) {
			if d := given[i] - given[x.to]; given[x.to] != away && x.below < d && d < x.above {
				paid += x.cost
			}
		}
		if s.dolls[s.first+1] == all {
			s.solved = true
			return all
		}
		s.least = paid
		if s.least > s.dolls[s.first+1] {
			s.descend(s.first, 0, 0)
		}
		if s.first == 0 && s.least < paid {
			for k, i := range s.bodies {
				offsets[i] = s.at[k][s.best[k]]
			}
		}
		if s.nodes <= 0 {
			return s.dolls[s.first+1]
		}
		s.dolls[s.first] = s.least
	}
	s.solved = true
	return s.dolls[0]
}

// descend places the body of level k and the bodies after it. The placed bodies pay cost. If all bodies have one size,
// they are in the first used slots.
func (s *slotter) descend(k int, cost int64, used int32) {
	if k == len(s.bodies) {
		s.least = cost
		copy(s.best, s.slot)
		return
	}
	if s.nodes--; s.nodes <= 0 || s.nodes%64 == 0 && s.watch.Over() {
		s.nodes = 0
		return
	}
	low, high := int32(0), int32(len(s.at[k]))
	if t := s.twin[k]; int(t) >= s.first {
		low = s.slot[t]
	}
	if s.equal {
		high = min(high, used+1)
	} else if s.turns && k == s.first {
		high = (high + 1) / 2
	}
	pays, shut := s.pays[k], s.shut[k]
	// Try the open slots, the cheapest first, then the lowest.
	for last := (choice{-1, -1}); ; {
		next := choice{math.MaxInt64, -1}
		for p := low; p < high; p++ {
			if shut[p] == 0 && pays[p] < next.pays && (pays[p] > last.pays || pays[p] == last.pays && p > last.slot) {
				next = choice{pays[p], p}
			}
		}
		if next.slot < 0 || cost+next.pays+s.dolls[k+1] >= s.least {
			return
		}
		last = next
		p := next.slot
		s.slot[k] = p
		s.place(k, p, 1)
		if room := s.least - cost - next.pays - s.dolls[k+1]; s.toCome(k+1, room) < room {
			s.descend(k+1, cost+next.pays, max(used, p+1))
		}
		s.place(k, p, -1)
		if s.nodes <= 0 {
			return
		}
	}
}

// A choice is a slot and what a body pays there.
type choice struct {
	pays int64
	slot int32
}

// place tells later levels that the body of level k enters a slot, or with sign -1 leaves it.
func (s *slotter) place(k int, p, sign int32) {
	for n := range s.links[k] {
		x := &s.links[k][n]
		r := x.ranges[p]
		if x.cost == 0 {
			shut := s.shut[x.to][r[0]:r[1]]
			for q := range shut {
				shut[q] += sign
			}
			continue
		}
		pays, cost := s.pays[x.to][r[0]:r[1]], x.cost*int64(sign)
		for q := range pays {
			pays[q] += cost
		}
	}
}

// toCome returns the least that the bodies from level k on pay with the placed bodies. It may stop once the sum reaches
// enough, and returns at least enough if a body has no open slot.
func (s *slotter) toCome(k int, enough int64) (sum int64) {
	for ; k < len(s.bodies) && sum < enough; k++ {
		least, shut := int64(math.MaxInt64), s.shut[k]
		for p, x := range s.pays[k] {
			if x < least && shut[p] == 0 {
				least = x
			}
		}
		if least == math.MaxInt64 {
			return enough
		}
		sum += least
	}
	return sum
}
