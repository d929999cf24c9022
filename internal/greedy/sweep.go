package greedy

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: go through time once, as an allocator would, with a free list: give
// back what has ended, then place what starts, longest-lived first. What lives
// for more than a number of sections goes to the lowest free place, the rest to
// the highest under a ceiling. So the long-lived stack up from the ground, as
// activations do that are kept until the backward pass, and the short-lived
// leave no holes among them. The ceiling is the bound, or the best height that
// is still of use: what does not fit under it goes wherever is lowest.
//
// How long is long differs from graph to graph; so the sweep is repeated with
// other thresholds until a plan is close enough to the bound.
//
// Invariant: the free list is what no live buffer uses, so no place is ever
// looked at that is in use, and nothing is looked at twice.
//
// Complexity: O(n log f) a pass, f the free blocks at any time. Measured: 0.4 µs
// a buffer and pass for a training graph of a million buffers, which ends 0.001%
// above the load at the first pass; first-fit takes 2.5 s for it and ends 0.02%
// above.
//
// Gaps are not used: a buffer keeps its place from its first active section to
// its last. Fixed offsets are honoured, at a price: their bytes are out of
// bounds for all other buffers of the partition, at all times.
//
// Source: two-ended placement is folklore of embedded allocators (TFLite
// Micro's arena has persistent buffers at one end and scratch at the other);
// the single sweep over events answers omnimalloc's development branch.
//
// Tried and dropped: widest-first placement with Place, which is slower and ends as
// low. A ceiling 1% above the bound: it is always met,
// and never left below. Best fit in place of lowest: about as good, no faster.

func init() { run.RegisterWith(&sweep{}, false, fresh) }

// pollEvery is the number of placements between looks at the context.
const pollEvery = 4096

type sweep struct{}

// Name returns the planner's name.
func (*sweep) Name() string { return "sweep" }

// Info describes the planner.
func (p *sweep) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "one pass through time with a free list: long-lived from below, short-lived from above",
		Source:  "two-ended allocation, offline",
	}, fresh)
}

func fresh() run.Settings { return new(sweepSettings) }

type sweepSettings struct {
	twoEnded, outward bool

	waste float64
}

// Declare lists the technique and the parameter.
func (s *sweepSettings) Declare(d *run.Declaration) {
	d.Technique(&s.twoEnded, "two-ended", "place what is short-lived from the ceiling down; without it all goes lowest, in one pass")
	d.Technique(&s.outward, "outward", "where waste is more, sweep from the peak")
	d.Float(&s.waste, "waste", 1.001, 1, math.Inf(1), "stop after the pass that ends within this many times the bound")
}

// Plan sweeps until a plan is close enough to the bound, or fits the capacity
// where that is all that is asked, or the thresholds are through. A node is a
// placement. It proves nothing by failing but that fixed offsets collide. The
// first pass ends whatever ctx says. The error is for a bad parameter.
func (*sweep) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set sweepSettings
	if err := run.Bind("sweep", &o, &set); err != nil {
		return r, err
	}
	if len(tl.Problem.Buffers) > math.MaxInt32 {
		return r, plan.Unsupported("sweep", "takes no more than 2147483647 buffers")
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	s, end := newSweeper(w, tl)
	if !place.FixedFit(tl.Problem, o.Capacity) || end == place.Collided {
		r.Status = model.Infeasible
		return r, nil
	}
	if end == place.Cut {
		return r, nil
	}
	goal := int64(min(float64(tl.LowerBound)*set.waste, math.MaxInt64/2))
	goal = max(goal, tl.LowerBound)
	ceiling := tl.LowerBound
	if !o.Minimizing() {
		goal, ceiling = max(goal, o.Capacity), o.Capacity
	}
	thresholds := []int32{0}
	if set.twoEnded {
		thresholds = longs(tl.Sections())
	}
	s.passes(thresholds, ceiling, goal, math.MaxInt64, func() bool {
		if o.Progress != nil && s.best != nil && o.Fits(s.height) {
			o.Progress(plan.Progress{Height: s.height, Offsets: s.best, LowerBound: tl.LowerBound, Nodes: s.nodes})
		}
		return o.NodeLimit > 0 && s.nodes >= o.NodeLimit
	})
	if set.outward && s.best != nil && s.height > goal && !w.Over() {
		if out := NewOutward(w, tl, s.best); out != nil {
			if o.NodeLimit > 0 {
				out.Most = max(o.NodeLimit-s.nodes, 0)
			}
			s.best, s.height = out.First(goal)
			s.nodes += out.Steps
		}
	}
	r.Stats.Nodes = s.nodes
	if s.best != nil && o.Fits(s.height) {
		r.Status = model.Feasible
		r.Offsets = s.best
		r.Height = s.height
	}
	return r, nil
}

