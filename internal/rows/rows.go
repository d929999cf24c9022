// Package rows holds `rows`, a beam over time for many buffers that are live at once.
//
//	rows.go    the planner: from which moment sweeps begin, in which order of what is live there, and how wide they are
//	sweep.go   one sweep over time: rows of live buffers, their scores and their children
package rows

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: where hundreds of buffers are live at once, addresses bind too early. What counts is the order of the live
// buffers, a row, and what lies free between them. A free chunk that is too small grows, and pushes what is above it.
// The highest load is the one moment without room. So a plan begins there, with a row without a free byte, and
// one sweep goes forward in time and one backward (sweep.go). The first needs those that end soon side by side, the
// second those that began just before. So there are three orders of the first row:
//
//	both       what ends sooner than it began lies below, by end, and the others above it, by start
//	by start   what began last lies on top, so that the sweep backward has one chunk
//	by end     the same for the sweep forward
//
// Both sweeps keep the order of the first row. So their rows make one order of all buffers, between those of
// the first row, and first fit in that order is the plan. Then it is turned (greedy.Turn). Wider beams come next.
//
// Invariant: the height of the best plan never rises. The first plan is the caller's or a heuristic's.
//
// Complexity: O(n · live · width) for a width, and first fit.
//
// Source: this project. Chunks that grow are those of MNN (internal/greedy/deferred.go); the start at the peak is that
// of internal/greedy/outward.go.
//
// Trials: docs/lab/rows.md.

func init() { run.RegisterWith(&Planner{}, false, fresh) }

// Planner is the planner `rows`. Its zero value is ready to use.
type Planner struct {
	// Reached is what runs before this one have reached on the same problem, if it is not nil. Plan adds to it.
	Reached *Reached
}

// Reached is what a run leaves to the next one of the same problem: the width and the order with which it begins, or
// that all have had their turn.
type Reached struct {
	width, order int
	done         bool
}

// Done reports whether another run would do nothing.
func (r *Reached) Done() bool { return r.done }

// Name returns the planner's name.
func (*Planner) Name() string { return "rows" }

// Info describes the planner.
func (p *Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "a beam over time from the highest load, both ways, of rows whose free chunks grow; for many live buffers",
		Source:  "Stowage; chunks that grow after MNN",
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

// settings are the techniques and parameters of a run.
type settings struct {
	peak, mates, holes bool

	width, widest int
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.peak, "peak", "begin at the highest load and go both ways; without it, begin at the first moment")
	d.Technique(&s.mates, "mates", "a buffer comes beside one that ends at about the same time")
	d.Technique(&s.holes, "holes", "few free chunks are better than many small ones")
	d.Int(&s.width, "width", 8, 1, widthMost, "rows that the first sweeps keep")
	widest := int64(widthMost)
	if d.Endless() {
		widest = 32
	}
	d.Int(&s.widest, "widest", widest, 1, widthMost, "sweeps with more rows end a run that has no other limit")
}

// The limits of memory: rows of a beam, buffers times rows, and live buffers times rows.
const (
	widthMost = 1 << 14
	traceMost = 1 << 23
	rowsMost  = 1 << 21
)

const (
	// turnsMost is how often a plan is turned.
	turnsMost = 8
	// closeOf is how far above the best plan a row may be long, as one part of it: first fit and turns take as much off.
	closeOf = 400
)

// orders is how many orders of the first row there are.
const orders = 3

// search is a run.
type search struct {
	sweeper
	watch  *run.Watch
	tl     *timeline.Timeline
	o      *plan.Options
	memory place.Memory
	goal   int64
	best   []int64
	height int64
}

// Plan improves o.Start or a heuristic's plan, until a plan meets the bound, or fits the capacity if only that is
// asked, or until a limit comes. A node is a row that is kept, or several if it is long. If buffers have gaps or fixed
// offsets, or if there are fewer than thresholds.CoresLeast, the first plan is the result. The error is for a parameter
// with a bad value.
func (p *Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	s := &search{tl: tl, o: &o, goal: tl.LowerBound}
	if err := run.Bind("rows", &o, &s.settings); err != nil {
		return r, err
	}
	s.watch = run.NewWatch(ctx)
	defer s.watch.Close()
	s.sweeper.over = s.over
	if !o.Minimizing() {
		s.goal = max(s.goal, o.Capacity)
	}
	best, collided := greedy.Start(ctx, tl, o.Start, s.goal)
	if collided {
		r.Status = model.Infeasible
	}
	if s.best = best; best == nil {
		return r, nil
	}
	s.height = model.HeightOf(tl.Problem, best)
	if s.height > s.goal && len(best) >= thresholds.CoresLeast && Able(tl) {
		reached := p.Reached
		if reached == nil {
			reached = &Reached{}
		}
		s.improve(reached)
	}
	r.Stats.Nodes = s.nodes
	if o.NodeLimit > 0 {
		r.Stats.Nodes = min(s.nodes, o.NodeLimit)
	}
	if o.Fits(s.height) {
		r.Status, r.Offsets, r.Height = model.Feasible, s.best, s.height
	}
	return r, nil
}

