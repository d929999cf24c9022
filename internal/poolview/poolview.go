// Package poolview makes a plain problem of a plan with rules, for pictures: the pools lie one above the other, each in
// a lane of its own, in the problem's own time.
//
// Idea: pictures and viewer draw rectangles of time × bytes. A byte of a pool is drawn at the base of its lane plus its
// offset. Each part of a buffer between evictions is a buffer of its own here. A life that crosses the end of a period
// is cut there. Clocks have no line of time, so the sums of the clocks are used.
//
//	pool 0   ┌────────────┐ base + room
//	         └────────────┘ base
//	pool 1   ┌────────────┐ base - 1
//	         └────────────┘ 0
//
// Invariant: only the model is read, nothing of the lowering that planners use. So a picture shows what the plan says.
//
// Complexity: O(n) for n buffers, parts, gaps and rules.
package poolview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// A Lane is where the bytes of a pool are drawn.
type Lane struct {
	Pool   model.Pool // its ID is empty if the problem names no pools
	Base   int64      // where byte 0 is drawn
	Room   int64      // how many bytes are drawn, at least 1
	Height int64      // the highest end of a buffer; 0 for none
}

// A Kind says which rule a link stands for.
type Kind uint8

// The kinds of links.
const (
	Together Kind = iota // tied: in one pool, at a fixed distance
	Lockstep             // at one offset, each in its pool
	Apart                // share no byte
	Penalty              // cost something if they share bytes
)

// A Link joins two drawn buffers that a rule names.
type Link struct {
	A, B int // indices into Drawing.Problem.Buffers
	Kind Kind
	Cost int64 // of a penalty
	Paid bool  // whether the plan pays it
}

// A Drawing is a plan in the form that pictures draw.
type Drawing struct {
	Problem *model.Problem // plain; its buffers are those of the problem, or parts of them
	Offsets []int64        // where they are drawn
	Of      []int          // of each, its buffer in the problem
	First   []int          // of each buffer of the problem, the first that is drawn for it; -1 for none
	Lane    []int          // of each, its lane
	Lanes   []Lane         // in the order of the pools
	Links   []Link         // in the order of the rules
	Said    []Saying       // in the order of the buffers
}

// A Saying is what rules make of one buffer.
type Saying struct {
	Buffer     int    // that is drawn
	Name, Text string // such as "Banks" and "1 to 3"
}

// Of returns the drawing of a plan of a valid problem, which may break rules. The error is for missing offsets and
// pools, and for lanes that are too high together.
func Of(p *model.Problem, plan *model.Plan) (*Drawing, error) {
	if len(plan.Offsets) != len(p.Buffers) || plan.Pools != nil && len(plan.Pools) != len(p.Buffers) {
		return nil, fmt.Errorf("%d offsets and %d pools for %d buffers", len(plan.Offsets), len(plan.Pools), len(p.Buffers))
	}
	if p.Rules.HasAlternatives() {
		return chosen(p, plan)
	}
	d := &Drawing{Problem: &model.Problem{Name: p.Name}, First: make([]int, len(p.Buffers))}
	for _, pool := range p.AllPools() {
		d.Lanes = append(d.Lanes, Lane{Pool: pool})
	}
	parts := map[int32][]model.Part{}
	for _, x := range plan.Parts {
		parts[x.Buffer] = x.Parts
	}
	for i := range p.Buffers {
		d.First[i] = len(d.Of)
		of := parts[int32(i)]
		if len(of) == 0 {
			d.add(p, i, p.Buffers[i], plan.PoolOf(i), plan.Offsets[i])
		}
		for k, x := range of {
			b := p.Buffers[i].Within(x.Lower, x.Upper)
			if b.Upper <= b.Lower { // the plan is wrong
				continue
			}
			if k > 0 {
				b.ID = fmt.Sprintf("%s, part %d", b.ID, k+1)
			}
			d.add(p, i, b, x.Pool, x.Offset)
		}
	}
	if err := d.stack(); err != nil {
		return nil, err
	}
	d.link(p, plan)
	return d, nil
}

