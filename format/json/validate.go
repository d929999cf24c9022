package json

import (
	"errors"
	"strconv"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// validate checks the document as a whole: the problem, and that the plan belongs to it. That the plan is valid is for
// others to verify; here it only must not contradict itself.
func (d *decoder) validate() error {
	readable := d.issues.Err() == nil
	d.refused = 0 // each pass keeps its own first issues
	err := model.ValidateAs(&d.problem, d.terms(func(i int) model.Issue {
		if i < 0 {
			return model.Issue{File: d.File}
		}
		return d.place(d.starts[i])
	}))
	var e *model.InputError
	if errors.As(err, &e) {
		for k := range e.Issues {
			issue := &e.Issues[k]
			issue.Buffer, issue.Value = source.Clip(issue.Buffer), source.Clip(issue.Value)
			issue.File = d.File // some faults of rules have none
			if issue.Field == "capacity" {
				issue.Line = d.Line(d.capacityAt)
			} else if at, ok := d.ruleAt(issue.Field); ok && issue.Buffer == "" {
				issue.Line = d.Line(at)
			}
		}
	}
	if d.plan == nil || !readable {
		return err
	}
	d.issues, d.refused = model.Issues{}, 0
	if d.two && err == nil {
		d.resolveClaims()
	}
	if d.shapes.made != nil && err == nil {
		d.resolveFamily()
	}
	d.checkPlan(err == nil && d.issues.Err() == nil)
	return source.Join(err, d.issues.Err())
}

func (d *decoder) checkPlan(valid bool) {
	plan, n := d.plan, len(d.problem.Buffers)
	status := plan.Status.String()
	switch {
	case plan.Offsets == nil && plan.Status.HasPlan():
		d.refuse(d.planAt, "plan.offsets", "", "the key is missing: the status is "+status)
	case plan.Offsets == nil && plan.Height != 0:
		d.refuse(d.heightAt, "plan.height", strconv.FormatInt(plan.Height, 10), "the plan has a height but no offsets")
	case plan.Offsets == nil:
	case !plan.Status.HasPlan():
		d.refuse(d.offsetsAt, "plan.offsets", "", "must be absent: the status is "+status)
	case len(plan.Offsets) != n:
		d.refuse(d.offsetsAt, "plan.offsets", "",
			"has "+strconv.Itoa(len(plan.Offsets))+" values for "+strconv.Itoa(n)+" buffers")
	case valid && d.two:
		d.checkMeasures()
	case valid:
		d.checkHeight(model.HeightOf(&d.problem, plan.Offsets), true)
	}
	if c, bound := d.problem.Capacity, plan.LowerBound; plan.Status == model.Infeasible && c > 0 && bound > 0 &&
		bound <= c {
		d.refuse(d.boundAt, "plan.lower_bound", strconv.FormatInt(bound, 10),
			"is within the capacity "+strconv.FormatInt(c, 10)+", but the status is infeasible")
	}
}

// checkHeight compares height, bound and status of a plan with the height h of its offsets and with one another.
// first says that the height is the first measure of the objective. Then an optimal plan has the least, and its bound
// is filled in if it is left out.
func (d *decoder) checkHeight(h int64, first bool) {
	plan := d.plan
	height, bound := strconv.FormatInt(h, 10), strconv.FormatInt(plan.LowerBound, 10)
	if d.heightAt > 0 && plan.Height != h {
		d.refuse(d.heightAt, "plan.height", strconv.FormatInt(plan.Height, 10), "the offsets give "+height)
	}
	switch {
	case plan.LowerBound > h:
		d.refuse(d.boundAt, "plan.lower_bound", bound, "is above the height that the offsets give, "+height)
	case first && plan.Status == model.Optimal && plan.LowerBound > 0 && plan.LowerBound != h:
		d.refuse(d.boundAt, "plan.lower_bound", bound,
			"is below the height that the offsets give, "+height+", but the status is optimal")
	case first && plan.Status == model.Optimal:
		plan.LowerBound = h
	}
	plan.Height = h
}
