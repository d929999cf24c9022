package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: a sentence is made where its figures are computed. Too few runs make no sentence. What speaks against the
// figures comes before them: runs that the clock cut, that are missing, or that failed.

// what says what was run, in one sentence or two.
func (p *page) what() string {
	if len(p.Rows) == 0 {
		return "There are no rows."
	}
	planners, orders := map[string]bool{}, map[string]bool{}
	for _, t := range p.totals {
		planners[t.Planner], orders[t.Order] = true, true
	}
	parts := []string{counted(p.problems, "problem"), counted(len(planners), "planner")}
	if orders := len(orders); orders > 1 {
		parts = append(parts, counted(orders, "order")+" of the operators")
	}
	switch {
	case p.axis.kind == byOwn && len(p.places) > 0:
		parts = append(parts, "the capacity that each problem brings")
	case len(p.places)+p.bytes == 1:
		parts = append(parts, "one capacity")
	case len(p.places)+p.bytes > 1:
		parts = append(parts, fmt.Sprintf("%d capacities", len(p.places)+p.bytes))
	}
	text := fmt.Sprintf("%s: %s.", counted(len(p.Rows), "run"), joined(parts))
	if p.minimised > 0 {
		text += fmt.Sprintf(" %s for the lowest plan, without a capacity.", verb(p.minimised, "run", "looks", "look"))
	}
	return text
}

// counted writes a number of things: 1 run, 3 runs.
func counted(n int, thing string) string {
	return comparison.Grouped(int64(n)) + " " + units.Plural(n, thing)
}

// verb writes a number of things with the verb that follows, for one and for more.
func verb(n int, thing, one, more string) string {
	if n == 1 {
		return counted(n, thing) + " " + one
	}
	return counted(n, thing) + " " + more
}

// joined writes a list.
func joined(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// doubts are what speaks against the figures.
func (p *page) doubts() (all []string) {
	if wrong := p.contradictions(); len(wrong) > 0 {
		all = append(all, fmt.Sprintf("Rows contradict each other: a plan fits where another row has a proof that "+
			"none does (%s). One of the two is wrong.", listed(wrong, 3)))
	}
	var clock, invalids, faults int
	for _, t := range p.totals {
		clock, invalids, faults = clock+t.Clock, invalids+t.Invalid, faults+t.Failed
	}
	if invalids > 0 {
		all = append(all, fmt.Sprintf("%s made a wrong plan, which the verifier refused.", counted(invalids, "run")))
	}
	if faults > 0 {
		all = append(all, fmt.Sprintf("In %s the planner died.", counted(faults, "run")))
	}
	if clock > 0 {
		all = append(all, fmt.Sprintf("The clock cut %s of %d: their outcome may differ on another machine. They are of %s.",
			counted(clock, "run"), len(p.Rows), p.most(func(l *Line) int { return l.Clock })))
	}
	if text := p.missing(); text != "" {
		all = append(all, text)
	}
	if n := len(p.Dead); n > 0 {
		all = append(all, fmt.Sprintf("%s given up, and without rows.", givenUp(n)))
	}
	if v := p.distinct(func(r *core.Row) string { return r.Version }); len(v) > 1 {
		all = append(all, fmt.Sprintf("The rows are of %d versions of Stowage: %s.", len(v), listed(v, 5)))
	}
	if h := p.distinct(func(r *core.Row) string { return r.Host }); len(h) > 1 {
		all = append(all, fmt.Sprintf("Times are of %d machines.", len(h)))
	}
	return all
}

func givenUp(n int) string {
	if n == 1 {
		return "1 task or file was"
	}
	return fmt.Sprintf("%d tasks or files were", n)
}

// most names the series that have most of something.
func (p *page) most(count func(l *Line) int) string {
	type one struct {
		name string
		n    int
	}
	var all []one
	for k := range p.totals {
		if n := count(&p.totals[k]); n > 0 {
			all = append(all, one{p.names.label(p.totals[k].series), n})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(b.n, a.n) })
	var names []string
	for _, o := range all {
		names = append(names, fmt.Sprintf("%s (%d)", o.name, o.n))
	}
	return listed(names, 5)
}

// listed writes a list of at most so many.
func listed(all []string, most int) string {
	if len(all) > most {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", len(all)-most)
	}
	return joined(all)
}

// distinct are the values of a column, sorted.
func (p *page) distinct(of func(*core.Row) string) []string {
	seen := map[string]bool{}
	var all []string
	for k := range p.Rows {
		if v := of(&p.Rows[k]); v != "" && !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return all
}

// contradictions are the names of problems with a plan in a capacity for which another row
// has a proof that there is none, or with a plan lower than one that is proven lowest.
func (p *page) contradictions() []string {
	best, impossible := lowest(p.Rows), map[string]int64{}
	names := map[string]string{}
	for k := range p.Rows {
		r := &p.Rows[k]
		names[r.Problem] = r.Name
		switch {
		case r.Status == "infeasible" && r.Capacity > 0:
			impossible[r.Problem] = max(impossible[r.Problem], r.Capacity)
		case r.Status == "optimal" && r.Capacity <= 0:
			impossible[r.Problem] = max(impossible[r.Problem], r.Height-1)
		}
	}
	var wrong []string
	for problem, capacity := range impossible {
		if h, ok := best[problem]; ok && h <= capacity {
			wrong = append(wrong, names[problem])
		}
	}
	slices.Sort(wrong)
	return wrong
}

// missing says which runs there are not: tasks that the specification asks for, or else
// planners without a run on a problem that others ran on at the same capacity.
func (p *page) missing() string {
	if n := len(p.Missing); n > 0 {
		of := ""
		if p.Tasks > 0 {
			of = fmt.Sprintf(" of %d", p.Tasks)
		}
		return fmt.Sprintf("Missing: %s%s, as %s.", counted(n, "task"), of, listed(p.Missing, 3))
	}
	type cell struct {
		problem string
		place   place
	}
	cells, done := map[cell]string{}, map[cell]map[series]bool{}
	kinds := map[series]bool{} // without the order: that belongs to the problem
	for k := range p.Rows {
		r := &p.Rows[k]
		s := seriesOf(r)
		s.order = ""
		kinds[s] = true
		for _, place := range p.axis.placesOf(r) {
			at := cell{r.Problem, place}
			if done[at] == nil {
				cells[at], done[at] = r.Name, map[series]bool{}
			}
			done[at][s] = true
		}
	}
	gaps := 0
	absent := map[string]int{}
	for at := range cells {
		for s := range kinds {
			if !done[at][s] {
				gaps++
				absent[s.planner]++
			}
		}
	}
	if gaps == 0 {
		return ""
	}
	var names []string
	for name := range absent {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(absent[b], absent[a]), cmp.Compare(a, b)) })
	for k, name := range names {
		names[k] = fmt.Sprintf("%s (%d)", name, absent[name])
	}
	return fmt.Sprintf("Of the %d runs of every planner on every problem and capacity, %d are missing: %s.",
		len(cells)*len(kinds), gaps, listed(names, 5))
}

