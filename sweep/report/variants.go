package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: this table shows what options of a planner are worth. A series such as "exact --without fronts" is compared
// with the planner without options, problem by problem and capacity by capacity. A ratio is a geometric mean over the
// questions that both answer by a run of their own. A question that only one of them answers changes no ratio: it is
// lost or gained.

// question is what was asked of both.
type question struct {
	problem, order string
	capacity       int64
}

// variants returns the table; nil if there is no planner with options beside itself without.
func (p *page) variants() *comparison.Table {
	rows := map[series]map[question]*core.Row{}
	for k := range p.Rows {
		r := &p.Rows[k]
		s := seriesOf(r)
		if rows[s] == nil {
			rows[s] = map[question]*core.Row{}
		}
		rows[s][question{r.Problem, r.Order, r.Capacity}] = r
	}
	t := comparison.NewTable([]string{
		"planner", "answered", "of", "lost", "gained", "nodes ×", "seconds ×", "heights ×",
	}, nil)
	for _, s := range p.order {
		base := s
		var varied bool
		if base.planner, _, varied = strings.Cut(s.planner, " "); !varied || rows[base] == nil {
			continue
		}
		answered, both, lost, gained := 0, 0, 0, 0
		var nodes, seconds, heights float64 // sums of logarithms
		ran, planned := 0, 0
		for k := range p.Rows { // in their order, so that the same rows give the same sums
			r := &p.Rows[k]
			b := rows[base][question{r.Problem, r.Order, r.Capacity}]
			if b == nil || seriesOf(r) != s {
				continue
			}
			both++
			switch mine, its := answer(r), answer(b); {
			case mine && its:
				if !r.Implied && !b.Implied {
					ran++
					nodes += math.Log(float64(max(r.Nodes, 1)) / float64(max(b.Nodes, 1)))
					seconds += math.Log(max(r.Seconds, 1e-6) / max(b.Seconds, 1e-6))
				}
			case mine:
				gained++
			case its:
				lost++
			}
			if answer(r) {
				answered++
			}
			if r.HasPlan() && b.HasPlan() && r.Height > 0 && b.Height > 0 {
				planned++
				heights += math.Log(float64(r.Height) / float64(b.Height))
			}
		}
		mean := func(sum float64, n int) string {
			if n == 0 {
				return ""
			}
			return fmt.Sprintf("%.3f", math.Exp(sum/float64(n)))
		}
		t.Rows = append(t.Rows, []string{
			p.names.label(s), fmt.Sprint(answered), fmt.Sprint(both), fmt.Sprint(lost), fmt.Sprint(gained),
			mean(nodes, ran), mean(seconds, ran), mean(heights, planned),
		})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// answer reports whether a row answers its question: a plan that fits the capacity or a proof; without a capacity, a
// lowest plan that is proven.
func answer(r *core.Row) bool {
	switch r.Status {
	case "optimal", "infeasible":
		return true
	case "feasible":
		return r.Capacity > 0
	}
	return false
}
