package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/ruled/pools"
)

// printWhy prints the turns of a run with their results, and why the run ended.
func printWhy(w io.Writer, turns []stowage.Turn, r *stowage.Result, p *stowage.Problem, o *stowage.Options) {
	fmt.Fprintf(w, "goal: %s\n", goalOf(p, o))
	if p.Ruled() {
		printStages(w, turns, p)
	} else if len(turns) > 0 {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "round\tturn\twhy\tnodes\tseconds\theight\tby\tbound")
		var before stowage.Turn
		for _, t := range turns {
			round := "-"
			if t.Round > 0 {
				round = strconv.Itoa(t.Round)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%.3f\t%s\t%s\t%s\n", round, t.Planner, t.Reason, t.Nodes, t.Elapsed.Seconds(),
				changed(before.Height, t.Height), t.Member, changed(before.LowerBound, t.LowerBound))
			before = t
		}
		_ = table.Flush()
	}
	fmt.Fprintf(w, "ended: %s\n", whyEnded(r, p, o))
}

// printStages prints the stages of a run with rules: what each stage tried, and the plan after it.
func printStages(w io.Writer, turns []stowage.Turn, p *stowage.Problem) {
	if len(turns) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "stage\ttries\tnodes\tseconds\tplan")
	before := "none"
	for _, t := range turns {
		var values []string
		for _, v := range t.Measures {
			if slices.Contains(p.Objective(), v.Measure) {
				values = append(values, fmt.Sprintf("%s %d", v.Measure, v.Value))
			}
		}
		now := cmp.Or(strings.Join(values, ", "), before)
		shown := now
		if now == before && now != "none" {
			shown = "="
		}
		before = now
		fmt.Fprintf(table, "%s\t%s\t%d\t%.3f\t%s\n", t.Planner, t.Reason, t.Nodes, t.Elapsed.Seconds(), shown)
	}
	_ = table.Flush()
}

// goalOf says what a run looked for, and what could end it early.
func goalOf(p *stowage.Problem, o *stowage.Options) string {
	s := "the lowest plan"
	if p.Ruled() {
		s = ruledGoal(p, o)
	} else if p.Capacity > 0 {
		if o.Minimize {
			s += " that fits " + strconv.FormatInt(p.Capacity, 10)
		} else {
			s = "any plan that fits " + strconv.FormatInt(p.Capacity, 10)
		}
	}
	if o.Timeout > 0 {
		s += fmt.Sprintf(", timeout %s", seconds(o.Timeout))
	}
	if o.NodeLimit > 0 {
		s += fmt.Sprintf(", at most %s", count(o.NodeLimit, "node"))
	}
	if o.Timeout == 0 && o.NodeLimit == 0 {
		s += ", no limit"
	}
	return s
}

// ruledGoal is what a run looks for if the problem has rules.
func ruledGoal(p *stowage.Problem, o *stowage.Options) string {
	s := "any plan that keeps the rules"
	if pools.Minimizing(p, o) {
		var measures []string
		for _, m := range p.Objective() {
			measures = append(measures, string(m))
		}
		s = "the least " + strings.Join(measures, ", then the least ")
	}
	if p.Capacity > 0 {
		s += ", within " + strconv.FormatInt(p.Capacity, 10)
	}
	return s
}

// changed returns a number as text, or an equals sign if the turn did not change it.
func changed(before, now int64) string {
	switch {
	case now == 0:
		return "none"
	case before == now:
		return "="
	}
	return strconv.FormatInt(now, 10)
}

// whyEnded says who found the plan, who proved it, and why the run ended.
func whyEnded(r *stowage.Result, p *stowage.Problem, o *stowage.Options) string {
	by := map[string]string{
		"bound": "the bound, without a search", "collision": "two fixed offsets that collide",
		"places": "the places of single buffers and pairs, without a search",
	}[r.ProvedBy]
	by = cmp.Or(by, r.ProvedBy)
	found, none, lower, lowest := "the plan is by "+figures.FoundBy(r), "nothing fits", "lower", "the lowest"
	if p.Ruled() {
		none, lower, lowest = "no plan keeps the rules", "better", "the best"
	}
	switch figures.Ended(r, p.Capacity, o.Minimize) {
	case figures.Proof:
		if r.Status == stowage.Infeasible {
			return none + ", proven by " + by
		}
		return found + "; no plan is " + lower + ", proven by " + by
	case figures.Fits:
		return found + "; it fits, and more was not asked"
	case figures.Done:
		return "the planner came to its end"
	}
	why, _ := ending(r.Stopped)
	if r.Stopped == stowage.StopEffort && r.Planner == "auto" && o.Timeout == 0 && o.NodeLimit == 0 {
		why = "without a limit, auto ends after one round (docs/planners/auto.md)"
	}
	if !r.Status.HasPlan() {
		return "no plan fits so far; " + why
	}
	return found + "; nobody proved that it is " + lowest + "; " + why
}
