package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
)

// Idea: steps are of one kind if each thread allocates the same sizes, alignments and streams in the same order, and
// their names are equal. Steps that come at least twice are planned; if there are none, the last step is. The clock
// of a step counts its allocations: the i-th begins at time i, and an allocation that is freed before the i-th begins
// ends at i. Frees do not move that clock, so steps that differ only in their frees have the same times. In a step of
// n allocations, an allocation that is freed in the next step of its kind, after j allocations, ends at n + j in the
// cycle.
//
// Invariant: the lifespan of an allocation covers its lifespans in all steps of its kind. If there is only one step
// of a kind and the trace ends with it, live allocations get the ends of similar ones in the step before (guess). If
// threads interleave differently, times are those of the last such step, and a free comes after all earlier
// allocations of its own step.
//
// An allocation is kept, and not planned, if it is still live when the next step of its kind makes it again: it would
// need two places. With Apart, steps of such a kind are kinds of their own as far as other allocations survive them: the first
// step of an accumulation leaves the gradients, to which the later ones only add.
//
// Streams: if another stream uses an allocation, the allocation stays live after its free until its own stream has
// waited for the other stream.
//
// Complexity: O(events), and for each wait of all or for all the pairs of streams (waits.go).

// A step is one step of the trace.
type step struct {
	shape int  // index into the shapes; -1: not planned
	whole bool // its end is in the trace
	next  int  // the next step of this shape; -1: none
	from  int  // its first event
}

// A shape is a kind of step: all steps that are alike.
type shape struct {
	name  int64
	times int
	last  int // its last step
	n     int // allocations
	plan  int // index of its plan; -1: none
}

// place is where an allocation of the trace is.
type place struct {
	step   int32
	thread int32
	index  int32 // in its lane
}

// folding is the state of Fold.
type folding struct {
	t      *Trace
	steps  []step
	shapes []shape
	allocs []place         // by number
	at     []int           // by number: its event
	order  [][][]int32     // of each shape: lane, index -> time, by the shape's last step
	slot   []map[int32]int // of each shape: thread -> lane
	plans  []Plan
	ends   [][][]life // of each plan: lane, index

	apart []string // of each step: tells it apart from others that ask for the same; nil: nothing does
}

// life is the lifespan of an allocation, as seen so far.
type life struct {
	seen, crosses, kept bool
	upper               int64 // within the step, or in the next one if it crosses
}

// FoldOptions say what is planned.
type FoldOptions struct {
	// Alignment is the least alignment of every allocation, in bytes: a power of two. 0 means 64.
	Alignment int64
	// Guard is how many bytes stay free behind each allocation, for guard mode.
	Guard int64
	// All plans steps that come only once, too.
	All bool
	// Apart tells steps that ask for the same apart by what survives them, if one plan for all would keep something.
	Apart bool
}

// Fold returns a plan without offsets for each kind of step that is planned, in the order in which they
// come. It is empty if the trace has no whole step with an allocation.
func Fold(t *Trace, o FoldOptions) []Plan {
	f := fold1(t, o, nil)
	if !o.Apart || len(f.plans) == 0 {
		return f.plans
	}
	// A kind is told apart by survivors only if one plan for all of it has to keep something.
	var apart []bool
	for _, s := range f.shapes {
		kept := s.plan >= 0 && s.times > 1 && slices.ContainsFunc(f.ends[s.plan], func(lane []life) bool {
			return slices.ContainsFunc(lane, func(l life) bool { return l.kept })
		})
		apart = append(apart, kept)
	}
	if !slices.Contains(apart, true) {
		return f.plans
	}
	survivors := make([]string, len(f.steps))
	for i, s := range f.steps {
		if s.shape >= 0 && apart[s.shape] {
			survivors[i] = f.survivors(i)
		}
	}
	return fold1(t, o, survivors).plans
}

// fold1 folds a trace. survivors tell steps apart that ask for the same; nil tells none apart.
func fold1(t *Trace, o FoldOptions, survivors []string) *folding {
	f := &folding{t: t, apart: survivors}
	f.split()
	f.choose(o)
	if len(f.plans) > 0 {
		f.follow()
		f.join()
	}
	return f
}

