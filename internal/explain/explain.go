// Package explain says why a problem is infeasible, by naming few buffers that
// cannot fit.
package explain

import "github.com/stowage-go/stowage/internal/model"

// An Explanation is the outcome of a search for a reason.
type Explanation struct {
	// Status is Infeasible where a reason was found, Feasible where the
	// problem has a plan, Unknown where a limit came first.
	Status model.Status
	// Buffers index an infeasible subset of Problem.Buffers, ascending.
	Buffers []int
	// Irreducible says that every proper subset was shown to fit; otherwise a
	// limit came and the subset may be larger than it needs to be.
	Irreducible bool
	// Capacity is the capacity they cannot fit.
	Capacity int64
	// Load is the contention peak of the subset, and At the half-open slice of
	// logical time where it stands.
	Load int64
	At   [2]int64
	// Runs counts the searches that it took.
	Runs int
}
