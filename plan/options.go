package plan

import (
	"strconv"
	"time"

	"github.com/stowage-go/stowage/model"
)

// Options steer a planner. The zero value minimises without limits.
type Options struct {
	// Planner names the planner to run; empty means auto. Planners themselves
	// ignore it.
	Planner string
	// Capacity is the number of bytes to fit into. 0 means the problem's own capacity; if
	// that is 0 too, there is none.
	Capacity int64
	// Minimize asks for the lowest plan, within the capacity if there is one. Without it
	// any plan that fits the capacity will do. It is implied if there is no capacity.
	Minimize bool
	// Timeout ends the search after this much wall-clock time; 0 means never.
	Timeout time.Duration
	// NodeLimit ends the search after this many nodes, a planner's own
	// deterministic unit of effort; 0 means never.
	NodeLimit int64
	// Workers is the number of goroutines that may search side by side; 0
	// means one, and 1,024 are the most. With one worker, the same input, seed and
	// NodeLimit give the same plan.
	Workers int
	// Seed drives every random choice; 0 is a seed like any other.
	Seed uint64
	// Without names techniques to switch off, from the planner's Techniques.
	Without []string
	// Params sets tunables by name, from the planner's Params. The others have their
	// defaults.
	Params map[string]string
	// Start, if set, holds the offsets of a valid plan to improve on, in the order of
	// Problem.Buffers. It may be above the capacity.
	Start []int64
	// Progress, if set, is called now and then while the search runs, never twice at once.
	// It must return quickly.
	Progress func(Progress)
	// Moves, if set, is called for each placement that a search tries, and for each that it
	// takes back, in their order. Info.Moves says which planners do that: tela, and in
	// programs that import planner/moves exact, and auto while it runs exact search. The
	// search then has one worker, and takes the same way as without.
	Moves func(Move)
}

// Minimizing reports whether the lowest plan is wanted. It is for planners, which look at
// Capacity here and not at the problem's.
//
//go:noinline
func (o *Options) Minimizing() bool { return o.Minimize || o.Capacity == 0 }

// Fits reports whether a height is within Capacity. Every height is if Capacity is 0.
//
//go:noinline
func (o *Options) Fits(height int64) bool { return o.Capacity == 0 || height <= o.Capacity }

// Validate refuses numbers that make no sense for any planner: a capacity, a
// timeout, a node limit or a number of workers below 0, and a capacity above
// 2305843009213693951. The error is a *model.InputError.
func (o *Options) Validate() error {
	var issues model.Issues
	o.validate(&issues)
	return issues.Err()
}

func (o *Options) validate(issues *model.Issues) {
	if o.Capacity < 0 || o.Capacity > model.MaxSum {
		issues.Say("capacity", strconv.FormatInt(o.Capacity, 10), "must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for none")
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

// CheckOptions refuses what Validate does, switches and parameters that the
// planner does not have, and values that it does not take. The error is a
// *model.InputError that lists all of them.
func CheckOptions(info Info, o Options) error {
	var issues model.Issues
	issues.Join(CheckNames(&info, &o))
	if info.Check != nil {
		issues.Join(info.Check(o))
	}
	o.validate(&issues)
	return issues.Err()
}

// CheckNames refuses switches and parameters that the planner does not have.
func CheckNames(info *Info, o *Options) error {
	var issues model.Issues
	for _, name := range o.Without {
		has(&issues, info, name, false)
	}
	var keys []string
	for key := range o.Params {
		keys = insert(keys, key)
	}
	for _, name := range keys {
		has(&issues, info, name, true)
	}
	return issues.Err()
}

// insert puts a name into a list in ascending order. A few dozen names are no more.
//
//go:noinline
func insert(names []string, name string) []string {
	at := len(names)
	for names = append(names, name); at > 0 && name < names[at-1]; at-- {
		names[at] = names[at-1]
	}
	names[at] = name
	return names
}

// has adds an issue where a technique, or a parameter, is not known.
func has(issues *model.Issues, info *Info, name string, param bool) {
	what, n := "technique", len(info.Techniques)
	if param {
		what, n = "parameter", len(info.Params)
	}
	var known []string
	for k := range n {
		there := ""
		if param {
			there = info.Params[k].Name
		} else {
			there = info.Techniques[k].Name
		}
		if there == name {
			return
		}
		known = append(known, there)
	}
	issues.Say("", "", "planner "+info.Name+" has no "+what+" "+strconv.Quote(name)+"; it has "+list(known))
}

// list returns names with commas between them, or that there are none.
//
//go:noinline
func list(names []string) string {
	if names == nil {
		return "none"
	}
	s := ""
	for k, name := range names {
		if k > 0 {
			s += ", "
		}
		s += name
	}
	return s
}
