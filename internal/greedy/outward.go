package greedy

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: what a plan wastes, it wastes where the load is at its peak; everywhere else
// there is room. So begin there. All that is live at the peak is put on one pile, without
// a byte between, and from there sweeps go both ways: forwards through what begins
// later, and backwards through what ended before. Either way the pile ends bit by bit, what
// comes is put where there is room, and the load falls, so that there is more and more of it.
//
// The two ways have nothing to do with one another but for the pile. In the order of the
// starts (a stack, as the forward pass of training makes it) it is given back from its top
// on the way back, in one stretch; in the order of the ends so it is on the way on; with
// both ranks added up, about so on either. What comes goes to the highest place under the
// bound, or else into the smallest hole.
//
// Where that ends above the bound, other sections next to the peak are as good as full,
// which a sweep does not know when it comes to the first of them. Then some sections
// around the peak are settled as one (Again, with exact search: internal/climb/core.go): what
// is live in all of them is the pile, which leaves little to search for.
//
// Invariant: what is free is what no live buffer uses, at the section where a sweep is.
//
// Complexity: O(n log f) a sweep, f the free blocks at any time; twelve of them at most,
// but a sweep that gets too high ends there, as a rule near the peak.
//
// There are no such plans where there are gaps or fixed offsets.
//
// Source: this project. The sweeps from time zero (sweep.go) end S_1 (28,526 buffers)
// 0.4% above its load, and local search from there 0.12% after 20 s; this is at the load
// after two sweeps, 6 ms.
//
// Tried and dropped: peaks drawn at random with piles of drawn weights and noise: of eight
// training graphs that end above the load none came down to it in 700 tries. Holes from
// their upper end, the lowest place, and thresholds of lifespan between these: each wins
// here and there, and settling the peak's surroundings all of it.

// Outward makes plans from the peaks outward.
type Outward struct {
	tl      *timeline.Timeline
	watch   *run.Watch
	step    int64 // divides all sizes; alignments that divide it need no care
	ceiling int64 // under which high places are looked for
	never   int64 // the height of what is never active
	parts   []outPart
	offsets []int64    // of the lowest plan of each partition so far
	trial   []int64    // of a try
	half    []int64    // of the lower sweep on a way
	place   [2][]int32 // in the order of starts on a way
	cross   []int32    // what is settled: a pile, and what lies above it in ascending order
	space   place.FreeList
	arena   Arena
	chunk   []int32 // of each buffer, in the arena

	Steps, Most int64 // placements so far, and at which number there are no more
}

// outPart is a partition. Way 0 is that of time, way 1 the other.
type outPart struct {
	starts, ends [2][]int32 // as they begin on that way, the longest first, and as they end
	peaks        []int32    // sections, the fullest first
	height       int64      // of its lowest plan so far
}

// NewOutward prepares tries that are to end lower than a plan (nil for none); nil where
// there are gaps or fixed offsets, or the limit comes first.
func NewOutward(w *run.Watch, tl *timeline.Timeline, than []int64) *Outward {
	if tl.HasGaps() || !movableAll(tl) {
		return nil
	}
	n := len(tl.Problem.Buffers)
	o := &Outward{
		tl: tl, watch: w, step: bound.Step(tl.Problem), Most: math.MaxInt64, parts: make([]outPart, len(tl.Partitions)),
		offsets: make([]int64, n), trial: make([]int64, n), half: make([]int64, n), chunk: make([]int32, n),
	}
	for i := range tl.Problem.Buffers {
		if first, last := tl.Extent(i); first == last {
			o.never = max(o.never, tl.Problem.Buffers[i].Size)
		}
	}
	for way := range 2 {
		starts, ends := active(w, tl, [...]string{"LuZ", "uLZ"}[way]), active(w, tl, [...]string{"U", "l"}[way])
		if starts == nil || ends == nil {
			return nil
		}
		o.place[way] = make([]int32, n)
		for k, i := range starts {
			o.place[way][i] = int32(k)
		}
		for k := range o.parts {
			if way == 1 {
				k = len(o.parts) - 1 - k
			}
			p, n := &o.parts[k], len(tl.Partitions[k].Buffers)
			p.height = math.MaxInt64
			p.starts[way], starts = starts[:n], starts[n:]
			p.ends[way], ends = ends[:n], ends[n:]
		}
	}
	if than != nil {
		o.Than(than)
	}
	return o
}

