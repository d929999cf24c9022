package plan

import "errors"

// Kinds of errors, for errors.Is. The message of a returned error has the details.
var (
	// ErrUnknownPlanner means that no planner of that name is registered.
	ErrUnknownPlanner = errors.New("unknown planner")
	// ErrUnsupported means that the planner does not take this problem: the problem has
	// a feature that the planner cannot honour, or is too large for it.
	ErrUnsupported = errors.New("unsupported problem")
	// ErrNoCapacity means that the request needs a capacity and has none.
	ErrNoCapacity = errors.New("a capacity is needed: without one every problem fits")
	// ErrNoCertificate means that no proof was found that can be written down.
	ErrNoCertificate = errors.New("no certificate")
	// ErrInvalidPlan means that a planner returned a plan that breaks a rule, a lower bound above the height of its
	// plan, or a status that is impossible. The fault is in the planner, not in its input.
	ErrInvalidPlan = errors.New("invalid plan")
)

// Invalid returns an error of the kind ErrInvalidPlan. planner is the planner's name, and
// what says what is wrong with its result.
func Invalid(planner, what string) error {
	return &kindError{ErrInvalidPlan, "planner " + planner + " returned an invalid plan: " + what}
}

// Unsupported returns an error of the kind ErrUnsupported. planner is the planner's name,
// and why continues the sentence, as in "planner csp cannot honour gaps with windows".
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
