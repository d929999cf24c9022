package milp

import (
	"context"
	"errors"
	"strconv"

	"github.com/stowage-go/stowage/plan"
)

// Info describes the planner.
func (planner) Info() plan.Info {
	return plan.Info{
		Name:    "milp",
		Summary: "the mixed integer program of the TelaMalloc paper, solved by HiGHS",
		Source:  "Maas et al., TelaMalloc, ASPLOS 2023, section 3.2; HiGHS (npm highs 1.15.3)",
		Exact:   true,
		Techniques: []plan.Technique{
			{Name: "partitions", Summary: "solve what shares no time apart, not as one program"},
			{Name: "start", Summary: "give the solver the plan of the heuristics to improve on, when minimising"},
		},
		Params: []plan.Param{
			{Name: "formulation", Default: "paper", Summary: "paper: two binaries a pair and one big M, as published; tight: one binary and a big M for each row"},
			{Name: "engine", Default: "embedded", Summary: "embedded: HiGHS in this process; highs, cbc: that command; native: the first of them on the PATH"},
			{Name: "lp", Default: "", Summary: "write the program to this file, in LP format, before it is solved"},
			{Name: "max-pairs", Default: strconv.Itoa(defaultMaxPairs), Summary: "refuse what has more pairs of conflicting buffers in one program"},
			{Name: "cache", Default: "user", Summary: "keep HiGHS's compiled code in this folder; user: the user's cache folder; off: nowhere"},
		},
	}
}

// defaultMaxPairs keeps a program within some 500 MB.
const defaultMaxPairs = 200_000

// settings are the options as the planner uses them.
type settings struct {
	partitions, start, tight bool
	lp                       string
	maxPairs                 int
	cache                    string
	solve                    func(context.Context, *formulation, limits) (answer, error)
}

func settingsOf(o plan.Options) (settings, error) {
	s := settings{partitions: true, start: true, maxPairs: defaultMaxPairs, cache: defaultCache(), solve: solveEmbedded}
	for _, name := range o.Without {
		switch name {
		case "partitions":
			s.partitions = false
		case "start":
			s.start = false
		}
	}
	var errs []error
	refuse := func(name, why string) {
		errs = append(errs, errors.New("planner milp: parameter "+name+": "+strconv.Quote(o.Params[name])+" "+why))
	}
	switch o.Params["formulation"] {
	case "", "paper":
	case "tight":
		s.tight = true
	default:
		refuse("formulation", "is neither paper nor tight")
	}
	switch name := o.Params["engine"]; name {
	case "", "embedded":
	case "highs", "cbc", "native":
		command, err := findCommand(name)
		if err != nil {
			errs = append(errs, err)
		}
		s.solve = command.solve
	default:
		refuse("engine", "is not embedded, native, highs or cbc")
	}
	if text, ok := o.Params["max-pairs"]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			refuse("max-pairs", "is not a number of at least 1")
		}
		s.maxPairs = n
	}
	switch dir := o.Params["cache"]; dir {
	case "", "user":
	case "off":
		s.cache = ""
	default:
		s.cache = dir
	}
	s.lp = o.Params["lp"]
	return s, errors.Join(errs...)
}
