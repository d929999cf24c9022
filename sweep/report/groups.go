package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: a series is a competitor: a planner with its limits, on one order of the operators. A place is a capacity at
// which many problems were asked. Rows that share both are a group, and every figure of a report is about a group.
//
// Problems differ in size, so a capacity is usually a share of the load. A sweep for one memory asks all problems for
// the same bytes, and a suite may bring a capacity with each problem. The rows tell which it is: see axisOf.
//
// A capacity is whole bytes, so for a small load several shares are one capacity: 102% and 105% of 12 bytes
// are both 13. Its row counts at each of them, or the lines of these shares would have fewer problems.
//
// Invariant: each row is in a group. It is in several only by such shares.
//
// Complexity: O(n log n) for n rows.
//
// A column for the axis would have two names in a folder that was widened.

// What a row came to, besides the statuses of stowage.
const (
	fits      = iota // a plan that fits, or without a capacity any plan
	refuted          // a proof that no plan fits
	undecided        // neither, at the limit
	refused          // the planner cannot honour a feature of the problem
	invalid          // the verifier refuses the plan
	failed           // the planner died, or the status is unknown here
	outcomes
)

// outcomeOf says what a row came to.
func outcomeOf(r *core.Row) int {
	switch r.Status {
	case "optimal", "feasible":
		return fits
	case "infeasible":
		return refuted
	case "unknown":
		return undecided
	case comparison.Refused:
		return refused
	case comparison.Invalid:
		return invalid
	}
	return failed
}

// ran reports whether a row has figures of a run: one that is implied by another, or that
// was refused or died, has none.
func ran(r *core.Row) bool { return !r.Implied && outcomeOf(r) <= undecided }

// cutByClock reports whether the clock, and not a number of nodes, ended a run. Its outcome
// may differ on another machine.
func cutByClock(r *core.Row) bool { return r.Stopped == "timeout" || r.Stopped == "interrupt" }

// series names a competitor.
type series struct {
	planner, order string
	nodes          int64   // limit, 0 for none
	timeout        float64 // seconds, 0 for none
}

func seriesOf(r *core.Row) series { return series{r.Planner, r.Order, r.NodeLimit, r.Timeout} }

func (a series) compare(b series) int {
	return cmp.Or(cmp.Compare(a.planner, b.planner), cmp.Compare(a.order, b.order), cmp.Compare(a.nodes, b.nodes),
		cmp.Compare(a.timeout, b.timeout))
}

// label names a series with what tells it from the others.
func (n *names) label(s series) string {
	var parts []string
	if n.orders {
		order := s.order
		if order == "" {
			order = "own order"
		}
		parts = append(parts, order)
	}
	if n.limits {
		if s.nodes > 0 {
			parts = append(parts, comparison.Count(s.nodes)+" nodes")
		}
		if s.timeout > 0 {
			parts = append(parts, fmt.Sprintf("%g s", s.timeout))
		}
		if s.nodes == 0 && s.timeout == 0 {
			parts = append(parts, "no limit")
		}
	}
	if len(parts) == 0 {
		return s.planner
	}
	return s.planner + " (" + strings.Join(parts, ", ") + ")"
}

// names says what has to be named besides the planner.
type names struct{ orders, limits bool }

func namesOf(all []series) *names {
	var n names
	limits := map[string]series{}
	for _, s := range all {
		n.orders = n.orders || s.order != all[0].order
		first, seen := limits[s.planner]
		if seen && (first.nodes != s.nodes || first.timeout != s.timeout) {
			n.limits = true
		}
		if !seen {
			limits[s.planner] = s
		}
	}
	return &n
}

// An axis is what the capacities of a sweep are, and where each lies.
type axis struct {
	kind  kind
	other map[demand][]place // by shares: where each capacity lies
}

type kind int

const (
	byShare kind = iota // of the load
	byBytes             // the same bytes for all problems
	byOwn               // a capacity of each problem's own
)

// A demand is a capacity of problems with one load.
type demand struct{ load, capacity int64 }

// place is a capacity on the axis: thousandths of the load, or bytes; 0 is for runs without
// a capacity, and own for all of byOwn. Beside shares, inBytes + b is a capacity of b bytes.
type place int64

const (
	minimise place = 0
	own      place = 1
	inBytes  place = 1 << 61 // above each share
)

// axisOf finds the axis. It is own capacities if there are many, and one for each problem. Otherwise it is bytes or
// shares, whichever has fewer places; shares if both have as many.
func axisOf(rows []core.Row) axis {
	bytes, shares := map[int64]bool{}, map[place]bool{}
	one := map[string]int64{}
	single := true
	for k := range rows {
		r := &rows[k]
		if r.Capacity <= 0 {
			continue
		}
		bytes[r.Capacity] = true
		shares[shareOf(r)] = true
		if c, seen := one[r.Problem]; seen && c != r.Capacity {
			single = false
		}
		one[r.Problem] = r.Capacity
	}
	switch {
	case single && len(shares) > 1 && len(bytes) > 1:
		return axis{kind: byOwn}
	case len(bytes) < len(shares):
		return axis{kind: byBytes}
	}
	return axis{byShare, others(rows, len(one))}
}

