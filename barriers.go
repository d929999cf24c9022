package stowage

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/barrier"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Barriers lists what a plan makes a program wait for: for each buffer those whose bytes it takes over. It is the least
// such list: if a chain of other waits, or of uses of one buffer, already makes a buffer wait for another, the pair is
// left out. The waits are sorted by Buffer, At and For. docs/barriers.md has an example.
//
//	for _, w := range waits {
//		// p.Buffers[w.Buffer] must not begin before p.Buffers[w.For] has ended.
//	}
//
// plan.Height does not count. The error is an *InputError if the problem is nil or bad, or the plan breaks
// one of its rules. A capacity of the problem counts.
func Barriers(p *Problem, plan *Plan) ([]Wait, error) {
	var issues model.Issues
	issues.Join(model.Validate(p))
	if plan == nil {
		issues.Say("plan", "", "there is no plan: it is nil")
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	made := *plan
	made.Height = -1
	var report *model.Report
	if p.Ruled() {
		report = verify.CheckPlan(p, &made)
	} else {
		report = verify.Check(p, plan.Offsets, p.Capacity)
	}
	if !report.OK() {
		more := ""
		if n := report.Total - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more faults)", n)
		}
		issues.Say("plan", "", report.Violations[0].Message+more)
		return nil, issues.Err()
	}
	return barrier.Of(p, &made), nil
}
