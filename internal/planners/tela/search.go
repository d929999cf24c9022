package tela

import (
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the loop of section 5.1. The stack of decision points is an array. The engine's level is always the number of
// the current point: a placement at point d is level d+1 of the engine, and going back to point t is PopTo(t).
//
// Invariant at the head of the loop: points 0 to d-1 have chosen a buffer, these buffers are placed and off the shelves
// (the lists of unplaced buffers), and the engine is at its fixpoint.
//
// Complexity: a step is a propagation; choosing costs O(heuristics × phases).

// An outcome says how a search ended.
type outcome uint8

const (
	found     outcome = iota // all buffers are placed
	exhausted                // no candidates left: nothing is proven
	abandoned                // the backtracks are used up: nothing is proven
	refuted                  // proven: nothing fits
	limited                  // a limit came first
)

// Counters count the effort of a run.
type Counters struct {
	Steps int64 // placements tried
	Minor int64 // placements that contradicted at once
	Major int64 // points whose candidates all failed
	Stuck int64 // major backtracks that left a subtree because of the stuck rule
	Nodes int64 // orders tried by the completion
}

// Backtracks returns the minor and major backtracks together.
func (c *Counters) Backtracks() int64 { return c.Minor + c.Major }

// limits end a search; the partitions of a run share them.
type limits struct {
	watch    *run.Watch
	ended    bool  // the watch was over
	steps    int64 // steps and nodes that are left
	counters Counters
	tick     func()
}

// tickEvery is the number of steps between ticks.
const tickEvery = 64

// spend takes a step and reports whether there was one left.
func (l *limits) spend() bool {
	if l.steps <= 0 || l.over() {
		return false
	}
	l.steps--
	if l.steps%tickEvery == 0 {
		l.tick()
	}
	return true
}

// over asks the watch. If the run is over, no steps are left, and the last contradiction of the engine may be none.
func (l *limits) over() bool {
	if l.watch.Over() {
		l.ended, l.steps = true, 0
	}
	return l.ended
}

// proven returns refuted, or limited if a limit has come by now.
func (l *limits) proven() outcome {
	if l.over() {
		return limited
	}
	return refuted
}

// A point is a decision point on the current path.
type point struct {
	list   []int32 // candidates so far: list[:tried] have been tried
	tried  int32
	source int32 // where extend goes on
	cursor int32 // where extendWide goes on; -1 if it has not begun
	wide   bool  // all unplaced buffers are candidates
	phase  int32 // the phase to stay in
	chosen int32 // the buffer placed here; valid below the current point
	// patience is the number of backtracks at which the subtree of the point is left.
	patience int64
	// conflict is the conflict set: the points whose placements made candidates here fail.
	conflict pointSet
	// starved is the buffer that the first failed candidate left without room; -1 if that is the candidate itself, or
	// if no candidate has failed.
	starved int32
}

// search plans one partition.
type search struct {
	set    settings
	limits *limits
	tl     *timeline.Timeline
	part   *timeline.Partition
	engine *pairwise.Engine

	n       int32   // buffers
	free    []int32 // the buffers that are not fixed
	size    []int64
	twin    []int32
	trees   []*tree
	phaseOf []int32 // this field and the next ones belong to the tree
	phases  int32
	shelves []shelf
	points  []point // one for each depth, reused
	pointOf []int32 // buffer → the point that chose it, -1 for none
	total   int64   // backtracks so far

	conflict []int32   // scratch: engine levels
	untried  []int32   // scratch of promote
	last     pointSet  // points of the last failure
	sections *sections // nil until they are needed
	tooMany  bool      // they would take too much memory
	story    story     // reports the search to the caller
}

// newSearch prepares a partition. The error is that of the engine.
func newSearch(tl *timeline.Timeline, part *timeline.Partition, set settings, l *limits) (*search, error) {
	engine, err := pairwise.New(l.watch, tl, part, set.maxPairs)
	if err != nil {
		return nil, err
	}
	n := len(part.Buffers)
	s := &search{
		set: set, limits: l, tl: tl, part: part, engine: engine, n: int32(n),
		size: make([]int64, n),
	}
	for j, i := range part.Buffers {
		s.size[j] = tl.Problem.Buffers[i].Size
		if tl.Problem.Buffers[i].Fixed == nil {
			s.free = append(s.free, int32(j))
		}
	}
	s.twin, s.pointOf = make([]int32, n), make([]int32, n)
	for j := range s.twin {
		s.twin[j], s.pointOf[j] = int32(j), -1
	}
	if set.twins {
		s.twin = twinsOf(tl, part)
	}
	s.trees = treesOf(set)
	s.enter(s.trees[0])
	s.points = make([]point, len(s.free)+1)
	return s, nil
}

// fit looks for a plan of the partition within the capacity, with at most budget backtracks. If the outcome is found,
// the engine's ranges have the offsets, in the engine's numbering.
func (s *search) fit(capacity, budget int64) outcome {
	if !s.engine.Reset(capacity) {
		return s.limits.proven()
	}
	s.begins(capacity)
	depth := int32(len(s.free))
	if s.sections != nil {
		s.sections.active = false
	}
	if s.set.sectionsAfter == 0 && s.prepare() {
		s.activate(capacity)
	}
	begun := s.total
	s.open(0, 0)
	for d := int32(0); d < depth; {
		j := s.candidate(d)
		if j < 0 {
			if s.total-begun >= budget {
				s.unwind(d, 0)
				return abandoned
			}
			t := s.backjump(d)
			if t < 0 {
				s.unwind(d, 0)
				return exhausted
			}
			s.unwind(d, t)
			d = t
			if s.total-begun >= s.set.sectionsAfter && !s.inSections() && s.prepare() {
				d = s.again(d, capacity)
			}
			continue
		}
		if !s.limits.spend() {
			s.unwind(d, 0)
			return limited
		}
		s.limits.counters.Steps++
		if !s.try(d, j) {
			s.total++
			s.limits.counters.Minor++
			continue
		}
		s.unlink(d, j)
		d++
		if d < depth {
			s.open(d, s.phaseOf[j])
		}
	}
	// The engine keeps the plan; the shelves are put back for the next capacity.
	for d := depth - 1; d >= 0; d-- {
		s.shelve(d)
	}
	return found
}

// unlink takes buffer j, placed at point d, off the shelves.
func (s *search) unlink(d, j int32) {
	s.points[d].chosen, s.pointOf[j] = j, d
	for h := range s.shelves {
		s.shelves[h].remove(j)
	}
}

// open begins point d, at which no candidate has been tried.
func (s *search) open(d, phase int32) {
	p := &s.points[d]
	p.list, p.tried, p.source, p.cursor, p.wide, p.phase = p.list[:0], 0, 0, -1, false, phase
	p.patience = s.total + s.set.stuckAfter
	p.conflict.clear()
	p.starved = -1
}

// try places buffer j at point d and reports whether no contradiction shows.
// If one does, the placement is undone and its conflict set is kept.
func (s *search) try(d, j int32) bool {
	offset, _ := s.engine.Range(j)
	if !s.set.solverPlacement {
		at, ok := s.engine.Skyline(j)
		if !ok {
			s.blameSkyline(d, j)
			return false
		}
		offset = at
	}
	return s.place(d, j, offset)
}

// place is try at a given offset.
func (s *search) place(d, j int32, offset int64) bool {
	s.places(j, offset)
	if s.engine.Place(j, offset) {
		if !s.inSections() || s.roomy(j) {
			return true
		}
		s.takesBack(j)
		s.blameSection(d)
		s.sections.take(j)
		s.engine.Pop()
		return false
	}
	s.takesBack(j)
	s.conflict = s.engine.Conflict(s.conflict[:0])
	if p := &s.points[d]; p.starved < 0 {
		if k := s.engine.Starved(); k != j && s.pointOf[k] < 0 && !s.isFixed(k) {
			p.starved = k
		}
	}
	s.engine.Pop()
	s.last.clear()
	for _, level := range s.conflict {
		if level <= d {
			s.last.add(level - 1)
		}
	}
	s.points[d].conflict.union(s.last)
	return false
}

// inSections reports whether sections are checked.
func (s *search) inSections() bool { return s.sections != nil && s.sections.active }

// isFixed reports whether buffer j has a fixed offset.
func (s *search) isFixed(j int32) bool { return s.tl.Problem.Buffers[s.engine.ID(j)].Fixed != nil }

// blameSkyline keeps the conflict set of a skyline that leaves no room: the placed
// buffers that the candidate would have to be on top of.
func (s *search) blameSkyline(d, j int32) {
	s.last.clear()
	for _, k := range s.engine.Neighbours(j) {
		if t := s.pointOf[k]; t >= 0 {
			s.last.add(t)
		}
	}
	s.points[d].conflict.union(s.last)
}

// unwind takes back the placements of points t to d-1.
func (s *search) unwind(d, t int32) {
	if t < d {
		s.takesBack(s.points[t].chosen, s.points[t+1:d]...)
	}
	s.engine.PopTo(int(t))
	for d--; d >= t; d-- {
		s.shelve(d)
	}
}

// shelve puts the buffer chosen at point d back; points go last to first.
func (s *search) shelve(d int32) {
	j := s.points[d].chosen
	s.pointOf[j] = -1
	if s.inSections() {
		s.sections.take(j)
	}
	for h := len(s.shelves) - 1; h >= 0; h-- {
		s.shelves[h].restore(j)
	}
}
