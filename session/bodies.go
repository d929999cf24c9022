package session

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: what is placed is a body: buffers that ties hold at fixed distances, or one buffer by itself. Its place is a
// pool and an origin, the offset of its lowest byte. Most problems have no ties and one pool. Then a body is a buffer,
// its origin is its offset, and the lists that would say so are nil.
//
// A body is named by the index of one of its members.

// A placing is a place for every buffer.
type placing struct {
	at   []int64 // offsets; away for buffers that have none. nil means that there is no placing
	pool []int32 // nil if there is one pool
}

func (p placing) clone() placing { return placing{slices.Clone(p.at), slices.Clone(p.pool)} }

// in returns the pool of a buffer.
func (p placing) in(i int32) int32 {
	if p.pool == nil {
		return 0
	}
	return p.pool[i]
}

// plan returns the placing as a plan. It shares the lists.
func (p placing) plan() *model.Plan { return &model.Plan{Offsets: p.at, Pools: p.pool, Height: -1} }

// bodies are the bodies of a problem.
type bodies struct {
	body  []int32           // the buffer that stands for the body of each buffer; nil if nothing is tied
	off   []int64           // distance of each buffer from the origin of its body; nil likewise
	tied  map[int32][]int32 // members of each body; nil likewise
	alone []int32           // every index, for bodies of one
}

// tie lists the members of the bodies.
func (b *bodies) tie(body []int32, off []int64) {
	if body == nil {
		return
	}
	b.body, b.off, b.tied = body, off, map[int32][]int32{}
	for i, k := range body {
		b.tied[k] = append(b.tied[k], int32(i))
	}
}

// of returns the body of a buffer.
func (b *bodies) of(i int32) int32 {
	if b.body == nil {
		return i
	}
	return b.body[i]
}

// from returns the distance of a buffer from the origin of its body.
func (b *bodies) from(i int32) int64 {
	if b.off == nil {
		return 0
	}
	return b.off[i]
}

// members returns the buffers of a body.
func (b *bodies) members(body int32) []int32 {
	if b.tied != nil {
		return b.tied[body]
	}
	return b.alone[body : body+1]
}

// put places a body; lift takes it away.
func (b *bodies) put(p placing, body, pool int32, origin int64) {
	for _, i := range b.members(body) {
		if p.at[i] = origin + b.from(i); p.pool != nil {
			p.pool[i] = pool
		}
	}
}

func (b *bodies) lift(p placing, list ...int32) {
	for _, body := range list {
		for _, i := range b.members(body) {
			p.at[i] = away
		}
	}
}

// mark marks the members of a body.
func (b *bodies) mark(marks []bool, list ...int32) {
	for _, body := range list {
		for _, i := range b.members(body) {
			marks[i] = true
		}
	}
}

// marked returns what is marked, ascending.
func marked(marks []bool) (list []int32) {
	for i := range marks {
		if marks[i] {
			list = append(list, int32(i))
		}
	}
	return list
}
