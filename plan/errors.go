package plan

import "errors"

// What may be wrong with a request, for errors.Is. The errors that are returned
// say what it is about.
var (
	// ErrUnknownPlanner means that no planner of that name is registered.
	ErrUnknownPlanner = errors.New("unknown planner")
	// ErrUnsupported means that the planner does not take this problem: it has
	// a feature that the planner cannot honour, or is too large for it.
	ErrUnsupported = errors.New("unsupported problem")
	// ErrNoCapacity means that a capacity is needed and there is none.
	ErrNoCapacity = errors.New("there is no capacity to explain: without one every problem fits")
	// ErrNoCertificate means that there is no proof that can be written down.
	ErrNoCertificate = errors.New("no certificate")
	// ErrInvalidPlan means that a planner returned a plan that breaks a rule, a
	// bound above it, or a status that cannot be: a mistake in the planner, not in
	// its input.
	ErrInvalidPlan = errors.New("invalid plan")
)

// Invalid returns an error of the kind ErrInvalidPlan that says what is wrong
// with the result of the planner of that name.
//
//go:noinline
func Invalid(planner, what string) error {
	return &kindError{ErrInvalidPlan, "planner " + planner + " returned an invalid plan: " + what}
}

// Unsupported returns an error of the kind ErrUnsupported that says why the
// planner of that name refuses a problem, as in "planner csp cannot honour gaps
// with windows".
//
//go:noinline
func Unsupported(planner, why string) error {
	return &kindError{ErrUnsupported, "planner " + planner + " " + why}
}

// A kindError has a message of its own and is of a kind that errors.Is knows.
type kindError struct {
	kind    error
	message string
}

func (e *kindError) Error() string { return e.message }

func (e *kindError) Unwrap() error { return e.kind }
