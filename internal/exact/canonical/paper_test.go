package canonical

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// The running example of the MiniMalloc paper: figure 2 is one plan of height 12, and table 1 lists the eight orders in
// which placing each buffer on top of the placed ones that it overlaps gives that plan. One of them is canonical.

// figure2 holds the offsets of b1 to b5 in figure 2.
var figure2 = []int64{8, 8, 4, 4, 0}

// row is a row of table 1: the order, as numbers of buffers, and whether it is offset monotonic and index monotonic.
type row struct {
	order  string
	om, im bool
}

// table1 is the paper's table 1, S1 to S8.
var table1 = []row{
	{"53124", false, true},
	{"53142", false, true},
	{"53214", false, false},
	{"53241", false, false},
	{"53412", true, true},
	{"53421", true, false},
	{"54312", true, false},
	{"54321", true, false},
}

// stack places the buffers in the given order (digits from 1), each on top of the placed ones that it overlaps.
func stack(p *model.Problem, order string) []int64 {
	offsets := make([]int64, len(p.Buffers))
	for k := range order {
		b := &p.Buffers[order[k]-'1']
		at := int64(0)
		for _, d := range order[:k] {
			if c := &p.Buffers[d-'1']; b.Lower < c.Upper && c.Lower < b.Upper {
				at = max(at, offsets[d-'1']+c.Size)
			}
		}
		offsets[order[k]-'1'] = at
	}
	return offsets
}

// monotonic classifies an order as the paper's section 5 does.
func monotonic(order string, offsets []int64) (om, im bool) {
	om, im = true, true
	for k := range order {
		for _, later := range order[k+1:] {
			a, b := offsets[order[k]-'1'], offsets[later-'1']
			om = om && a <= b
			im = im && (a != b || order[k] < byte(later))
		}
	}
	return om, im
}

// permutations returns all orders of the digits, ascending.
func permutations(digits string) []string {
	if digits == "" {
		return []string{""}
	}
	var all []string
	for k := range digits {
		for _, rest := range permutations(digits[:k] + digits[k+1:]) {
			all = append(all, digits[k:k+1]+rest)
		}
	}
	return all
}

// TestTable1 makes the table anew: of all 120 orders, the eight rows.
func TestTable1(t *testing.T) {
	p := gen.MiniMalloc()
	if report := verify.CheckHeight(p, figure2, 12, 12); !report.OK() {
		t.Fatal(report.Violations[0].Message)
	}
	var rows []row
	canonical := ""
	for _, order := range permutations("12345") {
		offsets := stack(p, order)
		if !verify.Check(p, offsets, 0).OK() {
			t.Fatalf("%s: stacking gives %v, which is no plan", order, offsets)
		}
		if !slices.Equal(offsets, figure2) {
			continue
		}
		om, im := monotonic(order, offsets)
		rows = append(rows, row{order, om, im})
		if om && im {
			canonical += order
		}
	}
	if !slices.Equal(rows, table1) {
		t.Errorf("got the rows %v, want %v", rows, table1)
	}
	if canonical != "53412" {
		t.Errorf("canonical is %s, want S5 alone", canonical)
	}
}

// explored returns every complete order of the five buffers that the kernel's
// search goes through, under the given switches and without preordering.
//
// A sixth buffer, fixed on top of all others, makes the search go through all orders. The test sees an order at the
// node at which only the sixth buffer is unplaced. There it raises the bound of that buffer, which then cannot be
// placed: the order fails and the search tries the next one. The sixth buffer changes nothing for the others: they fit
// under it if they fit without it.
func explored(t *testing.T, sw common.Switches) []string {
	t.Helper()
	orders, _ := walked(t, sw)
	return orders
}

// walked is explored, and returns all nodes on the way, as the orders that lead to them.
func walked(t *testing.T, sw common.Switches) (orders []string, nodes map[string]bool) {
	t.Helper()
	defer pauseChecks()()
	p := gen.MiniMalloc()
	top := int64(12)
	p.Buffers = append(p.Buffers, model.Buffer{ID: "b6", Lower: 0, Upper: 21, Size: 1, Fixed: &top})
	tl := timeline.New(p)
	k := New(tl, &tl.Partitions[0], sw, common.Limits{TickEvery: 1}, run.NewWatch(context.Background()))
	sixth := slices.Index(k.id, 5)
	nodes = map[string]bool{}
	path := ""
	k.Tick = func() {
		depth := 0
		for j := range k.n {
			if k.placed(j) {
				depth++
			}
		}
		k.inf[sixth] = top
		if depth > 0 {
			path = path[:depth-1]
		}
		for j := range k.n {
			if name := string(rune('1' + k.id[j])); k.placed(j) && !strings.Contains(path, name) {
				path += name
			}
		}
		nodes[path] = true
		if depth == 5 {
			orders = append(orders, path)
			k.inf[sixth] = top + 1
		}
	}
	if r := k.Run(13, "", 0, common.Unlimited); r != common.Exhausted {
		t.Fatalf("the search ends with outcome %d", r)
	}
	return orders, nodes
}

