package tela

import "math/bits"

// Idea: section 6 of the paper lets a model decide one thing: to which of a few points a major backtrack goes. The
// search offers these points as targets with their features. It does not know who scores them.
//
// The targets are the points of the conflict set. If one of the ranges 0-4, 5-8, 9-16, 17-32, … has no target, its
// deepest point is one, so every part of the tree has a target. Failed candidates are not on the path. So the last
// point of the paper's set, which a minor backtrack has dealt with, is left out already.
//
// The failed point is a target too, unless that has been tried. It means: stay, and try all unplaced buffers. In the
// paper the search does so if no target scores well. Here it has a score of its own: of the points at which all
// candidates of the rules fail, a fifth to a quarter can still be completed by another buffer.
//
// Complexity: O(targets) a major backtrack, O(sections) a point, and a Policy's own
// work.
//
// Trials: docs/lab/planners.md (the rules solve 29 of 70 hard inputs, an exact oracle up to 64).

// NumFeatures is the number of features of a target.
const NumFeatures = 20

// FeatureNames names them, in order.
var FeatureNames = [NumFeatures]string{
	"size", "lifetime", "contention", "level", "blamed", "jumps", "subtree", "same_phase", "backtracks",
	"distance", "in_conflict", "rules", "unplaced", "tried", "slack", "slack_after", "room", "room_after",
	"beyond", "effort",
}

// Numbers of features, for policies that look at them.
const (
	Jumps  = 5
	Beyond = 18
	Effort = 19
)

// Features describe a target:
//
//	size        of the buffer placed there, over the capacity
//	lifetime    of the buffer, over the time that the partition spans
//	contention  largest in the buffer's life, over the capacity
//	level       number of the point
//	blamed      major backtracks of the tree that had the buffer in the conflict set
//	jumps       backtracks to the point since it was opened
//	subtree     backtracks in the subtree of the point since it was opened
//	same_phase  1 if the buffer is in the phase of the failed point, else 0
//	backtracks  of the tree so far
//
// The others are not in the paper:
//
//	distance    points from the failed one back to the target
//	in_conflict 1 if the buffer is in the conflict set of the failure, else 0
//	rules       1 if the rules of backtrack.go would go here, else 0
//	unplaced    share of the buffers that are not placed at the point
//	tried       candidates that have been tried there
//	slack       least room of any section that unplaced buffers can use and do not
//	            need, over the capacity, at the point
//	slack_after … when its buffer had been placed
//	room        the same in the mean of all sections
//	room_after
//	beyond      points from the deepest target that a look-ahead does not refute on to
//	            this one; above 0 it is refuted
//	effort      binary logarithm of what it took to refute the one after that
//
// The last two are 0 here; a policy that looks ahead sets them. The failed point itself is described by the first
// candidate that it tried. Slack and room are 1 if the search has not yet looked at sections.
//
// Trials: docs/lab/planners.md (more features raise the area under the curve from 0.953 to 0.956).
type Features [NumFeatures]float32

// A Target is a point that a major backtrack may go to.
type Target struct {
	Point    int32 // Major.Point: stay, and try all unplaced buffers
	Features Features
}

// A Placement is a buffer, by its index in the Problem, and its offset.
type Placement struct {
	Buffer int32
	Offset int64
}

// A Major is a major backtrack as a policy sees it. It is valid during the call
// only.
type Major struct {
	Partition  int
	Capacity   int64
	Point      int32 // the point whose candidates all failed
	Default    int32 // the target that the rules of backtrack.go choose
	Widened    bool  // all unplaced buffers have already been tried here
	Backtracks int64 // of the tree so far
	Tree       int64 // trees of the partition that have been begun, this one included
	Narrow     bool  // the tree is a narrow one, rounds.go
	Budget     int64 // backtracks after which the search leaves the tree; another follows if Restarts is set
	Restarts   bool
	Targets    []Target // by ascending point, at least one; the last may be Point
	// Uncounted may be set by the policy: the backtrack then does not count in
	// the feature jumps.
	Uncounted bool
	// Cost may be set by the policy: what it has looked ahead, in steps. They count
	// as the search's own.
	Cost   int64
	search *search
}

// Path appends the placements at points 0 to Point-1.
func (m *Major) Path(dst []Placement) []Placement { return m.search.path(dst, m.Point) }

// What a Policy may return instead of an index.
const (
	// Spread stays at the failed point, as its target does. If all unplaced buffers have already been tried there, the
	// search goes back one point.
	Spread = -1
	// Rules goes where the rules of backtrack.go choose.
	Rules = -2
	// Leave gives up the tree, as after Budget backtracks. If no other tree follows, it means Rules.
	Leave = -3
)

// givenUp is what consult and backjump return for a tree that the policy leaves.
const givenUp = -2

// A Policy decides where major backtracks go.
type Policy interface {
	// Choose returns an index into m.Targets, Spread, Rules or Leave.
	Choose(m *Major) int
	// Solved is called with the placements of a partition that has been planned.
	Solved(partition int, path []Placement)
}

