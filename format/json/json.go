// Package json reads and writes problems and plans as JSON. One file holds a
// problem and, optionally, a plan of it:
//
//	{
//	  "version": 1,
//	  "name": "example",
//	  "capacity": 12,
//	  "buffers": [
//	    {"id": "b1", "lower": 0, "upper": 3, "size": 4},
//	    {"id": "b2", "lower": 3, "upper": 9, "size": 4, "alignment": 4, "hint": 8,
//	     "gaps": [{"lower": 4, "upper": 6, "window": [0, 2]}]},
//	    {"id": "b3", "lower": 0, "upper": 9, "size": 4, "offset": 4}
//	  ],
//	  "plan": {
//	    "planner": "exact",
//	    "status": "optimal",
//	    "height": 12,
//	    "lower_bound": 12,
//	    "offsets": [0, 8, 4]
//	  }
//	}
//
// Lifespans, gaps and windows are half-open. The offset of a buffer is fixed; the offsets
// of the plan are in the order of the buffers. Required are the key buffers, the keys
// lower, upper and size of a buffer, and the status of a plan. For any other key, null is
// the same as no key. The default version is 1. A buffer without an id has its number,
// from 0, as its ID. A capacity of 0, or none, means no limit. A plan has offsets if its
// status is optimal or feasible, and none otherwise.
//
// A file may also be the list of the buffers alone:
//
//	[{"lower": 0, "upper": 3, "size": 4}, {"lower": 3, "upper": 9, "size": 4}]
//
// The values of a plan must be consistent. The height is that of the offsets. The lower
// bound is not above the height, and equals it if the status is optimal. The lower bound
// of an infeasible problem is above its capacity. The reader does not check whether the
// offsets are a valid plan; stowage.Verify does.
//
// Unknown keys are refused, because an unknown key is most likely misspelled. A new key
// therefore comes with a new version.
//
// All faults of an input are reported at once, as a *model.InputError with file, line,
// buffer, key and value. Only a fault of the JSON grammar, such as a file that is cut off,
// is reported alone.
package json

import "github.com/stowage-go/stowage/model"

// Version is the version of the format that this package reads and writes.
const Version = 1

// A Plan is the outcome of a run, as a file has it.
type Plan struct {
	Planner    string       // name of the planner; empty if not known
	Status     model.Status // the outcome
	Height     int64        // largest offset + size in bytes; 0 if there are no offsets
	LowerBound int64        // no plan is lower, in bytes; 0 if not known
	Offsets    []int64      // offset of each buffer in bytes, in order; nil if there is no plan
}
