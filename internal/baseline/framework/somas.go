package framework

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Idea: MindSpore's SOMAS runs a small portfolio, two algorithms × two sorts ×
// two fits, and keeps the lowest plan.
//
//	single   one space; a buffer goes into a hole between its conflicts
//	shared   a pile of footprints, each as large as its first buffer; a buffer
//	         goes into the first footprint in which it does not conflict with
//	         that first buffer and finds a hole; else a new footprint on top
//
//	size     size descending, then the input's order
//	peak     what is live at the peak first, then as size
//
//	best     the smallest hole, the lowest of those
//	smallest the lowest hole
//
// Shared plans are thought to suit the run time better: a single one takes over
// from a shared one only where it is lower by more than a threshold of 100 MiB.
// On problems smaller than that the answer is always a shared plan.
//
// A quirk that is kept: only the first footprint knows the fit; the ones above
// it always take the best.
//
// Buffers that live from the first time of the problem to its last are lifelong
// and are stacked on top of the plan.
//
// Invariant: the members of a footprint are sorted by offset; the footprint ends
// where the next one starts.
//
// Complexity: O(n²) for shared, that of place.Place for single.
//
// Source: MindSpore, somas_solver_core, somas_solver_alg and somas_solver_pre
// (047be2d). SOMAS finds conflicts in a graph over several streams; here they
// are those of the problem. What can_reuse_peak_mem counts is inferred from its
// name: 0 for what is live in the section of the largest load, 1 for the rest.
// Contiguous groups for communication and graph outputs have no place in a
// problem yet, and the sorts and fits of debug builds are left out.

func init() {
	register(planner{
		name:    "somas",
		summary: "portfolio of shared and single spaces, two sorts, two fits",
		source:  "MindSpore, SOMAS solver (047be2d)",
		params: []param{
			{name: "algorithm", words: []string{"portfolio", "shared", "single"}, summary: "portfolio, shared or single"},
			{name: "sort", words: []string{"size", "peak"}, summary: "size or peak; the portfolio takes both"},
			{name: "fit", words: []string{"best", "smallest"}, summary: "best or smallest; the portfolio takes both"},
			{name: "threshold", otherwise: 104857600, least: 0, most: model.MaxSum, summary: "bytes by which a single plan must beat a shared one in the portfolio, less one"},
		},
		round: 512,
		gaps:  true,
		place: somas,
	})
}

func somas(t *task) error {
	algorithm := t.choice("algorithm")
	bySort := t.choice("sort")
	fit := t.choice("fit")
	threshold := t.number("threshold")
	s := newSomas(t)
	if algorithm > 0 {
		offsets, err := s.solve(algorithm == 2, bySort, fit)
		t.offsets = offsets
		return err
	}
	lowest, shared := int64(math.MaxInt64), true
	for k := range 8 {
		if t.offsets != nil && t.enough() {
			break
		}
		single := k >= 4
		offsets, err := s.solve(single, k/2%2, k%2)
		if err != nil {
			break
		}
		t.nodes += int64(len(t.buffers))
		height := model.HeightOf(t.tl.Problem, offsets)
		if height >= lowest || shared && single && lowest < math.MaxInt64 && lowest-height <= threshold {
			continue
		}
		t.offsets, lowest, shared = offsets, height, !single
	}
	if t.offsets == nil {
		return errStopped
	}
	return nil
}

type somasSolver struct {
	t        *task
	orders   [2][]int32 // by sort: the buffers that are not lifelong
	lifelong []int32
}