// longs returns the thresholds, in sections, in the order in which they are
// tried: those that are best for training graphs first. Of these graphs a third
// of the sections is between what forward and backward pass keep for one
// another and what lives for the optimiser or within a layer.
func longs(sections int) []int32 {
	order := []int32{int32(int64(sections) * 354 / 1000), 2, 0}
	for k := int32(8); int(k) < sections; k *= 8 {
		order = append(order, k)
	}
	// Of the coarse ones the larger are more often right.
	slices.Reverse(order[3:])
	for k := int32(4); int(k) < sections && k < math.MaxInt32/8; k *= 8 {
		order = append(order, k)
	}
	return order
}

// sweeper is the state of the passes.
type sweeper struct {
	tl       *timeline.Timeline
	watch    *run.Watch
	byStart  []int32 // partition by partition: by first section, longest first
	byEnd    []int32 // by last section
	offsets  []int64 // of the pass
	free     place.FreeList
	reserved []int32 // the partition's fixed buffers, ascending by offset

	best   []int64 // the lowest plan of all passes, nil for none
	height int64   // of best
	nodes  int64   // placements of all passes
}

// newSweeper prepares passes. It returns no sweeper where fixed buffers
// collide, or where the limit comes before that is known.
func newSweeper(w *run.Watch, tl *timeline.Timeline) (*sweeper, place.Ending) {
	buffers := tl.Problem.Buffers
	s := &sweeper{tl: tl, watch: w, offsets: make([]int64, len(buffers))}
	fixed := 0
	for i := range buffers {
		if at := buffers[i].Fixed; at != nil {
			s.offsets[i] = *at
			fixed++
		}
	}
	if fixed > 0 {
		if fixed <= pollEvery {
			w = nil // a matter of milliseconds
		}
		if end := place.Collide(w, tl); end != place.Whole {
			return nil, end
		}
	}
	if s.watch.Over() || !s.order() {
		s.byStart = nil // pass stacks
	}
	return s, place.Whole
}

// order sets byStart and byEnd; it returns false where a limit of many buffers
// comes first.
func (s *sweeper) order() bool {
	s.byStart, s.byEnd = active(s.watch, s.tl, "LuZ"), active(s.watch, s.tl, "U")
	return s.byStart != nil && s.byEnd != nil
}

// active is Sorted without what is never active: not nil but for a limit.
func active(w *run.Watch, tl *timeline.Timeline, word string) []int32 {
	order := Sorted(w, tl, word)
	kept := order[:0]
	for _, i := range order {
		if first, last := tl.Extent(int(i)); first < last {
			kept = append(kept, i)
		}
	}
	return kept
}

// passes sweeps with each threshold in turn and keeps the lowest plan under
// below, until it is no higher than the goal, or the limit comes, or report,
// which is called after each pass, says so. A limit in the first pass leaves a plan.
func (s *sweeper) passes(thresholds []int32, ceiling, goal, below int64, report func() (enough bool)) {
	s.height = below
	for k, long := range thresholds {
		if k > 0 && s.watch.Over() {
			return
		}
		height, ok := s.pass(long, ceiling, s.height, k == 0)
		if ok {
			s.height = height
			if s.best == nil {
				s.best = slices.Clone(s.offsets)
			} else {
				s.best, s.offsets = s.offsets, s.best
			}
		}
		if report != nil && report() || s.height <= goal {
			return
		}
	}
}

