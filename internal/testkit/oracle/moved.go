package oracle

import "github.com/stowage-go/stowage/model"

// Idea: the least movement between two plans of a problem with rules, by the enumeration of rules.go. A buffer is
// first tried where it was, then everywhere else. A branch ends if it moves as much as the best plan.

// Moved returns the least movement that leads from old places to a plan of p: the cost, then the number of buffers.
// Buffers of mine cost nothing, wherever they lie; an old offset below 0 is none. exists says whether there is a plan
// at all. decided is false if heights are too large to try. p must be valid, without evictions.
func Moved(p *model.Problem, at []int64, pool []int32, mine []bool, cost func(i int) int64) (least int64, buffers int,
	exists, decided bool,
) {
	o := &ruled{p: p, pools: p.AllPools()}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	o.absent = make([]bool, len(p.Buffers))
	o.joined()
	if !o.reaches() {
		return 0, 0, false, false
	}
	// What stays is like what is fixed: all else can be moved down to a height above it.
	top := int64(0)
	for i := range p.Buffers {
		top = max(top, at[i]+p.Buffers[i].Size)
	}
	for k, q := range o.pools {
		if o.reach[k] += top; q.Capacity > 0 {
			o.reach[k] = min(o.reach[k], q.Capacity)
		}
	}
	for i := range p.Buffers {
		o.pieces = append(o.pieces, piece{buffer: i, lower: p.Buffers[i].Lower, upper: p.Buffers[i].Upper})
	}
	o.order()
	o.connect()
	var try func(k int, spent int64, moved int)
	try = func(k int, spent int64, moved int) {
		if exists && (spent > least || spent == least && moved >= buffers) {
			return
		}
		if k == len(o.pieces) {
			least, buffers, exists = spent, moved, true
			return
		}
		x := &o.pieces[k]
		i := x.buffer
		put := func(q int, offset, spent int64, moved int) {
			x.pool, x.at = q, offset
			if o.alone(k) && o.tied(k) && o.legal(k) {
				try(k+1, spent, moved)
			}
		}
		price, one := cost(i), 1
		if mine[i] {
			price, one = 0, 0
		}
		if at[i] >= 0 {
			put(int(pool[i]), at[i], spent, moved)
		}
		for q := range o.pools {
			for offset := int64(0); offset+p.Buffers[i].Size <= o.reach[q]; offset++ {
				if at[i] != offset || int(pool[i]) != q {
					put(q, offset, spent+price, moved+one)
				}
			}
		}
	}
	try(0, 0, 0)
	return least, buffers, exists, true
}
