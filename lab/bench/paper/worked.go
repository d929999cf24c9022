package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/picture"
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

// figure2 is the plan of figure 2.
var figure2 = map[string]int64{"b1": 8, "b2": 8, "b3": 4, "b4": 4, "b5": 0}

// worked is figures 2, 3 and 5 to 7.
func worked(_ context.Context, _ *env) (*content, error) {
	c := &content{}
	p := gen.MiniMalloc()
	index := map[string]int{}
	plan := make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = i
		plan[i] = figure2[p.Buffers[i].ID]
	}
	of := func(ids ...string) (order []int) {
		for _, id := range ids {
			order = append(order, index[id])
		}
		return order
	}
	l := latticeOf(p, of("b5", "b3", "b4"))
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
	none := func(n int) string {
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}

	c.same("figure 3: what the sections need at least", "12, 16, 12", strings.Join(needs, ", "))
	c.same("plans of 12 that go on from there", "none", none(fits(third.order)))
	c.add("figure 5: partial plans on the way to figure 2's plan, as a tree", "a diagram", fmt.Sprint(len(l.tree.Nodes)))
	c.add("figure 6: the same as a lattice", "“a comparatively smaller space”", fmt.Sprint(len(l.lattice.Nodes)))
	c.same("nodes of the tree that are {b5(0), b3(4), b4(4)}", "2", fmt.Sprint(l.nodes))
	c.same("paths of solid edges from the top of the lattice to its end", "1", fmt.Sprint(l.canonical))
	c.add("figure 7: plans that go on from b3(0) → b1(4)", "one is shown", fmt.Sprint(fits(dominated)))
	c.add("the same from b3(0) → b4(0) → b1(4), which dominates it", "there are, if there are above", fmt.Sprint(fits(instead)))
	c.pictures = append(c.pictures, planPicture("Figure 2: the plan", p, plan, capacityOf2), l.tree.HTML(), l.lattice.HTML())
	c.tables = append(c.tables, t, l.table)
	end := int64(0) // the partial plans are drawn over the time of the whole one
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
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
		c.pictures = append(c.pictures, planPicture(shown.title, part, offsets, capacityOf2, end))
	}
	c.say(sayCounts(c.beside))
	c.about = "Figures 1 and 4 of the paper are schemes of its method, with no figures to compare, and are not drawn. A test (TestFigures3And7) holds that the kernel of exact goes through the same nodes, and cuts figure 3's by section inference and figure 7's by dominance, each with that technique alone."
	if l.nodes != 2 || l.canonical != 1 || strings.Join(needs, ", ") != "12, 16, 12" || most <= capacityOf2 || fits(third.order) != 0 || fits(dominated) == 0 || fits(instead) == 0 || seventh.offsets[index["b1"]] != 4 || better.offsets[index["b4"]] != 0 || better.offsets[index["b1"]] != 4 {
		return c, fmt.Errorf("the paper's worked cases come out otherwise: %v", c.beside)
	}
	return c, nil
}

// A lattice is figures 5 and 6: the partial plans that orders pass through which end in
// figure 2's plan, as a tree and as a lattice of sets.
type lattice struct {
	tree, lattice picture.Graph
	nodes         int // of the tree that are the set that the paper shows in bold
	canonical     int // paths of solid edges from the top to the end
	table         *comparison.Table
}

// What an edge of the lattice adds: a buffer below one that is placed, one as high as a
// placed one of a later index, or neither.
var edgeKinds = []picture.Key{
	{Name: "canonical", Stroke: picture.Solid},
	{Name: "offset not monotonic", Stroke: picture.Dashes},
	{Name: "index not monotonic", Stroke: picture.Dots},
	{Name: "the canonical solution", Strong: true},
}

// strokeOf is how an edge is drawn that adds a buffer to some.
func strokeOf(p *stowage.Problem, placed []int, added int) picture.Stroke {
	at := func(i int) int64 { return figure2[p.Buffers[i].ID] }
	stroke := picture.Solid
	for _, i := range placed {
		switch {
		case at(i) > at(added):
			return picture.Dashes
		case at(i) == at(added) && i > added:
			stroke = picture.Dots
		}
	}
	return stroke
}

