package plan

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/model"
)

// Options say how a planner runs. The zero value looks for the lowest plan, with the planner auto and without limits.
type Options struct {
	// Planner is the name of the planner to run; empty means auto. Planners ignore it.
	Planner string
	// Capacity is the number of bytes that the plan must fit into. 0 means the problem's
	// own capacity. If that is 0 too, there is none.
	Capacity int64
	// Minimize asks for the lowest plan that fits the capacity. If it is false, any plan
	// that fits will do. Without a capacity planners always minimise.
	Minimize bool
	// Timeout ends the search after this much wall-clock time; 0 means never.
	Timeout time.Duration
	// NodeLimit ends the search after this many nodes; 0 means never. A node is the
	// planner's own deterministic unit of effort.
	NodeLimit int64
	// Workers is the number of goroutines that may search in parallel. 0 means one; more than 1,024 count as 1,024.
	// With one worker, the same input, seed and NodeLimit give the same plan.
	Workers int
	// Seed seeds every random choice. The default 0 is a seed like any other.
	Seed uint64
	// Without has the names of techniques to switch off. Info.Techniques lists them.
	Without []string
	// Params sets parameters by name. Info.Params lists them with their defaults, which
	// hold for every parameter that is not set.
	Params map[string]string
	// Start has the offsets in bytes of a valid plan to improve, in the order of
	// Problem.Buffers; nil for none. The plan may be above the capacity.
	Start []int64
	// Progress is called now and then during the search, never twice at the same time;
	// nil for never. It must return quickly.
	Progress func(Progress)
	// Moves is called for each placement that a search makes or takes back, in order; nil
	// for never. The search then runs with one worker, and is otherwise the same. Planners
	// with Info.Moves do this: tela, exact, and auto (for its exact search).
	Moves func(Move)
	// Turns is called after each turn of a planner that runs several, such as auto, in order; nil for never.
	Turns func(Turn)
}

// Minimizing reports whether the planner must look for the lowest plan. It is for
// planners: for them Capacity already includes the problem's own.
func (o *Options) Minimizing() bool { return o.Minimize || o.Capacity == 0 }

// Fits reports whether a height in bytes is within Capacity. Every height is if Capacity is 0.
func (o *Options) Fits(height int64) bool { return o.Capacity == 0 || height <= o.Capacity }

// Validate checks the numbers that every planner has: Capacity, Timeout, NodeLimit and Workers must not be negative,
// and Capacity is at most model.MaxSum. The error is a *model.InputError that lists all faults.
func (o *Options) Validate() error {
	var issues model.Issues
	o.validate(&issues)
	return issues.Err()
}

func (o *Options) validate(issues *model.Issues) {
	if o.Capacity < 0 || o.Capacity > model.MaxSum {
		issues.Say("capacity", strconv.FormatInt(o.Capacity, 10),
			"must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for none")
	}
	if o.Timeout < 0 {
		issues.Say("timeout", o.Timeout.String(), "must not be negative")
	}
	if o.NodeLimit < 0 {
		issues.Say("node limit", strconv.FormatInt(o.NodeLimit, 10), "must not be negative")
	}
	if o.Workers < 0 {
		issues.Say("workers", strconv.Itoa(o.Workers), "must not be negative")
	}
}

// CheckOptions does what Validate does. It also refuses techniques and parameters that the planner does not have, and
// values that the planner does not take. The error is a *model.InputError that lists all faults.
func CheckOptions(info Info, o Options) error {
	var issues model.Issues
	issues.Join(CheckNames(&info, &o))
	if info.Check != nil {
		issues.Join(info.Check(o))
	}
	o.validate(&issues)
	return issues.Err()
}

// CheckNames refuses techniques and parameters that the planner does not have. The error
// is a *model.InputError that lists all of them.
func CheckNames(info *Info, o *Options) error {
	var issues model.Issues
	var techniques, params []string
	for _, t := range info.Techniques {
		techniques = append(techniques, t.Name)
	}
	for _, p := range info.Params {
		params = append(params, p.Name)
	}
	has := func(what, name string, known []string) {
		if !slices.Contains(known, name) {
			issues.Say("", "", "planner "+info.Name+" has no "+what+" "+strconv.Quote(name)+"; it has "+list(name, known))
		}
	}
	for _, name := range o.Without {
		has("technique", name, techniques)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		has("parameter", name, params)
	}
	return issues.Err()
}

// list returns the names nearest to an unknown one, or says that there are none.
func list(name string, names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return suggest.Listed(name, names, "")
}
