package lower

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: a strip's time is a row of slots. Time itself gives sections, the moments at which a set of live buffers is
// largest, and each section has one slot or more. An element is a member, a range of its body's bytes, and the sections
// in which it uses them. It runs through all slots of these sections, except those from which it is absent. A slot may
// have further entries.
//
// Invariant: any two bodies in a slot conflict in the bytes that they use there. Each pair of members that conflicts is
// together in some slot, with all of the bytes in which it conflicts.
//
// Slots are numbered component by component. A slot may tie two buffers that are far apart in time, and what lies
// between then stays out of their partition.

// A cliqueCover is the slots of one strip while they are made.
type cliqueCover struct {
	lowering *Lowering
	strip    *Strip
	index    map[int32]int32 // the index of a buffer in strip.Members
	extra    [][]int32       // further pairs apart, by index
	elements []element
	slots    []slot
	begin    []int32            // of each section its first slot, and one more for the end
	inserted map[int32][]clique // slots to put in after a section
	special  []bool             // members that may overlap a member beside them; nil if there are none
	anew     bool               // some slots are not from time, so slots are numbered component by component
}

// An element is a member of a body that uses bytes [from, to) of the body through sections [first, last).
type element struct {
	member      int32 // place in strip.Members
	first, last int32
	from, to    int64
}

// An entry is a body that uses bytes [from, to) in a slot.
type entry struct {
	body     int32
	from, to int64
}

// A slot is a clique. The elements of its section are in it, except those that are absent.
type slot struct {
	absent []int32 // elements, ascending
	also   []entry
}

// A clique is a set of members that conflict pair by pair, each with all of its bytes.
type clique []int32

func newCliqueCover(l *Lowering, s *Strip, apart []model.Pair) *cliqueCover {
	c := &cliqueCover{lowering: l, strip: s, inserted: map[int32][]clique{}}
	if l.Problem.Rules != nil || len(apart) > 0 {
		c.index = make(map[int32]int32, len(s.Members))
		for k, i := range s.Members {
			c.index[i] = int32(k)
		}
	}
	if len(apart) > 0 {
		c.extra = make([][]int32, len(s.Members))
		for _, x := range apart {
			a, okA := c.index[x[0]]
			b, okB := c.index[x[1]]
			if okA && okB && s.Body[a] != s.Body[b] {
				c.extra[a], c.extra[b] = append(c.extra[a], b), append(c.extra[b], a)
			}
		}
	}
	return c
}

// aparts returns the members that must be apart from member a, ascending and each once.
func (c *cliqueCover) aparts(a int32) (out []int32) {
	if c.lowering.apart != nil {
		for _, j := range c.lowering.apart[c.strip.Members[a]] {
			if b, here := c.index[j]; here {
				out = append(out, b)
			}
		}
	}
	if c.extra != nil {
		out = append(out, c.extra[a]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// all is the entry of a member with all of its bytes.
func (c *cliqueCover) all(member int32) entry {
	at := c.strip.At[member]
	return entry{c.strip.Body[member], at, at + c.lowering.Problem.Buffers[c.strip.Members[member]].Size}
}

// A span is bytes [from, to) of a body in slots [first, last).
type span struct {
	body        int32
	first, last int32
	from, to    int64
}

// write gives the bodies of the strip their lives, from the slots.
func (c *cliqueCover) write() {
	spans := c.spans()
	if c.anew {
		c.renumber(spans)
	}
	sorting.Structs(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.body, b.body), cmp.Compare(a.first, b.first))
	})
	for k := range c.strip.Problem.Buffers {
		// A body that is never active keeps this life, all of it a gap.
		b := &c.strip.Problem.Buffers[k]
		b.Lower, b.Upper, b.Gaps = 0, 1, []model.Gap{{Lower: 0, Upper: 1}}
	}
	var pieces []model.Piece
	for len(spans) > 0 {
		n := 0
		for pieces = pieces[:0]; n < len(spans) && spans[n].body == spans[0].body; n++ {
			x := &spans[n]
			pieces = append(pieces, model.Piece{Lower: int64(x.first), Upper: int64(x.last), From: x.from, To: x.to})
		}
		live(&c.strip.Problem.Buffers[spans[0].body], pieces)
		spans = spans[n:]
	}
}

// spans returns what the slots hold.
func (c *cliqueCover) spans() (spans []span) {
	absent := make(map[int32][]int32) // of each element, the slots from which it is absent
	for k := range c.slots {
		for _, e := range c.slots[k].absent {
			absent[e] = append(absent[e], int32(k))
		}
		for _, x := range c.slots[k].also {
			spans = append(spans, span{x.body, int32(k), int32(k) + 1, x.from, x.to})
		}
	}
	for e := range c.elements {
		x := &c.elements[e]
		at, end := c.begin[x.first], c.begin[x.last]
		for _, k := range append(absent[int32(e)], end) {
			if at < k {
				spans = append(spans, span{c.strip.Body[x.member], at, k, x.from, x.to})
			}
			at = k + 1
		}
	}
	return spans
}

// renumber numbers slots by component, each component where its first slot was.
func (c *cliqueCover) renumber(spans []span) {
	group := newGroups(len(c.strip.Problem.Buffers))
	in := make([]int32, len(c.slots))
	for k := range in {
		in[k] = -1
	}
	// Spans that overlap belong to one component. The span that reaches furthest so far stands for it.
	sorting.Structs(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	reach, last := int32(0), int32(0)
	for _, x := range spans {
		if x.first < reach {
			group.unite(last, x.body)
		}
		for k := max(x.first, reach); k < x.last; k++ {
			in[k] = x.body
		}
		if x.last > reach {
			reach, last = x.last, x.body
		}
	}
	order, place := make([]int32, len(c.slots)), make([]int32, len(c.slots))
	firstOf := make(map[int32]int32)
	for k := range order {
		order[k] = int32(k)
		if in[k] >= 0 {
			in[k] = group.of(in[k])
			if _, known := firstOf[in[k]]; !known {
				firstOf[in[k]] = int32(k)
			}
		}
	}
	firstOf[-1] = int32(len(c.slots))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(firstOf[in[a]], firstOf[in[b]]) })
	for to, k := range order {
		place[k] = int32(to)
	}
	for k := range spans {
		spans[k].first, spans[k].last = place[spans[k].first], place[spans[k].last-1]+1
	}
}

// live sets the lifespan and gaps of a buffer from its pieces, which are in the order of time. If there are no pieces,
// the buffer stays as it is.
func live(b *model.Buffer, pieces []model.Piece) {
	if len(pieces) == 0 {
		return
	}
	b.Lower, b.Upper, b.Gaps = pieces[0].Lower, pieces[len(pieces)-1].Upper, nil
	at := pieces[0].Lower
	for _, x := range pieces {
		if at < x.Lower {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: x.Lower})
		}
		at = x.Upper
		if x.From == 0 && x.To == b.Size {
			continue
		}
		window := model.Window{Lower: x.From, Upper: x.To}
		if g := len(b.Gaps); g > 0 && b.Gaps[g-1].Upper == x.Lower && b.Gaps[g-1].Window != nil &&
			*b.Gaps[g-1].Window == window {
			b.Gaps[g-1].Upper = x.Upper
			continue
		}
		b.Gaps = append(b.Gaps, model.Gap{Lower: x.Lower, Upper: x.Upper, Window: &window})
	}
}

// groups is a union-find over bodies.
type groups []int32

func newGroups(n int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = int32(i)
	}
	return g
}

func (g groups) of(i int32) int32 {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

func (g groups) unite(i, j int32) { g[g.of(j)] = g.of(i) }
