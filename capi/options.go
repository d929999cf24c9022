package main

// #include "solver.h"
import "C"

import (
	"errors"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
	_ "github.com/stowage-go/stowage/internal/sweep"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: what is a number is an option by number, in C memory; names of planners,
// techniques and parameters, and all options at once, come as JSON, under the names of
// the command's flags (package setting).
//
// Invariant: what the solver holds is right by itself. A value or a name that is not is
// refused by the call that sets it, which then changes nothing.

// optionsOf returns the options of a run.
func (p *peer) optionsOf(s *C.stowage_solver) stowage.Options {
	o := p.options
	o.Minimize = s.options[C.STOWAGE_MINIMIZE] != 0
	o.Timeout = time.Duration(s.options[C.STOWAGE_TIMEOUT_NS])
	o.NodeLimit = int64(s.options[C.STOWAGE_NODES])
	o.Workers = int(s.options[C.STOWAGE_WORKERS])
	o.Seed = uint64(s.options[C.STOWAGE_SEED])
	if start := column(s.start, int(s.count)); start != nil {
		o.Start = append([]int64{}, start...)
	}
	return o
}

// byNumber are the options that have a number; the others are on the Go side alone.
var byNumber = map[string]struct {
	option int
	value  func(*stowage.Options) int64
}{
	"capacity": {C.STOWAGE_CAPACITY, func(o *stowage.Options) int64 { return o.Capacity }},
	"minimize": {C.STOWAGE_MINIMIZE, func(o *stowage.Options) int64 {
		if o.Minimize {
			return 1
		}
		return 0
	}},
	"timeout": {C.STOWAGE_TIMEOUT_NS, func(o *stowage.Options) int64 { return int64(o.Timeout) }},
	"nodes":   {C.STOWAGE_NODES, func(o *stowage.Options) int64 { return o.NodeLimit }},
	"workers": {C.STOWAGE_WORKERS, func(o *stowage.Options) int64 { return int64(o.Workers) }},
	"seed":    {C.STOWAGE_SEED, func(o *stowage.Options) int64 { return int64(o.Seed) }},
}

//export stowageSetOptions
func stowageSetOptions(s *C.stowage_solver, text *C.char, length C.size_t) (code C.int) {
	defer guard(s, &code)
	p := peerOf(s)
	o := p.options // those by number are read from JSON alone: what it does not name is not looked at
	names, err := setting.FromJSON(&o, bytesOf(text, length))
	if err != nil {
		return fail(s, inOptions(err))
	}
	for _, name := range names {
		if n, ok := byNumber[name]; ok {
			s.options[n.option] = C.int64_t(n.value(&o))
		}
	}
	p.options = stowage.Options{Planner: o.Planner, Without: o.Without, Params: o.Params}
	return C.STOWAGE_OK
}

// inOptions says of each fault that it is in the options.
func inOptions(err error) error {
	var input *stowage.InputError
	if !errors.As(err, &input) {
		return err
	}
	var issues model.Issues
	for _, i := range input.Issues {
		issues.Add(model.Issue{Message: "options: " + i.String()})
	}
	return issues.Err()
}

// stowageRefused says what is wrong with the value of an option by number.
//
//export stowageRefused
func stowageRefused(s *C.stowage_solver, option C.int, value C.int64_t) (code C.int) {
	defer guard(s, &code)
	var o plan.Options
	switch option {
	case C.STOWAGE_CAPACITY:
		o.Capacity = int64(value)
	case C.STOWAGE_TIMEOUT_NS:
		o.Timeout = time.Duration(value)
	case C.STOWAGE_NODES:
		o.NodeLimit = int64(value)
	case C.STOWAGE_WORKERS:
		o.Workers = int(value)
	}
	if err := o.Validate(); err != nil {
		return fail(s, err)
	}
	return C.STOWAGE_OK
}
