package heights

import "github.com/stowage-go/stowage/model"

// Idea: two rules are no matter of the distance of two bodies. Whoever places bodies one after the other keeps both as
// ranges that are taken:
//
//	borders       a member may not begin from border - size, exclusive, to the border, exclusive
//	granularity   two members of different kinds that conflict share no page: if one of them lies in the pool, its
//	              bytes rounded outwards to whole pages are taken from the other
//
// The second is exact: two members share a page if and only if the page of the first byte of each is at most that of the
// last byte of the other.
//
// Invariant: with these ranges each plan of an order keeps both rules (order.go).
//
// Complexity: O(pairs of bodies) to list. A placement takes O(1) for each such pair, and O(members)
// for each border.

// A page is two members of different kinds that conflict: one of the body, and one of another body.
type page struct {
	other        int32
	mine, theirs int32 // indices into the members of each
}

// Keep has the field keep the borders and the granularities of the pools of p. It has the buffers and pools of the
// field's problem.
func (f *Field) Keep(p *model.Problem, conflicts *model.Conflicts) {
	f.walls = p.AllPools()
	f.spans = make([]bool, len(p.Buffers))
	for i := range p.Buffers {
		f.spans[i] = p.Buffers[i].Extra != nil && p.Buffers[i].Extra.Spans
	}
	if !p.Rules.HasPages() {
		return
	}
	kind := p.Rules.KindOf(len(p.Buffers))
	f.paged = make([][]page, len(f.bodies))
	for k := range f.bodies {
		a := &f.bodies[k]
		for _, i := range a.members {
			a.kind = max(a.kind, kind[i])
		}
		for o := range k { // with a distance between them, two may conflict and share no section
			f.parted(conflicts, kind, int32(k), int32(o))
		}
	}
}

// parted lists the pairs of two bodies that share no page.
func (f *Field) parted(conflicts *model.Conflicts, kind []int32, k, o int32) {
	for m, i := range f.bodies[k].members {
		for n, j := range f.bodies[o].members {
			if kind[i] > 0 && kind[j] > 0 && kind[i] != kind[j] && conflicts.Conflict(int(i), int(j)) {
				f.paged[k] = append(f.paged[k], page{o, int32(m), int32(n)})
				f.paged[o] = append(f.paged[o], page{k, int32(n), int32(m)})
			}
		}
	}
}

// keep takes ranges from a body that is about to be placed.
func (x *placer) keep(k int32) {
	if x.walls == nil {
		return
	}
	b := &x.bodies[k]
	for _, q := range b.pools {
		for _, border := range x.walls[q].Borders {
			for m, i := range b.members {
				if !x.spans[i] {
					top := border - b.at[m]
					x.taken[q] = append(x.taken[q], model.Range{Lower: top - x.p.Buffers[i].Size, Upper: top})
				}
			}
		}
		x.checked += int64(len(x.walls[q].Borders))
	}
	if x.paged == nil {
		return
	}
	for _, y := range x.paged[k] {
		q := x.in[y.other]
		if q < 0 || x.walls[q].Granularity == 0 {
			continue
		}
		o, g := &x.bodies[y.other], x.walls[q].Granularity
		at := x.origin[y.other] + o.at[y.theirs]
		end := at + x.p.Buffers[o.members[y.theirs]].Size
		x.taken[q] = append(x.taken[q], model.Range{
			Lower: at/g*g - b.at[y.mine] - x.p.Buffers[b.members[y.mine]].Size,
			Upper: (end+g-1)/g*g - b.at[y.mine],
		})
	}
	x.checked += int64(len(x.paged[k]))
}

// release takes the ranges of other kinds away again.
func (x *placer) release(k int32) {
	if x.paged == nil {
		return
	}
	for _, y := range x.paged[k] {
		if q := x.in[y.other]; q >= 0 {
			x.taken[q] = x.taken[q][:0]
		}
	}
}
