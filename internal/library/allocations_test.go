//go:build !race

package library_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

var update = flag.Bool("update", false, "rewrite the allocations in the page on auto")

// Allocations are counted in builds without the race detector, which empties pools at random.

// TestAllocations checks how often Solve allocates if there is little to search, and the page's figure. The number
// varies a little: a collection in between empties pools, and the public instances may be absent.
func TestAllocations(t *testing.T) {
	const varies = 4
	page := filepath.Join("..", "..", "docs", "planners", "auto.md")
	text := must.Get(os.ReadFile(page))(t)
	lines := strings.Split(string(text), "\n")
	for _, buffers := range []int{20, 100} {
		var all []int
		for _, p := range shapes(t, buffers) {
			o := asked(t, p, aims[0])
			all = append(all, int(testing.AllocsPerRun(3, func() {
				if _, err := stowage.Solve(context.Background(), p, o); err != nil {
					t.Fatal(p.Name, err)
				}
			})))
		}
		slices.Sort(all)
		got := all[len(all)/2]
		t.Logf("%d buffers: %d allocations", buffers, got)
		at := slices.IndexFunc(lines,
			func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("| %d | 1.1 × load |", buffers)) })
		if at < 0 {
			t.Fatalf("%s has no row of %d buffers", page, buffers)
		}
		cells := strings.Split(strings.TrimSuffix(lines[at], " |"), " | ")
		says, err := strconv.Atoi(cells[len(cells)-1])
		if err != nil {
			t.Fatalf("%s: %q", page, lines[at])
		}
		switch off := got - says; {
		case max(off, -off) <= varies:
		case *update:
			cells[len(cells)-1] = strconv.Itoa(got)
			lines[at] = strings.Join(cells, " | ") + " |"
			if err := os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%d buffers: the median of %d problems is %d allocations, and %s says %d; if that is meant to be, go test ./internal/library -run TestAllocations -update",
				buffers, len(all), got, page, says)
		}
	}
}

// TestSolverAllocatesNothing: neither do problems of several sizes in turn.
func TestSolverAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	s := stowage.NewSolver(stowage.Options{})
	var r stowage.Result
	solved := 0
	for _, n := range []int{20, 100, 300} {
		for _, p := range shapes(t, n) {
			q := *p
			q.Capacity = asked(t, p, aims[1]).Capacity
			solve := func() {
				if err := s.Solve(ctx, &q, &r); err != nil {
					t.Fatal(q.Name, err)
				}
			}
			if solve(); r.Member == "merge" || r.Stats.Nodes > 0 || !r.Status.HasPlan() {
				continue // a search
			}
			solved++
			solve()
			if allocated := testing.AllocsPerRun(5, solve); allocated > 0 {
				t.Errorf("%d buffers, %s, by %s: %v allocations", n, q.Name, r.Member, allocated)
			}
		}
	}
	if solved < 150 {
		t.Errorf("heuristics solve %d problems", solved)
	}
}
