package greedy

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: go through time once, as an allocator would, with a free list. At each section, give back the bytes of the
// buffers that have ended, then place those that start, the longest-lived first:
//
//	lives longer than the threshold    the lowest free place
//	otherwise                          the highest free place under the ceiling
//	does not fit under the ceiling     the lowest free place
//
// So the long-lived buffers stack up from offset 0, as activations do that are kept until the backward pass, and the
// short-lived ones leave no holes among them. The ceiling is the bound, or a height that is low enough.
//
// The best threshold differs from graph to graph. So the sweep is repeated with other
// thresholds until a plan is close enough to the bound.
//
// Invariant: the free list has exactly the bytes that no live buffer uses.
//
// Partitions are independent. Each keeps its lowest plan of all sweeps, and is not swept again once that is low enough.
//
// Complexity: n steps of a free list a pass (place.FreeList); go test -bench Sweep
// ./internal/sweep times a pass over a training graph of a million buffers.
//
// Gaps are not used: a buffer keeps its place from its first active section to its last. Fixed offsets are honoured, at
// a price: their bytes are out of bounds for all other buffers of the partition, at all times.
//
// Source: two-ended placement is folklore of embedded allocators (TFLite Micro's arena has persistent buffers at one
// end and scratch at the other); the single sweep over events answers omnimalloc's development branch.
//
// Trials: docs/lab/greedy.md (other placements end as low and are no faster; a ceiling is never beaten).

// pollEvery is the number of placements between looks at the context.
const pollEvery = 4096

// Thresholds returns the thresholds, in sections, in the order in which they are tried. Those that are best for
// training graphs come first. The first is about a third of the sections: in training graphs it separates buffers that
// the forward pass keeps for the backward pass from buffers that live for the optimiser or within a layer.
func Thresholds(sections int) []int32 {
	order := []int32{int32(int64(sections) * 354 / 1000), 2, 0}
	for k := int32(8); int(k) < sections; k *= 8 {
		order = append(order, k)
	}
	// A large coarse threshold is the best one more often than a small one.
	slices.Reverse(order[3:])
	for k := int32(4); int(k) < sections && k < math.MaxInt32/8; k *= 8 {
		order = append(order, k)
	}
	return order
}

// A Sweeper makes plans by sweeps. It keeps the lowest of each partition.
type Sweeper struct {
	tl      *timeline.Timeline
	watch   *run.Watch
	step    int64 // divides all sizes; an alignment that divides step is always met
	ceiling int64 // high places are below it
	least   int64 // the height of the buffers that no sweep moves: fixed, or never active
	parts   []sweptPart
	starts  [2][]int32 // the buffers that sweeps place, for each way: by start (ends.go)
	sorted  [2]bool    // the longest of a section first
	offsets []int64    // of the lowest plan of each partition so far
	given   bool       // somebody else has offsets too, so they do not change any more
	trial   []int64    // of the sweep that runs
	half    []int64    // of the sweep before it, in the same direction
	space   place.FreeList

	// For sweeps from peaks (outward.go).
	rank  [2][]int32 // place of each buffer of the pile in the order of starts, for each way
	cross []int32    // the settled buffers: a pile, then those above it in ascending order
	list  []int32    // has cross, if there are any

	scratch []int32 // to sort in

	memory scratch

	Steps, Most int64 // number of placements so far, and the largest number allowed
}

// sweptPart is a partition. A way is a direction: way 0 goes with time, way 1 against it.
type sweptPart struct {
	fixed  []int32    // ascending by offset
	starts [2][]int32 // the others, as Sweeper.starts has them
	peaks  []int32    // sections, the fullest first
	height int64      // of its lowest plan so far
}

// NewSweeper prepares sweeps. It returns no sweeper if fixed buffers collide, or if the limit
// comes before that is known.
func NewSweeper(w *run.Watch, tl *timeline.Timeline) (*Sweeper, place.Ending) {
	s := new(Sweeper)
	if end := s.Begin(w, tl); end != place.Whole {
		return nil, end
	}
	return s, place.Whole
}

