package forms

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: if a problem has no plan, none of those has one whose forms are harder to place: no smaller, live at least as
// long, in no more pools, and so on. This holds for forms that no other rule names.
//
// Invariant: harder[n][a][b] says that a plan with form a of list n is one with form b at the same place.
//
// Complexity: O(forms²) for a list.

// hardness compares the forms of each list.
func hardness(p *model.Problem, lists [][]int32) (harder [][][]bool) {
	named := make([]bool, len(p.Buffers))
	name := func(all ...int32) {
		for _, i := range all {
			named[i] = true
		}
	}
	for _, t := range p.Rules.Together {
		name(t.Buffers...)
	}
	for _, pairs := range [][]model.Pair{p.Rules.Apart, p.Rules.MayOverlap} {
		for _, x := range pairs {
			name(x[:]...)
		}
	}
	for _, x := range p.Rules.Distances {
		name(x.Buffers[:]...)
	}
	rules := *p.Rules
	for _, x := range rules.Listings() {
		for _, list := range *x.Lists {
			if x.Name != "alternatives" {
				name(list...)
			}
		}
	}
	for _, list := range lists {
		all := make([][]bool, len(list))
		for a, i := range list {
			all[a] = make([]bool, len(list))
			for b, j := range list {
				all[a][b] = a == b || !named[i] && !named[j] && covers(p, &p.Buffers[i], &p.Buffers[j])
			}
		}
		harder = append(harder, all)
	}
	return harder
}

// covers reports whether buffer b may take the place of buffer a in each plan.
func covers(p *model.Problem, a, b *model.Buffer) bool {
	x, y := extraOf(a), extraOf(b)
	alike := slices.Equal(a.Gaps, b.Gaps) && len(a.Gaps) == 0 && len(x.Evictions)+len(y.Evictions) == 0 && x.Spans == y.Spans
	switch {
	case !alike || a.Size < b.Size || a.Box() != a.Box().Over(b.Box()) || a.Align()%b.Align() != 0:
		return false
	case b.Fixed != nil && (a.Fixed == nil || *a.Fixed != *b.Fixed):
		return false
	}
	for q := range p.AllPools() {
		if a.MayUse(int32(q)) && !b.MayUse(int32(q)) {
			return false
		}
	}
	if c, d := x.Clocks, y.Clocks; c != nil && d != nil {
		return slices.Equal(c.Lower, d.Lower) && slices.Equal(c.Upper, d.Upper)
	}
	return a.Lower <= b.Lower && b.Upper <= a.Upper
}

func extraOf(b *model.Buffer) model.Extra {
	if b.Extra == nil {
		return model.Extra{}
	}
	return *b.Extra
}