// TestFigures3And7 has the kernel go through the paper's two worked cases of pruning. Figure 3 has b1 at 0 and b5 at
// 4: section inference refutes it, because section [3, 9) would need 16. Figure 7 has b3 at 0 and b1 at 4: it leads
// to plans, but b3, b4 and b1 dominate it. Without its technique each case is a node, and with the technique it is
// none. The test also checks the paper's statements about the plans below these nodes.
func TestFigures3And7(t *testing.T) {
	p := gen.MiniMalloc()
	for _, c := range []struct {
		figure    int
		node      string
		technique string
		on        common.Switches
		dead      bool // no plan goes on from there
		instead   string
	}{
		{3, "15", "section-inference", common.Switches{SectionInference: true}, true, ""},
		{7, "31", "dominance", common.Switches{Dominance: true}, false, "341"},
	} {
		plans := 0
		for _, order := range permutations("12345") {
			if strings.HasPrefix(order, c.node) && verify.Check(p, stack(p, order), 12).OK() {
				plans++
			}
		}
		if (plans == 0) != c.dead {
			t.Errorf("figure %d: %d plans go on from %s", c.figure, plans, c.node)
		}
		without := common.Switches{Canonical: true, DynamicOrdering: true}
		_, before := walked(t, without)
		with := c.on
		with.Canonical, with.DynamicOrdering = true, true
		_, after := walked(t, with)
		if !before[c.node] || after[c.node] {
			t.Errorf("figure %d: %s is a node without %s: %v, with it: %v", c.figure, c.node, c.technique, before[c.node],
				after[c.node])
		}
		if c.instead != "" && !after[c.instead] {
			t.Errorf("figure %d: %s is no node", c.figure, c.instead)
		}
	}
	// The space that section [3, 9) would need, and the other sections: b5 ends at 8, b1 at 4.
	if got := stack(p, "15234"); got[0] != 0 || got[4] != 4 || max(got[1], got[2])+4 != 16 {
		t.Errorf("figure 3: offsets %v", got)
	}
	// The paper's plan above figure 7's node leaves the gap: b4 is at 4, and could be at 0.
	for _, b4 := range []int64{4, 0} {
		if !verify.Check(p, []int64{4, 4, 0, b4, 8}, 12).OK() {
			t.Errorf("figure 7: no plan with b4 at %d", b4)
		}
	}
}

// TestCanonicalOrders has the kernel itself go through the orders of table 1:
// all eight without the technique "canonical", and S5 alone with it.
func TestCanonicalOrders(t *testing.T) {
	p := gen.MiniMalloc()
	ofFigure2 := func(orders []string) []string {
		var some []string
		for _, order := range orders {
			if slices.Equal(stack(p, order), figure2) {
				some = append(some, order)
			}
		}
		slices.Sort(some)
		return some
	}
	for _, dynamic := range []bool{false, true} {
		// All techniques are off, except the ones that are asked about.
		all := explored(t, common.Switches{DynamicOrdering: dynamic})
		var fits []string // by hand: all orders that fit
		for _, order := range permutations("12345") {
			if verify.Check(p, stack(p, order), 12).OK() {
				fits = append(fits, order)
			}
		}
		if got := slices.Sorted(slices.Values(all)); !slices.Equal(got, fits) {
			t.Errorf("dynamic %v: without canonical, the search goes through %v, want %v", dynamic, got, fits)
		}
		var want []string
		for _, r := range table1 {
			want = append(want, r.order)
		}
		if got := ofFigure2(all); !slices.Equal(got, want) {
			t.Errorf("dynamic %v: without canonical, the search goes through %v, want all of table 1", dynamic, got)
		}
		only := explored(t, common.Switches{DynamicOrdering: dynamic, Canonical: true})
		if got := ofFigure2(only); !slices.Equal(got, []string{"53412"}) {
			t.Errorf("dynamic %v: with canonical, the search goes through %v, want S5", dynamic, got)
		}
		// With the technique one order reaches each plan, and this order is canonical.
		seen := map[string]string{}
		for _, order := range only {
			offsets := stack(p, order)
			if om, im := monotonic(order, offsets); !om || !im {
				t.Errorf("dynamic %v: %s, with offsets %v, is not canonical", dynamic, order, offsets)
			}
			key := fmt.Sprint(offsets)
			if seen[key] != "" {
				t.Errorf("dynamic %v: %s and %s give the same plan", dynamic, seen[key], order)
			}
			seen[key] = order
		}
	}
}

// TestFirstCanonical checks that the full search ends at the first canonical order: buffers are tried by offset and
// index, and no technique makes it miss that order.
func TestFirstCanonical(t *testing.T) {
	p := gen.MiniMalloc()
	want := stack(p, explored(t, common.Switches{Canonical: true, DynamicOrdering: true})[0])
	tl := timeline.New(p)
	for _, off := range append([]string{""}, only()...) {
		if off == "canonical" || off == "dynamic-ordering" {
			continue // these decide what comes first
		}
		k := New(tl, &tl.Partitions[0], switchesOf([]string{"preordering", off}), common.Limits{},
			run.NewWatch(context.Background()))
		if r := k.Run(12, "", 0, common.Unlimited); r != common.Solved {
			t.Fatalf("without %q: outcome %d", off, r)
		}
		got := make([]int64, len(p.Buffers))
		for j, i := range k.id {
			got[i] = k.best[j]
		}
		if !slices.Equal(got, want) {
			t.Errorf("without %q: %v, want %v", off, got, want)
		}
	}
}