// latticeOf draws figures 5 and 6 for a set that is shown in bold.
func latticeOf(p *stowage.Problem, set []int) lattice {
	ends := ordersOf(p, func(offsets []int64) bool {
		for i := range p.Buffers {
			if offsets[i] != figure2[p.Buffers[i].ID] {
				return false
			}
		}
		return true
	})
	slices.SortFunc(ends, func(a, b order) int { return slices.Compare(a.order, b.order) })
	key := func(ids []int) string { return fmt.Sprint(slices.Sorted(slices.Values(ids))) }
	bold := key(set)
	l := lattice{
		tree:    picture.Graph{Title: "Figure 5: the orders that end in figure 2's plan, as a tree"},
		lattice: picture.Graph{Title: "Figure 6: the same partial plans as a lattice of sets", Keys: edgeKinds},
	}
	// The tree: a node is the beginning of an order, above the middle of what goes on from it.
	type beginning struct {
		node, low, high int // ranks of the orders that have it
	}
	beginnings := map[string]*beginning{}
	sets, occurs := map[string]int{}, map[string]int{}
	edges := map[[2]int]bool{}
	var members [][]int // of the nodes of the lattice
	for rank, o := range ends {
		before, above := -1, -1
		for k := 1; k <= len(o.order); k++ {
			placed, added := o.order[:k-1], o.order[k-1]
			path := fmt.Sprint(o.order[:k])
			b := beginnings[path]
			if b == nil {
				b = &beginning{len(l.tree.Nodes), rank, rank}
				beginnings[path] = b
				id := p.Buffers[added].ID
				l.tree.Nodes = append(l.tree.Nodes, picture.Node{Label: fmt.Sprintf("%s(%d)", id, figure2[id]), Layer: k - 1, Strong: key(o.order[:k]) == bold})
				if before >= 0 {
					l.tree.Edges = append(l.tree.Edges, picture.Edge{From: before, To: b.node})
				}
				occurs[key(o.order[:k])]++
			}
			b.high = rank
			before = b.node
			// The lattice: a node is a set.
			at, known := sets[key(o.order[:k])]
			if !known {
				at = len(l.lattice.Nodes)
				sets[key(o.order[:k])] = at
				members = append(members, slices.Sorted(slices.Values(o.order[:k])))
				var ids []string
				for _, i := range members[at] {
					ids = append(ids, p.Buffers[i].ID)
				}
				l.lattice.Nodes = append(l.lattice.Nodes, picture.Node{Label: strings.Join(ids, " "), Layer: k - 1, Strong: key(o.order[:k]) == bold})
			}
			if above >= 0 && !edges[[2]int{above, at}] {
				edges[[2]int{above, at}] = true
				l.lattice.Edges = append(l.lattice.Edges, picture.Edge{From: above, To: at, Stroke: strokeOf(p, placed, added)})
			}
			above = at
		}
	}
	for _, b := range beginnings {
		l.tree.Nodes[b.node].At = (float64(b.low+b.high)/2 + 0.5) / float64(len(ends))
	}
	l.nodes = occurs[bold]
	spread(l.lattice.Nodes)
	l.canonical = solidPaths(&l.lattice)
	rows := make([][]string, len(members))
	for at := range members {
		var parents []string
		for _, e := range l.lattice.Edges {
			if e.To == at {
				parents = append(parents, fmt.Sprintf("%s (%s)", l.lattice.Nodes[e.From].Label, edgeKinds[e.Stroke].Name))
			}
		}
		rows[at] = []string{l.lattice.Nodes[at].Label, fmt.Sprint(occurs[key(members[at])]), strings.Join(parents, ", ")}
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return len(a[0]) - len(b[0]) })
	l.table = comparison.NewTable([]string{"partial plan", "nodes of the tree", "from"}, rows)
	l.table.Columns[2].Number = false
	l.table.Title = "Figures 5 and 6: the partial plans"
	return l
}

// spread sets the nodes of each layer side by side.
func spread(nodes []picture.Node) {
	wide, seen := map[int]int{}, map[int]int{}
	for _, n := range nodes {
		wide[n.Layer]++
	}
	for k := range nodes {
		n := &nodes[k]
		n.At = (float64(seen[n.Layer]) + 0.5) / float64(wide[n.Layer])
		seen[n.Layer]++
	}
}

// solidPaths counts the paths of solid edges from the first layer to the last, and draws
// their edges in bold.
func solidPaths(g *picture.Graph) (paths int) {
	last := 0
	for _, n := range g.Nodes {
		last = max(last, n.Layer)
	}
	var down func(at int) int
	down = func(at int) (n int) {
		if g.Nodes[at].Layer == last {
			return 1
		}
		for k := range g.Edges {
			if e := &g.Edges[k]; e.From == at && e.Stroke == picture.Solid {
				if below := down(e.To); below > 0 {
					e.Strong = true
					n += below
				}
			}
		}
		return n
	}
	for at := range g.Nodes {
		if g.Nodes[at].Layer == 0 {
			paths += down(at)
		}
	}
	return paths
}

// sectionNeeds is figure 3: what each section would need above what is placed, and the most of
// that.
func sectionNeeds(p *stowage.Problem, placed order) (needs []string, most int64, t *comparison.Table) {
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
	t = comparison.NewTable([]string{"section", "top of what is placed", "what is not", "at least"}, rows)
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
