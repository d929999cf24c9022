package beam

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a pass places the buffers in the order in which they begin. Each layout of the beam has a child for each way to
// place the next buffer: at either end of a hole that is large enough. The children with the best scores are the next
// beam. All layouts hold the same buffers, so only their offsets differ.
//
// A beam dies if no layout has such a hole. This happens at few places in time, and chance decides where: a beam ten
// times as wide often dies earlier. So the pass goes back half as many buffers as can be live, and comes to the place
// with a wider beam and with chance in its scores; then twice as far, and so on. The trace of all layouts has their
// offsets, so layouts of earlier moments are made anew, and none is kept.
//
// Invariant: the nodes of buffer k in the trace are levels[k-1] to levels[k]. The parent of each is in the level
// before.

// goesBack is how often a pass goes back from one place. Each time is further and wider than the one before. With eight
// times a pass spends most of its nodes at the place where it fails.
const goesBack = 4

// chance is the most that chance adds to a score while a beam comes to the place again.
const chance = 2 * weightUnit * unit

// pass is the problem as a pass sees it, forward or backward, and the state of the pass.
type pass struct {
	*search
	tl      *timeline.Timeline
	most    int // layouts that memory allows
	seed    uint64
	granule int64   // the greatest common divisor of sizes and of alignments above 1: offsets are multiples of it
	order   []int32 // of buffers: the k-th to begin is order[k]. All else is by k, sizes and offsets in granules.
	size    []int64
	align   []int64
	first   []int32 // sections
	last    []int32
	mean    float64 // size

	ceiling int64
	limit   int64 // where the pass dies its ceiling goes up, as long as it is below
	risen   bool  // it has
	width   int   // of the beam
	noise   int64
	rng     *rand.Rand

	now, next beam
	value     []int64 // of live buffers: see worth
	coming    []int32 // large buffers that begin soon
	children  []child // a heap
	walls     []wall
	seen      set
	lines     lines

	parent []int32 // the trace: by node
	at     []int64
	levels []int32

	cost  int64  // nodes that a child counts as
	loose *loose // nil if layouts have offsets
}

func newPass(s *search, tl *timeline.Timeline, reverse bool) *pass {
	n := len(tl.Problem.Buffers)
	x := &pass{
		search: s, tl: tl, cost: 1, order: make([]int32, 0, n), size: make([]int64, 0, n), align: make([]int64, 0, n),
		first: make([]int32, 0, n), last: make([]int32, 0, n), value: make([]int64, n),
	}
	extent := func(i int32) (first, last int32) {
		if first, last = tl.Extent(int(i)); reverse {
			first, last = int32(tl.Sections())-last, int32(tl.Sections())-first
		}
		return first, last
	}
	for i := range n {
		x.order = append(x.order, int32(i))
	}
	b := tl.Problem.Buffers
	slices.SortFunc(x.order, func(i, j int32) int {
		iFirst, iLast := extent(i)
		jFirst, jLast := extent(j)
		return cmp.Or(cmp.Compare(iFirst, jFirst), cmp.Compare(b[j].Size, b[i].Size), cmp.Compare(iLast, jLast), cmp.Compare(i, j))
	})
	for i := range b {
		if x.granule = divisor(x.granule, b[i].Size); b[i].Align() > 1 {
			x.granule = divisor(x.granule, b[i].Align())
		}
	}
	sum := int64(0)
	begin, end := make([]int32, tl.Sections()+1), make([]int32, tl.Sections()+1)
	for _, i := range x.order {
		first, last := extent(i)
		begin[first]++
		end[last]++
		x.size, x.align = append(x.size, b[i].Size/x.granule), append(x.align, max(1, b[i].Align()/x.granule))
		x.first, x.last = append(x.first, first), append(x.last, last)
		sum += b[i].Size / x.granule
	}
	x.mean = float64(sum) / float64(n)
	live, stride := 0, 0
	for s := range begin {
		live += int(begin[s] - end[s])
		stride = max(stride, live)
	}
	x.now.stride, x.next.stride = stride+1, stride+1
	x.most = max(1, min(widthMost, traceMost/n, layoutMost/(stride+1)))
	return x
}

