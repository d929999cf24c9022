package setting

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/plan"
)

// defaultPlanner runs if none is named; the root package says so too.
const defaultPlanner = "auto"

// UnknownPlanner returns the error for a planner that this program does not have.
func UnknownPlanner(name string) error {
	if strings.Contains(name, ",") {
		return errors.New(strconv.Quote(name) + " names several planners, and one runs here; 'stowage compare --planner " +
			name + "' runs them side by side")
	}
	if laboratory.Has(name) {
		return errors.New(laboratory.Says(name))
	}
	return errors.New("no planner is named " + strconv.Quote(name) + suggest.OneOf(name, plan.Names(), "stowage planners"))
}

// CheckNames refuses an unknown planner, and all unknown techniques and parameters at once.
// Each error says which name may have been meant, and which other planners have it. run.Bind
// refuses the same names in fewer words. An empty planner is the default planner.
func CheckNames(o *plan.Options) (faults []error) {
	name := o.Planner
	if name == "" {
		name = defaultPlanner
	}
	p, err := plan.Lookup(name)
	if err != nil {
		return []error{UnknownPlanner(name)}
	}
	info := p.Info()
	check := func(what, name string, names func(*plan.Info) []string) {
		if has := names(&info); !slices.Contains(has, name) {
			faults = append(faults, unknownOf(info.Name, what, name, has, names))
		}
	}
	for _, name := range o.Without {
		check("technique", name, Techniques)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Params)) {
		check("parameter", key, Params)
	}
	return faults
}

// CheckValues refuses values of parameters that the planner does not take. CheckNames must have accepted all names.
func CheckValues(o *plan.Options) error {
	name := o.Planner
	if name == "" {
		name = defaultPlanner
	}
	r, err := plan.Find(name)
	if err != nil {
		return err
	}
	return r.Check(o)
}

// Techniques returns the names of a planner's techniques.
func Techniques(info *plan.Info) (names []string) {
	for _, t := range info.Techniques {
		names = append(names, t.Name)
	}
	return names
}

// Params returns the names of a planner's parameters.
func Params(info *plan.Info) (names []string) {
	for _, p := range info.Params {
		names = append(names, p.Name)
	}
	return names
}

// unknownOf returns the error for a technique or parameter that a planner does not have. It
// begins as plan.CheckOptions words it, and adds which name may have been meant.
func unknownOf(planner, what, name string, has []string, otherwise func(*plan.Info) []string) error {
	there := "; it has "
	if hint := suggest.Question(name, has); hint != "" {
		there = hint + " It has "
	}
	if there += suggest.Listed(name, has, "stowage planners "+planner); len(has) == 0 {
		there = "; it has none"
	}
	var others []string
	for _, p := range plan.All() {
		if info := p.Info(); slices.Contains(otherwise(&info), name) {
			others = append(others, info.Name)
		}
	}
	if len(others) > 0 {
		verb := " has it"
		if len(others) > 1 {
			verb = " have it"
		}
		there += "; " + suggest.Listed(planner, others, "") + verb
	}
	return errors.New("planner " + planner + " has no " + what + " " + strconv.Quote(name) + there)
}