// Begin makes s what NewSweeper returns, in the memory that s has, if the ending is Whole.
func (s *Sweeper) Begin(w *run.Watch, tl *timeline.Timeline) place.Ending {
	buffers := tl.Problem.Buffers
	n := len(buffers)
	s.memory.back()
	*s = Sweeper{
		tl: tl, watch: w, step: tl.Step(), Most: math.MaxInt64, parts: s.parts, space: s.space, list: s.list,
		scratch: s.scratch,
		offsets: s.offsets, given: s.given, memory: s.memory,
	}
	if s.given || cap(s.offsets) < n {
		s.offsets = make([]int64, n) // not from a shelf: it is given away
	}
	s.offsets, s.given, s.trial = s.offsets[:n], false, s.memory.longs.Take(n)
	clear(s.offsets)
	if cap(s.parts) < len(tl.Partitions) {
		s.parts = make([]sweptPart, len(tl.Partitions))
	}
	s.parts = s.parts[:len(tl.Partitions)]
	for k := range s.parts {
		s.parts[k] = sweptPart{fixed: s.parts[k].fixed[:0], peaks: s.parts[k].peaks[:0]}
	}
	fixed, stay := 0, buffers
	if tl.Plain {
		stay = nil // none is fixed, or never active
	}
	for i := range stay {
		b := &buffers[i]
		if b.Fixed != nil {
			s.offsets[i] = *b.Fixed
			fixed++
		}
		if first, last := tl.Extent(i); b.Fixed != nil || first == last {
			s.least = max(s.least, s.offsets[i]+b.Size)
		}
	}
	if fixed > 0 {
		if fixed <= pollEvery {
			w = nil // this takes milliseconds
		}
		if end := place.Collide(w, tl); end != place.Whole {
			return end
		}
	}
	for k := range s.parts {
		p := &s.parts[k]
		if fixed > 0 {
			for _, i := range tl.Partitions[k].Buffers {
				if buffers[i].Fixed != nil {
					p.fixed = append(p.fixed, i)
				}
			}
			sorting.By(p.fixed, func(i, j int32) bool { return s.offsets[i] < s.offsets[j] })
		}
		if len(p.fixed) < len(tl.Partitions[k].Buffers) {
			p.height = math.MaxInt64
		}
	}
	return place.Whole
}

// Anew makes s what it was after Begin, for other sweeps of the same problem, and keeps the orders.
func (s *Sweeper) Anew(w *run.Watch) {
	s.watch, s.cross, s.Steps, s.Most = w, nil, 0, math.MaxInt64
	for k := range s.parts {
		p := &s.parts[k]
		if p.height = 0; len(p.fixed) < len(s.tl.Partitions[k].Buffers) {
			p.height = math.MaxInt64
		}
	}
}

// Than adopts the partitions of a plan that are lower than in the lowest plan so far.
func (s *Sweeper) Than(offsets []int64) {
	for k := range s.parts {
		p, height := &s.parts[k], int64(0)
		for _, i := range s.tl.Partitions[k].Buffers {
			height = max(height, offsets[i]+s.tl.Size(i))
		}
		if height < p.height {
			p.height = height
			s.own()
			gather(s.offsets, offsets, s.tl.Partitions[k].Buffers)
		}
	}
	if invariants.Enabled {
		s.checkHeights()
	}
}

// Height returns the height of the lowest plan, or math.MaxInt64 if there is none yet.
func (s *Sweeper) Height() int64 {
	height := s.least
	for k := range s.parts {
		height = max(height, s.parts[k].height)
	}
	return height
}

// own makes offsets a copy if somebody else has them too.
func (s *Sweeper) own() {
	if s.given {
		s.offsets, s.given = slices.Clone(s.offsets), false
	}
}

// Plan returns the lowest plan, or nil if there is none yet. Later sweeps do not change it.
func (s *Sweeper) Plan() []int64 {
	plan := s.Last()
	s.given = plan != nil
	return plan
}

// Last returns the lowest plan itself, or nil. The caller must make no more sweeps.
func (s *Sweeper) Last() []int64 {
	if s.Height() == math.MaxInt64 {
		return nil
	}
	return s.offsets
}

// Two special thresholds: with snug each buffer goes into the smallest hole, with all each one
// goes to the highest place under the ceiling.
const snug, all = -1, math.MaxInt32

// noCut is before all sections.
var noCut = [2]int32{math.MinInt32, math.MinInt32}

// Passes sweeps with each threshold in turn until the plan is no higher than the goal, or
// the limit comes, or report, which is called after each pass, says that it is enough.
func (s *Sweeper) Passes(thresholds []int32, ceiling, goal int64, report func() (enough bool)) {
	for _, long := range thresholds {
		s.pass(long, ceiling, goal)
		if report != nil && report() || s.Height() <= goal || s.watch.Over() {
			return
		}
	}
}

// pass sweeps the partitions that are above the goal, from time zero. If a limit leaves some
// of them without a plan, pass stacks their buffers.
func (s *Sweeper) pass(long int32, ceiling, goal int64) {
	ready := !s.watch.Over() && s.order(0)
	s.cross, s.ceiling = nil, bound.Down(ceiling, s.step)
	for k := range s.parts {
		p := &s.parts[k]
		if p.height <= goal {
			continue
		}
		if ready {
			before := s.Steps
			s.ways(p, noCut, [2][]int32{p.starts[0]}, 0, long)
			if p.height < math.MaxInt64 {
				continue
			}
			s.stack(p.starts[0][:s.Steps-before])
			return
		}
		if p.height == math.MaxInt64 {
			s.stack(nil)
			return
		}
	}
}

