package rectpack

import (
	"context"
	"fmt"

	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: decide relations, not places. Each two buffers that overlap in time are a meta-variable with the values above
// and below. A partial assignment is a set of differences between offsets. It is consistent if the matrix of all
// differences has no positive cycle. Once every pair is decided or implied, the least offsets are a plan. The size of
// the numbers does not matter.
//
// Order of variables: after forward checking all open pairs have two values left. The next pair is the one whose two
// sides together have the least room, that is, the difference between what the matrix allows and what the side needs.
// Its roomier side is tried first. The parameter order=size uses only the sizes of the two buffers, for comparison.
//
// Symmetry: identical buffers are stacked in the order of their numbers. If nothing tells up from down (no alignment,
// fixed offset or window), a plan turned upside down is a plan, so the first pair is tried one way only.
//
// Invariant: a side that is marked is decided, forced or implied by the matrix;
// the trails of sides and matrix undo together.
//
// Complexity: exponential in the pairs; O(n²) for each side taken.
//
// Source: Moffitt and Pollack, "Optimal Rectangle Packing: A Meta-CSP Approach", ICAPS 2006, with the adaptations of
// section 8 of the MiniMalloc paper (ASPLOS 2023). Their cliques of displacement are here the maximal sections, whose
// load is checked before any search.
//
// Gaps, interlocking windows, alignment and fixed offsets are all honoured: each is a difference or a rounding of one.
// At the end the exact least offsets are worked out, since rounding in the matrix is between two offsets at a time.

func init() { run.Register(metaCSP{}) }

type metaCSP struct{}

// maxNodes bounds the matrix: 200 MB.
const maxNodes = 4096

// Name returns the planner's name.
func (metaCSP) Name() string { return "meta-csp" }

// Info describes the planner.
func (p metaCSP) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "rectangle packing by relations: which buffer of a pair is above, with a closed system of differences",
		Source:  "Moffitt and Pollack, ICAPS 2006; Moffitt, MiniMalloc, ASPLOS 2023, section 8",
		Exact:   true,
	}, func() run.Settings { return new(metaSettings) })
}

// metaSettings are what can be set.
type metaSettings struct {
	forward, subsume, ordered, roomier, symmetry, mirror, start bool

	order string
}

// Declare lists the techniques and the parameter.
func (s *metaSettings) Declare(d *run.Declaration) {
	d.Technique(&s.forward, "forward-checking", "rule out orders of a pair that contradict the differences so far")
	d.Technique(&s.subsume, "subsumption", "do not branch on a pair whose order is implied")
	d.Technique(&s.ordered, "ordering", "branch on the tightest pair first; without it, in input order")
	d.Technique(&s.roomier, "value-ordering", "try the order with more room first; without it, always above first")
	d.Technique(&s.symmetry, "symmetry", "place identical buffers in the order of their numbers")
	d.Technique(&s.mirror, "mirror", "try only one order of the first pair, if every plan turned upside down is a plan")
	d.Technique(&s.start, "start", "when minimising, start from the plan of the heuristics")
	d.Choice(&s.order, "order", "the pair to branch on; slack: the pair with the least room; size: the pair of the largest two buffers", "slack", "size")
}

// Plan searches until it has an answer or a limit comes. Nodes are decisions; Seed and Workers are not used. The error
// is for a partition of more than 4,095 buffers.
func (metaCSP) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var set metaSettings
	if err := run.Bind("meta-csp", &o, &set); err != nil {
		return plan.Result{}, err
	}
	for k := range tl.Partitions {
		if n := len(tl.Partitions[k].Buffers); n >= maxNodes {
			return plan.Result{}, plan.Unsupported("meta-csp",
				fmt.Sprintf("takes at most %d buffers that depend on one another, and the problem has %d", maxNodes-1, n))
		}
	}
	return descend.RunPairs(ctx, "meta-csp", tl, o, set.start, descend.Encoded(tl,
		func(b *descend.Budget, _ *timeline.Partition, e *pairwise.Encoding) (descend.PairSolver, bool) {
			return newMeta(tl, b, &set, e)
		}))
}

// newMeta prepares a partition. It returns false if a limit comes.
func newMeta(tl *timeline.Timeline, budget *descend.Budget, set *metaSettings,
	e *pairwise.Encoding,
) (*metaSolver, bool) {
	m := newMatrix(e, budget.Watch)
	if m == nil {
		return nil, false
	}
	s := &metaSolver{
		e: e, m: m, budget: budget,
		side:    make([]pairwise.Choice, len(e.Pairs)),
		forward: set.forward, subsume: set.subsume,
		ordered: set.ordered, roomier: set.roomier, slack: set.order != "size",
	}
	n := s.m.n
	s.pairAt = make([]int32, n*n)
	for k := range s.pairAt {
		s.pairAt[k] = -1
	}
	plain := true
	for p := len(e.Pairs) - 1; p >= 0; p-- {
		q := &e.Pairs[p]
		s.pairAt[int(q.I)*n+int(q.J)], s.pairAt[int(q.J)*n+int(q.I)] = int32(p), int32(p)
		plain = plain && q.Up == e.Size[q.I] && q.Down == e.Size[q.J]
	}
	for k := range e.Len() {
		plain = plain && e.Align[k] == 1 && e.Fixed[k] < 0
	}
	s.mirror = plain && set.mirror
	if set.symmetry {
		order := make([]int32, e.Len())
		for k := range order {
			order[k] = int32(k)
		}
		s.twins = twins(tl, e, order)
	}
	return s, true
}

