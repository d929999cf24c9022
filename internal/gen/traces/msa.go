package traces

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: a compiler decides, one tensor after the other, which tensors go to fast memory, as XLA's memory space
// assignment does. A tensor has a definition and uses, and is worth its size for each access. Tensors come by value
// over the square root of their size. Between two accesses a tensor stays where it is, if it can. Otherwise it is
// copied there again, ahead of the use. If a part of the tensor finds no room, all of its parts are taken back,
// everything in fast memory is packed anew, and the tensor is tried once more. If it fails again, it stays outside.
//
// The distributions were measured on seven real programs: as many tensors as slots; most live for one to three slots,
// and one for all of them; sizes are lognormal, or those of a base; a share of the placed tensors leaves again.
//
// The parts of a tensor that stay where they are have one group: they must lie at one offset.
//
// Complexity: O(n) for each part to place, and O(n²) for each packing.

// MSAOptions steer MSA.
type MSAOptions struct {
	Seed      uint64
	Tensors   int     // how many, and how many slots; 0 means 300
	Share     float64 // capacity as a share of the load of all tensors; 0 means 0.5
	Capacity  int64   // bytes, in place of Share; 0 for none
	Alignment int64   // of sizes and offsets; 0 means 4096
	Repacks   int     // at most so many packings
	Evict     float64 // chance that something placed leaves after a request
}

// The numbers of a drawn program.
const (
	msaMedian   = 64 << 20 / 100 // bytes: the median of sizes that follow no base
	msaSpread   = 1.6            // of their logarithm
	msaBase     = 0.25           // of sizes that follow a base
	msaGoesOn   = 0.65           // chance of one slot more
	msaBaseLife = 0.05           // share of the lives that follow the base
	msaUse      = 0.35           // chance of one use more
	msaMostUses = 6
	msaCopied   = 16 // this part of the capacity is copied in a slot
)

// A candidate is what a request is about.
type candidate struct {
	id           string
	lower, upper int64
	size, value  int64
	uses         []int64 // the last is upper
}

// A chunk is what lies in fast memory: a part of a tensor's life.
type chunk struct {
	id           string
	group        int // parts of a group have one offset
	lower, upper int64
	size, offset int64
}

// MSA returns a trace: the requests of a compiler, what was placed for them, and the packings. base has the sizes and
// some of the lives; nil for none.
func MSA(base *model.Problem, o MSAOptions) (*trace.Trace, error) {
	if o.Tensors == 0 {
		o.Tensors = 300
	}
	if o.Share == 0 {
		o.Share = 0.5
	}
	if o.Alignment == 0 {
		o.Alignment = 4096
	}
	m := assigner{r: gen.NewRNG(o.Seed, "msa"), o: o}
	if base != nil {
		if len(base.Buffers) == 0 {
			return nil, errors.New("the base of an msa must have buffers")
		}
		m.base = base.Buffers
	}
	all := make([]candidate, o.Tensors)
	for i := range all {
		all[i] = m.draw(i)
	}
	capacity := o.Capacity
	if capacity == 0 {
		capacity = int64(float64(loadOf(all))*o.Share) / o.Alignment * o.Alignment
	}
	capacity = max(capacity, o.Alignment)
	m.capacity = capacity
	for i := range all { // XLA asks for nothing that is larger than the memory
		if x := &all[i]; x.size > capacity {
			x.size = capacity / o.Alignment * o.Alignment
			x.value = x.size * int64(1+len(x.uses))
		}
	}
	source := fmt.Sprintf("stowage gen msa seed=%d", o.Seed)
	if base != nil {
		source += " base=" + base.Name
	}
	m.t = &trace.Trace{Capacity: capacity, Alignment: o.Alignment, Source: source}
	slices.SortStableFunc(all, func(a, b candidate) int {
		worth := func(x candidate) float64 { return float64(x.value) / math.Sqrt(float64(x.size)) }
		return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(b.size, a.size),
			cmp.Compare(b.upper-b.lower, a.upper-a.lower))
	})
	for i := range all {
		m.request(&all[i])
	}
	return m.t, nil
}

