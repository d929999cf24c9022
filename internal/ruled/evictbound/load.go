// Package evictbound chooses evictions by the loads alone. It computes how many bytes must leave at each time, a cheap
// set of evictions that frees them, and a lower bound of the price of any such set. It asks no planner.
//
//	load.go     the bytes above the capacity, section by section
//	flow.go     a bound of the price: the linear program, by a flow
//	row.go      a better bound: evictions of one section are taken whole
//	greedy.go   a cheap set: greedy, then ruin and recreate
package evictbound

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: what is live at one time must fit. So at each time the evictions taken must free the bytes above the capacity:
//
//	for each section t:   sum of the bytes at t of the evictions taken   >=   live bytes at t - capacity
//
// A section is a stretch between two times at which evictions begin or end. It counts with its largest load. Sections
// that fit anyway are left out. All buffers are one family, whose capacity is the sum over pools. The buffers that may
// be in only one pool are a family with the capacity of that pool. Reserved bytes are no capacity.
//
// A buffer counts only if it conflicts with all buffers that live beside it. So buffers are left out that may overlap
// another, have a distance, or are tied.
//
// Invariant: a set of evictions that does not free the excess of every section has no plan.
//
// Complexity: O(n log n + sum of the lengths of the evictions in sections).

// An Eviction is a stretch of a buffer's life in which it may be absent.
type Eviction struct {
	model.Eviction
	Buffer int32
}

// All lists the evictions of a problem, in the order of the buffers.
func All(p *model.Problem) (all []Eviction) {
	for i := range p.Buffers {
		if x := p.Buffers[i].Extra; x != nil {
			for _, e := range x.Evictions {
				all = append(all, Eviction{e, int32(i)})
			}
		}
	}
	return all
}

// Price returns the cost of a set of evictions. taken[n] says whether the nth of all is in it.
func Price(all []Eviction, taken []bool) (sum int64) {
	for n, x := range all {
		if taken[n] {
			sum += x.Cost
		}
	}
	return sum
}

// Loads has the sections whose load exceeds the capacity, and the bytes that evictions free there.
type Loads struct {
	all      []Eviction
	families []*family
	flows    []*flow
}

// A family is a set of buffers that must fit into a capacity together. Its sections are the rows.
type family struct {
	excess  []int64    // of each section, the bytes above the capacity, at least 1
	columns [][]relief // of each eviction, what it frees; nil for nothing
	one     bool       // its buffers may be in one pool only, so no other such family has its evictions
}

// A relief says that an eviction frees bytes in sections [from, to).
type relief struct {
	from, to int32
	bytes    int64
}

// A span is bytes that are live in [lower, upper).
type span struct{ lower, upper, bytes int64 }

// New computes the loads of a problem whose capacities are smaller by slack bytes. Bounds and Cheap need a flow, which
// ends if over reports a limit. If over is nil, no flow is computed.
func New(p *model.Problem, all []Eviction, slack int64, over func() bool) *Loads {
	l := &Loads{all: all, families: families(p, all, slack)}
	if over != nil {
		l.flow(over)
	}
	return l
}

// Fit reports whether the loads fit without an eviction.
func (l *Loads) Fit() bool { return len(l.families) == 0 }

// Enough reports whether a set of evictions frees the excess of every section.
func (l *Loads) Enough(taken []bool) bool {
	for _, f := range l.families {
		if !f.enough(taken) {
			return false
		}
	}
	return true
}

// families makes the rows of a problem.
func families(p *model.Problem, all []Eviction, slack int64) (out []*family) {
	pools := p.AllPools()
	loose := loose(p)
	room := make([]int64, len(pools))
	sum, limited := int64(0), true
	for k, q := range pools {
		room[k] = q.Capacity - slack
		for _, r := range lower.Merged(q.Reserved) {
			room[k] -= max(0, min(r.Upper, q.Capacity)-r.Lower)
		}
		room[k] = max(0, room[k])
		sum += room[k]
		limited = limited && q.Capacity > 0
	}
	for k, q := range pools {
		if q.Capacity == 0 {
			continue
		}
		f := newFamily(p, all, room[k], func(i int32) bool {
			b := &p.Buffers[i]
			return !loose[i] && (len(pools) == 1 || b.Extra != nil && len(b.Extra.Pools) == 1 && b.Extra.Pools[0] == int32(k))
		})
		f.one = true
		out = append(out, f)
	}
	if limited && len(pools) > 1 {
		out = append(out, newFamily(p, all, sum, func(i int32) bool { return !loose[i] }))
	}
	return slices.DeleteFunc(out, func(f *family) bool { return len(f.excess) == 0 })
}

