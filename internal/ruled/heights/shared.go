package heights

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/model"
)

// Idea: if buffers choose among pools that are divided into objects, each goes to the object that has to grow least, or
// makes a new one, in the pool that raises the measures least. So pools of objects take part in the plan of an order
// (order.go), and better orders are looked for (descend.go). How high an object lies is of no interest before all
// bodies have theirs. Then the objects of a pool are stacked.
//
// Invariant: no two bodies of an object conflict, and an object is as large as its largest body in each dimension.
//
// Complexity: a placement takes O(objects + bodies that conflict).

// A shelf is an object of a pool.
type shelf struct {
	box model.Box
	up  int64 // its size, rounded up to the step of the pool
	at  int64 // its offset, once stacked
}

// shelves is the objects of all pools while bodies are placed.
type shelves struct {
	of      [][]shelf // of each pool
	in      []int32   // of each body, its object
	blocked [][]int64 // of each object, when it was last seen to hold a body that conflicts
	now     int64
}

func newShelves(f *Field) (s shelves) {
	if f.alien != nil {
		s.of, s.blocked = make([][]shelf, len(f.pools)), make([][]int64, len(f.pools))
		s.in = make([]int32, len(f.bodies))
	}
	return s
}

func (s *shelves) clear() {
	for q := range s.of {
		s.of[q] = s.of[q][:0]
	}
}

// Shared is New for a problem with pools of objects. Its field has Descend, and nothing else. The number of objects may
// be among the measures. It returns nil also if something is fixed, tied or reserved in such a pool.
func Shared(l *lower.Lowering, c *assign.Choices, objective []model.Measure) *Field {
	f := newField(l, c, objective)
	if f == nil {
		return nil
	}
	f.step = make([]int64, len(f.pools))
	for q := range f.pools {
		pool := &f.pools[q]
		if f.step[q] = max(1, pool.Alignment); pool.Objects && len(pool.Reserved) > 0 {
			return nil
		}
	}
	over := make([]model.Box, len(f.pools))
	for k := range f.bodies {
		b := &f.bodies[k]
		for _, q := range b.pools {
			if !f.pools[q].Objects {
				continue
			}
			over[q] = over[q].Over(f.p.Buffers[b.members[0]].Box())
			if size, ok := model.SizeOf(over[q][:]); !ok || size > model.MaxSum/int64(4*len(f.bodies)) {
				return nil
			}
			if b.fixed >= 0 || len(b.members) > 1 {
				return nil
			}
			align := f.p.Buffers[b.members[0]].Align()
			if f.step[q] = bound.LCM(f.step[q], align, model.MaxSum/int64(4*len(f.bodies))); f.step[q] == 0 {
				return nil
			}
		}
	}
	f.aliens(places.NewPairs(f.p, l.Conflicts))
	return f
}

// box returns the extents of a body of one buffer.
func (f *Field) box(k int32) model.Box { return f.p.Buffers[f.bodies[k].members[0]].Box() }

// aliens lists the bodies that share no object.
func (f *Field) aliens(pairs *places.Pairs) {
	f.alien = make([][]int32, len(f.bodies))
	for k := range f.bodies {
		a := &f.bodies[k]
		if len(a.members) > 1 {
			continue
		}
		for o := range k {
			b := &f.bodies[o]
			if len(b.members) > 1 {
				continue
			}
			ranges := 0
			pairs.Objects(a.members[0], b.members[0], func(_, _ int64) { ranges++ })
			if ranges == 1 { // at no distance, not even 0
				f.alien[k], f.alien[o] = append(f.alien[k], int32(o)), append(f.alien[o], int32(k))
			}
		}
	}
}

// cheapest returns the object of a pool that a body makes grow least, and by how much. It may be a new one.
func (x *placer) cheapest(k, q int32) (grows int64, object int32, ok bool) {
	s := &x.shelves
	s.now++
	for _, o := range x.alien[k] {
		if x.in[o] == q {
			s.blocked[q][s.in[o]] = s.now
		}
	}
	x.checked += int64(len(x.alien[k]) + len(s.of[q]))
	box := x.box(k)
	grows, object = bound.Up(box.Bytes(), x.step[q]), int32(len(s.of[q]))
	for n := range s.of[q] {
		e := &s.of[q][n]
		if s.blocked[q][n] == s.now {
			continue
		}
		more := bound.Up(e.box.Over(box).Bytes(), x.step[q]) - e.up
		if more < grows || more == grows && int(object) == len(s.of[q]) {
			grows, object = more, int32(n)
		}
	}
	capacity := x.pools[q].Capacity
	return grows, object, capacity == 0 || x.height[q]+grows <= capacity
}

// share puts a body into an object.
func (x *placer) share(k, q, object int32) {
	s := &x.shelves
	if int(object) == len(s.of[q]) {
		s.of[q] = append(s.of[q], shelf{})
		if len(s.blocked[q]) < len(s.of[q]) {
			s.blocked[q] = append(s.blocked[q], 0)
		}
	}
	e := &s.of[q][object]
	e.box = e.box.Over(x.box(k))
	e.up, s.in[k] = bound.Up(e.box.Bytes(), x.step[q]), object
}

// stack puts the objects of each pool one above the other.
func (x *placer) stack() {
	for q := range x.shelves.of {
		at := int64(0)
		for n := range x.shelves.of[q] {
			e := &x.shelves.of[q][n]
			e.at, at = at, at+e.up
		}
	}
	if x.shelves.of == nil {
		return
	}
	for k, q := range x.in {
		if x.pools[q].Objects {
			x.origin[k] = x.shelves.of[q][x.shelves.in[k]].at
		}
	}
}