// says are what the figures come to.
func (p *page) says() (all []string) {
	all = append(all, p.saysFits()...)
	all = append(all, p.saysTogether()...)
	return append(all, p.saysCost()...)
}

// saysFits says who fits most at the least capacity, and who is first to fit all.
func (p *page) saysFits() (all []string) {
	if len(p.places) == 0 || len(p.order) == 0 {
		return nil
	}
	least := p.places[0]
	for _, at := range p.places { // the first at which anything fits
		if slices.ContainsFunc(p.order, func(s series) bool { l := p.line(s, at); return l != nil && l.Fit > 0 }) {
			least = at
			break
		}
	}
	var lines []*Line
	for _, s := range p.order {
		if l := p.line(s, least); l != nil {
			lines = append(lines, l)
		}
	}
	if len(lines) > 0 {
		slices.SortStableFunc(lines, func(a, b *Line) int { return cmp.Compare(share(b.Fit, b.Runs), share(a.Fit, a.Runs)) })
		first, last := lines[0], lines[len(lines)-1]
		text := fmt.Sprintf("%s, %s", upper(p.axis.at(least)), p.fit(lines, first))
		if share(last.Fit, last.Runs) < share(first.Fit, first.Runs) {
			text += ", and " + p.fit(lines, last)
		}
		all = append(all, text+".")
	}
	if len(p.places) < 2 {
		return all
	}
	for _, at := range p.places {
		var first []string
		for _, s := range p.order {
			if l := p.line(s, at); l != nil && l.Fit == l.Runs {
				first = append(first, p.names.label(s))
			}
		}
		if len(first) > 0 {
			return append(all, fmt.Sprintf("The least capacity at which a planner fits every problem that it was "+
				"asked for is %s: %s all.", p.axis.text(at), fitting(first, 4)))
		}
	}
	return append(all, "No planner fits every problem at any capacity.")
}