// shares are the parts of the features that a capacity decides.
type shares struct {
	capacity                   int64
	size, lifetime, contention []float32
}

// measure sets the features of buffers.
func (s *search) measure(capacity int64) {
	s.share = shares{capacity, make([]float32, s.n), make([]float32, s.n), make([]float32, s.n)}
	s.blamed = make([]int64, s.n)
	begin, end := s.tl.Starts[s.part.First], s.tl.Ends[s.part.Last-1]
	for _, i := range s.part.Buffers {
		b := &s.tl.Problem.Buffers[i]
		begin, end = min(begin, b.Lower), max(end, b.Upper)
	}
	for j, i := range s.part.Buffers {
		b := &s.tl.Problem.Buffers[i]
		peak := int64(0)
		for _, span := range s.tl.Spans(int(i)) {
			for at := span.First; at < span.Last; at++ {
				peak = max(peak, s.tl.Load[at])
			}
		}
		s.share.size[j] = float32(float64(b.Size) / float64(capacity))
		s.share.lifetime[j] = float32(float64(b.Upper-b.Lower) / float64(end-begin))
		s.share.contention[j] = float32(float64(peak) / float64(capacity))
	}
}

// blame counts a major backtrack at point d for the buffers in its conflict set.
func (s *search) blame(d int32) {
	for w, word := range s.points[d].conflict {
		for ; word != 0; word &= word - 1 {
			s.blamed[s.points[64*w+bits.TrailingZeros64(word)].chosen]++
		}
	}
}

// consult asks the policy where to go from point d. It returns d if all unplaced buffers should be tried there, and
// givenUp if the search should leave the tree.
func (s *search) consult(d, otherwise int32) int32 {
	p := &s.points[d]
	m := &s.view
	*m = Major{
		Partition: s.number, Capacity: s.share.capacity, Point: d, Default: otherwise,
		Widened: p.wide, Backtracks: s.total - s.points[0].opened, Tree: s.trials, Narrow: s.set.narrow, Budget: s.budget,
		Targets: m.Targets[:0], search: s,
	}
	for low, high := int32(0), int32(4); low < d; low, high = high+1, 2*high {
		any := false
		for t := low; t <= min(high, d-1); t++ {
			if p.conflict.has(t) {
				m.Targets = append(m.Targets, Target{Point: t})
				any = true
			}
		}
		if !any {
			m.Targets = append(m.Targets, Target{Point: min(high, d-1)})
		}
	}
	if !p.wide {
		m.Targets = append(m.Targets, Target{Point: d})
	}
	for k := range m.Targets {
		s.describe(&m.Targets[k], m)
	}
	k := s.policy.Choose(m)
	cost := min(m.Cost, s.limits.steps) // the last look may cost more than is left
	s.limits.counters.Looked += cost
	s.limits.steps -= cost
	t := otherwise
	if k == Leave && len(s.trees) > 1 {
		return givenUp
	}
	if k >= 0 {
		t = m.Targets[k].Point
	} else if k == Spread {
		t = d
	}
	if t == d && p.wide {
		t = d - 1
	}
	s.heeded = s.heeded || t != otherwise
	if t == d {
		p.wide = true
	}
	return t
}

// describe sets the features of a target.
func (s *search) describe(t *Target, m *Major) {
	p, failed := &s.points[t.Point], &s.points[m.Point]
	j, after := p.chosen, p
	if t.Point == m.Point {
		j = p.list[0]
	} else {
		after = &s.points[t.Point+1]
	}
	t.Features = Features{
		s.share.size[j], s.share.lifetime[j], s.share.contention[j],
		float32(t.Point), float32(s.blamed[j]), float32(p.jumps), float32(s.total - p.opened),
		flag(s.phaseOf[j] == failed.phase), float32(s.total - s.points[0].opened),
		float32(m.Point - t.Point), flag(failed.conflict.has(t.Point)), flag(t.Point == m.Default),
		1 - float32(t.Point)/float32(len(s.free)), float32(p.tried), p.slack, after.slack, p.room, after.room,
	}
}

// gauge notes at point d how much room its sections have.
func (s *search) gauge(d int32) {
	p := &s.points[d]
	p.slack, p.room = 1, 1
	if !s.inSections() || !s.sections.measured {
		return
	}
	x := s.sections
	p.slack = float32(float64(x.least()) / float64(x.capacity))
	p.room = float32(float64(x.total) / float64(x.capacity) / float64(len(x.members)))
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// path appends the placements of the points before d.
func (s *search) path(dst []Placement, d int32) []Placement {
	for t := range d {
		j := s.points[t].chosen
		offset, _ := s.engine.Range(j)
		dst = append(dst, Placement{s.engine.ID(j), offset})
	}
	return dst
}

func (s *search) solved() { s.policy.Solved(s.number, s.path(nil, int32(len(s.free)))) }