func (s *sweeper) first(i int32) int32 { first, _ := s.tl.Extent(int(i)); return first }
func (s *sweeper) last(i int32) int32  { _, last := s.tl.Extent(int(i)); return last }

// pass sweeps all partitions and returns the height; ok is false where that is
// not under below, or where the limit comes, unless what is left is to be
// stacked then.
func (s *sweeper) pass(long int32, ceiling, below int64, stack bool) (height int64, ok bool) {
	if s.byStart == nil || s.watch.Over() {
		if !stack {
			return 0, false
		}
		height = s.stack(s.tl.Partitions, 0)
		return height, height < below
	}
	buffers := s.tl.Problem.Buffers
	for i := range buffers {
		if b := &buffers[i]; b.Fixed != nil {
			height = max(height, *b.Fixed+b.Size)
		} else if s.first(int32(i)) == s.last(int32(i)) {
			height = max(height, b.Size)
		}
	}
	ends, starts := s.byEnd, s.byStart
	for k := range s.tl.Partitions {
		part := &s.tl.Partitions[k]
		s.clear(part)
		for n, i := range starts[:len(part.Buffers)] {
			b := &buffers[i]
			if b.Fixed != nil {
				continue
			}
			if s.nodes++; s.nodes%sweepPoll == 0 && s.watch.Over() {
				if !stack {
					return 0, false
				}
				for _, j := range starts[n:len(part.Buffers)] {
					s.offsets[j] = -1
				}
				height = s.stack(s.tl.Partitions[k+1:], height)
				return height, height < below
			}
			first, last := s.tl.Extent(int(i))
			for len(ends) > 0 && s.last(ends[0]) <= first {
				// What ended with an earlier partition is not in this free list, nor is
				// what is fixed ever.
				if j := ends[0]; s.first(j) >= part.First && buffers[j].Fixed == nil {
					s.free.Give(s.offsets[j], buffers[j].Size)
				}
				ends = ends[1:]
			}
			at, found := int64(0), false
			if last-first <= long {
				at, found = s.free.Highest(b.Size, b.Align(), ceiling)
			}
			if !found {
				if at, found = s.free.Lowest(b.Size, b.Align()); !found {
					return 0, false
				}
			}
			s.free.Take(at, b.Size)
			s.offsets[i] = at
			if height = max(height, at+b.Size); height >= below {
				return 0, false
			}
		}
		starts = starts[len(part.Buffers):]
	}
	return height, height < below
}

// sweepPoll is the number of placements between looks at the limit.
const sweepPoll = 64

// stack puts the buffers of the partitions, and those whose offsets are
// negative, above all others, and returns the height.
func (s *sweeper) stack(parts []timeline.Partition, height int64) int64 {
	for k := range parts {
		for _, i := range parts[k].Buffers {
			s.offsets[i] = -1
		}
	}
	place.Finish(s.tl, s.offsets)
	return max(height, model.HeightOf(s.tl.Problem, s.offsets))
}

// clear empties the space for a partition, all but what its fixed buffers use.
func (s *sweeper) clear(part *timeline.Partition) {
	s.free.Reset(0, math.MaxInt64/2)
	s.reserved = s.reserved[:0]
	for _, i := range part.Buffers {
		if b := &s.tl.Problem.Buffers[i]; b.Fixed != nil {
			s.reserved = append(s.reserved, i)
		}
	}
	at := func(i int32) int64 { return *s.tl.Problem.Buffers[i].Fixed }
	sorting.By(s.reserved, func(i, j int32) bool { return at(i) < at(j) })
	end := int64(0)
	for _, i := range s.reserved {
		to := at(i) + s.tl.Problem.Buffers[i].Size
		if from := max(at(i), end); from < to {
			s.free.Take(from, to-from)
			end = to
		}
	}
}