// run returns a plan below the ceiling, by buffer of the problem, or nil.
func (x *pass) run(ceiling int64, width int) []int64 {
	x.ceiling, x.noise, x.risen = ceiling/x.granule, 0, false
	x.rng = rand.New(rand.NewPCG(x.o.Seed, x.seed))
	x.widen(width)
	x.restore(0)
	// far is the furthest buffer at which the beam has died, tries how often the pass has gone back from there.
	far, tries := -1, 0
	for k := 0; k < len(x.order); k++ {
		if x.over() {
			return nil
		}
		if k > far {
			x.width, x.noise = width, 0
		}
		if x.loose != nil && k > 0 && k%x.every() == 0 {
			x.save(k)
		}
		if k == 0 || x.first[k] != x.first[k-1] {
			x.advance(x.first[k])
		}
		x.value[k] = worth(x.last[k] - x.first[k])
		x.lookAhead(k)
		x.bear(k)
		x.choose(k)
		if x.next.n > 0 {
			x.now, x.next = x.next, x.now
			x.levels = append(x.levels, int32(len(x.parent)))
			continue
		}
		if k > far {
			far, tries = k, 0
		}
		if !x.settings.back {
			return nil
		}
		if tries++; tries > goesBack || x.nodes >= x.end {
			if tries = 1; !x.rise() {
				return nil
			}
		}
		from := max(0, k-tries*x.now.stride/2)
		x.widen(min(width<<(tries/2), x.most))
		x.noise = chance
		from = x.restore(from)
		if from > 0 {
			x.advance(x.first[from-1])
		}
		k = from - 1
	}
	if x.loose != nil {
		return x.offsetsLoose()
	}
	offsets := make([]int64, len(x.order))
	node := x.now.trace[0]
	for k := len(x.order) - 1; k >= 0; k-- {
		offsets[x.order[k]] = x.at[node] * x.granule
		node = x.parent[node]
	}
	return offsets
}

// widen makes room for so many layouts.
func (x *pass) widen(width int) {
	x.width = width
	for _, g := range [...]*beam{&x.now, &x.next} {
		if g.room(width); x.loose != nil {
			g.roomLoose(width)
		}
	}
}

// restore makes the beam as it was before buffer k, without scores, and returns k. If layouts are loose it may go back
// further.
func (x *pass) restore(k int) int {
	if x.loose != nil {
		return x.restoreLoose(k)
	}
	g := &x.now
	g.n, g.live = 1, 0
	g.trace[0], g.score[0] = -1, 0
	x.levels = x.levels[:k]
	if k == 0 {
		x.parent, x.at = x.parent[:0], x.at[:0]
		return k
	}
	begin, end := int32(0), x.levels[k-1]
	if k > 1 {
		begin = x.levels[k-2]
	}
	x.parent, x.at = x.parent[:end], x.at[:end]
	g.n = 0
	for top := begin; top < end; top++ {
		from := g.n * g.stride
		live, node := 0, top
		for j := k - 1; j >= 0 && live < g.stride-1; j-- {
			if x.last[j] > x.first[k-1] {
				r := from + live
				for ; r > from && g.at[r-1] > x.at[node]; r-- {
					g.at[r], g.id[r] = g.at[r-1], g.id[r-1]
				}
				g.at[r], g.id[r] = x.at[node], int32(j)
				live++
			}
			node = x.parent[node]
		}
		g.live = live
		g.trace[g.n] = top
		g.n++
	}
	return k
}

// lookAhead sets coming: of the buffers that begin after k, the first ones that are larger than all in between.
func (x *pass) lookAhead(k int) {
	x.coming = x.coming[:0]
	if !x.settings.ahead {
		return
	}
	largest := int64(0)
	for j := k + 1; j < min(len(x.order), k+aheadBuffers) && len(x.coming) < aheadMost; j++ {
		if x.size[j] > largest {
			largest = x.size[j]
			x.coming = append(x.coming, int32(j))
		}
	}
}
