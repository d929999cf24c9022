package plan

import (
	"strconv"
	"sync"
)

// registry holds the planners in the order of their names.
var registry struct {
	sync.Mutex // a sync.RWMutex adds more to a program than a look-up waits
	entries    []entry
}

// An entry keeps the name, since Info makes a description each time.
type entry struct {
	name    string
	planner Planner
}

// Register makes a planner known by its name, most often from an init function.
// It panics where the planner has no name or one that is taken: that is a
// mistake in the program.
func Register(p Planner) {
	name := nameOf(p)
	if name == "" {
		panic("plan: a planner has no name")
	}
	registry.Lock()
	defer registry.Unlock()
	at, taken := find(name)
	if taken {
		panic("plan: two planners are named " + name)
	}
	registry.entries = append(registry.entries, entry{})
	copy(registry.entries[at+1:], registry.entries[at:])
	registry.entries[at] = entry{name, p}
}

// nameOf returns a planner's name, from a method Name where it has one: to describe a
// planner takes longer, and programs start with dozens of them.
func nameOf(p Planner) string {
	if n, ok := p.(interface{ Name() string }); ok {
		return n.Name()
	}
	return p.Info().Name
}

// Lookup returns the planner of that name. The error is an ErrUnknownPlanner
// that lists the names there are, and says where others come from: which those
// are is known to the packages that register them alone.
func Lookup(name string) (Planner, error) {
	registry.Lock()
	defer registry.Unlock()
	at, ok := find(name)
	if !ok {
		return nil, &kindError{ErrUnknownPlanner, "no planner is named " + strconv.Quote(name) + "; there are " + list(names()) + elsewhere}
	}
	return registry.entries[at].planner, nil
}

// elsewhere says where planners are that a program gets by importing them.
const elsewhere = "; others register themselves where planner/baselines, planner/milp or research/learn is imported"

// All returns the planners in the order of their names.
func All() []Planner {
	registry.Lock()
	defer registry.Unlock()
	all := make([]Planner, len(registry.entries))
	for k := range all {
		all[k] = registry.entries[k].planner
	}
	return all
}

// Names returns the names of the planners in ascending order.
func Names() []string {
	registry.Lock()
	defer registry.Unlock()
	return names()
}

func names() []string {
	all := make([]string, len(registry.entries))
	for k := range all {
		all[k] = registry.entries[k].name
	}
	return all
}

// find returns where a name is, or where it belongs. A loop is enough for some
// forty names, and adds less to a program than a generic search.
func find(name string) (at int, ok bool) {
	for at < len(registry.entries) && registry.entries[at].name < name {
		at++
	}
	return at, at < len(registry.entries) && registry.entries[at].name == name
}