// An assigner is the state of MSA.
type assigner struct {
	r        *gen.RNG
	o        MSAOptions
	base     []model.Buffer
	t        *trace.Trace
	capacity int64
	live     []chunk
	groups   int
	repacks  int
	marks    int
}

// draw draws a tensor. The first lives all the time.
func (m *assigner) draw(i int) candidate {
	horizon := int64(m.o.Tensors)
	x := candidate{id: "t" + strconv.Itoa(i), upper: horizon}
	if i > 0 {
		life := int64(1)
		if len(m.base) > 0 && m.r.Chance(msaBaseLife) {
			b := &m.base[m.r.Below(int64(len(m.base)))]
			life = b.Upper - b.Lower
		} else {
			for m.r.Chance(msaGoesOn) && life < horizon {
				life++
			}
		}
		life = min(life, horizon)
		x.lower = m.r.Below(horizon - life + 1)
		x.upper = x.lower + life
	}
	e := editor{r: m.r, unit: m.o.Alignment}
	if len(m.base) > 0 {
		x.size = e.scaled(m.base[m.r.Below(int64(len(m.base)))].Size, msaBase)
	} else {
		x.size = e.scaled(msaMedian, msaSpread)
	}
	uses := int64(1)
	for uses < msaMostUses && m.r.Chance(msaUse) {
		uses++
	}
	uses = min(uses, x.upper-x.lower)
	for x.uses = []int64{x.upper}; int64(len(x.uses)) < uses; {
		if t := m.r.Within(x.lower+1, x.upper-1); !slices.Contains(x.uses, t) {
			x.uses = append(x.uses, t)
		}
	}
	slices.Sort(x.uses)
	x.value = x.size * int64(1+len(x.uses))
	return x
}

// loadOf is the largest sum of the sizes of tensors that live at one time.
func loadOf(all []candidate) (peak int64) {
	steps := map[int64]int64{}
	last := int64(0)
	for i := range all {
		steps[all[i].lower] += all[i].size
		steps[all[i].upper] -= all[i].size
		last = max(last, all[i].upper)
	}
	load := int64(0)
	for t := range last {
		load += steps[t]
		peak = max(peak, load)
	}
	return peak
}

// request tries to place a tensor, packs anew if there is no room, and tries once more.
func (m *assigner) request(x *candidate) {
	request := trace.Op{Kind: trace.Request, ID: x.id, Value: &x.value, Segments: []trace.Segment{}}
	from := x.lower
	for k, use := range x.uses {
		request.Segments = append(request.Segments, trace.Segment{ID: x.part(k), Lower: from, Upper: use, Size: x.size})
		from = use
	}
	m.t.Ops = append(m.t.Ops, request)
	outcome := "oom"
	for try := range 2 {
		mark, before := "m"+strconv.Itoa(m.marks), len(m.live)
		m.marks++
		m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Mark, ID: mark})
		failed := m.place(x)
		if failed < 0 {
			outcome = "success"
			m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Commit, ID: mark})
			break
		}
		m.live = m.live[:before]
		m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Rollback, ID: mark})
		if try > 0 || m.repacks >= m.o.Repacks || len(m.live) == 0 {
			break
		}
		s := request.Segments[failed]
		m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Request, ID: s.ID, Lower: s.Lower, Upper: s.Upper, Size: s.Size})
		m.repack()
	}
	m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Result, Outcome: outcome})
	if outcome == "success" && m.r.Chance(m.o.Evict) {
		k := int(m.r.Below(int64(len(m.live))))
		m.t.Ops = append(m.t.Ops, trace.Op{Kind: trace.Remove, ID: m.live[k].id})
		m.live = slices.Delete(m.live, k, k+1)
	}
}

// part is the name of a part of a tensor's life.
func (x *candidate) part(k int) string { return x.id + "." + strconv.Itoa(k) }

