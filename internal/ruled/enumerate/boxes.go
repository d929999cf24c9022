package enumerate

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: if sizes have several dimensions, what an object takes depends on all who share it, and no difference of two
// offsets says that. But then nothing else decides where an object lies (model/extents.go). So a plan is a partition of
// the set into objects, which are stacked. Each object takes its bytes, rounded up to the alignment of the pool, and
// the one that loses most by that is the last:
//
//	height = sum of the rounded bytes - the most that an object loses
//	paid   = sum of the penalties of two bodies that share an object
//
// The front is that of all partitions in which no two bodies of an object conflict.
//
// Invariant: an object never gets smaller if a body joins it, so a branch above the capacity has no plan.
//
// Complexity: the number of partitions of the set, 4,140 for 8 bodies.

// partition is the objects of some bodies of a set.
type partition struct {
	lane    *lane
	search  *search
	bodies  []int32
	places  []int32
	object  []int       // of each body that is placed
	objects []model.Box // of each object
	front   front
}

// boxed looks for the front of a set in a pool of objects of several dimensions.
func (l *lane) boxed(x *search, in set) *front {
	k := &partition{lane: l, search: x}
	for place, body := range l.body {
		if in.has(body) {
			k.places, k.bodies = append(k.places, int32(place)), append(k.bodies, body)
		}
	}
	k.object = make([]int, len(k.places))
	k.next(0)
	k.front.idealise()
	return &k.front
}

// next places the bodies from n on.
func (k *partition) next(n int) {
	if k.search.over() {
		return
	}
	if n > 0 && k.lane.capacity > 0 && k.height() > k.lane.capacity {
		return
	}
	if n == len(k.places) {
		k.add()
		return
	}
	opened := len(k.objects)
	for o := range opened + 1 {
		if k.conflicts(n, o) {
			continue
		}
		if o == opened {
			k.objects = append(k.objects, model.Box{})
		}
		was := k.objects[o]
		k.object[n], k.objects[o] = o, was.Over(k.lane.boxes[k.places[n]])
		k.next(n + 1)
		k.objects[o] = was
		k.objects = k.objects[:opened]
	}
}

// conflicts reports whether body n conflicts with one of an object.
func (k *partition) conflicts(n, o int) bool {
	for m := range n {
		a, b := min(k.places[m], k.places[n]), max(k.places[m], k.places[n])
		if k.object[m] == o && k.lane.hard[int(a)*len(k.lane.body)+int(b)] != nil {
			return true
		}
	}
	return false
}

// stacked returns where each object begins, and where the last one ends.
func (k *partition) stacked() (at []int64, height int64) {
	step, last, lost := k.lane.alignment, 0, int64(-1)
	for o, x := range k.objects {
		if more := bound.Up(x.Bytes(), step) - x.Bytes(); more > lost {
			last, lost = o, more
		}
	}
	at = make([]int64, len(k.objects))
	for o, x := range k.objects {
		if o != last {
			at[o] = height
			height += bound.Up(x.Bytes(), step)
		}
	}
	if len(k.objects) > 0 {
		at[last] = height
		height += k.objects[last].Bytes()
	}
	return at, height
}

func (k *partition) height() int64 {
	_, height := k.stacked()
	return height
}

// add puts the partition into the front.
func (k *partition) add() {
	at, height := k.stacked()
	y := point{height: height, bodies: k.bodies}
	if k.lane.begins != nil {
		y.objects = int64(len(at))
	}
	number := make([]int, len(k.lane.body))
	for n := range number {
		number[n] = -1
	}
	for n, place := range k.places {
		y.at = append(y.at, at[k.object[n]])
		number[place] = k.object[n]
	}
	for _, p := range k.lane.soft {
		if number[p.a] >= 0 && number[p.a] == number[p.b] {
			y.paid += p.cost
		}
	}
	k.front.put(k.lane, &y)
}
