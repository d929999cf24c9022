package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: the MiniMalloc paper shows on its running example of five buffers what it leaves
// out: figures 5 and 6 the orders that end in figure 2's plan, as a tree and as a lattice,
// figure 3 a partial plan that section inference refutes, figure 7 one that is dominated.
// Five buffers have 120 orders, so all of it can be counted. That the kernel of exact makes
// the same cuts, each by its own technique, is a test (internal/exact, TestFigures3And7).

// capacityOf2 is the capacity of the running example.
const capacityOf2 = 12

// worked is figures 3 and 5 to 7.
func worked(_ context.Context, _ *env) (*content, error) {
	c := &content{verdict: level}
	p := suite.MiniMalloc()
	index := map[string]int{}
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = i
	}
	of := func(ids ...string) (order []int) {
		for _, id := range ids {
			order = append(order, index[id])
		}
		return order
	}
	tree, nodes, bold := latticeOf(p, of("b5", "b3", "b4"))
	third := partial(p, of("b1", "b5"))
	needs, most, t := sectionNeeds(p, third)
	// Figure 7, and figure 3 again: which plans go on from there, each buffer atop the earlier.
	all := ordersOf(p, func([]int64) bool { return true })
	fits := func(order []int) (n int) {
		for _, o := range all {
			if slices.Equal(o.order[:len(order)], order) && model.HeightOf(p, stacked(p, o.order)) <= capacityOf2 {
				n++
			}
		}
		return n
	}
	dominated, instead := of("b3", "b1"), of("b3", "b4", "b1")
	seventh, better := partial(p, dominated), partial(p, instead)

	c.add("figure 3: what the sections need at least", "12, 16, 12", strings.Join(needs, ", "))
	c.add("plans of 12 that go on from there", "none", fmt.Sprint(fits(third.order)))
	c.add("figure 5: partial plans on the way to figure 2's plan, as a tree", "a diagram", fmt.Sprint(tree))
	c.add("figure 6: the same as a lattice", "“a comparatively smaller space”", fmt.Sprint(nodes))
	c.add("nodes of the tree that are {b5(0), b3(4), b4(4)}", "2", fmt.Sprint(bold))
	c.add("figure 7: plans that go on from b3(0) → b1(4)", "one is shown", fmt.Sprint(fits(dominated)))
	c.add("the same from b3(0) → b4(0) → b1(4), which dominates it", "there are, if there are above", fmt.Sprint(fits(instead)))
	c.tables = append(c.tables, t)
	for _, shown := range []struct {
		title string
		order
	}{
		{"Figure 3: b1(0) → b5(4), which section [3, 9) refutes", third},
		{"Figure 7: b3(0) → b1(4), which leaves the gap under b4's place", seventh},
		{"Figure 7: b3(0) → b4(0) → b1(4), which dominates it", better},
	} {
		part := &stowage.Problem{}
		var offsets []int64
		for _, i := range shown.order.order {
			part.Buffers = append(part.Buffers, p.Buffers[i])
			offsets = append(offsets, shown.offsets[i])
		}
		c.pictures = append(c.pictures, planPicture(shown.title, part, offsets, capacityOf2))
	}
	c.differs = "Nothing differs. The kernel of exact goes through the same nodes, and cuts figure 3's by section inference and figure 7's by dominance, each with that technique alone: a test holds it."
	if bold != 2 || strings.Join(needs, ", ") != "12, 16, 12" || most <= capacityOf2 || fits(third.order) != 0 || fits(dominated) == 0 || fits(instead) == 0 || seventh.offsets[index["b1"]] != 4 || better.offsets[index["b4"]] != 0 || better.offsets[index["b1"]] != 4 {
		return c, fmt.Errorf("the paper's worked cases come out otherwise: %v", c.beside)
	}
	return c, nil
}

// latticeOf is figures 5 and 6: of the orders that end in figure 2's plan, how many partial
// plans they pass through as a tree, how many as a lattice, of sets, and how many nodes of the
// tree are one set.
func latticeOf(p *stowage.Problem, set []int) (tree, lattice, nodes int) {
	want := map[string]int64{"b1": 8, "b2": 8, "b3": 4, "b4": 4, "b5": 0}
	ends := ordersOf(p, func(offsets []int64) bool {
		for i := range p.Buffers {
			if offsets[i] != want[p.Buffers[i].ID] {
				return false
			}
		}
		return true
	})
	paths, sets := map[string]bool{}, map[string]int{} // of sets, the nodes of the tree that are one
	for _, o := range ends {
		for k := 1; k <= len(o.order); k++ {
			if path := fmt.Sprint(o.order[:k]); !paths[path] {
				paths[path] = true
				sets[fmt.Sprint(slices.Sorted(slices.Values(o.order[:k])))]++
			}
		}
	}
	return len(paths), len(sets), sets[fmt.Sprint(slices.Sorted(slices.Values(set)))]
}

// sectionNeeds is figure 3: what each section would need above what is placed, and the most of
// that.
func sectionNeeds(p *stowage.Problem, placed order) (needs []string, most int64, t *experiment.Table) {
	tl := timeline.New(p)
	var rows [][]string
	for s := range tl.Starts {
		top, rest := int64(0), int64(0)
		for i := range p.Buffers {
			b := &p.Buffers[i]
			switch {
			case b.Lower >= tl.Ends[s] || tl.Starts[s] >= b.Upper:
			case slices.Contains(placed.order, i):
				top = max(top, placed.offsets[i]+b.Size)
			default:
				rest += b.Size
			}
		}
		most = max(most, top+rest)
		needs = append(needs, fmt.Sprint(top+rest))
		rows = append(rows, []string{fmt.Sprintf("[%d, %d)", tl.Starts[s], tl.Ends[s]), fmt.Sprint(top), fmt.Sprint(rest), fmt.Sprint(top + rest)})
	}
	t = experiment.NewTable([]string{"section", "top of what is placed", "what is not", "at least"}, rows)
	t.Title = "Figure 3: b1 at 0, b5 at 4, for a capacity of 12"
	return needs, most, t
}

// partial places some buffers, in an order.
func partial(p *stowage.Problem, placed []int) order { return order{placed, stacked(p, placed)} }

// stacked is the offsets of buffers that are placed in an order, each atop the earlier ones
// that it overlaps in time.
func stacked(p *stowage.Problem, placed []int) []int64 {
	offsets := make([]int64, len(p.Buffers))
	for k, i := range placed {
		b := &p.Buffers[i]
		for _, j := range placed[:k] {
			if o := &p.Buffers[j]; o.Lower < b.Upper && b.Lower < o.Upper {
				offsets[i] = max(offsets[i], offsets[j]+o.Size)
			}
		}
	}
	return offsets
}
