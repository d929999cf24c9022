package tflm

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: users want to know which tensors set the size of an arena, so that they can change the model there. The peak is
// the tick at which most bytes are live. No plan is lower than these bytes.

// A Peak is the time at which most of the arena is in use.
type Peak struct {
	// Tick is the runtime's clock.
	Tick int32
	// Operator runs at that tick. It is an index into the model's operators; -1 before the first.
	Operator int
	// Bytes are live, rounded as the runtime does: the load.
	Bytes int64
	// Buffers are the indices of the problem's buffers that are live, the largest first.
	Buffers []int
	// Without has an entry for each of the first Detailed entries of Buffers: the peak if that buffer took no room.
	Without []int64
}

// Detailed is the largest number of entries in Peak.Without.
const Detailed = 8

// peakOf returns the earliest peak of the problem of an arena: Arena.Problem, or
// Plan.United for a plan that is made in place.
func peakOf(problem *model.Problem, l *tflite.Lifetimes) Peak {
	load := loads(problem)
	at := 0
	for t, live := range load {
		if live > load[at] {
			at = t
		}
	}
	p := peakAt(problem, l, at)
	p.Bytes = load[at]
	for _, i := range p.Buffers[:min(len(p.Buffers), Detailed)] {
		without := int64(0)
		for t, live := range load {
			if b := &problem.Buffers[i]; b.Lower <= int64(t) && int64(t) < b.Upper {
				live -= b.Size
			}
			without = max(without, live)
		}
		p.Without = append(p.Without, without)
	}
	return p
}

// Peak returns the peak of a plan. If tensors share bytes, the peak counts occupied bytes. Ties go to the time with the
// most live bytes. Then Buffers has all buffers that are live at the peak, whatever bytes they share, and Without is
// nil. Of a variable of a loop it has those that lie at different places.
func (p *Plan) Peak() Peak {
	if p.Occupied == nil {
		return peakOf(p.United, p.Life)
	}
	taken, live := loads(p.Occupied), loads(p.Arena.Problem)
	at := 0
	for t := range taken {
		if taken[t] > taken[at] || taken[t] == taken[at] && live[t] > live[at] {
			at = t
		}
	}
	peak := peakAt(p.Arena.Problem, p.Life, at)
	peak.Bytes, peak.Buffers = taken[at], p.once(peak.Buffers)
	return peak
}

// once leaves out buffers that lie where another one of the same variable of a loop does.
func (p *Plan) once(buffers []int) []int {
	variables, _ := loopVariables(p.Model)
	if len(variables) == 0 {
		return buffers
	}
	of := map[int]int{} // by tensor
	for k := range variables {
		v := &variables[k]
		for _, t := range []int{v.before, v.after, v.condition, v.from, v.end} {
			of[t] = k
		}
	}
	type place struct {
		variable int
		at       int64
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(buffers, func(i int) bool {
		k, ok := of[p.Arena.Tensor[i]]
		here := place{k, p.Placed[i]}
		was := ok && seen[here]
		seen[here] = seen[here] || ok
		return was
	})
}

// peakAt returns the buffers that are live at a time of a problem, and the operator that runs then.
func peakAt(problem *model.Problem, l *tflite.Lifetimes, at int) Peak {
	buffers := problem.Buffers
	p := Peak{Operator: -1, Tick: int32(at) - 1} // the problem's times are shifted by one
	for i := range buffers {
		if buffers[i].Lower <= int64(at) && int64(at) < buffers[i].Upper {
			p.Buffers = append(p.Buffers, i)
		}
	}
	slices.SortStableFunc(p.Buffers, func(i, j int) int { return cmp.Compare(buffers[j].Size, buffers[i].Size) })
	for k, s := range l.Operators {
		if s.First <= p.Tick && p.Tick <= s.Last && (p.Operator < 0 || s.First > l.Operators[p.Operator].First) {
			p.Operator = k
		}
	}
	return p
}

// loads returns the bytes that are live at each time of a problem.
func loads(p *model.Problem) []int64 {
	var last int64
	for i := range p.Buffers {
		last = max(last, p.Buffers[i].Upper)
	}
	load := make([]int64, last+1)
	for i := range p.Buffers {
		load[p.Buffers[i].Lower] += p.Buffers[i].Size
		load[p.Buffers[i].Upper] -= p.Buffers[i].Size
	}
	for t := 1; t < len(load); t++ {
		load[t] += load[t-1]
	}
	return load
}

// InPlaceLoad returns the load of an arena if every result lies over an operand that it may lie over. Options.InPlace
// could reach this head.
func InPlaceLoad(m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena) int64 {
	united, _ := unite(a, groups(m, l, func(int, int) bool { return true }))
	return slices.Max(append(loads(united), 0))
}
