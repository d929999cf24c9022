package model

import (
	"fmt"
	"slices"
	"strings"
)

// What a valid problem with rules is. A problem that contradicts itself is bad input: for example, if two
// chains of ties give two distances for one pair. A problem that no plan can satisfy is valid, and
// infeasible: for example, if the members of a body may be in no common pool.

// rules checks Rules and the Extra of each buffer.
func (v *validator) rules() {
	r := v.p.Rules
	if r == nil {
		r = &Rules{}
	}
	v.pools(r)
	for i := range v.p.Buffers {
		v.extra(r, i, &v.p.Buffers[i])
	}
	v.time(r)
	paired := v.pairs("apart", len(r.Apart), func(k int) Pair { return r.Apart[k] })
	paired = v.pairs("may_overlap", len(r.MayOverlap), func(k int) Pair { return r.MayOverlap[k] }) && paired
	paired = v.pairs("penalties", len(r.Penalties), func(k int) Pair { return r.Penalties[k].Buffers }) && paired
	paired = v.pairs("distances", len(r.Distances), func(k int) Pair { return r.Distances[k].Buffers }) && paired
	v.lists("different_pools", r.DifferentPools)
	v.lists("same_pool", r.SamePool)
	listed := v.lists("lockstep", r.Lockstep)
	v.once("kinds", r.Kinds)
	if v.lists("alternatives", r.Alternatives) {
		v.once("alternatives", r.Alternatives)
	}
	if paired {
		v.distances(r)
		if v.bodies(r); listed {
			v.lockstep(r)
		}
	}
	v.extents(r)
	paid := v.groups(r)
	for k, penalty := range r.Penalties {
		if penalty.Cost < 0 || penalty.Cost > MaxSum {
			v.add(-1, fmt.Sprintf("penalties[%d].cost", k), itoa(penalty.Cost),
				fmt.Sprintf("must be from 0 to %d", int64(MaxSum)))
			continue
		}
		times := int64(1) // each two parts of the buffers may pay
		if paired {
			times = v.parts(penalty.Buffers[0]) * v.parts(penalty.Buffers[1])
		}
		if penalty.Cost > (MaxSum-paid)/times {
			v.add(-1, fmt.Sprintf("penalties[%d].cost", k), itoa(penalty.Cost),
				fmt.Sprintf("makes the sum of the penalties exceed %d; each two parts that evictions may leave of "+
					"the buffers count", int64(MaxSum)))
			break
		}
		paid += penalty.Cost * times
	}
	v.objective(r)
}

// parts returns the most parts that evictions may leave of a buffer.
func (v *validator) parts(i int32) int64 {
	if x := v.p.Buffers[i].Extra; x != nil {
		return int64(len(x.Evictions)) + 1
	}
	return 1
}

// poolName names a pool in messages.
func poolName(r *Rules, k int) string {
	if id := r.Pools[k].ID; id != "" {
		return id
	}
	return fmt.Sprintf("number %d", k+1)
}

