package model

import (
	"fmt"
	"slices"
	"strings"
)

// Ties make bodies: which buffers are one body, at which distances, and which contradictions that may have.

// Level returns a problem whose only rules are ties: those of r, and all buffers of a list of lockstep at one offset.
func (r *Rules) Level(p *Problem) *Problem {
	ties := slices.Clone(r.Together)
	for _, list := range r.Lockstep {
		ties = append(ties, Together{Buffers: list})
	}
	return &Problem{Buffers: p.Buffers, Rules: &Rules{Together: ties}}
}

// bodies checks that the ties do not contradict each other. It also checks that no members of a body share
// bytes if they are apart.
func (v *validator) bodies(r *Rules) {
	for k, t := range r.Together {
		field := fmt.Sprintf("together[%d]", k)
		if t.At != nil && len(t.At) != len(t.Buffers) {
			v.add(-1, field, "", fmt.Sprintf("has %d buffers and %d distances", len(t.Buffers), len(t.At)))
			return
		}
		if len(t.Buffers) == 0 {
			v.add(-1, field, "", "has no buffers")
			return
		}
		for m, i := range t.Buffers {
			if i < 0 || int(i) >= len(v.p.Buffers) {
				v.add(-1, field, itoa(int64(i)), fmt.Sprintf("there is no buffer of this index; there are %d", len(v.p.Buffers)))
				return
			}
			if t.At != nil && (t.At[m] < -MaxSum || t.At[m] > MaxSum) {
				v.add(-1, field, itoa(t.At[m]), fmt.Sprintf("must be from %d to %d", int64(-MaxSum), int64(MaxSum)))
				return
			}
			if v.p.Buffers[i].MayLeave() && len(t.Buffers) > 1 {
				v.add(-1, field, v.p.Buffers[i].ID, "a buffer with evictions can be in no body")
			}
		}
	}
	body, at, fault := BodiesOf(v.p)
	if fault != "" {
		v.issues.Say("together", "", fault)
		return
	}
	for k, pair := range r.Apart {
		a, b := pair[0], pair[1]
		if body != nil && body[a] == body[b] && at[a] < at[b]+v.p.Buffers[b].Size && at[b] < at[a]+v.p.Buffers[a].Size {
			v.add(-1, fmt.Sprintf("apart[%d]", k), v.p.Buffers[a].ID+", "+v.p.Buffers[b].ID,
				"together ties the two to the same bytes")
		}
	}
	if body != nil && v.issues.err.Total == 0 {
		v.oneBody(r, body, at)
	}
}

// oneBody checks what the members of each body say together: fixed offsets, alignments and extents.
func (v *validator) oneBody(r *Rules, body []int32, at []int64) {
	fixed := make([]int32, len(body)) // of each body, 1 + the first member with a fixed offset
	extent, align := make([]int64, len(body)), make([]int64, len(body))
	for i := range v.p.Buffers {
		b, of := &v.p.Buffers[i], body[i]
		extent[of] = max(extent[of], at[i]+b.Size)
		both, ok := lcm(b.Align(), max(align[of], 1))
		for k := range r.Pools {
			_, fits := lcm(max(both, 1), max(r.Pools[k].Alignment, 1))
			ok = ok && fits
		}
		if !ok {
			v.add(i, "alignment", itoa(b.Alignment),
				fmt.Sprintf("the least common multiple of the alignments in its body and of the pools exceeds %d", int64(MaxSum)))
			return
		}
		align[of] = both
		switch first := fixed[of] - 1; {
		case b.Fixed == nil:
		case first < 0:
			fixed[of] = int32(i) + 1
		default:
			if want := *v.p.Buffers[first].Fixed - at[first] + at[i]; want != *b.Fixed {
				v.add(i, "offset", itoa(*b.Fixed),
					fmt.Sprintf("together ties the buffer to %s, which is fixed at %d, so it must be at %d", v.p.Buffers[first].ID,
						*v.p.Buffers[first].Fixed, want))
			}
		}
	}
	sum := v.reserved
	for i := range extent {
		most := max(align[i], 1)
		for k := range r.Pools {
			both, _ := lcm(max(align[i], 1), max(r.Pools[k].Alignment, 1))
			most = max(most, both)
		}
		if sum += min(extent[i], MaxSum) + most - 1; sum > MaxSum {
			v.add(-1, "together", "", fmt.Sprintf("the extents of the bodies, with what is reserved below them, add "+
				"up to more than %d", int64(MaxSum)))
			return
		}
	}
}

// BodiesOf unites the lists of Rules.Together. body[i] is the index of the buffer that stands for the body of
// buffer i. at[i] is the distance in bytes, at least 0, of buffer i from the lowest byte of its body. Both are nil if
// nothing is tied. fault names the chain of ties that contradict each other; it is empty if none do.
//
// It is a depth-first walk over the ties: O(buffers + ties).
func BodiesOf(p *Problem) (body []int32, at []int64, fault string) {
	if p.Rules == nil || len(p.Rules.Together) == 0 {
		return nil, nil, ""
	}
	type tie struct {
		to, list int32
		by       int64 // offset of to - offset of the buffer
	}
	ties := make([][]tie, len(p.Buffers))
	for k, t := range p.Rules.Together {
		for m, i := range t.Buffers[1:] {
			first, by := t.Buffers[0], int64(0)
			if t.At != nil {
				by = t.At[m+1] - t.At[0]
			}
			ties[first] = append(ties[first], tie{i, int32(k), by})
			ties[i] = append(ties[i], tie{first, int32(k), -by})
		}
	}
	body, at = make([]int32, len(p.Buffers)), make([]int64, len(p.Buffers))
	from := make([]int32, len(p.Buffers)) // the buffer from which the walk came
	for i := range body {
		body[i] = -1
	}
	chain := func(i int32) (names []string) {
		for ; i >= 0; i = from[i] {
			names = append(names, p.Buffers[i].ID)
		}
		return names
	}
	for root := range p.Buffers {
		if body[root] >= 0 {
			continue
		}
		body[root], from[root] = int32(root), -1
		members, lowest := []int32{int32(root)}, int64(0)
		for k := 0; k < len(members); k++ {
			i := members[k]
			for _, t := range ties[i] {
				there := at[i] + t.by
				switch {
				case body[t.to] < 0:
					if there > MaxSum || there < -MaxSum {
						return nil, nil, fmt.Sprintf("the distances from %s to %s add up to more than %d", p.Buffers[root].ID,
							p.Buffers[t.to].ID, int64(MaxSum))
					}
					body[t.to], at[t.to], from[t.to] = int32(root), there, i
					members, lowest = append(members, t.to), min(lowest, there)
				case at[t.to] != there:
					return nil, nil, fmt.Sprintf("list %d puts %s at %d from %s, but the chain %s puts it at %d",
						t.list, p.Buffers[t.to].ID, t.by, p.Buffers[i].ID, linked(chain(i), chain(t.to)), at[t.to]-at[i])
				}
			}
		}
		for _, i := range members {
			at[i] -= lowest
		}
	}
	return body, at, ""
}

// linked joins two chains that end at the same root: up the one, down the other.
func linked(up, down []string) string {
	for len(up) > 1 && len(down) > 1 && up[len(up)-2] == down[len(down)-2] {
		up, down = up[:len(up)-1], down[:len(down)-1]
	}
	slices.Reverse(down)
	return strings.Join(append(up, down[1:]...), " – ")
}
