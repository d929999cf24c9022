// Package outside makes planners of others that have a script in Python in front of them planners of stowage-lab,
// if the environment variable STOWAGE_OUTSIDE names them, separated by commas:
//
//	cp-sat       OR-Tools CP-SAT, one no-overlap for each section (lab/bench/ortools)
//	cp-sat-2d    the same, one no-overlap of rectangles in time and space
//	supermalloc  OmniMalloc's, omnimalloc of PyPI
//	stalloc      STAlloc's planner of training steps, from a clone of
//	             https://github.com/infinigence/STAlloc that STALLOC names
//
// The first three run in the Python of STOWAGE_PYTHON, stalloc in that of STALLOC_PYTHON. All have as many threads as
// the run has workers but stalloc, which has one and no limit. The time of a run includes the start of Python.
package outside

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/bench/internal/script"
	"github.com/stowage-go/stowage/lab/bench/ortools"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Variable is the environment variable that names the planners.
const Variable = "STOWAGE_OUTSIDE"

// grace is how long a script may go on after its limit, to print the plan that it has.
const grace = 10 * time.Second

// A planner is a script.
type planner struct {
	name, summary, source, python string

	script  []byte
	args    []string
	threads string // the flag for the number of threads; none if it is empty
	decides bool   // takes a capacity, fixed offsets, alignments and gaps, and proves what it says
	endless bool   // takes no limit
}

//go:embed supermalloc.py
var supermalloc []byte

//go:embed stalloc.py
var stalloc []byte

// all returns the planners that there are.
func all() []planner {
	python := ortools.Python()
	sat := planner{
		name: "cp-sat", summary: "CP-SAT, one no-overlap for each section", source: "OR-Tools", python: python,
		script: ortools.Peer, threads: "--workers", decides: true,
	}
	boxes := sat
	boxes.name, boxes.summary, boxes.args = "cp-sat-2d", "CP-SAT, one no-overlap of rectangles", []string{"--boxes"}
	return []planner{
		sat, boxes,
		{
			name: "supermalloc", summary: "SuperMalloc", source: "OmniMalloc", python: python,
			script: supermalloc, threads: "--threads",
		},
		{
			name: "stalloc", summary: "split and fuse", source: "STAlloc (EuroSys 2026)",
			python: cmp.Or(os.Getenv("STALLOC_PYTHON"), python),
			script: stalloc, args: []string{"--stalloc", os.Getenv("STALLOC")}, endless: true,
		},
	}
}

// Names returns the names of the planners that there are.
func Names() (names []string) {
	for _, p := range all() {
		names = append(names, p.name)
	}
	return names
}

// Register registers the planners that are named. The error is for a name that is none's.
func Register(names string) error {
	known := all()
	for name := range strings.SplitSeq(names, ",") {
		k := slices.IndexFunc(known, func(p planner) bool { return p.name == strings.TrimSpace(name) })
		if k < 0 && name != "" {
			return fmt.Errorf("%s: no planner is named %q; there are %s", Variable, name, strings.Join(Names(), ", "))
		} else if k >= 0 {
			run.Register(&known[k])
		}
	}
	return nil
}

// Name returns the planner's name.
func (p *planner) Name() string { return p.name }

// Info describes the planner.
func (p *planner) Info() plan.Info {
	return plan.Info{Name: p.name, Summary: p.summary, Source: p.source, Exact: p.decides}
}

// Plan runs the script. The plan is verified here, too (package script).
func (p *planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	q, args := *tl.Problem, p.args
	q.Capacity = 0
	if !p.decides {
		for i := range q.Buffers {
			if b := &q.Buffers[i]; b.Fixed != nil || len(b.Gaps) > 0 || b.Align() > 1 {
				return plan.Result{}, plan.Unsupported(p.name, "takes no gaps, alignments or fixed offsets: buffer "+b.ID)
			}
		}
	} else if q.Capacity = o.Capacity; q.Capacity == 0 {
		args = append([]string{"--minimize"}, args...)
	}
	if p.threads != "" {
		args = append([]string{p.threads, strconv.Itoa(max(1, o.Workers))}, args...)
	}
	if o.Timeout > 0 && !p.endless {
		args = append([]string{"--timeout", fmt.Sprint(o.Timeout.Seconds())}, args...)
	}
	dir, err := os.MkdirTemp("", "stowage-outside")
	if err != nil {
		return plan.Result{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, p.name+".py")
	if err := os.WriteFile(path, p.script, 0o600); err != nil {
		return plan.Result{}, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if !p.endless {
		defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	}
	found, err := script.Run(own, p.python, path, []*model.Problem{&q}, args...)
	if err != nil && own.Err() != nil {
		return plan.Result{}, nil // it was told to end, and had no plan
	} else if err != nil {
		return plan.Result{}, plan.Unsupported(p.name, "cannot run: "+err.Error())
	}
	return p.result(found[0], tl.Problem, o), nil
}

// result returns what the script has said.
func (p *planner) result(x script.Outcome, of *model.Problem, o plan.Options) plan.Result {
	r := plan.Result{LowerBound: x.LowerBound}
	if x.Status == "infeasible" && p.decides {
		r.Status = model.Infeasible
	}
	if x.Offsets == nil || o.Capacity > 0 && x.Height > o.Capacity {
		return r
	}
	r.Status = model.Feasible
	if x.Status == "optimal" && p.decides {
		r.Status = model.Optimal
	}
	for i := range of.Buffers {
		r.Offsets = append(r.Offsets, x.Offsets[of.Buffers[i].ID])
	}
	return r
}
