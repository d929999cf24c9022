package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/sweep/core"
)

// A Spread is the middle and the upper end of some figures.
type Spread struct {
	Of     int     // how many figures; the others are 0 if there is none
	Median float64 // half are not above it
	P95    float64 // 95% are not above it, in proportion between two
	Most   float64 // the greatest
}

func spreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{
		len(values), comparison.Median(values), comparison.Quantile(values, 0.95), comparison.Quantile(values, 1),
	}
}

// A Line is what came of a planner with its limits, on one order, at one capacity.
type Line struct {
	Planner   string
	Order     string  // of the operators; empty for that of the problem
	NodeLimit int64   // 0 for none
	Timeout   float64 // in seconds; 0 for none
	Place     string  // the capacity in words: 110%, 1 MiB, its own, minimise
	Share     float64 // capacity over load; 0 if the capacity is no share
	Capacity  int64   // in bytes; 0 if it is no number of bytes

	// Runs is the sum of the six that follow it.
	Runs, Fit, Infeasible, Undecided, Refused, Invalid, Failed int
	// Implied counts the runs that follow from another and were not made.
	Implied int
	// Clock counts the runs that the clock cut.
	Clock int

	Seconds, Nodes Spread // of the runs that were made, and were neither refused nor died
	// OverBest and OverLoad are heights of plans over the lowest height of the problem in any row, and over its load.
	OverBest, OverLoad Spread

	series series
	place  place
}

// Summary returns a line for each planner with its limits, order and capacity, in this order.
func Summary(rows []core.Row) []Line {
	a := axisOf(rows)
	best := lowest(rows)
	var lines []Line
	for _, g := range grouped(rows, a) {
		l := lineOf(g.rows, best)
		l.series, l.place = g.series, g.place
		l.Planner, l.Order, l.NodeLimit, l.Timeout = g.series.planner, g.series.order, g.series.nodes, g.series.timeout
		l.Place = a.text(g.place)
		switch {
		case g.place == minimise:
		case g.place >= inBytes && a.kind == byShare:
			l.Capacity = int64(g.place - inBytes)
		case a.kind == byShare:
			l.Share = float64(g.place) / 1000
		case a.kind == byBytes:
			l.Capacity = int64(g.place)
		}
		lines = append(lines, l)
	}
	return lines
}

// lineOf counts rows.
func lineOf(rows []*core.Row, best map[string]int64) Line {
	var seconds, nodes, overBest, overLoad []float64
	var counts [outcomes]int
	l := Line{Runs: len(rows)}
	for _, r := range rows {
		counts[outcomeOf(r)]++
		if r.Implied {
			l.Implied++
		}
		if cutByClock(r) {
			l.Clock++
		}
		if ran(r) {
			seconds, nodes = append(seconds, r.Seconds), append(nodes, float64(r.Nodes))
		}
		if outcomeOf(r) == fits && r.Height > 0 {
			overBest = append(overBest, float64(r.Height)/float64(best[r.Problem]))
			if r.Load > 0 {
				overLoad = append(overLoad, float64(r.Height)/float64(r.Load))
			}
		}
	}
	l.Fit, l.Infeasible, l.Undecided = counts[fits], counts[refuted], counts[undecided]
	l.Refused, l.Invalid, l.Failed = counts[refused], counts[invalid], counts[failed]
	l.Seconds, l.Nodes = spreadOf(seconds), spreadOf(nodes)
	l.OverBest, l.OverLoad = spreadOf(overBest), spreadOf(overLoad)
	return l
}

// WriteSummary writes the lines as CSV, with a header. A figure of nothing is empty.
func WriteSummary(w io.Writer, lines []Line) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"planner", "order", "node_limit", "timeout", "at", "share", "capacity",
		"runs", "fit", "infeasible", "undecided", "refused", "invalid", "failed", "implied", "clock",
		"seconds_median", "seconds_p95", "nodes_median", "nodes_p95",
		"over_best_median", "over_best_worst", "over_load_median", "over_load_worst",
	}}
	for _, l := range lines {
		row := []string{
			l.Planner, l.Order, some(float64(l.NodeLimit), 0), some(l.Timeout, -1), l.Place, some(l.Share, -1),
			some(float64(l.Capacity), 0),
		}
		for _, n := range []int{l.Runs, l.Fit, l.Infeasible, l.Undecided, l.Refused, l.Invalid, l.Failed, l.Implied, l.Clock} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, l.Seconds.fields(6, false)...)
		row = append(row, l.Nodes.fields(1, false)...)
		row = append(row, l.OverBest.fields(6, true)...)
		rows = append(rows, append(row, l.OverLoad.fields(6, true)...))
	}
	return out.WriteAll(rows)
}

// some writes a number with so many decimals, -1 for as many as it has; nothing for 0.
func some(v float64, decimals int) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// fields writes the median, and the worst or else the 95th percentile.
func (s Spread) fields(decimals int, worst bool) []string {
	if s.Of == 0 {
		return []string{"", ""}
	}
	upper := s.P95
	if worst {
		upper = s.Most
	}
	return []string{strconv.FormatFloat(s.Median, 'f', decimals, 64), strconv.FormatFloat(upper, 'f', decimals, 64)}
}