// chosen draws a plan without the alternatives that it does not choose.
func chosen(p *model.Problem, plan *model.Plan) (*Drawing, error) {
	keep := plan.Chosen()
	there := model.Only(p, keep)
	there.Rules.Alternatives = nil // a wrong plan may have two of a list
	d, err := Of(there, plan.Among(keep))
	if err != nil {
		return nil, err
	}
	for k := range d.Of {
		d.Of[k] = keep[d.Of[k]]
	}
	first := slices.Repeat([]int{-1}, len(p.Buffers))
	for k, i := range keep {
		first[i] = d.First[k]
	}
	d.First = first
	for _, list := range p.Rules.Alternatives {
		for _, i := range list {
			var others []string
			for _, j := range list {
				if j != i {
					others = append(others, p.Buffers[j].ID)
				}
			}
			if first[i] >= 0 {
				d.Said = append(d.Said, Saying{first[i], "Chosen", "in place of " + strings.Join(others, ", ")})
			}
		}
	}
	slices.SortStableFunc(d.Said, func(a, b Saying) int { return cmp.Compare(a.Buffer, b.Buffer) })
	return d, nil
}

// add draws a buffer, or a part of one, in its pool. Until stack, offsets are those of the pool.
func (d *Drawing) add(p *model.Problem, i int, b model.Buffer, pool int32, offset int64) {
	lane := max(0, min(int(pool), len(d.Lanes)-1)) // a pool that is not there is a fault that the check names
	if p.Rules != nil && p.Rules.Period > 0 {
		b = Wrapped(b, p.Rules.Period)
	}
	b.Extra, b.Fixed, b.Hint = nil, nil, nil
	if p.Buffers[i].Fixed != nil {
		b.Fixed = &d.Lanes[lane].Base // pictures ask only whether there is one
	}
	d.Problem.Buffers = append(d.Problem.Buffers, b)
	d.Offsets, d.Of, d.Lane = append(d.Offsets, offset), append(d.Of, i), append(d.Lane, lane)
	d.Lanes[lane].Height = max(d.Lanes[lane].Height, offset+b.Size)
	from, to := 1, 1
	for _, at := range d.Lanes[lane].Pool.Borders {
		if at <= offset {
			from++
		}
		if at < offset+b.Size {
			to++
		}
	}
	if to > from {
		d.Said = append(d.Said, Saying{len(d.Of) - 1, "Banks", fmt.Sprintf("%d to %d", from, to)})
	}
}

// Wrapped returns a buffer whose life beyond the end of the period is moved to the beginning.
func Wrapped(b model.Buffer, period int64) model.Buffer {
	if b.Upper <= period {
		return b
	}
	var pieces []model.Piece
	for x := range b.Pieces {
		for lower := x.Lower; lower < x.Upper; {
			upper := min(x.Upper, (lower/period+1)*period)
			turn := lower / period * period
			pieces = append(pieces, model.Piece{Lower: lower - turn, Upper: upper - turn, From: x.From, To: x.To})
			lower = upper
		}
	}
	slices.SortFunc(pieces, func(x, y model.Piece) int { return cmp.Compare(x.Lower, y.Lower) })
	if len(pieces) == 0 {
		return b
	}
	b.Lower, b.Upper, b.Gaps = pieces[0].Lower, pieces[len(pieces)-1].Upper, nil
	at := b.Lower
	for _, x := range pieces {
		if at < x.Lower {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: x.Lower})
		}
		if x.From > 0 || x.To < b.Size {
			b.Gaps = append(b.Gaps, model.Gap{Lower: x.Lower, Upper: x.Upper, Window: &model.Window{Lower: x.From, Upper: x.To}})
		}
		at = x.Upper
	}
	return b
}