// stack completes the plan of the partitions that have none: the buffers that are not placed go above those that are.
func (s *Sweeper) stack(placed []int32) {
	s.own()
	for k := range s.parts {
		if s.parts[k].height == math.MaxInt64 {
			for _, i := range s.tl.Partitions[k].Buffers {
				s.offsets[i] = -1
			}
		}
	}
	gather(s.offsets, s.trial, placed)
	height := place.Finish(s.tl, s.offsets)
	for k := range s.parts {
		s.parts[k].height = height
	}
	if invariants.Enabled {
		s.checkHeights()
	}
}

// extent returns the sections at which buffer i begins and ends on a way.
func (s *Sweeper) extent(i int32, way int) (from, to int32) {
	first, last := s.tl.Extent(int(i))
	if way == 1 {
		return -last, -first
	}
	return first, last
}

// ways sweeps both ways from the settled buffers, which have the given height. It tries the thresholds in turn until
// the plan is low enough. It keeps the plan if it is lower than the lowest of the partition.
func (s *Sweeper) ways(p *sweptPart, cuts [2]int32, rest [2][]int32, height int64, thresholds ...int32) {
	for way, cut := range cuts {
		least := p.height
		for k, long := range thresholds {
			if k > 0 {
				if s.half == nil {
					s.half = s.memory.longs.Take(len(s.trial))
				}
				gather(s.half, s.trial, rest[way])
			}
			if h := s.sweep(p, way, cut, rest[way], long, least); h < least {
				least = h
			} else if k > 0 {
				gather(s.trial, s.half, rest[way])
			}
			if least <= max(height, s.ceiling) {
				break
			}
		}
		if height = max(height, least); height >= p.height {
			return
		}
	}
	p.height = height
	s.own()
	gather(s.offsets, s.trial, s.cross)
	gather(s.offsets, s.trial, rest[0])
	gather(s.offsets, s.trial, rest[1])
	if invariants.Enabled {
		s.checkHeights()
	}
}

// gather copies the offsets of the buffers in a list.
func gather(to, from []int64, list []int32) {
	for _, i := range list {
		to[i] = from[i]
	}
}

// pollPlacements is the number of placements between looks at the limit.
const pollPlacements = 64

// sweep places the buffers of rest, which begin after the settled sections on a way. It returns the height of these and
// of the settled buffers, or below if that height is not less.
func (s *Sweeper) sweep(p *sweptPart, way int, cut int32, rest []int32, long int32, below int64) (height int64) {
	buffers := s.tl.Problem.Buffers
	s.space.Reset()
	end := int64(0)
	for _, i := range p.fixed { // in use at all times; two may use the same bytes, at other times
		to := s.offsets[i] + buffers[i].Size
		if from := max(s.offsets[i], end); from < to {
			s.space.Take(from, to-from)
			end = to
		}
	}
	for _, i := range s.cross {
		at, size := s.trial[i], s.tl.Size(i)
		height = max(height, at+size)
		if _, to := s.extent(i, way); to >= cut {
			s.space.Take(at, size)
		}
	}
	ends := p.starts[1-way]
	for k, i := range rest {
		if s.Steps >= s.Most || s.Steps%pollPlacements == 0 && s.watch.Over() {
			return below
		}
		s.Steps++
		from, to := s.extent(i, way)
		for ; len(ends) > 0; ends = ends[:len(ends)-1] {
			j := ends[len(ends)-1]
			if _, to := s.extent(j, way); to > from {
				break
			} else if to >= cut { // others were placed on the other way
				s.space.Give(s.trial[j], s.tl.Size(j))
			}
		}
		size, align := s.tl.Size(i), int64(1)
		if !s.tl.Plain {
			if align = buffers[i].Align(); s.step%align == 0 {
				align = 1
			}
		}
		at, found := int64(0), false
		if to-from <= long {
			at, found = s.space.Highest(size, align, s.ceiling)
		}
		if !found {
			fit := place.FirstFit
			if long == snug {
				fit = place.BestFit
			}
			at = s.space.Find(size, align, fit)
		}
		s.space.Take(at, size)
		s.trial[i] = at
		if invariants.Enabled {
			s.checkSpace(p, way, cut, rest, k+1)
		}
		if height = max(height, at+size); height >= below {
			return below
		}
	}
	return height
}