// Able reports whether the planner can improve plans: no buffer has a gap or a fixed offset, and the alignments have a
// common multiple that is not too large.
func Able(tl *timeline.Timeline) bool {
	return !tl.HasGaps() && greedy.MovableAll(tl) && greedy.UnitSizes(tl) != nil
}

// over reports whether a limit has come.
func (s *search) over() bool {
	return s.watch.Over() || s.o.NodeLimit > 0 && s.nodes >= s.o.NodeLimit
}

// improve makes plans of all orders with a width, then with twice the width, and so on.
func (s *search) improve(reached *Reached) {
	if reached.done || !s.begin(s.watch, s.tl) {
		return
	}
	reached.width = max(reached.width, s.settings.width)
	for s.height > s.goal && !s.over() {
		width := min(reached.width, s.mostRows())
		if !s.try(reached.order, width) {
			return // a limit: the next run begins here
		}
		if reached.order++; reached.order < orders && s.peak >= 0 {
			continue
		}
		reached.order = 0
		if reached.width = 2 * width; reached.width > min(s.settings.widest, s.mostRows()) {
			reached.done = true
			return
		}
	}
}

// try makes a plan from an order of the first row, and keeps it if it is the lowest so far. It reports whether no limit
// cut it off.
func (s *search) try(order, width int) bool {
	ceiling := s.height + s.height/closeOf
	pile, later, earlier := s.split(order)
	forward := s.sweep(&s.ways[0], pile, later, width, ceiling)
	if forward == nil {
		return !s.over()
	}
	backward := s.sweep(&s.ways[1], pile, earlier, width, ceiling)
	if backward == nil {
		return !s.over()
	}
	s.nodes += int64(len(s.size)) / nodeLive // also if sweeps have no buffers to place
	offsets, height, _ := s.memory.Below(s.watch, s.tl, s.join(pile, forward, backward), place.FirstFit, ceiling)
	if offsets == nil {
		return !s.over()
	}
	s.memory.Keep(nil)
	offsets, height = greedy.Turn(s.watch, &s.memory, s.tl, offsets, height, s.goal, turnsMost)
	if height < s.height {
		s.best, s.height = offsets, height
		s.tell()
	}
	return true
}

// join returns all buffers in an order that both sweeps agree with: those between two buffers of the first row lie
// between them.
func (s *search) join(pile, forward, backward []int32) []int32 {
	all := make([]int32, 0, len(s.size))
	for _, i := range pile {
		all, forward = upTo(all, forward, i)
		all, backward = upTo(all, backward, i)
		all = append(all, i)
	}
	return append(append(all, forward...), backward...)
}

// split returns what is live at the peak, in an order, and the buffers that begin after it and before it.
func (s *search) split(order int) (pile, later, earlier []int32) {
	const both, byStart = 0, 1
	forward := &s.ways[0]
	at := int64(math.MinInt64) // the last moment at which a buffer of the first row begins
	live := func(i int32) bool {
		first, last := s.tl.Extent(int(i))
		return int(first) <= s.peak && int(last) > s.peak
	}
	for _, i := range forward.begins {
		if first, _ := s.tl.Extent(int(i)); int(first) > s.peak {
			later = append(later, i)
		} else if live(i) {
			at = max(at, forward.from[i])
		}
	}
	for _, i := range s.ways[1].begins {
		if _, last := s.tl.Extent(int(i)); int(last) <= s.peak {
			earlier = append(earlier, i)
		}
	}
	low := func(i int32) bool {
		return order != byStart && (order != both || forward.to[i]-at < at-forward.from[i])
	}
	for _, i := range forward.ends {
		if live(i) && low(i) {
			pile = append(pile, i)
		}
	}
	for _, i := range forward.begins {
		if live(i) && !low(i) {
			pile = append(pile, i)
		}
	}
	return pile, later, earlier
}

// upTo moves what is before i from a list to the end of another, and drops i from it.
func upTo(all, list []int32, i int32) (longer, rest []int32) {
	k := slices.Index(list, i)
	return append(all, list[:k]...), list[k+1:]
}

// tell reports a lower plan.
func (s *search) tell() {
	if s.o.Progress == nil {
		return
	}
	q := plan.Progress{LowerBound: s.tl.LowerBound, Nodes: s.nodes}
	if s.o.Fits(s.height) {
		q.Height, q.Offsets = s.height, s.best
	}
	s.o.Progress(q)
}
