package plan

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/model"
)

// registry holds the planners in the order in which they came.
var registry struct {
	sync.RWMutex
	entries []*Registration
}

// A Registration has what a run needs to know of a planner without its Info. Register reads the planner's Info;
// RegisterAs does not, so that an import costs no start-up time for descriptions that nobody reads.
type Registration struct {
	// Name is Info.Name.
	Name string
	// Planner is the planner itself.
	Planner Planner
	// Exact is Info.Exact.
	Exact func() bool
	// Check returns an error for options that the planner does not take, as CheckOptions does.
	Check func(*Options) error
	// Plan is Planner.Plan. It is nil for planners of this module, which are called in another way.
	Plan func(context.Context, *model.Problem, Options) (Result, error)
}

// Register makes a planner known by its name, most often from an init function. It panics
// if the planner has no name, or a name that is taken.
func Register(p Planner) {
	RegisterAs(&Registration{
		Name: p.Info().Name, Planner: p, Plan: p.Plan,
		Exact: func() bool { return p.Info().Exact },
		Check: func(o *Options) error { return CheckOptions(p.Info(), *o) },
	})
}

// RegisterAs is Register for a planner whose Registration is given.
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

// Find returns the registration of the planner of that name. The error is an ErrUnknownPlanner that lists the
// registered names and the package that adds more, or says that the planner is in the laboratory.
func Find(name string) (*Registration, error) {
	registry.RLock()
	r := find(name)
	registry.RUnlock()
	if r == nil && laboratory.Has(name) {
		return nil, &kindError{ErrUnknownPlanner, laboratory.Says(name) + elsewhere + "lab/baselines or lab/milp"}
	}
	if r == nil {
		return nil, &kindError{
			ErrUnknownPlanner, "no planner is named " + strconv.Quote(name) + "; the planners are " + list(name,
				Names()) + elsewhere + "plan/all",
		}
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

// elsewhere comes before the packages that add planners to a program that imports them.
const elsewhere = "; a program gets more if it imports "

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
	registry.RLock()
	for _, r := range registry.entries {
		names = append(names, r.Name)
	}
	registry.RUnlock()
	slices.Sort(names)
	return names
}

// find returns the registration of a name, nil for none. The caller holds the lock.
func find(name string) *Registration {
	k := slices.IndexFunc(registry.entries, func(r *Registration) bool { return r.Name == name })
	if k < 0 {
		return nil
	}
	return registry.entries[k]
}
