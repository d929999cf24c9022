package viewdata

import (
	"slices"
	"sync"

	"github.com/stowage-go/stowage/plan"
)

// A Recorder keeps the progress of a search: each plan that is lower than those before, and
// each bound that is higher, with its time. If Most is set, it also keeps the first Most
// moves of the search and counts the others (plan.Options.Moves).
//
// It keeps at most Room offsets in all. If there are more, it forgets the offsets of every
// other plan between the first and the last. The heights stay.
//
// A Recorder may be used from any goroutine.
type Recorder struct {
	// Room is the number of offsets to keep. 0 means 4,000,000, which is 32 MB of memory and about 8 MB of a page.
	Room int
	// Most is the number of moves to keep.
	Most int

	mu    sync.Mutex
	steps []Step
	moves []plan.Move
	told  int
}

const (
	defaultRoom = 4_000_000
	maxSteps    = 4096 // steps kept, with or without offsets
)

// See records a snapshot. It is a callback for plan.Options.Progress.
func (r *Recorder) See(p plan.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lower, higher := p.Height > 0, p.LowerBound > 0
	if n := len(r.steps); n > 0 {
		last := &r.steps[n-1]
		lower = p.Height > 0 && (last.Height == 0 || p.Height < last.Height)
		higher = p.LowerBound > last.LowerBound
	}
	if !lower && !higher || len(r.steps) == maxSteps && !lower {
		return
	}
	s := Step{Height: p.Height, LowerBound: p.LowerBound, Nodes: p.Nodes, Elapsed: p.Elapsed, Move: r.told}
	if lower {
		s.Offsets = slices.Clone(p.Offsets)
	}
	if len(r.steps) == maxSteps {
		r.steps = r.steps[:maxSteps-1]
	}
	r.steps = append(r.steps, s)
	r.thin()
}

// Move records a move. It is a callback for plan.Options.Moves.
func (r *Recorder) Move(m plan.Move) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told++; len(r.moves) < r.Most {
		r.moves = append(r.moves, m)
	}
}

// Moves returns the kept moves, and the number of all moves.
func (r *Recorder) Moves() (kept []plan.Move, told int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.moves, r.told
}

// thin forgets offsets while there are too many. It keeps the first and the last plan.
func (r *Recorder) thin() {
	room := r.Room
	if room == 0 {
		room = defaultRoom
	}
	var with []int
	total := 0
	for k := range r.steps {
		if n := len(r.steps[k].Offsets); n > 0 {
			with, total = append(with, k), total+n
		}
	}
	for total > room && len(with) > 2 {
		for j := 1; j < len(with)-1; j += 2 {
			total -= len(r.steps[with[j]].Offsets)
			r.steps[with[j]].Offsets = nil
		}
		with = slices.DeleteFunc(with, func(k int) bool { return r.steps[k].Offsets == nil })
	}
}

// Finish adds the result of the search, if the search has not reported it, and returns the steps.
func (r *Recorder) Finish(result *plan.Result) []Step {
	p := plan.Progress{LowerBound: result.LowerBound, Nodes: result.Stats.Nodes, Elapsed: result.Stats.Elapsed}
	if result.Status.HasPlan() {
		p.Height, p.Offsets = result.Height, result.Offsets
	}
	r.See(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.steps)
}