// Than takes of a plan the partitions in which it is lower.
func (o *Outward) Than(offsets []int64) {
	for k := range o.parts {
		p, height := &o.parts[k], int64(0)
		for _, i := range p.starts[0] {
			height = max(height, offsets[i]+o.tl.Problem.Buffers[i].Size)
		}
		if height < p.height {
			p.height = height
			gather(o.offsets, offsets, p.starts[0])
		}
	}
}

// extent is when buffer i begins and ends on a way.
//
//go:noinline
func (o *Outward) extent(i int32, way int) (from, to int32) {
	first, last := o.tl.Extent(int(i))
	if way == 1 {
		return -last, -first
	}
	return first, last
}

// A Settle puts what is live between the sections low and high, but not in all of them,
// above a floor and under the target. It reports whether it could.
type Settle func(loose []int32, low, high int32, floor, target int64, at []int64) bool

// First tries each partition that is above the goal from its peak, and from where it begins
// and ends. It returns the lowest plan, that to be lower than included; nil for none.
func (o *Outward) First(goal int64) (offsets []int64, height int64) {
	for k := range o.parts {
		p := &o.parts[k]
		enough := max(goal, o.never)
		if p.height > enough {
			o.from(k, 0, 0, o.tl.LowerBound, nil)
		}
		o.cross = nil
		for way := range 2 {
			if rest := [2][]int32{}; p.height > enough {
				rest[way] = p.starts[way]
				o.ways(p, [2]int32{math.MinInt32, math.MinInt32}, rest, 0)
			}
		}
	}
	return o.plan()
}

// plan is the lowest of all partitions, nil where one has none.
func (o *Outward) plan() (offsets []int64, height int64) {
	height = o.never
	for k := range o.parts {
		height = max(height, o.parts[k].height)
	}
	if height == math.MaxInt64 {
		return nil, height // a limit
	}
	return slices.Clone(o.offsets), height
}

// Again tries the highest partition anew: from so many sections to either side of its
// n-th peak. It returns a lower plan, nil for none.
func (o *Outward) Again(n int, half int32, target int64, settle Settle) (offsets []int64, height int64) {
	worst := 0
	for k := range o.parts {
		if o.parts[k].height > o.parts[worst].height {
			worst = k
		}
	}
	if before := o.parts[worst].height; before == o.from(worst, n, half, target, settle) {
		return nil, 0
	}
	return o.plan()
}

// from tries a partition from so many sections to either side of its n-th peak: of the
// sections no other near which is as full. It returns its height.
func (o *Outward) from(k, n int, half int32, target int64, settle Settle) int64 {
	part, load, p := &o.tl.Partitions[k], o.tl.Load, &o.parts[k]
	if p.peaks == nil {
		for s := part.First; s < part.Last; s++ {
			if (s == part.First || load[s-1] <= load[s]) && (s+1 == part.Last || load[s+1] < load[s]) {
				p.peaks = append(p.peaks, s)
			}
		}
		sorting.By(p.peaks, func(a, b int32) bool { return load[a] > load[b] })
	}
	peak := p.peaks[n%len(p.peaks)]
	o.try(p, max(peak-half, part.First), min(peak+half+1, part.Last), target, settle)
	return p.height
}

// try settles what is live in the sections [low, high) and sweeps both ways from there. It
// keeps what is lower than the lowest plan of the partition.
func (o *Outward) try(p *outPart, low, high int32, target int64, settle Settle) {
	buffers := o.tl.Problem.Buffers
	o.ceiling = bound.Down(target, o.step)
	cuts := [2]int32{high, -low}
	rest := p.starts // what begins after these sections
	var pile, loose []int32
	for way, cut := range cuts {
		for len(rest[way]) > 0 {
			i := rest[way][0]
			from, to := o.extent(i, way)
			if from >= cut {
				break
			}
			rest[way] = rest[way][1:]
			if way == 1 || to <= low {
				continue
			}
			list := &loose
			if from <= low && to >= high {
				list = &pile
			}
			*list = append(*list, i)
		}
	}
	floor, most := int64(-1), int64(0)
	for order := range 3 {
		sorting.By(pile, func(i, j int32) bool { return o.rank(i, order) < o.rank(j, order) })
		height := o.put(pile)
		if floor < 0 {
			floor = height
			if len(loose) > 0 && !settle(loose, low, high, floor, target, o.trial) {
				return
			}
			for _, i := range loose {
				most = max(most, o.trial[i]+buffers[i].Size)
			}
			sorting.By(loose, func(i, j int32) bool { return o.trial[i] < o.trial[j] })
		}
		if height > floor && len(loose) > 0 {
			continue // of mixed alignments
		}
		o.cross = append(append(o.cross[:0], pile...), loose...)
		o.ways(p, cuts, rest, max(height, most))
		if p.height <= max(target, height, most) || o.watch.Over() {
			return
		}
	}
}

