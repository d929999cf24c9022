package rectpack

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/planners/descend"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: absolute placement. Buffers are taken in a fixed order, the largest first. Each is tried at every offset of
// its domain, {start} × [0, H - size] in the papers' terms, from the bottom up. Offsets that conflict with placed
// buffers are passed over. strips.go and dominance.go make this more than enumeration.
//
// Invariant: the buffers of the frames are placed and do not conflict. All lower offsets of each have been refuted
// under the frames below, or are dominated.
//
// Complexity: O(H^n) in the worst case, H counted in the largest unit that divides all sizes. Grids of millions of
// units, which the memory of an accelerator has in bytes, are out of reach, as the MiniMalloc paper finds too.
//
// Source: Korf, "Optimal Rectangle Packing", ICAPS 2003 and 2004; Huang and Korf, "Optimal rectangle packing: an
// absolute placement approach", JAIR 2013, with the adaptation of section 8 of the MiniMalloc paper (ASPLOS 2023): the
// start is given, so inferences about the other coordinate have no use. Learning from infeasible subtrees is left out.
//
// Gaps without windows, alignment and fixed offsets are honoured. Windows are
// refused: with them a buffer is no rectangle in any section.

func init() { run.Register(csp{}) }

type csp struct{}

// Name returns the planner's name.
func (csp) Name() string { return "csp" }

// Info describes the planner.
func (p csp) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "rectangle packing by absolute placement: try every offset of every buffer, largest buffer first",
		Source:  "Huang and Korf, JAIR 2013; Moffitt, MiniMalloc, ASPLOS 2023, section 8",
		Exact:   true,
	}, func() run.Settings { return new(cspSettings) })
}

// cspSettings are what can be set.
type cspSettings struct {
	largest, forward, strips, dominance, sums, symmetry, mirror, start bool
}

// Declare lists the techniques.
func (s *cspSettings) Declare(d *run.Declaration) {
	d.Technique(&s.largest, "largest-first", "place buffers by decreasing size × lifetime; without it, in input order")
	d.Technique(&s.forward, "forward-checking", "backtrack if a buffer has no offset left")
	d.Technique(&s.strips, "strips", "backtrack if the free strips of a section cannot hold its unplaced buffers")
	d.Technique(&s.dominance, "dominance", "skip an offset if the buffer could slide down from it without meeting another")
	d.Technique(&s.sums, "subset-sums", "try only offsets that are sums of sizes of other buffers")
	d.Technique(&s.symmetry, "symmetry", "place identical buffers in the order of their numbers")
	d.Technique(&s.mirror, "mirror", "keep the first buffer in the lower half, if every plan turned upside down is a plan")
	d.Technique(&s.start, "start", "when minimising, start from the plan of the heuristics")
}

// Plan searches until it has an answer or a limit comes. Nodes are placements; Seed and Workers are not used. The error
// is for a problem with windows, or one that is too large for its tables.
func (csp) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var set cspSettings
	if err := run.Bind("csp", &o, &set); err != nil {
		return plan.Result{}, err
	}
	for i := range tl.Problem.Buffers {
		b := &tl.Problem.Buffers[i]
		if slices.ContainsFunc(tl.Spans(i), func(s timeline.Span) bool { return s.Lower != 0 || s.Upper != b.Size }) {
			return plan.Result{}, plan.Unsupported("csp", "cannot honour gaps with windows: buffer "+b.ID+" has one")
		}
	}
	cells := 0
	for i := range tl.Problem.Buffers {
		first, last := tl.Extent(i)
		cells += int(last - first)
	}
	if cells > largestTable {
		return plan.Result{}, plan.Unsupported("csp",
			fmt.Sprintf("takes at most %d sections, added up over all buffers, and the problem has %d", largestTable, cells))
	}
	return descend.RunPairs(ctx, "csp", tl, o, set.start, descend.Encoded(tl,
		func(b *descend.Budget, part *timeline.Partition, e *pairwise.Encoding) (descend.PairSolver, bool) {
			return newCSP(tl, b, &set, part, e)
		}))
}

