package beam

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a plan that is nearly low enough has few buffers above the ceiling. They are taken out, and come back one by
// one, the one with the largest area first. Each goes to the offset at which it costs least: what is in its way there
// is taken out in turn. A buffer's cost grows each time that it finds no free place, so no two buffers displace each
// other for ever, and those that are hard to place come to rest first. Small ones then fill what is left between them.
//
// No moment is special in this search, and none is decided before another. So it lowers plans of heavy tails, where a
// beam would have to prepare for a large buffer long before it begins; and it leaves most of a good plan as it is.
//
// Placed buffers slide up and down to make room for another (slide.go). prices.go says what they cost, and who comes
// back next. An attempt that its turn cuts off goes on in the next one, if nobody has lowered the plan.
//
// Invariant: placed buffers do not overlap, and end below the ceiling. All others are in out. A success is a plan.
//
// Complexity: a node places one buffer, in O(d log d) for d buffers that are live with it. The lists of these take
// O(n·d) of memory, pairsMost in all.
//
// What was tried is in docs/lab/planners.md.
//
// Source: ejection search with penalties, after Nagata and Bräysy, "A powerful route minimization heuristic for the
// vehicle routing problem with time windows" (2009), with offsets in place of routes.

// pairsMost is how many pairs of buffers that are live together the search keeps at most.
const pairsMost = 1 << 24

const (
	// costUnit is what a buffer costs at first, and costStep what is added if it finds no free place.
	costUnit, costStep = 1, 4
	// costBits is how many bits a cost has beside an offset, and costMost the largest cost.
	costBits = 18
	costMost = 1<<costBits - 1
	// granules is the number of granules that an offset may count, so that it has room beside a cost.
	granules = 1 << (62 - costBits)
	// ejectPatience is how many nodes for each buffer a ceiling has without a new least number of those that are out.
	ejectPatience = 8
	// patienceMost is the most patience that attempts come to have. Each one that fails doubles it.
	patienceMost = 32
	// raises is how often a ceiling goes up by half of the way to the plan, before the attempt ends.
	raises = 3
)

// An ejection is the problem as this search sees it, and its state. Buffers are numbered as in pass.order, and offsets
// are in granules. A plan whose offsets are rounded down to granules is a plan.
type ejection struct {
	*pass
	runs
	from    []int32 // the neighbours of buffer k, live together with it, are with[from[k]:from[k+1]]
	with    []int32
	tall    []int32 // the same neighbours; each list in the order of their tops, and those of with by high, as seen last
	ranking         // by area, 0 for the largest

	spots  []spot
	out    []int64 // the keys of buffers without an offset, a heap
	lows   []int64 // of those in one buffer's way: the offset above which they are, and the cost in one number, ascending
	tops   []int64 // the same of the offsets from which on they are not
	rng    *rand.Rand
	rounds uint64
	share  float64 // how much of the way from the height to the goal an attempt aims down
	// patience is how many nodes for each buffer a ceiling has without fewer buffers out, usual what higher ones have.
	patience, usual int64
	step            int64 // what is added to the cost of a buffer that finds no free place
	tail            bool  // a buffer is as large as one part in tailPart of the memory
	try             attempt
	cost            []int64 // by buffer: what it costs now
	prices
	slides
}

// An attempt looks for a plan below the ceiling, then below higher ones up to most, in granules.
type attempt struct {
	under         bool // it has begun, and is not at its end
	ceiling, most int64
	raised        int
	count         int64 // nodes
	fewest        int   // buffers that were out since the last raise
	since         int64 // the node after which they were
}

// A ranking is an order of buffers: which rank each has, and which buffer each rank.
type ranking struct{ rank, ranked []int32 }

// rankBy ranks buffers by a number, the largest first.
func (e *ejection) rankBy(number func(k int32) float64) ranking {
	n := len(e.order)
	r := ranking{make([]int32, n), make([]int32, n)}
	for k := range n {
		r.ranked[k] = int32(k)
	}
	slices.SortStableFunc(r.ranked, func(i, j int32) int { return cmp.Compare(number(j), number(i)) })
	for at, k := range r.ranked {
		r.rank[k] = int32(at)
	}
	return r
}

