package pools

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: the time of the buffers of one thread is a line, the thread's own clock. So each thread can be planned alone,
// as a plain problem, and the plans are stacked. Buffers of different threads then never share bytes, though messages
// may allow it. But if
//
//	sum over threads of the thread's load = heaviest antichain
//
// then sharing gains nothing, and stacked plans that are as low as the loads are optimal. This holds for loosely
// coupled threads, and for OmniMalloc's tilings, in which each thread fills a band without a hole. No search on the
// graph finds such plans, and planners of plain problems find them easily.
//
// The problem does not say which thread a buffer belongs to. The clocks do. An event e (a begin or an end) belongs to
// thread t if every event that knows of e by clock t knows at least as much as e by every clock:
//
//	e is of t   if f[t] >= e[t] implies f >= e by every clock, for all events f
//
// A buffer belongs to a thread if its begin and its end do, at different times. If some buffer belongs to no thread,
// threads are not used. If there are few events, a buffer may belong to several threads. Then a search (lanes)
// distributes these buffers such that the loads add up to no more than the bound. It takes the buffer with the fewest
// possible threads first; mostly one thread is left.
//
// Invariant: none is needed. Stacked plans are valid however the buffers were divided.
//
// Complexity: O(n log n · clocks²) for the events, at most laneNodes nodes of O(n²) for the lanes, and what planning
// the threads takes.
//
// Source: vector clocks (Fidge 1988, Mattern 1989), of which this is the defining property.

// threadsPart: threads get 1/threadsPart of the limit.
const threadsPart = 2

// threads is the turn that plans each thread alone.
func (u *untangling) threads(ctx context.Context) error {
	groups := u.byThread()
	if groups == nil {
		return nil
	}
	parts, loads := u.parts(groups), int64(0)
	for _, x := range parts {
		loads += timeline.New(x.strip.Problem).LowerBound
	}
	if loads > u.goal {
		return nil
	}
	ctx, cancel := run.Share(ctx, threadsPart)
	defer cancel()
	old := u.s.options.NodeLimit
	if nodes, limited := u.left(); limited {
		u.s.options.NodeLimit -= nodes - nodes/threadsPart
	}
	a, err := u.apart(ctx, parts)
	u.s.options.NodeLimit = old
	if a.status.HasPlan() {
		u.k.Adopt(a.offsets)
	}
	return err
}

// byThread returns the buffers of each thread, as indices in the strip, or nil if there are not several threads.
func (u *untangling) byThread() (groups [][]int32) {
	if !stackable(u.st) {
		return nil
	}
	clocks := make([]*model.Clocks, len(u.st.Members))
	for k, i := range u.st.Members {
		clocks[k] = u.s.Lowering.Problem.Buffers[i].Extra.Clocks
	}
	threads := len(clocks[0].Lower)
	may := make([][]int32, len(clocks)) // the threads that a buffer may be of
	for t := range threads {
		of := eventsOf(clocks, t)
		for k, c := range clocks {
			if of[2*k] && of[2*k+1] && c.Lower[t] < c.Upper[t] {
				may[k] = append(may[k], int32(t))
			}
		}
	}
	l := newLanes(u.st.Problem.Buffers, clocks, may, u.goal)
	if !l.share() {
		return nil
	}
	groups = make([][]int32, threads)
	for k, t := range l.of {
		groups[t] = append(groups[t], int32(k))
	}
	groups = slices.DeleteFunc(groups, func(g []int32) bool { return g == nil })
	if len(groups) < 2 {
		return nil
	}
	return groups
}

// laneNodes is the most nodes of the search for lanes.
const laneNodes = 2000

// lanes has the threads, with the loads of their buffers so far.
type lanes struct {
	buffers []model.Buffer
	clocks  []*model.Clocks
	may     [][]int32
	of      []int32 // the thread of each buffer, or -1
	times   [][]int64
	load    [][]int64 // of each thread, from each of its times to the next
	peak    []int64   // of each thread
	sum     int64     // of the peaks
	most    int64     // that sum may be
	nodes   int
}

