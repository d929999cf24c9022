package pools

import (
	"context"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: if two threads exchange no message, not even through others, each buffer of one conflicts with each buffer of
// the other. More generally, take groups of buffers such that two buffers of different groups always conflict. Then
// each group can be planned alone, and the plans are stacked:
//
//	lowest height = sum over groups of the lowest height of the group
//
// Proof: in a plan of all buffers, no byte is used by two groups. Keep only the bytes that one group uses, and close
// the holes. No buffer of the group is torn, because all of its bytes are kept. The result is a plan of the group. So
// each group uses at least as many bytes as its lowest plan is high.
//
// The groups are the components of the graph of the pairs that do not conflict. The buffers of one thread are an
// interval order, so their time is a line and planners are quick.
//
// Invariant: the bounds of the groups add up to a bound, if nothing is fixed and every size is a multiple of all
// alignments. Otherwise there are no groups.
//
// Complexity: O(n²/64) for the groups, and what planning them takes.
//
// Source: modular decomposition (Gallai 1967); a join of graphs is its series case.

// joined returns the groups, as indices in the strip, or nil if they should not be planned apart.
func joined(st *lower.Strip) [][]int32 {
	if !stackable(st) {
		return nil
	}
	n := len(st.Members)
	words := (n + 63) / 64
	left := make([]uint64, words) // in no group so far
	for i := range n {
		left[i/64] |= 1 << (i % 64)
	}
	var groups [][]int32
	for i := range int32(n) {
		if left[i/64]>>(i%64)&1 == 0 {
			continue
		}
		left[i/64] &^= 1 << (i % 64)
		group := []int32{i}
		for k := 0; k < len(group); k++ {
			row := st.Edges[int(group[k])*words : int(group[k]+1)*words]
			for w := range row {
				free := left[w] &^ row[w]
				for left[w] &^= free; free != 0; free &= free - 1 {
					group = append(group, int32(w*64+bits.TrailingZeros64(free)))
				}
			}
		}
		groups = append(groups, group)
	}
	if len(groups) == 1 {
		return nil
	}
	return groups
}

// stackable reports whether plans of parts of a strip can be stacked without loss: only clocks decide who conflicts, no
// offset is fixed, and each size is a multiple of all alignments.
func stackable(st *lower.Strip) bool {
	align := int64(1)
	for i := range st.Problem.Buffers {
		if align = bound.LCM(align, st.Problem.Buffers[i].Align(), model.MaxSum); align == 0 {
			return false
		}
	}
	return st.ClocksAlone && !slices.ContainsFunc(st.Problem.Buffers,
		func(b model.Buffer) bool { return b.Fixed != nil || b.Size%align != 0 })
}

// joins is the turn that plans the groups one by one.
func (u *untangling) joins(ctx context.Context) error {
	groups := joined(u.st)
	if groups == nil {
		return nil
	}
	a, err := u.apart(ctx, u.parts(groups))
	if err != nil {
		return err
	}
	if u.a.bound = max(u.a.bound, a.bound); a.status.HasPlan() {
		u.k.Adopt(a.offsets)
	}
	if u.a.by = a.by; u.capacity > 0 && u.a.bound > u.capacity {
		u.a.status = model.Infeasible
	}
	return nil
}

// A groupOf is a group of a strip as a problem of its own.
type groupOf struct {
	members []int32 // places in the strip
	search  *Search
	strip   *lower.Strip
}

// parts makes problems of groups.
func (u *untangling) parts(groups [][]int32) (parts []groupOf) {
	s := u.s
	for _, group := range groups {
		p := &model.Problem{Name: s.Lowering.Problem.Name, Rules: &model.Rules{Threads: s.Lowering.Problem.Rules.Threads}}
		var all []int32
		for n, i := range group {
			b := s.Lowering.Problem.Buffers[u.st.Members[i]]
			b.Extra = &model.Extra{Clocks: b.Extra.Clocks}
			b.Alignment = u.st.Problem.Buffers[i].Alignment
			p.Buffers, all = append(p.Buffers, b), append(all, int32(n))
		}
		part := New(lower.New(p), s.planner, s.options, s.stats)
		parts = append(parts, groupOf{group, part, part.Lowering.Strip(0, all, nil)})
	}
	return parts
}

// apart plans each part alone and stacks the plans. The bound is the sum of their bounds. Each part gets an equal share
// of the limits that are left, so a part that needs less leaves more to the others.
func (u *untangling) apart(ctx context.Context, parts []groupOf) (answer, error) {
	s, a := u.s, answer{status: model.Optimal, by: run.Bound, offsets: make([]int64, len(u.st.Members))}
	for k, x := range parts {
		x.search.stats = s.stats
		if nodes, limited := u.left(); limited {
			x.search.options.NodeLimit = s.stats.Nodes + max(1, nodes/int64(len(parts)-k))
		}
		short, cancel := run.Share(ctx, len(parts)-k)
		b, err := x.search.plan(short, x.strip, 0, true)
		cancel()
		s.stats = x.search.stats
		if err != nil {
			return answer{}, err
		}
		if a.bound += b.bound; b.status != model.Optimal {
			a.status = b.status
		} else if b.by != run.Bound {
			a.by = b.by
		}
		if !b.status.HasPlan() {
			return answer{}, nil
		}
		for n, i := range x.members {
			a.offsets[i] = a.height + b.offsets[n]
		}
		a.height += b.height
	}
	return a, nil
}
