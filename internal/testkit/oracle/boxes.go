package oracle

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: pieces that begin at one byte of a pool of objects are one object. If sizes have several dimensions, it is as
// large as its largest piece in each. So no two pieces decide whether they may lie as they do: all of an object count.
// See rules.go.
//
// Invariant: an object never gets smaller if one more piece is placed. So what breaks a rule breaks it to the end.
//
// Complexity: O(pieces²) for a piece.

// box is an object.
type box struct {
	pool   int
	at     int64
	extent []int64
	whole  int64 // the largest size of one number
}

// bytes returns how many bytes the object takes.
func (x *box) bytes() int64 {
	if len(x.extent) == 0 {
		return x.whole
	}
	product := int64(1)
	for _, e := range x.extent {
		product *= e
	}
	return max(product, x.whole)
}

// objects returns the objects of the pieces that are placed.
func (o *ruled) objects(placed func(m int) bool) (all []box) {
	for m, x := range o.pieces {
		if !placed(m) || !o.pools[x.pool].Objects {
			continue
		}
		k := slices.IndexFunc(all, func(y box) bool { return y.pool == x.pool && y.at == x.at })
		if k < 0 {
			k, all = len(all), append(all, box{pool: x.pool, at: x.at})
		}
		all[k].add(&o.p.Buffers[x.buffer])
	}
	return all
}

// add makes an object hold a buffer.
func (x *box) add(b *model.Buffer) {
	if b.Extra == nil || b.Extra.Extents == nil {
		x.whole = max(x.whole, b.Size)
		return
	}
	for d, e := range b.Extra.Extents {
		if d == len(x.extent) {
			x.extent = append(x.extent, 0)
		}
		x.extent[d] = max(x.extent[d], e)
	}
}

// fitting reports whether the objects of the pieces up to k are within their capacities and share no byte.
func (o *ruled) fitting(k int) bool {
	b := o.p.Buffers[o.pieces[k].buffer].Extra
	if b == nil || b.Extents == nil || !o.pools[o.pieces[k].pool].Objects {
		return true
	}
	all := o.objects(func(m int) bool { return m <= k })
	for n := range all {
		x := &all[n]
		if most := o.pools[x.pool].Capacity; most > 0 && x.at+x.bytes() > most {
			return false
		}
		for m := range n {
			y := &all[m]
			if x.pool == y.pool && x.at < y.at+y.bytes() && y.at < x.at+x.bytes() {
				return false
			}
		}
	}
	return true
}

// covering returns how many bytes an object takes that holds every buffer with as many dimensions as b; 0 if b has one.
func (o *ruled) covering(b *model.Buffer) int64 {
	if b.Extra == nil || b.Extra.Extents == nil {
		return 0
	}
	var x box
	for i := range o.p.Buffers {
		if y := &o.p.Buffers[i]; y.Extra != nil && len(y.Extra.Extents) == len(b.Extra.Extents) {
			x.add(y)
		}
	}
	return x.bytes()
}

// Best is Chains, or Ruled if Chains does not decide what the problem asks.
func Best(p *model.Problem, most int) (best []int64, plan *model.Plan, decided bool) {
	if byOffsets(p) {
		return Ruled(p, most)
	}
	return Chains(p, most)
}

// byOffsets reports whether only an enumeration of offsets decides a problem.
func byOffsets(p *model.Problem) bool {
	return slices.Contains(p.Objective(), model.MeasureObjects) || boxed(p)
}

// boxed reports whether a size has several dimensions in a pool of objects.
func boxed(p *model.Problem) bool {
	for pool, q := range p.AllPools() {
		for i := range p.Buffers {
			if b := &p.Buffers[i]; q.Objects && b.Extra != nil && b.Extra.Extents != nil && b.MayUse(int32(pool)) {
				return true
			}
		}
	}
	return false
}
