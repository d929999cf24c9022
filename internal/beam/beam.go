// Package beam holds `beam`, a beam search over time for memories that are nearly always full.
//
//	beam.go      the planner: which heights it aims at, with which width
//	pass.go      one pass over time, and what happens if a beam dies
//	layouts.go   layouts of the live buffers, their scores and their children
//	loose.go     layouts without offsets: orders and distances; looselayouts.go has their scores and children
//	spread.go    layouts that have one ancestor make each other dearer
//	coarse.go    wide passes, and ceilings that go up, where memory has few units
//	arms.go      which of the two kinds of passes has the next turn
//	balance.go   whether passes or ejections have the next turn
//	eject.go     the other technique: take out what is too high, and let it displace others
//	prices.go    in ejections: what a buffer costs, and who comes back next
//	ejector.go   ejections without passes, for merge
//	scarce.go    their order there: by what is scarce
//	slide.go     in ejections: how far placed buffers can move to make room
//	runs.go      in ejections: buffers with gaps are live in several runs of time
//	links.go     who lies next above and below, so that few are looked at
package beam

import (
	"context"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: if a memory is full at all times, no peak is special, and orders by size or area leave holes everywhere. An
// allocator that knows all lifespans does better: it places buffers as they begin, and puts those beside each other
// that end at about the same time, so they free one large hole. A beam keeps the best layouts of the live
// buffers, not one. Each pass has a ceiling below the best plan. It ends with a lower plan, or where no layout goes on.
// Passes run forward and backward in time. If a pass fails, the next aims less low; if small steps fail, beams are
// wider. Layouts have offsets, or orders in place of them (loose.go). Both kinds of passes take turns (arms.go), and
// ejections (eject.go) take turns with the first ones (balance.go).
//
// Invariant: the height of the best plan never rises. The first plan is the caller's or a heuristic's.
//
// Complexity: a pass of width w takes O(n·w·live) for n buffers, as long as it does not go back.
//
// Source: this project. Beam search as in the literature on strip packing.

func init() { run.RegisterWith(&Planner{}, false, fresh) }

// Planner is the planner `beam`. Its zero value is ready to use.
type Planner struct {
	// Reached is what runs before this one have reached on the same problem, if it is not nil. Plan adds to it.
	Reached *Reached
}

// Reached is what a run leaves to the next one of the same problem.
type Reached struct {
	width   [arms]int // of beams
	share   share
	balance balance
	ejects  *ejection // with an attempt that a turn has cut off, or nil
}

// Name returns the planner's name.
func (*Planner) Name() string { return "beam" }

// Info describes the planner.
func (p *Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "beam search over time, forward and backward: neighbours that end together free one large hole",
		Source:  "Stowage; after beam search for strip packing",
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

// settings are the techniques and parameters of a run.
type settings struct {
	back, ahead, alike, spread, coarse, loose, reverse, eject, slide, hold, urgent bool

	width, widest int
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.back, "back", "if no layout goes on, go back some buffers and pass the place with a wider beam and with chance")
	d.Technique(&s.ahead, "ahead", "drop layouts that leave no hole for a large buffer that begins soon")
	d.Technique(&s.alike, "alike", "of layouts with the same holes over time, such as one that is upside down, keep one")
	d.Technique(&s.spread, "spread", "in a wide beam, layouts with one ancestor some buffers ago make each other dearer")
	d.Technique(&s.coarse, "coarse",
		"if memory has few units, passes are wide, and the ceiling of one goes up where it dies")
	d.Technique(&s.loose, "loose", "in some passes layouts keep the order of live buffers and how far apart they must lie, not offsets")
	d.Technique(&s.reverse, "reverse", "every second pass runs backward in time")
	d.Technique(&s.eject, "eject", "between passes, take out buffers that are too high and let them displace others at a growing price")
	d.Technique(&s.slide, "slide", "what an ejection has placed moves up and down to make room for a buffer")
	d.Technique(&s.hold, "hold", "in an ejection, what was just placed costs twice as much for a few nodes")
	d.Technique(&s.urgent, "urgent", "in an ejection, what has often found no place comes back before larger buffers")
	d.Int(&s.width, "width", 8, 1, widthMost, "layouts that the first passes keep")
	widest := int64(widthMost)
	if d.Endless() {
		widest = 64
	}
	d.Int(&s.widest, "widest", widest, 1, widthMost, "passes with more layouts end a run that has no other limit")
}

// The limits of memory: layouts of a beam, buffers times layouts, and live buffers times layouts.
const (
	widthMost  = 1 << 14
	traceMost  = 1 << 23
	layoutMost = 1 << 22
)

const (
	// passNodes is how many nodes a pass may take for each layout and buffer, with all ways back.
	passNodes = 10
	// leastStep is the part of the bound below which smaller steps are not worth a pass: one part in so many.
	leastStep = 1000
)

// search is what the passes of a run share.
type search struct {
	watch    *run.Watch
	settings settings
	o        *plan.Options
	problem  *model.Problem
	lower    int64 // bound
	nodes    int64
	end      int64 // nodes at which the pass ends
}

// tell reports a lower plan.
func (s *search) tell(best []int64, height int64) {
	if s.o.Progress == nil {
		return
	}
	q := plan.Progress{LowerBound: s.lower, Nodes: s.nodes}
	if s.o.Fits(height) {
		q.Height, q.Offsets = height, best
	}
	s.o.Progress(q)
}

// over reports whether a limit has come.
func (s *search) over() bool {
	return s.watch.Over() || s.o.NodeLimit > 0 && s.nodes >= s.o.NodeLimit
}

// Plan improves o.Start or a heuristic's plan, until a plan meets the bound, or fits the capacity if only that is
// asked, or until a limit comes. A node is a child of a layout; a loose one counts as several. If buffers have gaps or
// fixed offsets, the first plan is the result. The error is for a parameter with a bad value.
func (p *Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	s := &search{o: &o, problem: tl.Problem, lower: tl.LowerBound}
	if err := run.Bind("beam", &o, &s.settings); err != nil {
		return r, err
	}
	s.watch = run.NewWatch(ctx)
	defer s.watch.Close()
	goal := tl.LowerBound
	if !o.Minimizing() {
		goal = max(goal, o.Capacity)
	}
	offsets, collided := greedy.Start(ctx, tl, o.Start, goal)
	if collided {
		r.Status = model.Infeasible
	}
	if offsets == nil {
		return r, nil
	}
	height := model.HeightOf(tl.Problem, offsets)
	if height > goal && Able(tl) {
		offsets, height = p.improve(s, tl, offsets, height, goal)
	}
	r.Stats.Nodes = s.nodes
	if o.NodeLimit > 0 {
		r.Stats.Nodes = min(s.nodes, o.NodeLimit)
	}
	if o.Fits(height) {
		r.Status, r.Offsets, r.Height = model.Feasible, offsets, height
	}
	return r, nil
}

// Able reports whether the planner can improve plans: no buffer has a gap or a fixed offset.
func Able(tl *timeline.Timeline) bool { return !tl.HasGaps() && greedy.MovableAll(tl) }

// A kind is passes whose layouts are kept in the same way, forward and backward.
type kind struct {
	ways   [2]*pass
	width  int     // of the next pass
	least  int     // width of passes that aim less low
	share  float64 // how much of the way from the height to the goal it aims down
	failed int     // passes
	coarse bool    // see coarse.go
}

// newKind returns nil if layouts are to be loose and cannot be.
func (s *search) newKind(tl *timeline.Timeline, height int64, loose bool, width int) *kind {
	q := &kind{share: 0.5, width: max(s.settings.width, width)}
	if loose {
		q.least = looseWide * s.settings.width
	}
	for way := range q.ways {
		if q.ways[way] = q.ways[0]; way == 0 || s.settings.reverse {
			if q.ways[way] = newPass(s, tl, way == 1); loose && !q.ways[way].loosen(height) {
				return nil
			}
		}
	}
	if !loose {
		s.coarsen(q)
	}
	return q
}

// pass runs a pass of a kind, and returns its plan, or nil.
func (s *search) pass(q *kind, height, goal int64, buffers int) []int64 {
	x := q.ways[q.failed%2]
	x.seed++
	q.width = min(q.width, x.most)
	s.end = s.nodes + x.cost*passNodes*int64(q.width)*int64(buffers)
	if x.limit = 0; q.coarse {
		x.limit = height / x.granule
	}
	offsets := x.run(max(goal, height-max(1, int64(q.share*float64(height-goal)))), q.width)
	if offsets != nil {
		q.share = min(0.5, 1.5*q.share)
		if x.risen && q.narrow() {
			q.width = min(2*q.width, q.least)
		}
	}
	return offsets
}

// widen makes the next pass of a kind aim less low after one that has failed, and then wider, or wider at once if it is
// narrow. It reports whether there is such a pass.
func (s *search) widen(q *kind, height, goal int64) bool {
	q.failed++
	if q.width >= min(q.least, q.ways[0].most) {
		if q.share /= 2; q.share*float64(height-goal) >= max(float64(q.ways[0].granule), float64(s.lower)/leastStep) {
			return true
		}
		q.share = 0.25
	}
	last := q.width == q.ways[0].most
	q.width *= 2
	return s.settings.widest == widthMost || !last && q.width <= s.settings.widest
}

// improve runs passes and ejections in turn.
func (p *Planner) improve(s *search, tl *timeline.Timeline, best []int64, height, goal int64) ([]int64, int64) {
	reached := p.Reached
	if reached == nil {
		reached = &Reached{}
	}
	b, turns := &reached.balance, &reached.share
	b.begin()
	turns.span = spanNodes * int64(s.settings.width) * int64(len(best))
	kinds := [arms]*kind{byOffsets: s.newKind(tl, height, false, reached.width[byOffsets])}
	if s.settings.loose {
		kinds[byOrders] = s.newKind(tl, height, true, reached.width[byOrders])
	}
	for i, q := range kinds {
		turns.arms[i].closed = q == nil || s.settings.widest < widthMost && q.width > s.settings.widest
	}
	var e *ejection
	if x := kinds[byOffsets].ways[0]; s.settings.eject {
		if e = reached.ejects; e == nil {
			e = newEjection(x)
			reached.ejects = e
		} else {
			e.pass = x // with the limits of this run
		}
	}
	for i := turns.next(); i < arms && height > goal && !s.over(); i = turns.next() {
		q, before, nodes := kinds[i], height, s.nodes
		if i == byOffsets && e != nil && b.left == 0 {
			best, height = e.run(best, height, goal, b.part*ejectNodes*q.ejectWidth()*int64(len(best))/ejectShortest)
			b.ejected(before-height, s.nodes-nodes)
			turns.note(i, before-height, ejectCost*(s.nodes-nodes))
			continue
		}
		narrow := q.narrow()
		if offsets := s.pass(q, height, goal, len(best)); offsets != nil {
			best, height = offsets, model.HeightOf(tl.Problem, offsets)
			s.tell(best, height)
		} else if !s.widen(q, height, goal) {
			turns.arms[i].closed = true
		}
		if i == byOffsets {
			b.passed(before-height, s.nodes-nodes, narrow)
		}
		turns.note(i, before-height, s.nodes-nodes)
	}
	for i, q := range kinds {
		if q != nil {
			reached.width[i] = min(q.width, widthMost)
		}
	}
	return best, height
}
