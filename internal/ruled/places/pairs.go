package places

import "github.com/stowage-go/stowage/model"

// Idea: two buffers that conflict may not lie at all distances from one another. A forbidden distance is in an open
// range:
//
//	offset of i - offset of j is forbidden
//	    apart         from -size of i to size of j
//	    live together the same, for the bytes of each two pieces that meet
//	    a distance    only below the distance, if i dies and j is born
//
// Invariant: model.Conflicts says who conflicts. Only the distances between those that do are computed here. verify
// reads the rules by itself.
//
// Complexity: O(1) for two buffers without gaps, and O(pieces of the one times pieces of the other) for those with
// gaps.

// Pairs says at which distances two buffers of a problem may lie in one pool.
type Pairs struct {
	conflicts *model.Conflicts
	p         *model.Problem
	distances map[model.Pair]model.Distance
}

// NewPairs prepares the pairs of a valid problem with rules.
func NewPairs(p *model.Problem, c *model.Conflicts) *Pairs {
	x := &Pairs{conflicts: c, p: p}
	if len(p.Rules.Distances) > 0 {
		x.distances = make(map[model.Pair]model.Distance, len(p.Rules.Distances))
		for _, d := range p.Rules.Distances {
			x.distances[d.Buffers.Sorted()] = d
		}
	}
	return x
}

// Objects is Between for a pool of objects: the two begin at the same byte or share none, and they share none if they
// conflict.
func (x *Pairs) Objects(i, j int32, yield func(low, high int64)) {
	low, high := -x.p.Buffers[i].Size, x.p.Buffers[j].Size
	d, ok := x.distances[model.Pair{i, j}.Sorted()]
	if near := ok && d.Distance <= 0; x.conflicts.Apart(int(i), int(j)) || !near && x.conflicts.Conflict(int(i), int(j)) {
		yield(low, high)
		return
	}
	yield(low, 0)
	yield(0, high)
}

// Between calls yield for each open range (low, high) that offset of i - offset of j may not be in.
func (x *Pairs) Between(i, j int32, yield func(low, high int64)) {
	if !x.conflicts.Conflict(int(i), int(j)) {
		return
	}
	a, b := &x.p.Buffers[i], &x.p.Buffers[j]
	low, high := -a.Size, b.Size
	if x.conflicts.Apart(int(i), int(j)) {
		yield(low, high)
		return
	}
	if d, ok := x.distances[model.Pair{i, j}.Sorted()]; ok && d.Buffers[0] == i {
		high = min(high, d.Distance)
	} else if ok {
		low = max(low, -d.Distance)
	}
	if len(a.Gaps) == 0 && len(b.Gaps) == 0 {
		yield(low, high)
		return
	}
	shifts := [...]int64{0, x.p.Rules.Period, -x.p.Rules.Period}
	turns := shifts[:1]
	if x.p.Rules.Period > 0 {
		turns = shifts[:]
	}
	for _, shift := range turns {
		for u := range a.Pieces {
			for v := range b.Pieces {
				if u.Lower < v.Upper+shift && v.Lower+shift < u.Upper {
					yield(max(low, v.From-u.To), min(high, v.To-u.From))
				}
			}
		}
	}
}
