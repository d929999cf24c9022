package plan

import (
	"errors"
	"slices"
	"strings"
)

var registry []Planner

// Register adds a planner to the registry. It panics if the name is taken,
// which is a mistake in the program. Call it from init functions only.
func Register(p Planner) {
	name := p.Info().Name
	at := len(registry)
	for at > 0 && registry[at-1].Info().Name > name {
		at--
	}
	if at > 0 && registry[at-1].Info().Name == name {
		panic("plan: two planners are named " + name)
	}
	registry = append(registry, p)
	copy(registry[at+1:], registry[at:])
	registry[at] = p
}

// Lookup returns the planner of that name. The error lists the names there are.
func Lookup(name string) (Planner, error) {
	at, ok := slices.BinarySearchFunc(registry, name, byName)
	if !ok {
		return nil, errors.New("no planner is named " + quote(name) + "; there are " + strings.Join(Names(), ", "))
	}
	return registry[at], nil
}

// All returns the planners in the order of their names.
func All() []Planner { return slices.Clone(registry) }

// Names returns the names of the planners in ascending order.
func Names() []string {
	names := make([]string, len(registry))
	for i, p := range registry {
		names[i] = p.Info().Name
	}
	return names
}

// CheckOptions refuses switches and parameters that the planner does not have,
// values that it does not take, and limits that make no sense, all at once.
func CheckOptions(info Info, o Options) error {
	var errs []error
	for _, name := range o.Without {
		if !slices.ContainsFunc(info.Techniques, func(t Technique) bool { return t.Name == name }) {
			var names []string
			for _, t := range info.Techniques {
				names = append(names, t.Name)
			}
			errs = append(errs, errors.New("planner "+info.Name+" has no technique "+quote(name)+oneOf(names)))
		}
	}
	keys := make([]string, 0, len(o.Params))
	for key := range o.Params {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !slices.ContainsFunc(info.Params, func(p Param) bool { return p.Name == key }) {
			var names []string
			for _, p := range info.Params {
				names = append(names, p.Name)
			}
			errs = append(errs, errors.New("planner "+info.Name+" has no parameter "+quote(key)+oneOf(names)))
		}
	}
	if info.Check != nil {
		if err := info.Check(o); err != nil {
			errs = append(errs, err)
		}
	}
	if o.Capacity < 0 {
		errs = append(errs, errors.New("the capacity must not be negative"))
	}
	if o.Timeout < 0 {
		errs = append(errs, errors.New("the timeout must not be negative"))
	}
	if o.NodeLimit < 0 {
		errs = append(errs, errors.New("the node limit must not be negative"))
	}
	if o.Workers < 0 {
		errs = append(errs, errors.New("the number of workers must not be negative"))
	}
	return errors.Join(errs...)
}

func byName(p Planner, name string) int { return strings.Compare(p.Info().Name, name) }

func quote(s string) string { return "\"" + s + "\"" }

func oneOf(names []string) string {
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}
