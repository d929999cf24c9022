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
// Lifespans, gaps and windows are half-open. A buffer's offset is fixed; those
// of the plan are parallel to the buffers. The key buffers is required, as are lower, upper and
// size of a buffer and the status of a plan; null for any other key is the same as no key.
// Without a version the file is of version 1. A buffer without an id is called by its number,
// from 0. Without a capacity, or with 0, there is no limit. offsets is absent exactly if the
// status says that there is no plan that fits.
//
// A file may also be the list of the buffers alone:
//
//	[{"lower": 0, "upper": 3, "size": 4}, {"lower": 3, "upper": 9, "size": 4}]
//
// What a plan claims must hold together: the height is that of the offsets, the
// lower bound is not above it and, where the status is optimal, equal to it; the
// bound of an infeasible problem is above its capacity. That the offsets are
// valid is for others to verify.
//
// Keys that are not known are refused, so that a misspelled one is not lost;
// a new key therefore comes with a new version.
//
// Whatever is wrong with an input is reported at once, as a *model.InputError
// with file, line, buffer, key and value. Only a fault of the grammar, such as
// a file that is cut off, is reported alone.
package json

import "github.com/stowage-go/stowage/model"

// Version is the version of the format that this package reads and writes.
const Version = 1

// A Plan is what a file says of the outcome of a run.
type Plan struct {
	Planner    string       // name of the planner; empty for not known
	Status     model.Status // the outcome
	Height     int64        // largest offset + size; 0 where there are no offsets
	LowerBound int64        // no plan is lower; 0 for not known
	Offsets    []int64      // of each buffer, in order; nil where no plan fits
}