// others finds the places of capacities on an axis of shares. Bytes that all problems were asked for, with loads far
// apart, were asked for as bytes. The shares of the others are found from the largest load to the smallest: the
// larger a load, the fewer shares come to one capacity. A capacity that a known share explains adds no new share.
func others(rows []core.Row, problems int) map[demand][]place {
	asks := map[demand]place{}
	type ask struct {
		problem  string
		capacity int64
	}
	seen := map[ask]bool{}
	count := map[int64]int{}      // of problems, by capacity
	loads := map[int64][2]int64{} // least and most, by capacity
	for k := range rows {
		r := &rows[k]
		if r.Capacity <= 0 || r.Load <= 0 || seen[ask{r.Problem, r.Capacity}] {
			continue
		}
		seen[ask{r.Problem, r.Capacity}] = true
		asks[demand{r.Load, r.Capacity}] = shareOf(r)
		l, ok := loads[r.Capacity]
		if !ok {
			l = [2]int64{r.Load, r.Load}
		}
		loads[r.Capacity] = [2]int64{min(l[0], r.Load), max(l[1], r.Load)}
		count[r.Capacity]++
	}
	all := map[demand][]place{}
	var byLoad []demand
	for at := range asks {
		if l := loads[at.capacity]; count[at.capacity] == problems && l[1]-l[0] >= l[0] {
			all[at] = []place{inBytes + place(at.capacity)}
		} else {
			byLoad = append(byLoad, at)
		}
	}
	slices.SortFunc(byLoad, func(a, b demand) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.capacity, b.capacity))
	})
	var shares []place // ascending
	for _, at := range byLoad {
		if k, there := slices.BinarySearch(shares, asks[at]); !there && len(at.among(shares)) == 0 {
			shares = slices.Insert(shares, k, asks[at])
		}
	}
	for _, at := range byLoad {
		if all[at] = at.among(shares); len(all[at]) == 0 {
			all[at] = []place{asks[at]}
		}
	}
	return all
}

// among returns which of some shares come to the capacity, rounded up: capacity - 1 < s · load / 1000 <= capacity.
func (d demand) among(shares []place) []place {
	least := math.Floor(1000*float64(d.capacity-1)/float64(d.load)) + 1
	from, _ := slices.BinarySearch(shares, place(min(least, float64(shareMost))))
	to := from
	for to < len(shares) && float64(shares[to])*float64(d.load) <= 1000*float64(d.capacity) {
		to++
	}
	return slices.Clone(shares[from:to])
}

// shareMost is the largest share that has a place of its own, far above what a specification may ask.
const shareMost place = 1 << 60

// shareOf is the share of a row in thousandths of the load. A capacity is whole bytes, so
// the share that was asked for is the whole percentage that comes to it if there is one.
func shareOf(r *core.Row) place {
	share := r.Share
	if share <= 0 && r.Load > 0 {
		share = float64(r.Capacity) / float64(r.Load)
	}
	if 1000*share >= float64(shareMost) {
		return shareMost
	}
	if percent := math.Round(100 * share); percent > 0 && math.Abs(percent/100*float64(r.Load)-float64(r.Capacity)) < 1 {
		return place(10 * percent)
	}
	return max(1, place(math.Round(1000*share)))
}

// placesOf returns where a row lies: at one place, or at each share that comes to its capacity.
func (a axis) placesOf(r *core.Row) []place {
	switch {
	case r.Capacity <= 0:
		return []place{minimise}
	case a.kind == byOwn:
		return []place{own}
	case a.kind == byBytes:
		return []place{place(r.Capacity)}
	}
	if at, ok := a.other[demand{r.Load, r.Capacity}]; ok {
		return at
	}
	return []place{shareOf(r)}
}

// text writes a place.
func (a axis) text(p place) string {
	switch {
	case p == minimise:
		return "minimise"
	case a.kind == byOwn:
		return "its own"
	case a.kind == byBytes:
		return size(int64(p))
	case p >= inBytes:
		return size(int64(p - inBytes))
	}
	return percent(float64(p) / 10)
}

// at says where a place is, in a sentence.
func (a axis) at(p place) string {
	switch {
	case p == minimise:
		return "without a capacity"
	case a.kind == byOwn:
		return "at the capacity that each problem brings"
	case a.kind == byShare && p < inBytes:
		return "at " + a.text(p) + " of the load"
	}
	return "at " + a.text(p)
}

// percent writes a share of 100, with a digit behind the point and without an exponent.
func percent(v float64) string { return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) + "%" }

// size writes bytes.
func size(v int64) string {
	if text := units.Short(v); text != "" {
		return text
	}
	return fmt.Sprintf("%d B", v)
}

// A group is the rows of a series at a place.
type group struct {
	series series
	place  place
	rows   []*core.Row
}

// grouped returns the groups, by series and then by place.
func grouped(rows []core.Row, a axis) []group {
	type key struct {
		series series
		place  place
	}
	at := map[key]int{}
	var all []group
	for k := range rows {
		r := &rows[k]
		for _, p := range a.placesOf(r) {
			g := key{seriesOf(r), p}
			i, ok := at[g]
			if !ok {
				i = len(all)
				at[g] = i
				all = append(all, group{g.series, g.place, nil})
			}
			all[i].rows = append(all[i].rows, r)
		}
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Or(a.series.compare(b.series), cmp.Compare(a.place, b.place)) })
	return all
}

// lowest returns for each problem the lowest height of any row with a plan.
func lowest(rows []core.Row) map[string]int64 {
	best := map[string]int64{}
	for k := range rows {
		r := &rows[k]
		if outcomeOf(r) != fits || r.Height <= 0 {
			continue
		}
		if h, ok := best[r.Problem]; !ok || r.Height < h {
			best[r.Problem] = r.Height
		}
	}
	return best
}