func newSomas(t *task) *somasSolver {
	s := &somasSolver{t: t}
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range t.buffers {
		begin, end = min(begin, t.buffers[i].Lower), max(end, t.buffers[i].Upper)
	}
	for _, i := range t.sorted(t.larger) {
		if b := &t.buffers[i]; b.Lower == begin && b.Upper == end && len(b.Gaps) == 0 {
			s.lifelong = append(s.lifelong, i)
		} else {
			s.orders[0] = append(s.orders[0], i)
		}
	}
	slices.Sort(s.lifelong)
	peak := int32(0)
	for k, load := range t.tl.Load {
		if load > t.tl.Load[peak] {
			peak = int32(k)
		}
	}
	elsewhere := func(i int32) int {
		for _, span := range t.tl.Spans(int(i)) {
			if span.First <= peak && peak < span.Last {
				return 0
			}
		}
		return 1
	}
	s.orders[1] = slices.Clone(s.orders[0])
	t.sort(s.orders[1], func(a, b int32) int { return cmp.Compare(elsewhere(a), elsewhere(b)) })
	return s
}

// solve makes one plan of the portfolio.
func (s *somasSolver) solve(single bool, bySort, fit int) ([]int64, error) {
	if s.t.stopped() {
		return nil, errStopped
	}
	var (
		offsets []int64
		top     int64
	)
	if single {
		// What the order leaves out is placed last, and then moved.
		offsets, _ = place.Place(s.t.watch, s.t.tl, s.orders[bySort], [...]place.Fit{place.BestFit, place.FirstFit}[fit])
		for _, i := range s.orders[bySort] {
			top = max(top, offsets[i]+s.t.buffers[i].Size)
		}
	} else {
		var err error
		if offsets, top, err = s.shared(s.orders[bySort], fit); err != nil {
			return nil, err
		}
	}
	for _, i := range s.lifelong {
		offsets[i] = bound.Up(top, s.t.buffers[i].Align())
		top = offsets[i] + s.t.buffers[i].Size
	}
	return offsets, nil
}

// A footprint is a stretch of space that belongs to its first buffer.
type footprint struct {
	start, end int64 // bytes; the next one starts at end
	owner      int32 // the first buffer
	members    []int32
}

// shared fills footprints in the order given, and returns the end of the last.
func (s *somasSolver) shared(order []int32, fit int) ([]int64, int64, error) {
	offsets := make([]int64, len(s.t.buffers))
	var (
		prints []footprint
		top    int64
	)
next:
	for _, i := range order {
		if s.t.stopped() {
			return nil, 0, errStopped
		}
		for k := range prints {
			if k%1024 == 1023 && s.t.stopped() {
				return nil, 0, errStopped
			}
			p := &prints[k]
			if s.conflict(i, p.owner) {
				continue
			}
			smallest := k == 0 && fit == 1
			if at := s.hole(p, i, offsets, smallest); at >= 0 {
				offsets[i] = at
				m := sort.Search(len(p.members), func(m int) bool { return offsets[p.members[m]] > at })
				p.members = slices.Insert(p.members, m, i)
				continue next
			}
		}
		b := &s.t.buffers[i]
		offsets[i] = bound.Up(top, b.Align())
		p := footprint{start: top, end: offsets[i] + b.Size, owner: i, members: []int32{i}}
		prints, top = append(prints, p), p.end
	}
	return offsets, top, nil
}

// hole returns the offset that the fit gives buffer i in a footprint, -1 where
// there is none.
func (s *somasSolver) hole(p *footprint, i int32, offsets []int64, smallest bool) int64 {
	size, align := s.t.buffers[i].Size, s.t.buffers[i].Align()
	best, least := int64(-1), int64(math.MaxInt64)
	current := p.start
	try := func(until int64) {
		start := bound.Up(current, align)
		if left := until - start - size; left >= 0 && (best < 0 || !smallest && left < least) {
			best, least = start, left
		}
	}
	for _, j := range p.members {
		if s.conflict(i, j) {
			if offsets[j] > current {
				try(offsets[j])
			}
			current = max(current, offsets[j]+s.t.buffers[j].Size)
		}
	}
	try(p.end)
	return best
}

// conflict reports whether two buffers are ever active at once.
func (s *somasSolver) conflict(i, j int32) bool { return s.t.tl.Overlaps(int(i), int(j)) }