func (v *validator) pools(r *Rules) {
	if len(r.Pools) > 0 && v.p.Capacity != 0 {
		v.add(-1, "capacity", itoa(v.p.Capacity), "is for one pool without a name; here each pool has its own")
	}
	ids := map[string]int{}
	for k := range r.Pools {
		q := &r.Pools[k]
		var top int64
		say := func(field, value, message string) {
			v.add(-1, fmt.Sprintf("pools[%d].%s", k, field), value, "pool "+poolName(r, k)+": "+message)
		}
		first, again := ids[q.ID]
		switch {
		case q.ID == "":
			say("id", "", "the ID is empty")
		case again:
			say("id", q.ID, fmt.Sprintf("is a duplicate: the pool at index %d has the same", first))
		default:
			ids[q.ID] = k
		}
		for _, x := range []struct {
			field string
			value int64
		}{{"capacity", q.Capacity}, {"alignment", q.Alignment}, {"cost", q.Cost}} {
			if x.value < 0 || x.value > MaxSum {
				say(x.field, itoa(x.value), fmt.Sprintf("must be from 0 to %d", int64(MaxSum)))
			}
		}
		if q.Granularity < 0 || q.Granularity > MaxSum/16 { // a few pages may lie below a buffer
			say("granularity", itoa(q.Granularity), fmt.Sprintf("must be from 0 to %d", int64(MaxSum/16)))
		}
		for _, x := range q.Reserved {
			text := fmt.Sprintf("[%d, %d)", x.Lower, x.Upper)
			switch {
			case x.Lower < 0 || x.Upper > MaxSum || x.Upper <= x.Lower:
				say("reserved", text, fmt.Sprintf("must begin at 0 or above, end above that, and at most at %d", int64(MaxSum)))
			case q.Capacity > 0 && x.Upper > q.Capacity:
				say("reserved", text, fmt.Sprintf("ends above the capacity of %d", q.Capacity))
			default:
				top = max(top, x.Upper)
			}
		}
		for n, x := range q.Sizes {
			text := fmt.Sprintf("%d for %d", x.Bytes, x.Price)
			switch {
			case x.Bytes < 1 || x.Bytes > MaxSum || x.Price < 0 || x.Price > MaxSum:
				say("sizes", text, fmt.Sprintf("the size must be from 1 to %d, and the price from 0 on", int64(MaxSum)))
			case n > 0 && x.Bytes <= q.Sizes[n-1].Bytes:
				say("sizes", text, "must be larger than the size before it")
			case n == len(q.Sizes)-1 && x.Bytes != q.Capacity:
				say("capacity", itoa(q.Capacity), fmt.Sprintf("must be the largest of the sizes, %d", x.Bytes))
			}
		}
		for n, at := range q.Borders {
			text := itoa(at)
			switch {
			case at < 1 || at > MaxSum/2:
				say("borders", text, fmt.Sprintf("must be from 1 to %d", int64(MaxSum/2)))
			case n > 0 && at <= q.Borders[n-1]:
				say("borders", text, "must be above the border before it")
			case q.Capacity > 0 && at >= q.Capacity:
				say("borders", text, fmt.Sprintf("must be below the capacity of %d", q.Capacity))
			}
		}
		if q.Objects && q.Granularity > 0 {
			say("granularity", itoa(q.Granularity), "a pool that is divided into objects has no granularity")
		}
		if q.Objects && len(q.Borders) > 0 {
			say("borders", itoa(q.Borders[0]), "a pool that is divided into objects has no borders")
		}
		if v.reserved += top; v.reserved > MaxSum/2 {
			say("reserved", itoa(top), fmt.Sprintf("the highest reserved bytes of the pools add up to more than %d",
				int64(MaxSum/2)))
			return
		}
	}
}

// extra checks the pools and costs of a buffer.
func (v *validator) extra(r *Rules, i int, b *Buffer) {
	x := b.Extra
	if x == nil {
		x = &Extra{}
	}
	known := func(field string, pool int32) bool {
		if pool >= 0 && int(pool) < max(len(r.Pools), 1) {
			return true
		}
		v.add(i, field, itoa(int64(pool)), fmt.Sprintf("there is no pool of this index; there are %d", len(r.Pools)))
		return false
	}
	if x.Pools != nil && len(x.Pools) == 0 {
		v.add(i, "pools", "", "is an empty list: the buffer may be in no pool")
	}
	for k, pool := range x.Pools {
		if known("pools", pool) && slices.Contains(x.Pools[:k], pool) {
			v.add(i, "pools", itoa(int64(pool)), "the list has the pool twice")
		}
	}
	for k, c := range x.Costs {
		switch {
		case !known("costs", c.Pool):
		case c.Cost < 0 || c.Cost > MaxSum:
			v.outside(i, "costs", c.Cost, 0)
		case slices.ContainsFunc(x.Costs[:k], func(d PoolCost) bool { return d.Pool == c.Pool }):
			v.add(i, "costs", itoa(c.Cost), "the buffer has two costs in one pool")
		}
	}
	if b.Fixed != nil && len(r.Pools) > 1 && len(x.Pools) != 1 {
		v.add(i, "offset", itoa(*b.Fixed),
			fmt.Sprintf("a fixed offset needs exactly one pool; the buffer may be in %d", v.choices(r, x)))
	}
	align := b.Align() // the largest that an offset may have to keep
	for k := range r.Pools {
		if !b.MayUse(int32(k)) {
			continue
		}
		a := &r.Pools[k]
		both, ok := lcm(b.Align(), max(a.Alignment, 1))
		if a.Alignment < 0 || a.Alignment > MaxSum || b.Alignment < 0 || b.Alignment > MaxSum {
			continue
		}
		if !ok {
			v.add(i, "alignment", itoa(b.Alignment),
				fmt.Sprintf("the least common multiple with the alignment %d of pool %s exceeds %d", a.Alignment, a.ID,
					int64(MaxSum)))
			// the buffer's own is checked with the buffer
		} else if b.Fixed != nil && v.choices(r, x) == 1 && *b.Fixed%max(a.Alignment, 1) != 0 {
			v.add(i, "offset", itoa(*b.Fixed),
				fmt.Sprintf("is not a multiple of the alignment %d of pool %s", a.Alignment, a.ID))
		}
		if ok {
			align = max(align, both)
		}
	}
	if v.aligned <= MaxSum && b.Size > 0 && b.Size <= MaxSum && align <= MaxSum {
		need, parts := b.Size+align-1, int64(len(x.Evictions)+1) // each part has a place of its own
		if need > MaxSum/parts {
			parts = 1 // one is too much already
			need = MaxSum + 1
		}
		v.aligned += need * parts
	}
}

