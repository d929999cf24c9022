package plan

import (
	"context"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/model"
)

// registry holds the planners in the order in which they came.
var registry struct {
	sync.Mutex // a sync.RWMutex adds more to a program than a look-up waits
	entries    []*Registration
}

// A Registration is what is needed to run a planner, without its description. A description
// has a text for each technique and parameter; a program that never describes its planners
// does without. Register reads a planner's Info, and RegisterAs does not.
type Registration struct {
	// Name is Info.Name.
	Name string
	// Planner is the planner itself.
	Planner Planner
	// Exact is Info.Exact.
	Exact func() bool
	// Check refuses switches and parameters that the planner does not take, as
	// CheckOptions does.
	Check func(*Options) error
	// Plan, if set, is Planner.Plan. If it is nil, whoever looks the planner up knows
	// another way to call it, as this module does for its own planners.
	Plan func(context.Context, *model.Problem, Options) (Result, error)
}

// Register makes a planner known by its name, most often from an init function. It panics
// if the planner has no name or one that is taken: that is a mistake in the program.
func Register(p Planner) {
	RegisterAs(&Registration{
		Name: p.Info().Name, Planner: p, Plan: p.Plan,
		Exact: func() bool { return p.Info().Exact },
		Check: func(o *Options) error { return CheckOptions(p.Info(), *o) },
	})
}

// RegisterAs is Register for a planner whose registration is known.
func RegisterAs(r *Registration) {
	if r.Name == "" {
		panic("plan: a planner has no name")
	}
	registry.Lock()
	taken := find(r.Name)
	if taken == nil {
		registry.entries = append(registry.entries, r)
	}
	registry.Unlock()
	if taken != nil {
		panic("plan: two planners are named " + r.Name)
	}
}

// Find returns the registration of that name. The error is an ErrUnknownPlanner that lists
// the known names and says which packages bring others.
func Find(name string) (*Registration, error) {
	registry.Lock()
	r := find(name)
	registry.Unlock()
	if r == nil {
		return nil, &kindError{ErrUnknownPlanner, "no planner is named " + strconv.Quote(name) + "; there are " + list(Names()) + elsewhere}
	}
	return r, nil
}

// Lookup returns the planner of that name. The error is Find's.
func Lookup(name string) (Planner, error) {
	r, err := Find(name)
	if err != nil {
		return nil, err
	}
	return r.Planner, nil
}

// elsewhere says where planners are that a program gets by importing them.
const elsewhere = "; others register themselves where planner/baselines, planner/milp or research/learn is imported"

// All returns the planners in the order of their names.
func All() []Planner {
	all := []Planner{}
	for _, name := range Names() {
		p, _ := Lookup(name)
		all = append(all, p)
	}
	return all
}

// Names returns the names of the planners in ascending order.
func Names() (names []string) {
	registry.Lock()
	for _, r := range registry.entries {
		names = insert(names, r.Name)
	}
	registry.Unlock()
	return names
}

// find returns the registration of a name, nil for none. A loop is enough for some
// forty names, and adds less to a program than a search.
//
//go:noinline
func find(name string) *Registration {
	for _, r := range registry.entries {
		if r.Name == name {
			return r
		}
	}
	return nil
}
