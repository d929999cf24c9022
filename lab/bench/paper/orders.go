package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
)

// Idea: TelaMalloc's search places buffers one after the other, each at the lowest
// offset that is free. Many orders end in one plan; MiniMalloc's table 1 counts those
// of its running example. Five buffers, or seven, are few enough to try all orders.

// solutions enumerates the orders of the running example.
func solutions(_ context.Context, _ *env) (*content, error) {
	p := gen.MiniMalloc()
	all := ordersOf(p, func(offsets []int64) bool {
		for i := range p.Buffers {
			if offsets[i] != figure2[p.Buffers[i].ID] {
				return false
			}
		}
		return true
	})
	var rows [][]string
	var om, im, both int
	mark := func(is bool) string {
		if is {
			return "✓"
		}
		return ""
	}
	for _, o := range all {
		offsetMonotonic, indexMonotonic := true, true
		var text []string
		for k, b := range o.order {
			text = append(text, fmt.Sprintf("%s(%d)", p.Buffers[b].ID, o.offsets[b]))
			for _, before := range o.order[:k] {
				if o.offsets[before] > o.offsets[b] {
					offsetMonotonic = false
				}
				if o.offsets[before] == o.offsets[b] && before > b {
					indexMonotonic = false
				}
			}
		}
		if offsetMonotonic {
			om++
		}
		if indexMonotonic {
			im++
		}
		if offsetMonotonic && indexMonotonic {
			both++
		}
		rows = append(rows, []string{strings.Join(text, " → "), mark(offsetMonotonic), mark(indexMonotonic), mark(offsetMonotonic && indexMonotonic)})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	c := &content{}
	c.same("orders that end in the plan of figure 2", "8", fmt.Sprint(len(all)))
	c.same("offset monotonic", "4", fmt.Sprint(om))
	c.same("index monotonic", "3", fmt.Sprint(im))
	c.same("canonical", "1", fmt.Sprint(both))
	t := comparison.NewTable([]string{"order", "offset monotonic", "index monotonic", "canonical"}, rows)
	t.Title = "All orders"
	c.tables = append(c.tables, t)
	c.say(sayCounts(c.beside))
	c.about = "All 120 orders of the five buffers were tried."
	if len(all) != 8 || om != 4 || im != 3 || both != 1 {
		return c, fmt.Errorf("%d orders, %d offset monotonic, %d index monotonic, %d canonical: the paper has 8, 4, 3, 1", len(all), om, im, both)
	}
	return c, nil
}

// An order is a sequence of buffers and the plan that comes of placing each at the
// lowest offset that the earlier ones leave.
type order struct {
	order   []int
	offsets []int64
}

// ordersOf returns the orders whose plan is wanted, in lexicographic order.
func ordersOf(p *stowage.Problem, wanted func(offsets []int64) bool) (all []order) {
	n := len(p.Buffers)
	offsets := make([]int64, n)
	used := make([]bool, n)
	var path []int
	var place func()
	place = func() {
		if len(path) == n {
			if wanted(offsets) {
				all = append(all, order{slices.Clone(path), slices.Clone(offsets)})
			}
			return
		}
		for b := range n {
			if used[b] {
				continue
			}
			offsets[b] = lowestFree(p, offsets, path, b)
			used[b] = true
			path = append(path, b)
			place()
			path = path[:len(path)-1]
			used[b] = false
		}
	}
	place()
	return all
}

// lowestFree is the lowest offset of a buffer beside those that are placed.
func lowestFree(p *stowage.Problem, offsets []int64, placed []int, b int) int64 {
	at := int64(0)
	for again := true; again; {
		again = false
		for _, o := range placed {
			q, r := &p.Buffers[o], &p.Buffers[b]
			if q.Lower < r.Upper && r.Lower < q.Upper && offsets[o] < at+r.Size && at < offsets[o]+q.Size {
				at, again = offsets[o]+q.Size, true
			}
		}
	}
	return at
}