// RoomOf returns how many bytes are drawn of a pool whose highest buffer ends at a height.
func RoomOf(pool *model.Pool, height int64) int64 {
	room := max(height, 1)
	for _, r := range pool.Reserved {
		room = max(room, r.Upper)
	}
	if c := pool.Capacity; c/2 <= room { // a capacity far above the rest would squeeze it
		room = max(room, c)
	}
	return room
}

// stack puts the lanes one above the other, the first pool on top.
func (d *Drawing) stack() error {
	var base int64
	for k := len(d.Lanes) - 1; k >= 0; k-- {
		l := &d.Lanes[k]
		l.Room = RoomOf(&l.Pool, l.Height)
		l.Base = base
		// one byte between two lanes tells the end of one from the base of the next
		if base += l.Room + 1; base > model.MaxSum {
			return fmt.Errorf("the pools are too high to draw: together they exceed %d bytes", int64(model.MaxSum))
		}
	}
	for k := range d.Offsets {
		d.Offsets[k] += d.Lanes[d.Lane[k]].Base
	}
	return nil
}

// Top returns the end of the highest lane.
func (d *Drawing) Top() int64 { return d.Lanes[0].Base + d.Lanes[0].Room }

// link lists the pairs that rules name.
func (d *Drawing) link(p *model.Problem, plan *model.Plan) {
	if p.Rules == nil {
		return
	}
	for _, t := range p.Rules.Together {
		for k := 1; k < len(t.Buffers); k++ {
			d.Links = append(d.Links, Link{A: d.First[t.Buffers[k-1]], B: d.First[t.Buffers[k]], Kind: Together})
		}
	}
	for _, list := range p.Rules.Lockstep {
		for k := 1; k < len(list); k++ {
			d.Links = append(d.Links, Link{A: d.First[list[k-1]], B: d.First[list[k]], Kind: Lockstep})
		}
	}
	for _, x := range p.Rules.Apart {
		d.Links = append(d.Links, Link{A: d.First[x[0]], B: d.First[x[1]], Kind: Apart})
	}
	if len(p.Rules.Penalties)+len(p.Rules.Groups) == 0 {
		return
	}
	conflicts := model.NewConflicts(p)
	for _, x := range p.Rules.Penalties {
		i, j := x.Buffers[0], x.Buffers[1]
		a, b := d.First[i], d.First[j]
		paid := x.Cost > 0 && !conflicts.Inert(int(i), int(j)) && d.shares(int(i), int(j))
		d.Links = append(d.Links, Link{A: a, B: b, Kind: Penalty, Cost: x.Cost, Paid: paid})
	}
	for k := range p.Rules.Groups {
		g := &p.Rules.Groups[k]
		paid := g.Cost > 0 && conflicts.Pays(g, plan)
		for _, x := range g.Pairs {
			d.Links = append(d.Links, Link{
				A: d.First[x[0]], B: d.First[x[1]], Kind: Penalty, Cost: g.Cost, Paid: paid && conflicts.Counts(g, x, plan),
			})
		}
	}
}

// shares reports whether two buffers, or parts of them, share a byte of a pool.
func (d *Drawing) shares(i, j int) bool {
	for a := d.First[i]; a < len(d.Of) && d.Of[a] == i; a++ {
		for b := d.First[j]; b < len(d.Of) && d.Of[b] == j; b++ {
			x, y := d.Offsets[a], d.Offsets[b]
			if d.Lane[a] == d.Lane[b] && x < y+d.Problem.Buffers[b].Size && y < x+d.Problem.Buffers[a].Size {
				return true
			}
		}
	}
	return false
}

// Report returns a report of a check of the plan with the buffers that are drawn in place of those of the problem.
func (d *Drawing) Report(r *model.Report) *model.Report {
	drawn := *r
	drawn.Violations = slices.Clone(r.Violations)
	for k := range drawn.Violations {
		v := &drawn.Violations[k]
		if v.A >= 0 { // -1 if it is not drawn
			v.A = d.First[v.A]
		}
		if v.B >= 0 {
			v.B = d.First[v.B]
		}
	}
	return &drawn
}