// loose reports for each buffer whether it may share bytes with a buffer that lives beside it.
func loose(p *model.Problem) []bool {
	of := make([]bool, len(p.Buffers))
	for _, x := range p.Rules.MayOverlap {
		of[x[0]], of[x[1]] = true, true
	}
	for _, x := range p.Rules.Distances {
		of[x.Buffers[0]], of[x.Buffers[1]] = true, true
	}
	for _, t := range p.Rules.Together {
		for _, i := range t.Buffers {
			of[i] = of[i] || len(t.Buffers) > 1
		}
	}
	if p.Rules.Threads > 0 {
		for i := range of {
			of[i] = true
		}
	}
	return of
}

// spans yields what a buffer has live in [lower, upper), modulo the period.
func spans(p *model.Problem, i int32, lower, upper int64, yield func(span)) {
	b := &p.Buffers[i]
	for x := range b.Pieces {
		from, to := max(x.Lower, lower), min(x.Upper, upper)
		if from >= to || x.To <= x.From {
			continue
		}
		t := p.Rules.Period
		if t > 0 && from >= t {
			from, to = from-t, to-t
		}
		if t > 0 && to > t {
			yield(span{0, to - t, x.To - x.From})
			to = t
		}
		yield(span{from, to, x.To - x.From})
	}
}

func newFamily(p *model.Problem, all []Eviction, room int64, has func(i int32) bool) *family {
	f := &family{columns: make([][]relief, len(all))}
	var events []span // in place of two events each
	for i := range p.Buffers {
		if has(int32(i)) {
			spans(p, int32(i), p.Buffers[i].Lower, p.Buffers[i].Upper, func(x span) { events = append(events, x) })
		}
	}
	freed := make([][]span, len(all))
	var cuts []int64
	for n, x := range all {
		if has(x.Buffer) {
			spans(p, x.Buffer, x.Lower, x.Upper, func(y span) {
				freed[n] = append(freed[n], y)
				cuts = append(cuts, y.lower, y.upper)
			})
		}
	}
	most := loadsBetween(events, &cuts)
	place := make([]int32, len(cuts)+1) // of each stretch between cuts, its section
	for k, load := range most {
		place[k] = int32(len(f.excess))
		if load > room {
			f.excess = append(f.excess, load-room)
		}
	}
	place[len(cuts)] = int32(len(f.excess))
	for n := range freed {
		for _, x := range freed[n] {
			from, _ := slices.BinarySearch(cuts, x.lower)
			to, _ := slices.BinarySearch(cuts, x.upper)
			if r := (relief{place[from], place[to], x.bytes}); r.from < r.to {
				f.columns[n] = append(f.columns[n], r)
			}
		}
	}
	return f
}

// loadsBetween returns the largest load from each cut to the next. It sorts the cuts, and adds a cut before all that is
// live.
func loadsBetween(live []span, cuts *[]int64) []int64 {
	type event struct{ at, bytes int64 }
	events := make([]event, 0, 2*len(live))
	begin := int64(math.MaxInt64)
	for _, x := range live {
		events = append(events, event{x.lower, x.bytes}, event{x.upper, -x.bytes})
		begin = min(begin, x.lower)
	}
	*cuts = append(*cuts, begin)
	sorting.Structs(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.bytes, b.bytes)) })
	slices.Sort(*cuts)
	*cuts = slices.Compact(*cuts)
	most := make([]int64, len(*cuts))
	load, k := int64(0), 0
	for n := 0; n < len(events); {
		at := events[n].at
		for k+1 < len(*cuts) && (*cuts)[k+1] <= at {
			if k++; (*cuts)[k] < at {
				most[k] = load // it goes on from before the cut
			}
		}
		for ; n < len(events) && events[n].at == at; n++ {
			load += events[n].bytes
		}
		most[k] = max(most[k], load)
	}
	return most
}

// enough reports whether a set of evictions frees the excess of every section.
func (f *family) enough(taken []bool) bool {
	change := make([]int64, len(f.excess)+1)
	for n, x := range f.columns {
		if taken[n] {
			for _, r := range x {
				change[r.from] += r.bytes
				change[r.to] -= r.bytes
			}
		}
	}
	freed := int64(0)
	for t, excess := range f.excess {
		if freed += change[t]; freed < excess {
			return false
		}
	}
	return true
}
