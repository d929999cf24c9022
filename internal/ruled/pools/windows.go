package pools

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: if a set of bodies has no plan, mostly a few sections are the reason. A window is the sections [first, last):
// bodies outside it are left out, and the lives of the others are cut to it. The planner proves in milliseconds that a
// window of 20 to 40 buffers has no plan, and leaves the whole set of 200 undecided.
//
// Invariant: a plan of the set is a plan of each window. So if a window has no plan, the set has none, and neither
// has any other set with the bodies of the window.
//
// A plan can also be made window by window (Roll). Bodies placed in an earlier window are fixed in the later ones. So
// two bodies that live at the same time are apart: the later of them was placed in a window that has the other.
//
// Complexity: a run of the planner for each window and set of bodies in it; the answers are kept.

const (
	mostWindows  = 200_000 // answers that are kept
	mostWindowed = 1_000   // bodies
)

// Windows asks about the bodies of a pool between two sections.
type Windows struct {
	search      *Search
	Sections    int32
	First, Last []int32 // of the life of each body of the strip
	Body        map[int32]int32
	strip       *lower.Strip       // of all bodies
	tl          *timeline.Timeline // of the strip
	capacity    int64
	answers     map[string]windowed
	key         []byte
}

// windowed is the answer for a window with a set of bodies.
type windowed struct {
	status model.Status
	nodes  int64 // nodes of the question
}

// WindowsOf prepares windows of a pool that these members, ascending, may be in. It returns nil in these cases: the
// pool has no capacity, a body has a gap, an alignment or a fixed offset, there are many bodies, or the planner proves
// nothing.
func (s *Search) WindowsOf(pool int32, members []int32) *Windows {
	strip, capacity := s.Lowering.Strip(pool, members, nil), s.Lowering.Pools[pool].Capacity
	if !s.planner.Info().Exact || len(strip.Problem.Buffers) > mostWindowed {
		return nil
	}
	if capacity == 0 || len(members) == 0 || strip.Impossible != "" || len(strip.Reserved) > 0 || strip.Edges != nil ||
		strip.TooMany {
		return nil
	}
	tl := timeline.New(strip.Problem)
	if !tl.Plain {
		return nil
	}
	w := &Windows{
		search: s, Sections: int32(tl.Sections()), strip: strip, tl: tl, capacity: capacity,
		Body: make(map[int32]int32), answers: make(map[string]windowed),
	}
	for n, i := range strip.Members {
		w.Body[i] = strip.Body[n]
	}
	for i := range strip.Problem.Buffers {
		first, last := tl.Extent(i)
		w.First, w.Last = append(w.First, first), append(w.Last, last)
	}
	return w
}

// Within returns the given bodies that live in the window, in their order.
func (w *Windows) Within(bodies []int32, first, last int32) (in []int32) {
	for _, i := range bodies {
		if w.First[i] < last && w.Last[i] > first {
			in = append(in, i)
		}
	}
	return in
}

// Ask asks the planner whether bodies of the strip, ascending, have a plan in a window, within so many nodes.
func (w *Windows) Ask(ctx context.Context, bodies []int32, first, last int32, nodes int64) (model.Status, error) {
	in := w.Within(bodies, first, last)
	if len(in) < 2 {
		return model.Feasible, nil // one body that may be in the pool always fits
	}
	p := &model.Problem{}
	for _, i := range in {
		b := w.tl.Problem.Buffers[i]
		b.Lower, b.Upper = int64(max(first, w.First[i])), int64(min(last, w.Last[i]))
		p.Buffers = append(p.Buffers, b)
	}
	w.key = w.key[:0]
	for k, i := range in {
		b := &p.Buffers[k]
		for _, x := range [...]int64{int64(i), b.Lower, b.Upper} {
			w.key = append(w.key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
		}
	}
	if a, known := w.answers[string(w.key)]; known && (a.status != model.Unknown || a.nodes >= nodes) {
		return a.status, nil
	}
	key := string(slices.Clone(w.key))
	a, err := w.search.within(nodes, func() (answer, error) { return w.search.one(ctx, p, len(in), w.capacity, false) })
	if err != nil {
		return model.Unknown, err
	}
	if ctx.Err() != nil && a.status == model.Unknown {
		return a.status, nil
	}
	if len(w.answers) < mostWindows {
		w.answers[key] = windowed{a.status, nodes}
	}
	return a.status, nil
}

// Area is the size of a body times the sections of its life in a window.
func (w *Windows) Area(i, first, last int32) int64 {
	return w.tl.Problem.Buffers[i].Size * int64(max(0, min(last, w.Last[i])-max(first, w.First[i])))
}

// Roll looks for a plan of bodies of the strip, ascending, window by window. The first window has the given section
// in its middle. It gives offsets to the bodies that live in that section. Then windows go on to the end, and from
// the section back to the beginning. Each gives offsets to the bodies of its first quarter, and looks ahead with the
// rest. If Roll finds a plan, it offers it and returns -1. Otherwise it returns a section that it could not pass.
func (w *Windows) Roll(
	ctx context.Context, pool int32, bodies []int32, section, length int32, nodes int64,
) (stuck int32, err error) {
	at := make([]int64, len(w.First))
	placed := make([]bool, len(w.First))
	step := max(1, length/4)
	// place plans a window and places the bodies that live in [from, to).
	place := func(first, last, from, to int32) (bool, error) {
		in := w.Within(bodies, first, last)
		now := w.Within(in, from, to)
		if !slices.ContainsFunc(now, func(i int32) bool { return !placed[i] }) {
			return true, nil
		}
		p := &model.Problem{}
		for _, i := range in {
			b := w.tl.Problem.Buffers[i]
			b.Lower, b.Upper = int64(max(first, w.First[i])), int64(min(last, w.Last[i]))
			if placed[i] {
				b.Fixed = &at[i]
			}
			p.Buffers = append(p.Buffers, b)
		}
		a, err := w.search.within(nodes, func() (answer, error) { return w.search.one(ctx, p, len(in), w.capacity, false) })
		if err != nil || !a.status.HasPlan() {
			return false, err
		}
		for n, i := range in {
			if !placed[i] && slices.Contains(now, i) {
				at[i], placed[i] = a.offsets[n], true
			}
		}
		return true, nil
	}
	if ok, err := place(section-length/2, section+length/2, section, section+1); !ok {
		return section, err
	}
	for first := section; first < w.Sections; first += step {
		if ok, err := place(first, first+length, first, first+step); !ok {
			return min(first+length/2, w.Sections-1), err
		}
	}
	for last := section; last > 0; last -= step {
		if ok, err := place(last-length, last, last-step, last); !ok {
			return max(last-length/2, 0), err
		}
	}
	var members []int32
	for _, i := range bodies {
		for n, b := range w.strip.Body {
			if b == i {
				members = append(members, w.strip.Members[n])
			}
		}
	}
	slices.Sort(members)
	all := make([]int64, len(w.search.Lowering.Problem.Buffers))
	w.strip.Lift(at, all)
	w.search.Offer(pool, members, all)
	return -1, nil
}