// place places the parts of a tensor, and returns the first that finds no room, or -1.
func (m *assigner) place(x *candidate) (failed int) {
	copied := (x.size + max(m.capacity/msaCopied, 1) - 1) / max(m.capacity/msaCopied, 1)
	from, at := x.lower, int64(-1)
	group := 0
	for k, use := range x.uses {
		c := chunk{x.part(k), group, from, use, x.size, at}
		if at < 0 || !m.free(c) {
			m.groups++
			c.group = m.groups
			if c.offset = m.fit(c); c.offset < 0 || k > 0 { // a later part elsewhere is a copy
				c.lower = max(from, use-copied)
				c.offset = m.fit(c)
			}
			if c.offset < 0 {
				return k
			}
		}
		m.live = append(m.live, c)
		offset := c.offset
		m.t.Ops = append(m.t.Ops, trace.Op{
			Kind: trace.Add, ID: c.id, Lower: c.lower, Upper: c.upper, Size: c.size, Group: "g" + strconv.Itoa(c.group),
			Offset: &offset,
		})
		from, at, group = use, c.offset, c.group
	}
	return -1
}

// free reports whether a chunk fits where it lies.
func (m *assigner) free(c chunk) bool {
	for _, y := range m.live {
		if y.group != c.group && y.lower < c.upper && c.lower < y.upper && y.offset < c.offset+c.size &&
			c.offset < y.offset+y.size {
			return false
		}
	}
	return c.offset+c.size <= m.capacity
}

// fit returns the start of the smallest gap that has room for a chunk, or -1.
func (m *assigner) fit(c chunk) int64 {
	return smallest(m.live, []chunk{c}, m.capacity, m.o.Alignment)
}

// smallest returns the lowest start of the smallest gap between chunks that has room for all of those to place, which
// get one offset and have one size.
func smallest(live, place []chunk, most, align int64) int64 {
	var beside []chunk
	for _, y := range live {
		if slices.ContainsFunc(place, func(c chunk) bool { return y.lower < c.upper && c.lower < y.upper }) {
			beside = append(beside, y)
		}
	}
	slices.SortStableFunc(beside, func(a, b chunk) int { return cmp.Compare(a.offset, b.offset) })
	size := place[0].size
	top, best, gap := int64(0), int64(-1), int64(math.MaxInt64)
	for _, y := range beside {
		if room := y.offset - top; room >= size && room < gap {
			best, gap = top, room
		}
		top = max(top, (y.offset+y.size+align-1)/align*align)
	}
	if room := most - top; room >= size && (best < 0 || room < gap) {
		best = top
	}
	return best
}

// repack packs all placed chunks anew: the longest lives first, then the largest, each in the smallest gap. Like
// XLA's own, it ignores the present plan. If it ends above the capacity, all chunks stay where they are.
func (m *assigner) repack() {
	m.repacks++
	of := map[int]int{}
	var bodies [][]chunk
	for _, c := range m.live {
		k, there := of[c.group]
		if !there {
			k = len(bodies)
			of[c.group] = k
			bodies = append(bodies, nil)
		}
		bodies[k] = append(bodies[k], c)
	}
	long := func(b []chunk) int64 {
		from, to := b[0].lower, b[0].upper
		for _, c := range b {
			from, to = min(from, c.lower), max(to, c.upper)
		}
		return to - from
	}
	slices.SortStableFunc(bodies, func(a, b []chunk) int {
		return cmp.Or(cmp.Compare(long(b), long(a)), cmp.Compare(b[0].size, a[0].size))
	})
	var packed []chunk
	at, height := map[int]int64{}, int64(0)
	for _, b := range bodies {
		offset := smallest(packed, b, math.MaxInt64, m.o.Alignment)
		at[b[0].group] = offset
		height = max(height, offset+b[0].size)
		for _, c := range b {
			c.offset = offset
			packed = append(packed, c)
		}
	}
	op := trace.Op{Kind: trace.Replan, Reason: "oom", Height: height}
	if height <= m.capacity {
		op.Moved = []trace.Move{}
		for i := range m.live {
			if c := &m.live[i]; c.offset != at[c.group] {
				c.offset = at[c.group]
				op.Moved = append(op.Moved, trace.Move{ID: c.id, Offset: c.offset})
			}
		}
	}
	m.t.Ops = append(m.t.Ops, op)
}
