package framework

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: MindSpore's SOMAS runs a small portfolio, two algorithms × two sorts × two fits, and keeps the lowest plan.
//
//	single   one space; a buffer goes into a hole between its conflicts
//	shared   a pile of footprints, each as large as its first buffer; a buffer
//	         goes into the first footprint in which it does not conflict with
//	         that first buffer and finds a hole; else a new footprint on top
//
//	size     size descending, then the input's order
//	peak     least peakShares first, then as size
//
//	best     the smallest hole, the lowest on a tie
//	smallest the lowest hole
//
// MindSpore expects shared plans to run faster. A single plan is taken only if it is lower than the best shared plan
// by more than 100 MiB. So on smaller problems the answer is always a shared plan.
//
// A quirk is kept: only the first footprint knows the fit; the ones above it always take the best.
//
// Buffers that live from the first time of the problem to its last are lifelong and are stacked on top of the plan.
//
// Invariant: the members of a footprint are sorted by offset; the footprint ends where the next one starts.
//
// Complexity: O(n²) for shared, that of place.Place for single.
//
// Rounding: SOMAS adds 543 to a size and cuts it to a multiple of 512, so that 512
// bytes take 1024. That is round=512 with pad=32 here.
//
// Source: MindSpore, somas_solver_core, somas_solver_alg and somas_solver_pre (047be2d), Somas::UpdateTensorPeak
// (17110c7) for can_reuse_peak_mem, which is a number of bytes: those of the tensors live at the peak with which the
// tensor does not conflict. SOMAS finds conflicts in a graph over several streams; here they are those of the problem,
// and the peak is its first section of the largest load. Contiguous groups for communication and graph outputs have no
// place in a problem yet, and the sorts and fits of debug builds are left out.
//
// Tried and dropped: 0 for what is live at the peak and 1 for the rest. On idealloc's
// pangu_2.6B and G_1 the plan is then above the load; counted in bytes it is at it.

func init() {
	register(planner{
		name:    "somas",
		summary: "portfolio: shared and single spaces, two sort orders, two fits",
		source:  "MindSpore, SOMAS solver (047be2d)",
		params: []param{
			{name: "algorithm", words: []string{"portfolio", "shared", "single"}, summary: "portfolio, shared or single"},
			{name: "sort", words: []string{"size", "peak"}, summary: "size or peak; the portfolio takes both"},
			{name: "fit", words: []string{"best", "smallest"}, summary: "best or smallest; the portfolio takes both"},
			{name: "threshold", otherwise: 104857600, least: 0, most: model.MaxSum, summary: "in the portfolio, a plan of the algorithm single must be lower than a shared one by more than this many bytes"},
			{name: "pad", otherwise: 0, least: 0, most: 1 << 40, summary: "bytes added to each size before it is rounded; the framework adds 32"},
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
	s.orders[1] = slices.Clone(s.orders[0])
	shares := s.peakShares()
	t.sort(s.orders[1], func(a, b int32) int { return cmp.Compare(shares[a], shares[b]) })
	return s
}

// peakShares returns, for each buffer, the bytes of the buffers at the peak with which
// it shares no time: how much of the peak could lie where it lies.
func (s *somasSolver) peakShares() []int64 {
	t := s.t
	shares := make([]int64, len(t.buffers))
	if t.tl.Sections() == 0 {
		return shares // nothing is ever active
	}
	peak := int32(0)
	for k, load := range t.tl.Load {
		if load > t.tl.Load[peak] {
			peak = int32(k)
		}
	}
	atPeak := func(i int32) bool {
		return slices.ContainsFunc(t.tl.Spans(int(i)), func(s timeline.Span) bool { return s.First <= peak && peak < s.Last })
	}
	var conflicts []int32
	at := make([]bool, len(t.buffers))
	var members []int32
	for i := range t.buffers {
		if at[i] = atPeak(int32(i)); at[i] {
			members = append(members, int32(i))
		}
	}
	if t.tl.HasGaps() {
		for i := range t.buffers {
			if t.stopped() {
				panic(errStopped) // for attempt
			}
			shares[i] = t.tl.Load[peak]
			conflicts = append(t.tl.AppendConflicts(conflicts[:0], i), int32(i))
			for _, j := range conflicts {
				if at[j] {
					shares[i] -= t.buffers[j].Size
				}
			}
		}
		return shares
	}
	// Without gaps: buffers that end before the peak can lie where those lie that start later, and buffers that start
	// after the peak where those lie that have ended by then.
	byStart, byEnd := slices.Clone(members), members
	t.sort(byStart, func(a, b int32) int { return t.earlier(int(a), int(b)) })
	t.sort(byEnd, func(a, b int32) int { return t.endsEarlier(int(a), int(b)) })
	sums := func(order []int32) []int64 {
		sum := make([]int64, len(order)+1)
		for k, i := range order {
			sum[k+1] = sum[k] + t.buffers[i].Size
		}
		return sum
	}
	started, ended := sums(byStart), sums(byEnd)
	for i := range t.buffers {
		b := &t.buffers[i]
		after := sort.Search(len(byStart), func(k int) bool { return t.buffers[byStart[k]].Lower >= b.Upper })
		before := sort.Search(len(byEnd), func(k int) bool { return t.buffers[byEnd[k]].Upper > b.Lower })
		shares[i] = started[len(byStart)] - started[after] + ended[before]
	}
	return shares
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

// hole returns the offset that the fit gives buffer i in a footprint, -1 where there is none.
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