// newEjection returns nil if the problem is too large for this search.
func newEjection(x *pass) *ejection {
	n := len(x.order)
	e := &ejection{pass: x, runs: x.newRuns(), share: 0.25, patience: ejectPatience, usual: ejectPatience, step: costStep}
	total := int64(0)
	for k := range n {
		total += e.size[k] + e.align[k]
	}
	if total >= granules || n > costMost || !e.list() {
		return nil
	}
	e.ranking = e.rankBy(func(k int32) float64 { return float64(e.size[k]) * float64(e.lives(k)) })
	e.spots = make([]spot, n)
	e.newPrices(n)
	e.tail = slices.Max(e.size)*e.granule >= e.lower/tailPart
	e.agenda.queued = make([]bool, n)
	e.tall = slices.Clone(e.with)
	e.newSlides()
	return e
}

// divisor returns the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// list lists the neighbours of all buffers, or reports that they are too many.
func (e *ejection) list() bool {
	n := len(e.order)
	e.from = make([]int32, n+1)
	if !e.meet(func(i, j int32) { e.from[i+1]++; e.from[j+1]++ }) {
		return false
	}
	for k := range n {
		e.from[k+1] += e.from[k]
	}
	e.with = make([]int32, e.from[n])
	next := slices.Clone(e.from[:n])
	return e.meet(func(i, j int32) {
		e.with[next[i]], e.with[next[j]] = j, i
		next[i], next[j] = next[i]+1, next[j]+1
	})
}

// run lowers the plan as long as it can, with so many nodes. It returns the lowest plan and its height. An attempt that
// has no more nodes goes on in the next run.
func (e *ejection) run(best []int64, height, goal, nodes int64) ([]int64, int64) {
	least := max(1, float64(e.lower)/leastStep)
	end := e.nodes + nodes
	for height > goal && e.nodes < end && !e.over() {
		most := (height - 1) / e.granule
		if !e.tail || e.try.under && e.try.most != most { // anew, also if passes have lowered the plan
			e.try.under, e.patience, e.usual = false, ejectPatience, ejectPatience
		}
		if !e.try.under {
			ceiling := max(goal, height-max(1, int64(e.share*float64(height-goal))))
			e.begin(best, ceiling/e.granule, most)
		}
		offsets := e.proceed(end)
		if e.try.under {
			break
		}
		if offsets == nil {
			e.persevere()
			if e.share /= 2; e.share*float64(height-goal) < least {
				e.share = 0.25
			}
			continue
		}
		best, height = offsets, model.HeightOf(e.problem, offsets)
		e.share = min(0.5, 1.5*e.share)
		e.tell(best, height)
	}
	return best, height
}

// begin begins an attempt from a plan, in which buffers with a negative offset are out.
func (e *ejection) begin(start []int64, ceiling, most int64) {
	e.rounds++
	e.rng = rand.New(rand.NewPCG(e.o.Seed, e.rounds))
	e.out = e.out[:0]
	e.roof = ceiling
	e.try = attempt{under: true, ceiling: ceiling, most: most}
	e.resetPrices()
	for k, i := range e.order {
		at := start[i] / e.granule
		e.spots[k] = spot{at: at, top: at + e.size[k], high: at, placed: start[i] >= 0}
	}
	if e.settings.slide {
		e.relax()
	}
	for k := range e.spots {
		if s := &e.spots[k]; s.top > ceiling || !s.placed {
			e.drop(int32(k))
		}
	}
	if e.settings.slide {
		e.relax() // without those above the ceiling
	}
	e.try.fewest = len(e.out)
}

// proceed goes on with an attempt until it has a plan or no patience, or the search so many nodes. It returns a plan.
func (e *ejection) proceed(end int64) []int64 {
	for len(e.out) > 0 {
		if e.nodes >= end || e.over() {
			return nil
		}
		if e.try.count-e.try.since > e.patience*int64(len(e.order)) {
			if e.try.raised == raises || e.try.ceiling >= e.try.most {
				e.try.under = false
				return nil
			}
			e.try.raised++
			e.patience = e.usual
			e.try.ceiling += (e.try.most - e.try.ceiling + 1) / 2
			if e.roof = e.try.ceiling; e.settings.slide {
				e.relax()
			}
			e.try.fewest, e.try.since = len(e.out), e.try.count
		}
		e.nodes++
		e.try.count++
		e.put(e.pop(), e.try.ceiling)
		if len(e.out) < e.try.fewest {
			e.try.fewest, e.try.since = len(e.out), e.try.count
		}
	}
	e.try.under = false
	offsets := make([]int64, len(e.order))
	for k, i := range e.order {
		offsets[i] = e.spots[k].at * e.granule
	}
	return offsets
}