// metaSolver searches one partition.
type metaSolver struct {
	e      *pairwise.Encoding
	m      *matrix
	budget *descend.Budget
	pairAt []int32    // entry of the matrix → first pair of its two buffers, -1 for none
	twins  [][2]int32 // identical buffers, the lower number first

	side    []pairwise.Choice
	decided []int32 // trail of sides
	frames  []metaFrame

	forward, subsume, ordered, roomier, slack, mirror bool
}

// A metaFrame is a decision and the trails to return to.
type metaFrame struct {
	pair    int32
	side    pairwise.Choice
	last    bool // the other side has failed, or mirrors this one
	sides   int
	changes int
}

// Fit looks for offsets within a height, both in units. If a limit comes in the middle of a node, its finding may be
// false. Then the budget grants no further node, and descend ignores the refutation.
func (s *metaSolver) Fit(height int64) ([]int64, descend.Outcome) {
	clear(s.side)
	s.decided, s.frames = s.decided[:0], s.frames[:0]
	if !s.m.reset(s.e, height) {
		return nil, descend.Refuted
	}
	for p := range int32(len(s.e.Pairs)) {
		if p&0xffff == 0xffff && s.budget.Ended() || !s.look(p) {
			return nil, descend.Refuted
		}
	}
	for _, t := range s.twins {
		if p := s.pairAt[int(t[0])*s.m.n+int(t[1])]; p >= 0 && s.side[p] == pairwise.Open {
			if !s.take(p, pairwise.Above) {
				return nil, descend.Refuted
			}
		}
	}
	ok := s.propagate()
	for {
		for !ok {
			var out descend.Outcome
			if ok, out = s.backtrack(); out != descend.Found {
				return nil, out
			}
		}
		p, side := s.choose()
		if p < 0 {
			if at := s.e.Least(s.budget.Watch, s.side, height); at != nil {
				return at, descend.Found
			}
			ok = false // rounding to alignments leaves no room
			continue
		}
		// The mirror image of a plan has the first pair the other way round;
		// twins that are stacked already tell up from down.
		f := metaFrame{pair: p, side: side, sides: len(s.decided), changes: len(s.m.trail)}
		f.last = s.mirror && len(s.frames) == 0 && len(s.twins) == 0
		s.frames = append(s.frames, f)
		if !s.budget.Spend() {
			return nil, descend.Stopped
		}
		ok = s.take(p, side) && s.propagate()
	}
}

// backtrack undoes decisions up to one with a side left, and takes that side. ok says whether it holds. The outcome
// is Found as long as the search goes on.
func (s *metaSolver) backtrack() (ok bool, out descend.Outcome) {
	for len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		s.undo(f)
		if f.last {
			s.budget.Backtracks++
			s.frames = s.frames[:len(s.frames)-1]
			continue
		}
		f.last, f.side = true, -f.side
		if !s.budget.Spend() {
			return false, descend.Stopped
		}
		return s.take(f.pair, f.side) && s.propagate(), descend.Found
	}
	return false, descend.Refuted
}

func (s *metaSolver) undo(f *metaFrame) {
	for _, p := range s.decided[f.sides:] {
		s.side[p] = pairwise.Open
	}
	s.decided = s.decided[:f.sides]
	s.m.undo(f.changes)
	s.m.moved = s.m.moved[:0]
}

// choose returns the pair to decide next and the side to try first; p is -1 if none is open.
func (s *metaSolver) choose() (p int32, side pairwise.Choice) {
	p = -1
	var best int64
	for k := range s.e.Pairs {
		if s.side[k] != pairwise.Open {
			continue
		}
		q := &s.e.Pairs[k]
		weight := q.Up + q.Down
		if s.slack {
			weight += s.m.at(q.I, q.J) + s.m.at(q.J, q.I)
		}
		if p < 0 || s.ordered && weight > best {
			p, best = int32(k), weight
			if !s.ordered {
				break
			}
		}
	}
	side = pairwise.Above
	if p >= 0 && s.roomier {
		q := &s.e.Pairs[p]
		// The room of a side is how far the buffers may move before it fails.
		if s.m.at(q.I, q.J)+q.Down < s.m.at(q.J, q.I)+q.Up {
			side = pairwise.Below
		}
	}
	return p, side
}

// twins returns the buffers that are the same for a planner, each with the next of its kind in the given order.
// Buffers with gaps or fixed offsets are left out. Only the sections of two lifespans need to be equal.
func twins(tl *timeline.Timeline, e *pairwise.Encoding, order []int32) [][2]int32 {
	type kind struct {
		first, last int32
		size, align int64
	}
	latest := map[kind]int32{}
	var all [][2]int32
	for _, k := range order {
		i := int(e.ID[k])
		if e.Fixed[k] >= 0 || len(tl.Problem.Buffers[i].Gaps) > 0 {
			continue
		}
		first, last := tl.Extent(i)
		is := kind{first, last, e.Size[k], e.Align[k]}
		if j, ok := latest[is]; ok {
			all = append(all, [2]int32{j, k})
		}
		latest[is] = k
	}
	return all
}