// survivors returns which allocations of a step are live when the next step allocates, as a text.
func (f *folding) survivors(i int) string {
	first := slices.IndexFunc(f.allocs, func(p place) bool { return int(p.step) == i })
	if first < 0 {
		return ""
	}
	live := map[int64]bool{}
	for n := first; n < len(f.allocs) && int(f.allocs[n].step) == i; n++ {
		live[int64(n)] = true
	}
	for _, e := range f.t.Events[f.steps[i].from+1:] {
		if e.Kind == Free {
			delete(live, e.N)
		} else if e.Kind == Alloc && len(live) > 0 {
			if first >= len(f.allocs) || int(f.allocs[first].step) != i {
				break
			}
			first++
		}
	}
	var text []byte
	for _, n := range slices.Sorted(maps.Keys(live)) {
		text = binary.AppendUvarint(text, uint64(f.allocs[n].thread))
		text = binary.AppendUvarint(text, uint64(f.allocs[n].index))
	}
	return string(text)
}

// split finds the steps, the shapes and the place of each allocation.
func (f *folding) split() {
	known := map[[32]byte]int{}
	type own struct {
		thread int32
		keys   []byte
		n      int32
	}
	var lanes []own
	laneOf := map[int32]int{}
	var name int64
	total := 0
	for at, e := range f.t.Events {
		switch {
		case e.Kind == Begin && e.Level == 1:
			lanes, name, total = nil, e.N, 0
			laneOf = map[int32]int{}
			f.steps = append(f.steps, step{shape: -1, next: -1, from: at})
		case e.Kind == Alloc:
			k, known := laneOf[e.Thread]
			if !known {
				k = len(lanes)
				laneOf[e.Thread] = k
				lanes = append(lanes, own{thread: e.Thread})
			}
			l := &lanes[k]
			l.keys = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(l.keys, uint64(e.N)),
				uint64(e.Shift)), e.Stream)
			f.allocs = append(f.allocs, place{int32(len(f.steps) - 1), e.Thread, l.n})
			f.at = append(f.at, at)
			l.n++
			total++
		case e.Kind == End && e.Level == 1:
			slices.SortFunc(lanes, func(a, b own) int { return int(a.thread) - int(b.thread) })
			h := sha256.New()
			var head []byte
			head = binary.AppendVarint(head, name)
			for _, l := range lanes {
				head = binary.AppendVarint(binary.AppendVarint(head, int64(l.thread)), int64(len(l.keys)))
				h.Write(append(head, l.keys...))
				head = head[:0]
			}
			h.Write(head)
			if f.apart != nil {
				h.Write([]byte(f.apart[len(f.steps)-1]))
			}
			key := [32]byte(h.Sum(nil))
			s, ok := known[key]
			if !ok {
				s = len(f.shapes)
				known[key] = s
				f.shapes = append(f.shapes, shape{name: name, n: total, plan: -1, last: -1})
			}
			now := len(f.steps) - 1
			if before := f.shapes[s].last; before >= 0 {
				f.steps[before].next = now
			}
			f.shapes[s].last, f.steps[now].shape, f.steps[now].whole = now, s, true
			f.shapes[s].times++
		}
	}
}

// choose decides which shapes are planned, and makes their plans from their last steps.
func (f *folding) choose(o FoldOptions) {
	twice := slices.ContainsFunc(f.shapes, func(s shape) bool { return s.n > 0 && s.times > 1 })
	last := -1
	for i, s := range f.shapes {
		if s.n > 0 && (last < 0 || s.last > f.shapes[last].last) {
			last = i
		}
	}
	f.order, f.slot = make([][][]int32, len(f.shapes)), make([]map[int32]int, len(f.shapes))
	for i := range f.shapes {
		s := &f.shapes[i]
		if s.n == 0 || !o.All && (twice && s.times < 2 || !twice && i != last) {
			continue
		}
		s.plan = len(f.plans)
		f.plans = append(f.plans, f.draft(i, o))
		var ends [][]life
		for _, lane := range f.plans[s.plan].Lanes {
			ends = append(ends, make([]life, len(lane.Allocations)))
		}
		f.ends = append(f.ends, ends)
	}
}

