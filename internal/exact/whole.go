package exact

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the linker leaves out what nobody calls. The search for canonical plans is
// complete for most problems without what stands beside it, so that is reached through
// variables, and a program that wants it says so. What is left is a third smaller.
//
// Without it windows may interlock and nobody knows, so a problem with windows is
// planned where a canonical plan fits, and otherwise undecided; orders have one worker;
// partitions are not asked about in stretches; a limit that comes before the first plan
// leaves none; and nothing can be switched off.
//
// Invariant: a part that is missing costs an answer, never its truth.

var (
	windows   func(e *engine, p int) knowledge                                 // (*engine).interlocks
	races     func(e *engine, p int, capacity, limit int64) (outcome, *kernel) // (*engine).race
	stretched func(e *engine, p int, capacity, halves int64) verdict           // (*engine).inStretches
	composing func(e *engine, capacity int64, minimize bool, halves int64)     // (*engine).composites
	binding   func(s *settings, o *plan.Options) error                         // (*settings).bind
	fallsBack func(e *engine)                                                  // (*engine).fallBack
	shifting  func(k *kernel)                                                  // (*kernel).initShifts
)

// Whole brings all of the planner into a program, and registers it. Packages that use
// this one call it in their init, so whoever has merge, climb or auto has it all.
func Whole() {
	if races != nil {
		return
	}
	Interlocking()
	windows, races, stretched = (*engine).interlocks, (*engine).race, (*engine).inStretches
	composing, binding = (*engine).composites, (*settings).bind
	fallsBack, shifting = (*engine).fallBack, (*kernel).initShifts
	run.RegisterWith(&Planner{}, true, fresh)
}