// cspSolver searches one partition. All quantities of space are in units.
type cspSolver struct {
	e      *pairwise.Encoding
	budget *descend.Budget

	order     []int32 // fixed buffers, then the others as they are placed
	fixed     int     // how many of them are fixed
	from      []int32 // conflicts of k are conflict[from[k]:from[k+1]]
	conflict  []int32
	twin      []int32   // identical buffer that comes before, -1 for none
	span      [][]int32 // buffer → its sections, numbered from 0
	bySize    [][]int32 // section → its buffers by ascending size
	plain     bool      // nothing tells up from down, and only sizes make offsets
	half      bool      // mirror
	sums      []uint64  // bit x: x is a sum of sizes; nil if that is no help
	sumsUpTo  int64     // offsets that sums covers
	shared    []int32   // scratch: sections of the buffer in hand, marked by stamp
	stamp     int32
	at        []int64   // offset of each placed buffer, -1 for others
	stack     [][]int32 // section → placed buffers, by ascending offset
	height    int64
	runs      []int64 // scratch of strips
	dominated bool    // dominance is on
	forward   bool
	strips    bool
}

const (
	largestGrid  = 1 << 26 // bits of sums: 8 MB
	largestTable = 1 << 24 // entries of span, and as many of bySize: 128 MB
)

// newCSP prepares a partition. It returns false if a limit comes.
func newCSP(tl *timeline.Timeline, budget *descend.Budget, set *cspSettings, part *timeline.Partition,
	e *pairwise.Encoding,
) (*cspSolver, bool) {
	n := e.Len()
	s := &cspSolver{
		e: e, budget: budget, plain: true,
		at: make([]int64, n), span: make([][]int32, n), twin: make([]int32, n),
		bySize: make([][]int32, part.Last-part.First), stack: make([][]int32, part.Last-part.First),
		shared:    make([]int32, part.Last-part.First),
		dominated: set.dominance, forward: set.forward, strips: set.strips,
	}
	for k := range n {
		if budget.Ended() {
			return nil, false
		}
		s.twin[k] = -1
		s.order = append(s.order, int32(k))
		s.plain = s.plain && e.Align[k] == 1 && e.Fixed[k] < 0
		for _, span := range tl.Spans(int(e.ID[k])) {
			for x := span.First; x < span.Last; x++ {
				s.span[k] = append(s.span[k], x-part.First)
				s.bySize[x-part.First] = append(s.bySize[x-part.First], int32(k))
			}
		}
	}
	for _, members := range s.bySize {
		if budget.Ended() {
			return nil, false
		}
		slices.SortStableFunc(members, func(a, b int32) int { return cmp.Compare(e.Size[a], e.Size[b]) })
	}
	s.link()
	largest := set.largest
	slices.SortStableFunc(s.order, func(a, b int32) int {
		if x, y := e.Fixed[a] >= 0, e.Fixed[b] >= 0; x != y {
			if x {
				return -1
			}
			return 1
		}
		if !largest {
			return cmp.Compare(e.ID[a], e.ID[b])
		}
		x0, x1 := s.area(tl, a)
		y0, y1 := s.area(tl, b)
		return cmp.Or(cmp.Compare(y0, x0), cmp.Compare(y1, x1), cmp.Compare(e.ID[a], e.ID[b]))
	})
	for s.fixed < n && e.Fixed[s.order[s.fixed]] >= 0 {
		s.fixed++
	}
	if set.symmetry {
		s.pairTwins(tl)
	}
	s.half = s.plain && set.mirror
	if s.plain && set.sums {
		s.addUp()
	}
	return s, true
}

// area is size × lifetime, as a high and a low word.
func (s *cspSolver) area(tl *timeline.Timeline, k int32) (high, low uint64) {
	b := &tl.Problem.Buffers[s.e.ID[k]]
	return bits.Mul64(uint64(b.Size), uint64(b.Upper-b.Lower))
}

// link lists the conflicts of each buffer.
func (s *cspSolver) link() {
	n := s.e.Len()
	s.from = make([]int32, n+1)
	for _, q := range s.e.Pairs {
		s.from[q.I+1]++
		s.from[q.J+1]++
	}
	for k := range n {
		s.from[k+1] += s.from[k]
	}
	next := slices.Clone(s.from)
	s.conflict = make([]int32, 2*len(s.e.Pairs))
	for _, q := range s.e.Pairs {
		s.conflict[next[q.I]] = q.J
		s.conflict[next[q.J]] = q.I
		next[q.I]++
		next[q.J]++
	}
}

