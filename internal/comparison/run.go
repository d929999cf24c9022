package comparison

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
)

// A Run is one run: what was asked, then what came out. The keys are a contract, since files of them are kept.
type Run struct {
	Problem  string  `json:"problem"` // digest
	Name     string  `json:"name"`
	Planner  string  `json:"planner"`
	Capacity int64   `json:"capacity"` // 0 for none
	Timeout  float64 `json:"timeout"`  // in seconds, 0 for none
	Nodes    int64   `json:"nodes"`    // limit, 0 for none
	Workers  int     `json:"workers"`
	Seed     uint64  `json:"seed"`
	Solve    bool    `json:"solve,omitempty"`  // any plan that fits will do, not the lowest alone
	Repeat   int     `json:"repeat,omitempty"` // 1 for the second run of the same, and so on

	Status     string  `json:"status"` // a stowage.Status, or one of those below; empty if it was not run
	Height     int64   `json:"height"` // 0 if there is no plan
	LowerBound int64   `json:"lower_bound"`
	Seconds    float64 `json:"seconds"`
	Message    string  `json:"message,omitempty"` // why it was refused, is invalid or has failed
	Visited    int64   `json:"visited,omitempty"` // nodes of the search, where a request notes them
	On         string  `json:"on,omitempty"`      // the machine and the day, where a request notes them
	// Stopped is why the run ended before it had an answer, as stowage.Result has it. Files of runs do not keep it.
	Stopped string `json:"-"`
}

// What a run may be besides a stowage.Status.
const (
	Refused = "refused" // the planner cannot honour a feature of the problem
	Invalid = "invalid" // the verifier refuses the plan
	Failed  = "failed"  // the planner died
)

// Is reports whether the run ended so.
func (r *Run) Is(s stowage.Status) bool { return r.Status == s.String() }

// HasPlan reports whether the run made a plan that fits.
func (r *Run) HasPlan() bool { return r.Is(stowage.Optimal) || r.Is(stowage.Feasible) }

// Solved reports whether the run has an answer: a plan or a refutation.
func (r *Run) Solved() bool { return r.HasPlan() || r.Is(stowage.Infeasible) }

// proven reports whether the run has proven the lowest height, or that there is no plan.
func (r *Run) proven() bool { return r.Is(stowage.Optimal) || r.Is(stowage.Infeasible) }

// broken reports whether the run shows a mistake in a planner.
func (r *Run) broken() bool { return r.Status == Invalid || r.Status == Failed }

// asked returns what was asked: the key of the cache.
func (r Run) asked() Run {
	return Run{
		Problem: r.Problem, Planner: r.Planner, Capacity: r.Capacity, Timeout: r.Timeout,
		Nodes: r.Nodes, Workers: r.Workers, Seed: r.Seed, Solve: r.Solve, Repeat: r.Repeat,
	}
}

// A Peer answers in place of a planner: it fills in what came out. It must verify its plans.
type Peer func(ctx context.Context, in *Instance, r *Run)

// Solve runs a registered planner, or a variant of one, as r asks and fills in what came out. What a planner
// refuses, and that it dies, is an outcome of this run and not the end of the
// others. A planner that dies in a goroutine of its own still ends the process.
func Solve(ctx context.Context, in *Instance, r *Run) {
	defer func() {
		if p := recover(); p != nil {
			r.Status, r.Message = Failed, fmt.Sprintf("planner %s died at %s: %v", r.Planner, panicSite(), p)
		}
	}()
	planner, o, err := Variant(r.Planner)
	if err != nil {
		r.Status, r.Message = Refused, err.Error()
		return
	}
	o.Planner, o.Capacity, o.Timeout = planner, in.Capacity, time.Duration(r.Timeout*float64(time.Second))
	o.NodeLimit, o.Workers, o.Seed, o.Minimize = r.Nodes, r.Workers, r.Seed, !r.Solve
	result, err := stowage.Solve(ctx, in.Problem, o)
	switch {
	case errors.Is(err, stowage.ErrInvalidPlan):
		r.Status, r.Message = Invalid, err.Error()
	case err != nil:
		r.Status, r.Message = Refused, err.Error()
	default:
		r.Status, r.Height, r.LowerBound = result.Status.String(), result.Height, result.LowerBound
		r.Seconds, r.Visited = result.Stats.Elapsed.Seconds(), result.Stats.Nodes
		r.Stopped = string(result.Stopped)
	}
}

// panicSite returns the file and line of the innermost function outside the
// runtime, as seen from a deferred function that has recovered.
func panicSite() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		switch inRuntime := strings.HasPrefix(f.Function, "runtime."); {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !inRuntime:
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
