package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the outcome of a run in words, which solve, stowage FILE, minimalloc, report and folders share.

// summary returns the outcome in one line.
func summary(r *stowage.Result, p *stowage.Problem) string {
	var s string
	planned, without := ending(r.Stopped)
	switch {
	case r.Status.HasPlan() && p.Ruled():
		s = r.Status.String() + ": " + measures(r)
	case r.Status == stowage.Infeasible && p.Ruled():
		s = "infeasible: no plan keeps the rules"
		if why := explain.Local(p); why != "" {
			s += " (" + cell(why) + ")"
		}
	case r.Status.HasPlan():
		s = r.Status.String() + ": height " + strconv.FormatInt(r.Height, 10) + ", lower bound " +
			strconv.FormatInt(r.LowerBound, 10) + ", gap " + gap(r.Height, r.LowerBound)
	case r.Collision != nil:
		s = "infeasible: " + collides(r.Collision, p)
	case r.Status == stowage.Infeasible:
		s = fmt.Sprintf("infeasible: no plan is lower than %d", r.LowerBound)
		if top, end := bound.TopFixed(p); end > p.Capacity {
			s += " (" + explain.EndsAt(cell(p.Buffers[top].ID), &p.Buffers[top]) + ")"
		}
	default:
		s = fmt.Sprintf("unknown: %s; lower bound %d", without, r.LowerBound)
	}
	if p.Capacity > 0 {
		s += ", capacity " + bytesAndUnit(p.Capacity)
	}
	if r.Enough > 0 {
		s += fmt.Sprintf("; %d is known to be enough, %d not to be", r.Enough, r.LowerBound-1)
	}
	if r.Status.HasPlan() && r.Stopped != "" {
		s += "; " + planned
	}
	if r.ProvedBy == byCheckpoint {
		s += "; proven by an earlier run"
	}
	return s + "; " + count(len(p.Buffers), "buffer") + ", " + r.Planner + ", " + count(r.Stats.Nodes, "node") + ", " +
		seconds(r.Stats.Elapsed)
}

// bytesAndUnit writes a number of bytes. If it is a whole number of a larger unit, it adds that: 82837504 (79 MiB).
func bytesAndUnit(n int64) string {
	unit := units.Short(n)
	if unit == "" || strings.HasPrefix(unit, "≈") {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%d (%s)", n, unit)
}

// measures lists the measures of the objective, with their bounds if these are below.
func measures(r *stowage.Result) string {
	var parts []string
	for k, m := range r.Objective {
		value, bound := model.ValueOf(r.Measures, m), r.Bounds[k].Value
		part := fmt.Sprintf("%s %d", m, value)
		if bound < value {
			part += fmt.Sprintf(" (at least %d)", bound)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// collides says which two buffers have fixed offsets that collide.
func collides(c *stowage.Collision, p *stowage.Problem) string {
	return explain.Collides(c, cell(p.Buffers[c.A].ID), cell(p.Buffers[c.B].ID))
}

// ending says why a run ended: planned is for a run with a plan but without a proof, without
// for a run that has neither.
func ending(s plan.Stop) (planned, without string) {
	switch s {
	case plan.StopTimeout:
		return "stopped by the timeout", "the timeout came before an answer"
	case plan.StopNodes:
		return "stopped by the node limit", "the node limit came before an answer"
	case plan.StopInterrupt:
		return "interrupted", "interrupted before an answer"
	case plan.StopEffort, plan.Finished: // a heuristic that came to its end
	}
	return "ended by itself", "the planner found no plan that fits, and no proof that there is none"
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + " s" }
