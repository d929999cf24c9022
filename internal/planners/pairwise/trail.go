package pairwise

import (
	"math"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: one trail of everything that has changed, and a mark for each level. This is the only file that undoes.
//
// Complexity: a Pop costs what its level has changed.

// decided is the why of a trail entry that a decision made; its a is the level.
const decided = math.MinInt32

// An entry is one step on the trail: a bound that rose (v >= 0) or a pair that
// got its order (v is the complement of the literal that holds).
type entry struct {
	v    int32
	prev int32 // entry that set bound v before; -1 for orders and at the root
	// why is the literal that pushed the bound, or the literal that was refuted; a is the entry of the bound that
	// pushed, or a and b are those of the two bounds that refuted it.
	why, a, b int32
	value     int64 // of the bound
}

// A mark is the state to return to when a level is popped.
type mark struct {
	trail int32
	// placed is the buffer that the level's decision placed, -1 for none.
	placed int32
	peak   [2]int64
}

// Level returns the number of open levels.
func (e *Engine) Level() int { return len(e.levels) }

// Place opens a level, puts buffer j at an offset and propagates. The offset must be a multiple of the alignment. It
// returns false if there is a contradiction. Then only Conflict, Starved and Pop may follow.
func (e *Engine) Place(j int32, offset int64) bool {
	e.push(j)
	e.isPlaced[j] = true
	e.open += int64(e.undecided[j])
	return e.assign(2*j, offset) && e.assign(2*j+1, -offset) && e.propagate()
}

// assign raises bound v by decision.
func (e *Engine) assign(v int32, x int64) bool {
	return x <= e.value[v] || e.raise(v, x, decided, int32(len(e.levels)))
}

// Order opens a level, decides an open pair for a literal and propagates. It
// reports whether no contradiction shows, as Place does.
func (e *Engine) Order(literal int32) bool {
	e.push(-1)
	lower, upper := e.first[literal>>1], e.second[literal>>1]
	if literal&1 == 1 {
		lower, upper = upper, lower
	}
	e.decide(literal, entry{prev: -1, why: decided, a: int32(len(e.levels))})
	return e.pass(literal, 2*lower, 2*upper) && e.pass(literal, 2*upper+1, 2*lower+1) && e.propagate()
}

func (e *Engine) push(placed int32) {
	e.levels = append(e.levels, mark{trail: int32(len(e.trail)), placed: placed, peak: e.peak})
}

// Pop undoes the last level, whether it failed or not.
func (e *Engine) Pop() {
	last := len(e.levels) - 1
	m := e.levels[last]
	e.levels = e.levels[:last]
	for t := int32(len(e.trail)) - 1; t >= m.trail; t-- {
		step := &e.trail[t]
		if step.v >= 0 {
			e.at[step.v] = step.prev
			e.value[step.v] = e.trail[step.prev].value
			continue
		}
		literal := ^step.v
		e.order[literal>>1] = 0
		e.count(literal, -1)
	}
	e.trail = e.trail[:m.trail]
	if j := m.placed; j >= 0 {
		e.open -= int64(e.undecided[j])
		e.isPlaced[j] = false
	}
	e.peak = m.peak
	e.failed, e.cycle = false, e.cycle[:0]
	if invariants.Enabled {
		e.check()
	}
}

// Touched appends to dst the buffers whose bounds have moved at the last level, some of them several times.
func (e *Engine) Touched(dst []int32) []int32 {
	for t := e.levels[len(e.levels)-1].trail; t < int32(len(e.trail)); t++ {
		if v := e.trail[t].v; v >= 0 {
			dst = append(dst, v>>1)
		}
	}
	return dst
}

// PopTo undoes all levels above the given one.
func (e *Engine) PopTo(level int) {
	for len(e.levels) > level {
		e.Pop()
	}
}