// draft makes the plan of a shape from its last step, without lifespans.
func (f *folding) draft(i int, o FoldOptions) Plan {
	s := &f.shapes[i]
	align := max(o.Alignment, 1)
	if o.Alignment == 0 {
		align = 64
	}
	p := Plan{Name: f.t.Names[s.name], Alignment: align, Guard: o.Guard, Times: s.times}
	slot := map[int32]int{}
	f.slot[i] = slot
	type open struct {
		level, lane int32
		scope       int
	}
	var stack []open
	var threads []int32
	events := f.t.Events[f.steps[s.last].from:]
	end := slices.IndexFunc(events, func(e Event) bool { return e.Kind == End && e.Level == 1 })
	events = events[1 : end+1] // its end closes all scopes
	for _, e := range events {
		if _, known := slot[e.Thread]; e.Kind == Alloc && !known {
			slot[e.Thread] = 0
			threads = append(threads, e.Thread)
		}
	}
	slices.Sort(threads)
	for k, thread := range threads {
		slot[thread] = k
		p.Lanes = append(p.Lanes, Lane{Thread: int64(thread)})
	}
	f.order[i] = make([][]int32, len(threads))
	now := int32(0)
	for _, e := range events {
		k, known := slot[e.Thread]
		switch {
		case e.Kind == Alloc:
			a := Allocation{Size: e.N, Alignment: max(align, 1<<e.Shift), Stream: e.Stream, Offset: None, Lower: int64(now)}
			p.Alignment = max(p.Alignment, a.Alignment)
			p.Lanes[k].Allocations = append(p.Lanes[k].Allocations, a)
			f.order[i][k] = append(f.order[i][k], now)
			now++
		case e.Kind == Begin && e.Level > 1 && known:
			lane := &p.Lanes[k]
			stack = append(stack, open{e.Level, int32(k), len(lane.Scopes)})
			n := int64(len(lane.Allocations))
			lane.Scopes = append(lane.Scopes, Scope{Name: f.t.Names[e.N], First: n, End: n})
		case e.Kind == End:
			for len(stack) > 0 && stack[len(stack)-1].level >= e.Level {
				top := stack[len(stack)-1]
				lane := &p.Lanes[top.lane]
				lane.Scopes[top.scope].End = int64(len(lane.Allocations))
				stack = stack[:len(stack)-1]
			}
		}
	}
	return p
}

// moment is the position of follow in the trace.
type moment struct {
	step   int   // the step that is open, or the last one
	clock  int64 // its time
	within bool  // it is open
}

// crossing identifies an allocation that lives across the end of a step, by the facts that it shares with the same
// allocation of the next step.
type crossing struct {
	size   int64
	stream uint64
}

// guess gives allocations that are live at the end of a trace the ends of similar ones. The first step of a program
// often differs from the second, because it allocates the state of the optimizer. So in a trace of two steps no kind
// comes twice, and the trace does not show when the gradients of the second step end. But the gradients of the first
// step, which have the same sizes and order, ended in the second. A wrong guess costs only bytes or a refusal, since
// the arena never serves bytes that are live.
func (f *folding) guess(freed map[int64]int64) {
	last := len(f.steps) - 1
	if last < 1 || f.steps[last].shape < 0 || f.shapes[f.steps[last].shape].times > 1 ||
		f.shapes[f.steps[last].shape].plan < 0 {
		return
	}
	ends := map[crossing][]int64{}
	for id, p := range f.allocs {
		e := f.t.Events[f.at[id]]
		like := crossing{e.N, e.Stream}
		switch int(p.step) {
		case last - 1:
			if end, ok := freed[int64(id)]; ok {
				ends[like] = append(ends[like], end)
			}
		case last:
			if l, _ := f.of(int64(id)); l != nil && !l.seen && !l.kept && len(ends[like]) > 0 {
				if end := ends[like][0]; end <= f.time(int64(id)) {
					l.see(true, end)
				}
				ends[like] = ends[like][1:]
			}
		}
	}
}

