package traces

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: a compiler edits its program, and the problem follows. Each step draws one of four changes with equal
// chances: a buffer comes, leaves, changes its size, or shifts. Arrivals and departures are balanced so that the
// number of buffers stays within a tenth of the base's. If the load of a change would exceed the capacity, the change
// is drawn again, at most editTries times. So no change is hopeless by its load.
//
// New buffers are drawn from the base: one buffer gives the start, another the duration, a third the size. Sizes
// change by a factor exp(N(0, s)), rounded to a unit: the largest power of two up to 64 that is no larger than any
// buffer of the base.
//
// There is a mark every markEvery steps. A share of the marks is rolled back when the next one comes. In a share of
// the steps a buffer is pinned where it lies, and the oldest pin is released if too many are pinned.
//
// Complexity: O(n log n) for a draw, to know the load.

// EditOptions steer Edit.
type EditOptions struct {
	Seed     uint64
	Changes  int     // number of changes, without marks and pins; 0 means 1000
	Capacity int64   // bytes; 0 for none
	Pins     float64 // share of the steps with a pin, and of the buffers that are pinned at one time
	Rules    float64 // share of the steps with a rule that comes or goes (editrules.go)
	Pools    []int32 // the pool of each buffer of the base; nil if there is one
}

// The shares of an edit.
const (
	editTries    = 10
	markEvery    = 10
	rolledBack   = 0.2
	sizeSpread   = 0.25 // of a new buffer
	resizeSpread = 0.35 // of a resize
	shiftShare   = 10   // a shift is at most one part in ten of the horizon
)

// errGaps means that the base has features that a trace cannot say.
var errGaps = errors.New("the base of an edit must be buffers without gaps and fixed offsets")

// Edit returns a trace: the buffers of base with their offsets, then random changes.
func Edit(base *model.Problem, offsets []int64, o EditOptions) (*trace.Trace, error) {
	if n := len(base.Buffers); n == 0 || len(offsets) != n || len(base.AllPools()) > 1 && len(o.Pools) != n {
		return nil, errGaps
	}
	if o.Changes == 0 {
		o.Changes = 1000
	}
	e := editor{r: gen.NewRNG(o.Seed, "edit"), base: base.Buffers, o: o, unit: 64}
	e.t = &trace.Trace{Capacity: o.Capacity, Source: fmt.Sprintf("stowage gen edit seed=%d base=%s", o.Seed, base.Name)}
	if err := e.begin(base); err != nil {
		return nil, err
	}
	e.room = roomOf(base, o.Capacity)
	e.from, e.to = base.Buffers[0].Lower, base.Buffers[0].Upper
	for i := range base.Buffers {
		b := &base.Buffers[i]
		if len(b.Gaps) > 0 || b.Fixed != nil {
			return nil, errGaps
		}
		e.from, e.to = min(e.from, b.Lower), max(e.to, b.Upper)
		for e.unit > b.Size {
			e.unit /= 2
		}
		op := trace.Op{
			Kind: trace.Add, ID: b.ID, Lower: b.Lower, Upper: b.Upper, Size: b.Size, Offset: &offsets[i], Extra: b.Extra,
		}
		if len(base.AllPools()) > 1 {
			op.Pool = &o.Pools[i]
		}
		if b.Alignment > 1 {
			op.Alignment = b.Alignment
		}
		e.t.Ops = append(e.t.Ops, op)
		e.live = append(e.live, *b)
	}
	e.run()
	return e.t, nil
}

// An editor is the state of Edit.
type editor struct {
	r        *gen.RNG
	t        *trace.Trace
	base     []model.Buffer
	live     []model.Buffer
	pinned   []string // the oldest first
	o        EditOptions
	from, to int64 // the horizon
	unit     int64
	next     int
	events   []event
	room     int64   // the bytes of all pools; 0 for no limit
	rules    []rule  // in force
	limited  []int32 // the pools whose capacity is not the first one; -1 for the only one
}

// roomOf returns the bytes of all pools of a problem; 0 if there is no limit.
func roomOf(p *model.Problem, capacity int64) (room int64) {
	if p.Rules == nil || len(p.Rules.Pools) == 0 {
		return capacity
	}
	for _, q := range p.Rules.Pools {
		if q.Capacity == 0 {
			return 0
		}
		room += q.Capacity
	}
	return room
}

// A moment is what a mark remembers of an edit.
type moment struct {
	live    []model.Buffer
	pinned  []string
	rules   []rule
	limited []int32
}

// An event is a step of the load.
type event struct{ time, bytes int64 }

func (e *editor) run() {
	var saved moment
	name := ""
	for k := range e.o.Changes {
		if k%markEvery == 0 {
			if name != "" {
				if e.r.Chance(rolledBack) {
					e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Rollback, ID: name})
					e.live, e.pinned, e.rules, e.limited = saved.live, saved.pinned, saved.rules, saved.limited
				} else {
					e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Commit, ID: name})
				}
			}
			name = fmt.Sprintf("m%d", k/markEvery)
			e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Mark, ID: name})
			saved = moment{slices.Clone(e.live), slices.Clone(e.pinned), e.rules, e.limited}
		}
		if e.o.Rules > 0 && e.r.Chance(e.o.Rules) {
			e.ruleStep()
		}
		if e.r.Chance(e.o.Pins) {
			e.pin()
		}
		for range editTries {
			if e.change() {
				break
			}
		}
	}
}

// pin pins a buffer where it lies.
func (e *editor) pin() {
	id := e.live[e.r.Below(int64(len(e.live)))].ID
	if slices.Contains(e.pinned, id) {
		return
	}
	e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Pin, ID: id})
	e.pinned = append(e.pinned, id)
	e.release()
}

