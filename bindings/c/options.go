package main

// #include "solver.h"
import "C"

import (
	"errors"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/model"
	_ "github.com/stowage-go/stowage/plan/all"
)

// Idea: an option that is a number is set by number, and is stored in C memory. The names of planners, techniques and
// parameters come as JSON; so may all options at once. The keys are the command's flags (package setting).
//
// Invariant: a solver never holds a wrong option. A call that sets a wrong value or name
// refuses it, and changes nothing.

// optionsOf returns the options of a run.
func (p *peer) optionsOf(s *C.stowage_solver) stowage.Options {
	o := valued(s)
	o.Planner, o.Without, o.Params, o.Progress = p.options.Planner, p.options.Without, p.options.Params, p.options.Progress
	if start := column(s.start, int(s.count)); start != nil {
		o.Start = append([]int64{}, start...)
	}
	return o
}

// valued returns the options that are set by number, but for the capacity, which is the problem's.
func valued(s *C.stowage_solver) (o stowage.Options) {
	o.Minimize = s.options[C.STOWAGE_MINIMIZE] != 0
	o.Timeout = time.Duration(s.options[C.STOWAGE_TIMEOUT_NS])
	o.NodeLimit = int64(s.options[C.STOWAGE_NODES])
	o.Workers = int(s.options[C.STOWAGE_WORKERS])
	o.Seed = uint64(s.options[C.STOWAGE_SEED])
	return o
}

// byNumber has the options that can be set by number. Only the Go side has the others.
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
	o := p.options // options by number have their zero value here: only those that the JSON names are copied
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

// inOptions adds to each fault that it is in the options.
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

// stowageRefused says what is wrong with the options that are set by number.
//
//export stowageRefused
func stowageRefused(s *C.stowage_solver) (code C.int) {
	defer guard(s, &code)
	o := valued(s)
	o.Capacity = int64(s.options[C.STOWAGE_CAPACITY])
	if err := o.Validate(); err != nil {
		return fail(s, err)
	}
	return C.STOWAGE_OK
}