// put places a buffer where it costs least, and takes out what is in its way.
func (e *ejection) put(k int32, ceiling int64) {
	size := e.size[k]
	at, cost := e.cheapest(k, ceiling)
	if cost > 0 {
		e.raise(k)
		for _, j := range e.neighbours(k) {
			if s := &e.spots[j]; s.placed && s.high < at+size && at < s.top {
				e.drop(j)
			}
		}
	}
	if e.settings.slide {
		if e.between(k, at); len(e.links.beside) > 0 {
			e.loosen()
		}
	} else {
		e.spots[k] = spot{at: at, top: at + size, high: at, placed: true}
	}
	if e.settings.hold && e.tail {
		e.hold(k)
	}
}

// neighbours returns the buffers that are live together with k.
func (e *ejection) neighbours(k int32) []int32 { return e.with[e.from[k]:e.from[k+1]] }

// cheapest returns the offset for a buffer at which the sum of the costs of those in its way is least, and that sum.
// Offsets that touch a neighbour, the ground or the ceiling are enough to look at: between two of them the sum is no
// less. Of equal ones chance chooses.
//
// A neighbour is in the way from high-size, exclusive, to top, exclusive. At an alignment of 1 these are the offsets to
// look at, so two walks in step are enough: over where neighbours come to be in the way, and over where they cease to.
func (e *ejection) cheapest(k int32, ceiling int64) (at, cost int64) {
	size, align := e.size[k], e.align[k]
	e.ascending(k)
	lows, tops := e.lows, e.tops
	highest := roundDown(ceiling-size, align)
	sum, ties := int64(0), uint32(0)
	cost = 1 << 62
	for o, i, j := int64(0), 0, 0; ; {
		for ; lows[i]>>costBits < o; i++ {
			sum += lows[i] & costMost
		}
		for ; tops[j]>>costBits <= o; j++ {
			sum -= tops[j] & costMost
		}
		switch {
		case sum < cost:
			at, cost, ties = o, sum, 1
		case sum == cost:
			if ties++; e.rng.Uint32()%ties == 0 {
				at = o
			}
		}
		if o >= highest {
			return at, cost
		}
		if align > 1 {
			o = e.next(o, highest, align, i, j)
			continue
		}
		for ; lows[i]>>costBits == o; i++ {
			sum += lows[i] & costMost
		}
		o = min(lows[i]>>costBits, tops[j]>>costBits, highest)
	}
}

// next returns the next aligned offset after o to look at. The neighbours before lows[i] and tops[j] lie below it.
func (e *ejection) next(o, highest, align int64, i, j int) int64 {
	next := highest
	for ; e.lows[i]>>costBits < highest; i++ {
		if low := roundDown(e.lows[i]>>costBits, align); low > o {
			next = low
			break
		}
	}
	return min(next, roundUp(e.tops[j]>>costBits, align))
}

// ascending sets lows and tops. Both lists are as this buffer left them the last time, so few have moved, and inserting
// them takes little more than a look at each.
func (e *ejection) ascending(k int32) {
	const beyond = granules << costBits // ends a list
	spots, size := e.spots, e.size[k]
	list, to := e.with[e.from[k]:e.from[k+1]], e.lows[:0]
	highest := int64(math.MinInt64)
	for r, j := range list {
		s := &spots[j]
		v, q, last := s.high, r, len(to)
		if s.placed && v-size < s.top {
			to = append(to, (v-size)<<costBits|e.cost[j])
		}
		if v >= highest {
			highest = v
			continue
		}
		for ; q > 0 && spots[list[q-1]].high > v; q-- {
			list[q] = list[q-1]
		}
		list[q] = j
		settle(to, last)
	}
	e.lows = append(to, beyond)
	list, to = e.tall[e.from[k]:e.from[k+1]], e.tops[:0]
	highest = math.MinInt64
	for r, j := range list {
		s := &spots[j]
		v, q, last := s.top, r, len(to)
		if s.placed && s.high-size < v {
			to = append(to, v<<costBits|e.cost[j])
		}
		if v >= highest {
			highest = v
			continue
		}
		for ; q > 0 && spots[list[q-1]].top > v; q-- {
			list[q] = list[q-1]
		}
		list[q] = j
		settle(to, last)
	}
	e.tops = append(to, beyond)
}

// settle moves the number at the end of a list, if it is the one at last, down to its place.
func settle(list []int64, last int) {
	if last == len(list) {
		return
	}
	v := list[last]
	for ; last > 0 && list[last-1] > v; last-- {
		list[last] = list[last-1]
	}
	list[last] = v
}