func (v *validator) choices(r *Rules, x *Extra) int {
	if x.Pools != nil {
		return len(x.Pools)
	}
	return len(r.Pools)
}

// lcm returns the least common multiple, and whether it is at most MaxSum.
func lcm(a, b int64) (int64, bool) {
	g, h := a, b
	for h != 0 {
		g, h = h, g%h
	}
	if g < 1 || a/g > MaxSum/b {
		return 0, false
	}
	return a / g * b, true
}

// pairs checks that a list has pairs of two different buffers.
func (v *validator) pairs(field string, n int, at func(int) Pair) bool {
	ok := true
	for k := range n {
		p := at(k)
		for _, i := range p {
			if i < 0 || int(i) >= len(v.p.Buffers) {
				v.add(-1, fmt.Sprintf("%s[%d]", field, k), itoa(int64(i)),
					fmt.Sprintf("there is no buffer of this index; there are %d", len(v.p.Buffers)))
				ok = false
			}
		}
		if ok && p[0] == p[1] {
			v.add(-1, fmt.Sprintf("%s[%d]", field, k), v.p.Buffers[p[0]].ID, "a pair has two different buffers")
			ok = false
		}
	}
	return ok
}

// lists checks that each list has two different buffers or more.
func (v *validator) lists(field string, lists [][]int32) (ok bool) {
	before := v.issues.err.Total
	for k, list := range lists {
		field := fmt.Sprintf("%s[%d]", field, k)
		if len(list) < 2 {
			v.add(-1, field, "", fmt.Sprintf("has %d buffers; it needs at least 2", len(list)))
		}
		seen := make(map[int32]bool, len(list))
		for _, i := range list {
			switch {
			case i < 0 || int(i) >= len(v.p.Buffers):
				v.add(-1, field, itoa(int64(i)), fmt.Sprintf("there is no buffer of this index; there are %d", len(v.p.Buffers)))
			case seen[i]:
				v.add(-1, field, v.p.Buffers[i].ID, "the list has the buffer twice")
			}
			seen[i] = true
		}
	}
	return v.issues.err.Total == before
}

// lockstep checks the lists of buffers at one offset, beside the ties.
func (v *validator) lockstep(r *Rules) {
	for k, list := range r.Lockstep {
		for _, i := range list {
			say := func(message string) { v.add(-1, fmt.Sprintf("lockstep[%d]", k), v.p.Buffers[i].ID, message) }
			if v.p.Buffers[i].MayLeave() {
				say("a buffer with evictions can be in no list of lockstep")
			}
			for q := range r.Pools {
				if r.Pools[q].Objects && v.p.Buffers[i].MayUse(int32(q)) {
					say("may be in pool " + r.Pools[q].ID + ", which is divided into objects; those have no offsets in common")
				}
			}
		}
	}
	if v.issues.err.Total > 0 || len(r.Lockstep) == 0 {
		return
	}
	if _, _, fault := BodiesOf(r.Level(v.p)); fault != "" {
		v.issues.Say("lockstep", "", "of the lists of together, then those of lockstep: "+fault)
	}
}

