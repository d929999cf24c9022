package agree

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: planners are asked through stowage.Solve about problems with rules, which drawn.Broad draws and oracle.Chains
// answers. A seed decides the pair of features that a problem has at least, the problem, and the limits of each
// question: a number of nodes, a look at the context, a timeout, a context that is over.
//
// An answer is false if
//
//   - its plan breaks a rule or misstates a measure, or is below the best one, or there is no plan at all;
//   - it is infeasible although a plan fits, or optimal although a better plan exists;
//   - its bound is above the best value, or it names measures without a plan;
//   - it is an error other than the planner's refusal by its own name, or a refusal of auto or exact;
//   - it is a panic, or it comes after the timeout.

// A RuledCase is a problem with rules and its answer.
type RuledCase struct {
	Problem *model.Problem
	Best    []int64 // of the objective; nil if there is no plan
	Decided bool    // the enumeration came to its end
}

// mostNodes is how many nodes the enumeration may take: one in 70 problems takes more.
const mostNodes = 20_000

// RuledPairs are the pairs of features that a problem can have together.
var RuledPairs = pairsOf()

func pairsOf() (pairs [][]string) {
	alone := []string{"gaps", "windows", "period", "evictions", "distances"}
	for k, a := range drawn.RuledFeatures {
		for _, b := range drawn.RuledFeatures[k:] {
			if a == "clocks" && slices.Contains(alone, b) || b == "clocks" && slices.Contains(alone, a) {
				continue
			}
			pairs = append(pairs, []string{a, b})
		}
	}
	return pairs
}

// RuledCaseOf returns the case of a seed.
func RuledCaseOf(seed uint64) *RuledCase {
	r := rand.New(rand.NewPCG(seed, 0x72756c6564))
	p := drawn.Broad(r, RuledPairs[seed%uint64(len(RuledPairs))]...)
	c := &RuledCase{Problem: p}
	c.Best, _, c.Decided = oracle.Chains(p, mostNodes)
	return c
}

// A RuledQuestion is one call of a planner.
type RuledQuestion struct {
	Seed    uint64
	Planner string
	Options plan.Options
	Look    int64 // the look at which the context ends, less one; -1 for none
	Ended   bool  // the context is over before the call
}

func (q RuledQuestion) String() string {
	s := fmt.Sprintf("seed %d --planner %s", q.Seed, q.Planner)
	o := q.Options
	if o.Minimize {
		s += " --minimize"
	}
	if o.NodeLimit > 0 {
		s += fmt.Sprintf(" --nodes %d", o.NodeLimit)
	}
	if o.Timeout != RuledPatience {
		s += fmt.Sprintf(" --timeout %v", o.Timeout)
	}
	if len(o.Without) > 0 {
		s += " --without " + strings.Join(o.Without, ",")
	}
	if o.Workers > 1 {
		s += fmt.Sprintf(" --workers %d", o.Workers)
	}
	if q.Look >= 0 {
		s += fmt.Sprintf(" (the context ends at look %d)", q.Look+1)
	}
	if q.Ended {
		s += " (the context is over)"
	}
	return s
}

// Limited reports whether something may end the search before its answer.
func (q RuledQuestion) Limited() bool {
	return q.Options.NodeLimit > 0 || q.Look >= 0 || q.Ended || q.Options.Timeout != RuledPatience
}

// RuledPatience is how long a planner has if no shorter timeout is drawn.
const RuledPatience = 5 * time.Second

