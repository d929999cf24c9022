package agree

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/stowage-go/stowage" // the planners of the product
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// asked are the planners of TestAgree, each with one in how many problems it is asked about.
var asked = map[string]uint64{
	"exact": 1, "auto": 8, "tela": 4, "cp": 8, "csp": 16, "meta-csp": 8, "boxing": 16, "merge": 4, "first-fit": 8,
	"minimalloc": 8,
}

// TestAgree is a small share of go run ./lab/bench/agree.
func TestAgree(t *testing.T) {
	t.Parallel()
	seeds := plantest.Share[uint64](1200, 400)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var sum Counts
	for part := range uint64(2) {
		wg.Go(func() {
			a := Asker{Limits: 3, Patience: time.Second}
			a.OnFault = func(f Fault) {
				p, _ := run.Lookup(f.Question.Planner)
				t.Error(Shrink(f, p))
			}
			a.OnUndecided = func(f Fault) {
				if f.Question.Planner == "exact" || f.Question.Planner == "auto" {
					t.Error(f)
				}
			}
			var planners []run.Planner
			for seed := part; seed < seeds; seed += 2 {
				planners = planners[:0]
				for name, every := range asked {
					if p, err := run.Lookup(name); err != nil {
						t.Error(err)
					} else if seed/2%every == 0 {
						planners = append(planners, p)
					}
				}
				a.Seed(seed, planners)
			}
			mu.Lock()
			defer mu.Unlock()
			sum.Add(a.Counts)
		})
	}
	wg.Wait()
	t.Logf("%+v", sum)
	if sum.Fits < sum.DoesNot/2 || sum.DoesNot < sum.Fits/2 || sum.Limited < sum.Calls/4 ||
		sum.AboveLoad < int64(seeds)/20 {
		t.Errorf("lopsided: %+v", sum)
	}
}

// TestEveryLimit makes a limit fall at every node and every look of small problems, for every planner: at the lowest
// height, one under it, and if nothing bounds it. go run ./lab/bench/agree -every asks about more.
func TestEveryLimit(t *testing.T) {
	t.Parallel()
	seeds := plantest.Share[uint64](12, 5, 6)
	a := Asker{Every: true, Patience: time.Second}
	a.OnFault = func(f Fault) {
		p, _ := run.Lookup(f.Question.Planner)
		t.Error(Shrink(f, p))
	}
	looked := map[string]bool{}
	a.OnAsk = func(_ uint64, q Question) { looked[q.Planner] = looked[q.Planner] || q.Look > 0 }
	for seed := range seeds {
		a.Begin(seed)
		for _, p := range run.All() {
			a.Ask(p)
		}
	}
	t.Logf("%+v", a.Counts)
	// What takes microseconds looks but once, if at all.
	for _, p := range run.All() {
		if p.Info().Exact && !looked[p.Info().Name] {
			t.Errorf("%s: no look", p.Info().Name)
		}
	}
}

// puppet is a planner that lies.
type puppet struct {
	answer func(tl *timeline.Timeline, o plan.Options) plan.Result
}

func (puppet) Name() string { return "puppet" }

func (p puppet) Info() plan.Info { return plan.Info{Name: p.Name(), Exact: true} }

func (p puppet) Plan(_ context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return p.answer(tl, o), nil
}

// TestLies checks that each kind of falsehood is found and shrunk to a problem of a buffer or two.
func TestLies(t *testing.T) {
	truth := must.Get(run.Lookup("exact"))(t)
	tell := func(tl *timeline.Timeline, o plan.Options) plan.Result {
		r, err := truth.Plan(context.Background(), tl, o)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	for name, tc := range map[string]struct {
		words string
		lie   func(tl *timeline.Timeline, o plan.Options) plan.Result
	}{
		"infeasible": {"infeasible; it fits", func(tl *timeline.Timeline, o plan.Options) plan.Result {
			if o.NodeLimit > 0 {
				return plan.Result{Status: model.Infeasible}
			}
			return tell(tl, o)
		}},
		"optimal": {"optimal at", func(tl *timeline.Timeline, o plan.Options) plan.Result {
			r := tell(tl, o)
			if o.Minimizing() && o.Capacity == 0 && r.Status == model.Optimal && len(tl.Problem.Buffers) > 1 {
				for i := range tl.Problem.Buffers {
					if tl.Problem.Buffers[i].Fixed != nil {
						return r
					}
				}
				r.Offsets, r.LowerBound = stacked(tl.Problem), 0
			}
			return r
		}},
		"bound": {"bound", func(tl *timeline.Timeline, o plan.Options) plan.Result {
			r := tell(tl, o)
			if o.NodeLimit > 0 {
				r = plan.Result{LowerBound: tl.LowerBound + 1}
			}
			return r
		}},
		"invalid": {"invalid plan", func(tl *timeline.Timeline, o plan.Options) plan.Result {
			r := tell(tl, o)
			if r.Status.HasPlan() {
				r.Offsets = make([]int64, len(tl.Problem.Buffers))
			}
			return r
		}},
		"undecided": {"no answer", func(*timeline.Timeline,
			plan.Options,
		) plan.Result {
			return plan.Result{Stopped: plan.StopEffort}
		}},
		"panic": {"panic", func(*timeline.Timeline, plan.Options) plan.Result { panic("at once") }},
	} {
		found := 0
		p := puppet{tc.lie}
		a := Asker{Limits: 2}
		a.OnFault = func(f Fault) {
			if !strings.HasPrefix(f.Words, tc.words) || found > 2 {
				return
			}
			found++
			if f = Shrink(f, p); len(f.Problem.Buffers) > 3 || !strings.Contains(f.String(), "lower,upper,size") {
				t.Errorf("%s: not shrunk:\n%s", name, f)
			}
		}
		for seed := range uint64(60) {
			a.Seed(seed, []run.Planner{p})
		}
		if found == 0 {
			t.Errorf("%s: no fault was found", name)
		}
	}
}

// TestUndecided checks that an exact planner that ends at its timeout, in time, is told from one that lies.
func TestUndecided(t *testing.T) {
	told := 0
	a := Asker{Limits: 1, OnFault: func(f Fault) { t.Error(f) }, OnUndecided: func(Fault) { told++ }}
	for seed := range uint64(20) {
		a.Seed(seed, []run.Planner{puppet{func(*timeline.Timeline,
			plan.Options,
		) plan.Result {
			return plan.Result{Stopped: plan.StopTimeout}
		}}})
	}
	if told == 0 || a.Counts.Undecided != int64(told) {
		t.Errorf("%d told of %d", told, a.Counts.Undecided)
	}
}

// Seed asks each planner about the problem of the seed.
func (a *Asker) Seed(seed uint64, planners []run.Planner) {
	a.Begin(seed)
	for _, p := range planners {
		a.Ask(p)
	}
}