// newLanes puts each buffer that may belong to only one thread into that thread.
func newLanes(buffers []model.Buffer, clocks []*model.Clocks, may [][]int32, most int64) *lanes {
	threads := len(clocks[0].Lower)
	l := &lanes{buffers: buffers, clocks: clocks, may: may, most: most, nodes: laneNodes}
	l.of, l.times, l.load, l.peak = make([]int32, len(may)), make([][]int64, threads), make([][]int64, threads),
		make([]int64, threads)
	for k, c := range clocks {
		l.of[k] = -1
		for _, t := range may[k] {
			l.times[t] = append(l.times[t], c.Lower[t], c.Upper[t])
		}
	}
	for t := range l.times {
		slices.Sort(l.times[t])
		l.times[t] = slices.Compact(l.times[t])
		l.load[t] = make([]int64, len(l.times[t]))
	}
	for k := range may {
		if len(may[k]) == 1 {
			l.put(int32(k), may[k][0], 1)
		}
	}
	return l
}

// part returns the loads of a thread in the time of buffer k.
func (l *lanes) part(k, t int32) []int64 {
	from, _ := slices.BinarySearch(l.times[t], l.clocks[k].Lower[t])
	to, _ := slices.BinarySearch(l.times[t], l.clocks[k].Upper[t])
	return l.load[t][from:to]
}

// put puts buffer k into a thread, or with sign -1 takes it out. The caller restores the peak after that.
func (l *lanes) put(k, t int32, sign int64) {
	most := l.peak[t]
	for i, part := 0, l.part(k, t); i < len(part); i++ {
		part[i] += sign * l.buffers[k].Size
		most = max(most, part[i])
	}
	l.sum += most - l.peak[t]
	if l.peak[t], l.of[k] = most, t; sign < 0 {
		l.of[k] = -1
	}
}

// rise is how much buffer k raises the peak of a thread.
func (l *lanes) rise(k, t int32) int64 {
	return max(0, slices.Max(l.part(k, t))+l.buffers[k].Size-l.peak[t])
}

// share distributes the other buffers among their threads. It reports whether the loads then add up to at most most.
func (l *lanes) share() bool {
	if l.nodes--; l.nodes < 0 || l.sum > l.most {
		return false
	}
	type option struct {
		thread int32
		rise   int64
	}
	var best []option
	next := int32(-1)
	for k := range int32(len(l.may)) {
		if l.of[k] >= 0 {
			continue
		}
		var options []option
		for _, t := range l.may[k] {
			if rise := l.rise(k, t); l.sum+rise <= l.most {
				options = append(options, option{t, rise})
			}
		}
		if next < 0 || len(options) < len(best) {
			next, best = k, options
		}
		if len(options) == 0 {
			return false
		}
	}
	if next < 0 {
		return true
	}
	sorting.Structs(best, func(a, b option) int { return cmp.Compare(a.rise, b.rise) })
	for _, x := range best {
		peak, sum := l.peak[x.thread], l.sum
		if l.put(next, x.thread, 1); l.share() {
			return true
		}
		l.put(next, x.thread, -1)
		l.peak[x.thread], l.sum = peak, sum
	}
	return false
}

// eventsOf says which events belong to thread t. Event 2k is the begin of buffer k, and 2k+1 its end.
func eventsOf(clocks []*model.Clocks, t int) []bool {
	events := make([][]int64, 0, 2*len(clocks))
	order := make([]int32, 2*len(clocks))
	for _, c := range clocks {
		events = append(events, c.Lower, c.Upper)
	}
	for e := range order {
		order[e] = int32(e)
	}
	slices.SortFunc(order, func(e, f int32) int { return cmp.Compare(events[f][t], events[e][t]) })
	of, least := make([]bool, len(events)), slices.Clone(events[order[0]])
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && events[order[to]][t] == events[order[from]][t] {
			for c, at := range events[order[to]] {
				least[c] = min(least[c], at)
			}
			to++
		}
		for _, e := range order[from:to] {
			of[e] = slices.Equal(events[e], least) // least is at most each of them
		}
		from = to
	}
	return of
}
