package milp

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// Info describes the planner.
func (planner) Name() string { return "milp" }

func (p planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "the mixed integer program of the TelaMalloc paper, solved by HiGHS",
		Source:  "Maas et al., TelaMalloc, ASPLOS 2023, section 3.2; HiGHS (npm highs 1.15.3)",
		Exact:   true,
	}, func() run.Settings { return new(settings) })
}

// defaultMaxPairs keeps a program within some 500 MB.
const defaultMaxPairs = 200_000

// settings are the options as the planner uses them.
type settings struct {
	partitions, start bool

	formulation, engine, lp, cache, rules string
	maxPairs                              int

	solve func(context.Context, *formulation, limits) (answer, error) // of the engine
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.partitions, "partitions", "solve parts that share no time as separate programs")
	d.Technique(&s.start, "start", "when minimising, give the solver the plan of the heuristics to start from")
	d.Choice(&s.formulation, "formulation",
		"paper: two binary variables for each pair and one big M, as published; tight: one binary variable for each pair and a big M for each row", "paper", "tight")
	d.Choice(&s.engine, "engine", "embedded: HiGHS in this process; highs, cbc: that command; native: the first of these two commands on the PATH", "embedded", "highs", "cbc", "native")
	d.Text(&s.lp, "lp", "", "a file", nil, "write the program to this file, in LP format, before it is solved")
	d.Int(&s.maxPairs, "max-pairs", defaultMaxPairs, 1, math.MaxInt64,
		"refuse a problem with more pairs of conflicting buffers than this in one program")
	d.Choice(&s.rules, "rules", "whole: a problem with rules is one program, without evictions; strips: it is planned pool by pool, as other planners do", "whole", "strips")
	d.Text(&s.cache, "cache", "user", "a folder, user or off", nil,
		"folder for HiGHS's compiled code; user: the user's cache folder; off: none")
}

// settingsOf binds the options and finds the engine that they name.
func settingsOf(o *plan.Options) (settings, error) {
	var s settings
	if err := run.Bind("milp", o, &s); err != nil {
		return s, err
	}
	switch s.cache {
	case "", "user":
		s.cache = defaultCache()
	case "off":
		s.cache = ""
	}
	if s.engine == "embedded" {
		s.solve = solveEmbedded
		return s, nil
	}
	command, err := findCommand(s.engine)
	s.solve = command.solve
	return s, err
}

func (s *settings) tight() bool { return s.formulation == "tight" }