// Fit looks for offsets within a height. If a limit comes in the middle of a node, its finding may be false. Then the
// budget grants no further node, and descend ignores the refutation.
func (s *cspSolver) Fit(height int64) ([]int64, descend.Outcome) {
	s.height = height
	for k := range s.at {
		s.at[k] = -1
	}
	for x := range s.stack {
		s.stack[x] = s.stack[x][:0]
	}
	for k := range s.e.Len() {
		if low, high := s.e.Bounds(k, height); low > high {
			return nil, descend.Refuted
		}
	}
	for _, k := range s.order[:s.fixed] {
		at := s.e.Fixed[k]
		if s.next(k, at) != at {
			return nil, descend.Refuted
		}
		s.put(k, at)
	}
	if s.budget.Ended() {
		return nil, descend.Stopped // next may have passed over a collision
	}
	for d := s.fixed; d < len(s.order); {
		k := s.order[d]
		from := s.lowest(k)
		if old := s.at[k]; old >= 0 { // back from a failure above
			s.lift(k)
			from = old + s.e.Align[k]
		}
		at := s.candidate(k, from, d == s.fixed)
		if at < 0 {
			if d == s.fixed || s.budget.Ended() {
				return nil, descend.Refuted
			}
			s.budget.Backtracks++
			d--
			continue
		}
		if !s.budget.Spend() {
			return nil, descend.Stopped
		}
		s.put(k, at)
		if s.promising(k) {
			d++
		}
	}
	return slices.Clone(s.at), descend.Found
}

// lowest returns the offset from which a buffer is tried.
func (s *cspSolver) lowest(k int32) int64 {
	if t := s.twin[k]; t >= 0 {
		return bound.Up(s.at[t]+s.e.Size[t], s.e.Align[k])
	}
	return 0
}

// candidate returns the first offset, not below from, at which a buffer is worth trying, or -1.
func (s *cspSolver) candidate(k int32, from int64, first bool) int64 {
	_, high := s.e.Bounds(int(k), s.height)
	if first && s.half {
		high /= 2
	}
	for at := from; ; {
		if at = s.sum(at); at < 0 {
			return -1
		}
		free := s.next(k, at)
		if free > high || s.budget.Ended() {
			return -1 // once a limit has come, at may not be free, and never rise
		}
		if free > at {
			at = free
			continue // it may be no sum
		}
		if !s.dominated {
			return at
		}
		to, slides := s.slides(k, at)
		if !slides {
			return at
		}
		at = to
	}
}

// next returns the first multiple of the alignment, not below at, at which a buffer conflicts with no placed buffer.
// It may be out of bounds.
func (s *cspSolver) next(k int32, at int64) int64 {
	for again := true; again && !s.budget.Ended(); {
		again = false
		for _, j := range s.conflict[s.from[k]:s.from[k+1]] {
			if low := s.at[j]; low >= 0 && low < at+s.e.Size[k] && at < low+s.e.Size[j] {
				at = bound.Up(low+s.e.Size[j], s.e.Align[k])
				again = true
			}
		}
	}
	return at
}

// put places a buffer; lift takes it away.
func (s *cspSolver) put(k int32, at int64) {
	s.at[k] = at
	for _, x := range s.span[k] {
		line := s.stack[x]
		p := len(line)
		for p > 0 && s.at[line[p-1]] > at {
			p--
		}
		s.stack[x] = slices.Insert(line, p, k)
	}
}

func (s *cspSolver) lift(k int32) {
	s.at[k] = -1
	for _, x := range s.span[k] {
		line := s.stack[x]
		p := slices.Index(line, k)
		s.stack[x] = slices.Delete(line, p, p+1)
	}
}

// promising reports whether the placement of a buffer may still be completed, as far as the inferences tell.
func (s *cspSolver) promising(k int32) bool {
	if s.forward {
		for _, j := range s.conflict[s.from[k]:s.from[k+1]] {
			if s.at[j] < 0 {
				if _, high := s.e.Bounds(int(j), s.height); s.next(j, 0) > high {
					return false
				}
			}
		}
	}
	if s.strips {
		for _, x := range s.span[k] {
			if !s.fills(x) {
				return false
			}
		}
	}
	return true
}