// release unpins the oldest pinned buffer if there are too many.
func (e *editor) release() {
	if float64(len(e.pinned)) > e.o.Pins*float64(len(e.live))+1 {
		e.t.Ops = append(e.t.Ops, trace.Op{Kind: trace.Unpin, ID: e.pinned[0]})
		e.pinned = e.pinned[1:]
	}
}

// change draws a change, and reports whether its load fits.
func (e *editor) change() bool {
	n, most, least := len(e.live), len(e.base)+len(e.base)/10, len(e.base)-len(e.base)/10
	kind := e.r.Below(4)
	if kind == 0 && n >= most {
		kind = 1
	} else if kind == 1 && n <= max(least, 1) {
		kind = 0
	}
	i := e.r.Below(int64(n))
	b := e.live[i]
	op := trace.Op{ID: b.ID}
	switch kind {
	case 0:
		b = e.drawn(0)
		op = trace.Op{Kind: trace.Add, ID: b.ID, Lower: b.Lower, Upper: b.Upper, Size: b.Size, Extra: b.Extra}
		if b.Alignment > 1 {
			op.Alignment = b.Alignment
		}
		e.live = append(e.live, b)
		if e.over(b) {
			e.live = e.live[:n]
			return false
		}
		e.next++
	case 1:
		op.Kind = trace.Remove
		e.live = slices.Delete(slices.Clone(e.live), int(i), int(i)+1)
		e.pinned = slices.DeleteFunc(slices.Clone(e.pinned), func(id string) bool { return id == b.ID })
		e.drop(b.ID)
	default:
		if slices.Contains(e.pinned, b.ID) || kind == 2 && e.has(b.ID, tieRule) && e.has(b.ID, apartRule) || kind == 3 &&
			e.has(b.ID, distanceRule) {
			return false
		}
		if kind == 2 {
			b.Size = e.scaled(b.Size, resizeSpread)
			op.Kind, op.Size = trace.Resize, b.Size
		} else if e.t.Threads > 0 {
			like := e.draw().Extra
			x := *b.Extra
			x.Clocks = like.Clocks
			b.Extra = &x
			b.SetClocks(like.Clocks.Lower, like.Clocks.Upper)
			op.Kind, op.Lower, op.Upper, op.Extra = trace.Retime, b.Lower, b.Upper, &model.Extra{Clocks: like.Clocks}
		} else {
			reach := max((e.to-e.from)/shiftShare, 1)
			shift := min(max(e.r.Within(-reach, reach), e.from-b.Lower), e.to-b.Upper)
			if p := e.t.Period; p > 0 {
				shift = (b.Lower+shift+p)%p - b.Lower
			}
			b.Lower, b.Upper = b.Lower+shift, b.Upper+shift
			op.Kind, op.Lower, op.Upper = trace.Retime, b.Lower, b.Upper
		}
		old := e.live[i]
		if e.live[i] = b; e.over(b) {
			e.live[i] = old
			return false
		}
	}
	e.t.Ops = append(e.t.Ops, op)
	return true
}

// drawn returns a new buffer, the k-th of an operation.
func (e *editor) drawn(k int64) model.Buffer {
	start, life, size := e.draw(), e.draw(), e.draw()
	b := model.Buffer{
		ID: fmt.Sprintf("e%d", int64(e.next)+k), Alignment: size.Alignment, Size: e.scaled(size.Size, sizeSpread),
	}
	b.Lower = max(min(start.Lower, e.to-(life.Upper-life.Lower)), e.from)
	b.Upper = b.Lower + (life.Upper - life.Lower)
	if x := size.Extra; x != nil && x.Pools != nil {
		b.Extra = &model.Extra{Pools: x.Pools}
	}
	if e.t.Threads > 0 {
		b.SetClocks(life.Extra.Clocks.Lower, life.Extra.Clocks.Upper)
	}
	return b
}

// draw returns a buffer of the base.
func (e *editor) draw() *model.Buffer { return &e.base[e.r.Below(int64(len(e.base)))] }

// over reports whether the load during a buffer's life exceeds the capacity.
func (e *editor) over(b model.Buffer) bool {
	if e.room == 0 {
		return false
	}
	e.events = e.events[:0]
	for i := range e.live {
		x := &e.live[i]
		if x.Lower < b.Upper && b.Lower < x.Upper {
			e.events = append(e.events, event{x.Lower, x.Size}, event{x.Upper, -x.Size})
		}
	}
	slices.SortFunc(e.events, func(x, y event) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.bytes, y.bytes))
	})
	load := int64(0)
	for _, x := range e.events {
		if load += x.bytes; load > e.room {
			return true
		}
	}
	return false
}

// scaled returns size times exp(N(0, spread)), as a multiple of the unit.
func (e *editor) scaled(size int64, spread float64) int64 {
	scaled := int64(float64(size)*exponential(float64(e.normal()*spread))/float64(e.unit) + 0.5)
	return max(scaled, 1) * e.unit
}

// normal returns a number with nearly a normal distribution: the sum of twelve uniform ones, less six. All operations
// are exact, so every machine draws the same.
func (e *editor) normal() float64 {
	sum := int64(0)
	for range 12 {
		sum += int64(e.r.Next() >> 44)
	}
	return float64(sum-6<<20) / (1 << 20)
}

// exponential returns nearly exp(x), by (1 + x/1024)^1024. The conversions keep the compiler from joining operations,
// which would round differently on some machines.
func exponential(x float64) float64 {
	y := float64(1 + float64(x/1024))
	for range 10 {
		y = float64(y * y)
	}
	return y
}