// rank is where a buffer is in the order of the starts (0), of the ends (1), or of both.
func (o *Outward) rank(i int32, order int) (rank int32) {
	if order != 1 {
		rank = o.place[0][i]
	}
	if order != 0 {
		rank += o.place[1][i]
	}
	return rank
}

// put puts a pile on the floor and returns its height.
func (o *Outward) put(pile []int32) (height int64) {
	for _, i := range pile {
		b := &o.tl.Problem.Buffers[i]
		o.trial[i] = bound.Up(height, b.Align())
		height = o.trial[i] + b.Size
	}
	return height
}

// ways sweeps both ways from what is settled, which has that height.
func (o *Outward) ways(p *outPart, cuts [2]int32, rest [2][]int32, height int64) {
	for way, cut := range cuts {
		least := p.height
		for _, tight := range [...]bool{false, true} {
			if h := o.sweep(p, way, cut, rest[way], tight, least); h < least {
				least = h
				gather(o.half, o.trial, rest[way])
			}
			if least <= max(height, o.ceiling) {
				break
			}
		}
		if height = max(height, least); height >= p.height {
			break
		}
	}
	if height < p.height {
		p.height = height
		gather(o.offsets, o.trial, o.cross)
		gather(o.offsets, o.half, rest[0])
		gather(o.offsets, o.half, rest[1])
	}
}

// gather copies what is of a list.
//
//go:noinline
func gather(to, from []int64, list []int32) {
	for _, i := range list {
		to[i] = from[i]
	}
}

// sweep places what begins after a pile on a way, and returns the height of that, below
// where it is not less.
func (o *Outward) sweep(p *outPart, way int, cut int32, rest []int32, tight bool, below int64) (height int64) {
	buffers := o.tl.Problem.Buffers
	if tight {
		o.arena = NewArena()
	} else {
		o.space.Reset(0, math.MaxInt64/2)
	}
	for _, i := range o.cross {
		at, size := o.trial[i], buffers[i].Size
		height = max(height, at+size)
		if _, to := o.extent(i, way); to < cut {
			continue
		}
		if tight {
			o.chunk[i] = o.arena.growAt(at, size)
		} else {
			o.space.Take(at, size)
		}
	}
	ends := p.ends[way]
	for _, i := range rest {
		if o.Steps >= o.Most || o.Steps%sweepPoll == 0 && o.watch.Over() {
			return below
		}
		o.Steps++
		from, _ := o.extent(i, way)
		for ; len(ends) > 0; ends = ends[1:] {
			j := ends[0]
			if _, to := o.extent(j, way); to > from {
				break
			} else if to < cut {
				continue // on the other way
			}
			if tight {
				o.arena.Free(o.chunk[j])
			} else {
				o.space.Give(o.trial[j], buffers[j].Size)
			}
		}
		b := &buffers[i]
		size, align := b.Size, b.Align()
		if o.step%align == 0 {
			align = 1
		}
		at := int64(0)
		if tight {
			o.chunk[i] = o.arena.Take(size, align, 1)
			at = o.arena.At(o.chunk[i])
		} else {
			var found bool
			if at, found = o.space.Highest(size, align, o.ceiling); !found {
				at, _ = o.space.Lowest(size, align)
			}
			o.space.Take(at, size)
		}
		o.trial[i] = at
		if height = max(height, at+size); height >= below {
			return below
		}
	}
	return height
}

// movableAll reports whether no buffer has a fixed offset.
func movableAll(tl *timeline.Timeline) bool {
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			return false
		}
	}
	return true
}