// follow goes through the trace and notes when allocations end.
func (f *folding) follow() {
	now := moment{step: -1}
	number := int64(0)
	live := map[int64]uint64{} // allocation -> stream
	uses := map[int64][]uint64{}
	waiting := waits{}
	freed := map[int64]int64{} // allocations of the step before the last -> their end in the last
	release := func(id int64) {
		if now.within && now.step == len(f.steps)-1 && int(f.allocs[id].step) == now.step-1 {
			freed[id] = now.clock
		}
		f.release(id, now)
	}
	for _, e := range f.t.Events {
		switch e.Kind {
		case Begin:
			if e.Level == 1 {
				now = moment{step: now.step + 1, within: true}
			}
		case End:
			now.within = now.within && e.Level > 1
		case Alloc:
			if s := f.steps[now.step].shape; s >= 0 && f.shapes[s].plan >= 0 {
				now.clock = max(now.clock, f.time(number)+1)
			}
			live[number] = e.Stream
			number++
		case Use:
			if stream, ok := live[e.N]; ok && e.Stream != stream && !slices.Contains(uses[e.N], e.Stream) {
				uses[e.N] = append(uses[e.N], e.Stream)
			}
		case Free:
			if stream, ok := live[e.N]; !ok {
				continue // a second free
			} else if len(uses[e.N]) > 0 {
				waiting.add(e.N, stream, uses[e.N])
			} else {
				release(e.N)
			}
			delete(uses, e.N)
			delete(live, e.N)
		case Wait:
			waiting.end(e.Waiter, e.Stream, release)
		}
	}
	for _, of := range waiting {
		for _, list := range of {
			for _, h := range list {
				f.remains(h.id)
			}
		}
	}
	for id := range live {
		f.remains(id)
	}
	f.guess(freed)
}

// time is the time of an allocation in its step, whose shape is planned.
func (f *folding) time(id int64) int64 {
	p := &f.allocs[id]
	s := f.steps[p.step].shape
	return int64(f.order[s][f.slot[s][p.thread]][p.index])
}

// of returns the life of an allocation and the index of its shape; nil if it is not planned.
func (f *folding) of(id int64) (*life, int) {
	p := &f.allocs[id]
	s := f.steps[p.step].shape
	if s < 0 || f.shapes[s].plan < 0 {
		return nil, 0
	}
	return &f.ends[f.shapes[s].plan][f.slot[s][p.thread]][p.index], s
}

// release notes the end of an allocation.
func (f *folding) release(id int64, now moment) {
	l, s := f.of(id)
	if l == nil {
		return
	}
	own := int(f.allocs[id].step)
	n := int64(f.shapes[s].n)
	end := n
	if now.within {
		end = now.clock
	}
	switch next := f.steps[own].next; {
	case now.step == own:
		l.see(false, end)
	case next < 0 || now.step < next:
		if f.steps[now.step].whole {
			l.see(true, 0)
		}
	case now.step == next && end <= f.time(id):
		l.see(true, end)
	default:
		l.kept = true
	}
}

func (l *life) see(crosses bool, upper int64) {
	if l.seen && crosses == l.crosses {
		upper = max(upper, l.upper)
	} else if l.seen && l.crosses {
		crosses, upper = true, l.upper
	}
	l.seen, l.crosses, l.upper = true, crosses, upper
}

// remains notes an allocation that is never freed: it is kept if the next step of its kind has ended.
func (f *folding) remains(id int64) {
	if l, _ := f.of(id); l != nil && f.steps[f.allocs[id].step].next >= 0 {
		l.kept = true
	}
}

// join puts the steps one after the other into one cycle.
func (f *folding) join() {
	total, base := int64(0), int64(0)
	for _, s := range f.shapes {
		if s.plan >= 0 {
			total += int64(s.n)
		}
	}
	for i := range f.plans {
		p := &f.plans[i]
		p.Period = total
		n := int64(0)
		for k := range p.Lanes {
			for j := range p.Lanes[k].Allocations {
				a, l := &p.Lanes[k].Allocations[j], &f.ends[i][k][j]
				a.Lower += base
				switch {
				case l.kept || !l.seen:
					a.Upper = a.Lower
				case l.crosses:
					a.Upper = base + total + l.upper
				default:
					a.Upper = base + l.upper
				}
				n++
			}
		}
		base += n
	}
}