// RuledQuestionOf returns the question of a seed for a planner. Half of the questions have no limit.
func RuledQuestionOf(seed uint64, p run.Planner) RuledQuestion {
	info := p.Info()
	h := uint64(14695981039346656037)
	for _, c := range []byte(info.Name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	r := rand.New(rand.NewPCG(seed, h))
	q := RuledQuestion{Seed: seed, Planner: info.Name, Look: -1}
	q.Options = plan.Options{Planner: info.Name, Minimize: r.IntN(3) > 0, Timeout: RuledPatience, Seed: r.Uint64() % 3}
	if len(info.Techniques) > 0 && r.IntN(8) == 0 {
		q.Options.Without = []string{info.Techniques[r.IntN(len(info.Techniques))].Name}
	}
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		q.Options.NodeLimit = 1 + r.Int64N(60)
	case 4, 5:
		q.Look = r.Int64N(40)
	case 6:
		q.Options.Timeout = time.Duration(1 + r.Int64N(int64(time.Millisecond)))
	case 7:
		q.Ended = r.IntN(2) == 0
		q.Options.Workers = 2
	}
	return q
}

// An Outcome is what came of a question: a status, or refused, or false.
type Outcome struct {
	Status  model.Status
	Refused string // what the planner said
	Fault   string // what is false; "" for nothing
	Result  plan.Result
}

// AskRuled puts a question.
func AskRuled(c *RuledCase, q RuledQuestion) (out Outcome) {
	defer func() {
		if x := recover(); x != nil {
			out.Fault = fmt.Sprintf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	ctx := context.Background()
	if q.Look >= 0 {
		ctx = run.EndAtLook(ctx, q.Look)
	}
	if q.Ended {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	began := time.Now()
	r, err := stowage.Solve(ctx, c.Problem, q.Options)
	if over := time.Since(began) - q.Options.Timeout; over > late {
		out.Fault = fmt.Sprintf("ended %v after its timeout", over.Round(time.Millisecond))
		return out
	}
	switch {
	case err == nil:
		out.Result, out.Status = *r, r.Status
		out.Fault = c.falsehood(&q, r)
	case !errors.Is(err, plan.ErrUnsupported) && !strings.Contains(err.Error(), "all off"):
		out.Fault = "error: " + err.Error()
	case q.Planner == "auto" || q.Planner == "exact":
		out.Fault = "refused: " + err.Error()
	case !strings.HasPrefix(err.Error(), "planner "+q.Planner+" "):
		out.Fault = "a refusal without the planner's name: " + err.Error()
	default:
		out.Refused = err.Error()
	}
	return out
}

// falsehood says what is false in an answer.
func (c *RuledCase) falsehood(q *RuledQuestion, r *plan.Result) string {
	p := c.Problem
	if r.Planner != q.Planner {
		return fmt.Sprintf("the result is of planner %q", r.Planner)
	}
	if !r.Status.HasPlan() {
		switch {
		case r.Offsets != nil || r.Pools != nil || r.Parts != nil || r.Measures != nil:
			return fmt.Sprintf("%v, with a plan or measures", r.Status)
		case r.Status == model.Infeasible && c.Decided && c.Best != nil:
			return "infeasible; brute force has a plan"
		}
		return ""
	}
	if c.Decided && c.Best == nil {
		return "a plan; brute force has none"
	}
	if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
		return "invalid plan: " + report.Violations[0].Message
	}
	if !oracle.Legal(p, &r.Plan) {
		return "a plan that the enumeration calls illegal"
	}
	var values []int64
	for k, m := range p.Objective() {
		values = append(values, model.ValueOf(r.Measures, m))
		if len(r.Bounds) <= k || r.Bounds[k].Measure != m {
			return fmt.Sprintf("no bound of %s", m)
		}
		if c.Decided && slices.Equal(values[:k], c.Best[:k]) && r.Bounds[k].Value > c.Best[k] {
			return fmt.Sprintf("the bound of %s is %d; the best is %d", m, r.Bounds[k].Value, c.Best[k])
		}
	}
	if !c.Decided {
		return ""
	}
	if order := slices.Compare(values, c.Best); order < 0 {
		return fmt.Sprintf("%v is below the best, %v", values, c.Best)
	} else if r.Status == model.Optimal && order > 0 {
		return fmt.Sprintf("optimal at %v; the best is %v", values, c.Best)
	}
	return ""
}
