package beam

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: ejections need to know two things of time: who is live together, and who lies above whom at a moment. Both are
// known for buffers with gaps, too. Such a buffer is live in several runs of sections, at one offset. It is a neighbour
// of all that it meets in any run, and is in the list of each moment of each run. In a step that repeats, what lives
// across the end of the step has two runs. Passes through time cannot do this: a layout forgets what has ended.
//
// Invariant: the runs of a buffer are ascending. Two buffers are neighbours if a run of the one meets
// a run of the other, and each pair is listed once.
//
// Complexity: O(r log r) for r runs, and up to looksMost looks, once for a problem.
//
// Source: this project.

// looksMost is how many looks at pairs of runs there may be: buffers with very many runs have no ejections.
const looksMost = 8 * pairsMost

// runs are the stretches of time in which buffers are live. Those of buffer k are of[k]:of[k+1].
type runs struct {
	several       bool // not each buffer has one run, which would have its number
	of            []int32
	whose         []int32 // by run: its buffer
	opens, closes []int32 // sections: it is live in opens:closes
	began, done   []int32 // moments: it is live at began:done
	looks         int     // at pairs of runs
}

// Ejects reports whether ejections can plan a problem: no buffer has a fixed offset, or a gap in which it uses a part
// of its bytes.
func Ejects(tl *timeline.Timeline) bool {
	for i := range tl.Problem.Buffers {
		if b := &tl.Problem.Buffers[i]; b.Fixed != nil || b.HasWindow() {
			return false
		}
	}
	return true
}

// newRuns lists the runs of all buffers.
func (x *pass) newRuns() runs {
	n := len(x.order)
	r := runs{of: make([]int32, n+1), whose: make([]int32, 0, n), opens: make([]int32, 0, n), closes: make([]int32, 0, n)}
	for k, i := range x.order {
		for _, s := range x.tl.Spans(int(i)) {
			r.whose, r.opens, r.closes = append(r.whose, int32(k)), append(r.opens, s.First), append(r.closes, s.Last)
		}
		r.of[k+1] = int32(len(r.whose))
		r.several = r.several || r.of[k+1] != int32(k+1)
	}
	return r
}

// lives returns in how many sections a buffer is live.
func (r *runs) lives(k int32) (sections int64) {
	for q := r.of[k]; q < r.of[k+1]; q++ {
		sections += int64(r.closes[q] - r.opens[q])
	}
	return sections
}

// meet calls visit for each pair of buffers that are live together, and returns false if these are too many.
func (r *runs) meet(visit func(j, k int32)) bool {
	pairs := 0
	var live []int32
	for _, q := range r.inOrder(r.opens) {
		kept, k := live[:0], r.whose[q]
		for _, p := range live {
			if r.closes[p] > r.opens[q] {
				kept = append(kept, p)
			}
		}
		if pairs += len(kept); pairs > pairsMost/2 { // each is in two lists
			return false
		}
		for _, p := range kept {
			if j := r.whose[p]; r.anew(p, q) {
				visit(j, k)
			}
		}
		if r.looks > looksMost {
			return false
		}
		live = append(kept, q)
	}
	return true
}

// anew reports whether two runs that meet are the first ones of their buffers that do.
func (r *runs) anew(p, q int32) bool {
	j, k := r.whose[p], r.whose[q]
	for a, b := r.of[j], r.of[k]; a != p || b != q; r.looks++ {
		switch {
		case r.closes[a] <= r.opens[b]:
			a++
		case r.closes[b] <= r.opens[a]:
			b++
		default:
			return false
		}
	}
	return true
}

// inOrder returns the runs in the order of a number.
func (r *runs) inOrder(by []int32) []int32 {
	all := make([]int32, len(r.whose))
	for q := range all {
		all[q] = int32(q)
	}
	slices.SortStableFunc(all, func(p, q int32) int { return cmp.Compare(by[p], by[q]) })
	return all
}

// moments numbers the moments at which a run ends and one has begun since the last of them, and returns how many there
// are. Any two buffers that are live together are so at one of these, and each run is live at some that follow each
// other.
func (r *runs) moments() (count int32) {
	n := len(r.whose)
	r.began, r.done = make([]int32, n), make([]int32, n)
	byStart, next, grown := r.inOrder(r.opens), 0, false
	for _, q := range r.inOrder(r.closes) {
		for ; next < n && r.opens[byStart[next]] < r.closes[q]; next++ {
			r.began[byStart[next]], grown = count, true
		}
		if grown {
			count, grown = count+1, false
		}
		r.done[q] = count
	}
	return count
}