// fit says what a line fits, and who else fits as much.
func (p *page) fit(lines []*Line, l *Line) string {
	var names []string
	for _, o := range lines {
		if o.Fit == l.Fit && o.Runs == l.Runs {
			names = append(names, p.names.label(o.series))
		}
	}
	return fitting(names, 3) + " " + part(l.Fit, l.Runs)
}

// fitting writes at most so many names, with the verb: a fits, a and b fit.
func fitting(names []string, most int) string {
	if len(names) == 1 {
		return names[0] + " fits"
	}
	return listed(names, most) + " fit"
}

// part writes a part of a whole, with its percentage.
func part(n, of int) string {
	return fmt.Sprintf("%s of %s (%s)", comparison.Grouped(int64(n)), comparison.Grouped(int64(of)),
		picture.Percent(share(n, of)))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// saysTogether says what all planners together know of each problem and capacity.
func (p *page) saysTogether() []string {
	type cell struct {
		problem  string
		capacity int64
	}
	known := map[cell]int{} // 1 a plan, 2 a proof, 0 open
	best := lowest(p.Rows)
	impossible := map[string]int64{}
	for k := range p.Rows {
		r := &p.Rows[k]
		if outcomeOf(r) == refuted {
			impossible[r.Problem] = max(impossible[r.Problem], r.Capacity)
		}
	}
	for k := range p.Rows {
		r := &p.Rows[k]
		if r.Capacity <= 0 {
			continue
		}
		at := cell{r.Problem, r.Capacity}
		h, planned := best[r.Problem]
		switch {
		case planned && h <= r.Capacity:
			known[at] = 1
		case r.Capacity <= impossible[r.Problem]:
			known[at] = 2
		default:
			known[at] = 0
		}
	}
	if len(known) == 0 {
		return nil
	}
	var count [3]int64
	for _, k := range known {
		count[k]++
	}
	return []string{fmt.Sprintf("All planners together: of %s of a problem and a capacity, %s have a plan, %s are "+
		"proven to have none, and %s are open.",
		counted(len(known), "pair"), comparison.Grouped(count[1]), comparison.Grouped(count[2]),
		comparison.Grouped(count[0]))}
}

// saysCost says who is quickest and slowest in the middle, and what the most took.
func (p *page) saysCost() (all []string) {
	var quick, slow *Line
	for _, s := range p.order {
		t := p.total(s)
		if t.Seconds.Of == 0 {
			continue
		}
		if quick == nil || t.Seconds.Median < quick.Seconds.Median {
			quick = t
		}
		if slow == nil || t.Seconds.Median > slow.Seconds.Median {
			slow = t
		}
	}
	if quick != nil {
		one := func(what string, t *Line) string {
			return fmt.Sprintf("%s in the median is %s: %s, and %s at the 95th percentile", what, p.names.label(t.series),
				picture.Seconds(t.Seconds.Median), picture.Seconds(t.Seconds.P95))
		}
		text := one("The quickest", quick)
		if slow != quick {
			text += ". " + one("The slowest", slow)
		}
		all = append(all, text+".")
	}
	if implied := p.implied(); implied > 0 {
		all = append(all, fmt.Sprintf("%s implied, and not made: a plan fits each larger capacity too, and a proof "+
			"holds for each smaller one.", verb(implied, "run", "was", "were")))
	}
	return all
}

// implied counts the runs that follow from others.
func (p *page) implied() (n int) {
	for _, t := range p.totals {
		n += t.Implied
	}
	return n
}

// messages are what planners said when they refused or died, the most frequent first.
func (p *page) messages() *comparison.Table {
	type said struct{ planner, status, message string }
	count := map[said]int{}
	where := map[said]string{}
	for k := range p.Rows {
		r := &p.Rows[k]
		if outcomeOf(r) < refused {
			continue
		}
		s := said{r.Planner, r.Status, firstLine(r.Message)}
		if count[s] == 0 || r.Name < where[s] {
			where[s] = r.Name
		}
		count[s]++
	}
	if len(count) == 0 {
		return nil
	}
	var all []said
	for s := range count {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b said) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.planner, b.planner), cmp.Compare(a.status, b.status),
			cmp.Compare(a.message, b.message))
	})
	t := comparison.NewTable([]string{"planner", "status", "runs", "as on", "message"}, nil)
	for k := range t.Columns {
		t.Columns[k].Number = k == 2
	}
	for _, s := range all {
		t.Rows = append(t.Rows, []string{s.planner, s.status, fmt.Sprint(count[s]), where[s], s.message})
	}
	return t
}