// distances checks that the buffers of each distance meet in one slot: the first dies there, the second is born there.
func (v *validator) distances(r *Rules) {
	seen := make(map[Pair]bool, len(r.Distances))
	for k, d := range r.Distances {
		x, y := &v.p.Buffers[d.Buffers[0]], &v.p.Buffers[d.Buffers[1]]
		say := func(value, message string) { v.add(-1, fmt.Sprintf("distances[%d]", k), value, message) }
		born := y.Lower
		if p := r.Period; p > 0 && born < x.Lower {
			born += p
		}
		meets := born == x.Upper-1
		if p := r.Period; p > 0 && meets {
			// The second must not reach the first's next turn.
			meets = y.Upper-y.Lower <= p-(x.Upper-1-x.Lower)
		}
		switch {
		case d.Distance < -MaxSum || d.Distance > MaxSum:
			say(itoa(d.Distance), fmt.Sprintf("must be from %d to %d", int64(-MaxSum), int64(MaxSum)))
		case !meets:
			say(x.ID+", "+y.ID, fmt.Sprintf("the second must begin in the last slot of the first and nowhere else "+
				"meet it; they live %s and %s", v.lifespan(x), v.lifespan(y)))
		case x.MayLeave() || y.MayLeave():
			say(x.ID+", "+y.ID, "a buffer with evictions can have no distance")
		case len(x.Gaps) > 0 && x.Gaps[len(x.Gaps)-1].Upper == x.Upper || len(y.Gaps) > 0 && y.Gaps[0].Lower == y.Lower:
			say(x.ID+", "+y.ID, "one of the two has a gap in the slot where they meet")
		case seen[d.Buffers.Sorted()]:
			say(x.ID+", "+y.ID, "the pair has two distances")
		}
		seen[d.Buffers.Sorted()] = true
	}
}

func (v *validator) objective(r *Rules) {
	for k, m := range r.Objective {
		ok := slices.Contains([]Measure{
			MeasureHeight, MeasureMaxHeight, MeasurePeak, MeasureMaxPeak, MeasureCost, MeasurePenalty, MeasureEviction,
		}, m)
		if m == MeasureObjects && !r.HasObjects() {
			v.add(-1, fmt.Sprintf("objective[%d]", k), string(m), "no pool is divided into objects")
			continue
		}
		ok = ok || m == MeasureObjects
		for q := range r.Pools {
			ok = ok || m == HeightIn(r.Pools[q].ID) || m == PeakIn(r.Pools[q].ID)
		}
		if of, pool, found := strings.Cut(string(m), ":"); !ok && found && (of == "height" || of == "peak") {
			v.add(-1, fmt.Sprintf("objective[%d]", k), string(m), fmt.Sprintf("%q is no pool of the problem", pool))
		} else if !ok {
			v.add(-1, fmt.Sprintf("objective[%d]", k), string(m),
				"must be height, max_height, peak, max_peak, cost, penalty, eviction, objects, or height: or peak: and a pool")
		} else if slices.Contains(r.Objective[:k], m) {
			v.add(-1, fmt.Sprintf("objective[%d]", k), string(m), "is there twice")
		}
	}
	var cost int64
	pools := v.p.AllPools()
	for q := range pools {
		dearest := int64(0)
		for _, x := range pools[q].Sizes {
			dearest = max(dearest, min(x.Price, MaxSum))
		}
		if cost += dearest; cost > MaxSum {
			v.add(-1, fmt.Sprintf("pools[%d].sizes", q), itoa(dearest),
				fmt.Sprintf("makes the sum of the prices exceed %d", int64(MaxSum)))
			return
		}
	}
	for i := range v.p.Buffers {
		most := int64(0)
		for q := range pools {
			b := &v.p.Buffers[i]
			if pools[q].Cost > 0 && b.Size > 0 && pools[q].Cost > MaxSum/b.Size {
				v.add(i, "size", itoa(b.Size), fmt.Sprintf("the cost in pool %s exceeds %d", pools[q].ID, int64(MaxSum)))
				return
			}
			most = max(most, b.CostIn(pools, int32(q)))
		}
		if b := v.p.Buffers[i].Extra; b != nil {
			each := most // what each part costs
			for _, e := range b.Evictions {
				most += each + min(max(e.Cost, 0), MaxSum)
				if most > MaxSum {
					break
				}
			}
		}
		if cost += most; cost > MaxSum {
			v.add(i, "costs", "", fmt.Sprintf("makes the sum of the costs exceed %d", int64(MaxSum)))
			return
		}
	}
}
