package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
)

// search holds the flags that steer a search, which solve and explain share.
type search struct {
	capacity size
	planner  string
	timeout  duration
	nodes    int64
	workers  int
	seed     uint64
	without  []string
	set      []string
	model    modelFlags

	ignoreOffsets bool
}

// bind defines the flags on a command.
func (s *search) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&s.capacity, "capacity", "fit into `SIZE` bytes: "+sizeHelp+" [default: the input's, else none]")
	f.BoolVar(&s.ignoreOffsets, "ignore-offsets", false, "read the input without the offsets that it fixes, such as those of a plan in CSV")
	group(cmd, "Problem", "capacity", "ignore-offsets")
	s.model.bind(cmd)
	s.bindPlanner(cmd)
}

// bindPlanner defines the flags of the planner and of its limits.
func (s *search) bindPlanner(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.planner, "planner", stowage.DefaultPlanner, "run the planner `NAME`; 'stowage planners' lists them")
	f.StringSliceVar(&s.without, "without", nil, "switch off the techniques `T1,T2` of the planner")
	f.StringArrayVar(&s.set, "set", nil, "set a parameter of the planner, as in `KEY=VALUE`; may be repeated")
	f.Var(&s.timeout, "timeout", "stop after `D`: seconds, or a time such as 500ms, 10s or 1h30m [default: never]")
	f.Int64Var(&s.nodes, "nodes", 0, "stop after `N` search nodes, which unlike time is reproducible [default: never]")
	f.IntVar(&s.workers, "workers", 1, "search with `N` goroutines; with 1 the same input and seed give the same plan")
	f.Uint64Var(&s.seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	group(cmd, "Planner", "planner", "without", "set", "workers", "seed")
	group(cmd, "Limits", "timeout", "nodes")
	complete(cmd, "planner", plannerNames)
	complete(cmd, "without", func() []string { return techniqueNames(s.planner) })
}

// options returns the Options that the flags stand for. The capacity is in the
// problem: see readProblem.
func (s *search) options() (stowage.Options, error) {
	o := stowage.Options{
		Planner:   s.planner,
		Timeout:   time.Duration(s.timeout),
		NodeLimit: s.nodes,
		Workers:   s.workers,
		Seed:      s.seed,
		Without:   s.without,
	}
	if s.planner != "" && !slices.Contains(plannerNames(), s.planner) {
		return o, unknownPlanner(s.planner)
	}
	for _, pair := range s.set {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return o, usagef("invalid argument %q for --set: must be KEY=VALUE", pair)
		}
		if o.Params == nil {
			o.Params = map[string]string{}
		}
		o.Params[key] = value
	}
	return o, s.checkNames(&o)
}

// checkNames refuses techniques and parameters that the planner does not have, all
// at once. stowage.Solve does so as well, but knows of no other planner's.
func (s *search) checkNames(o *stowage.Options) error {
	var faults []error
	check := func(what, name string, names func(*stowage.PlannerInfo) []string) {
		for _, info := range stowage.Planners() {
			if has := names(&info); info.Name == s.planner && !slices.Contains(has, name) {
				faults = append(faults, unknownOf(info.Name, what, name, has, names))
			}
		}
	}
	for _, name := range o.Without {
		check("technique", name, techniquesOf)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Params)) {
		check("parameter", key, paramsOf)
	}
	return errors.Join(faults...)
}

func techniquesOf(info *stowage.PlannerInfo) (names []string) {
	for _, t := range info.Techniques {
		names = append(names, t.Name)
	}
	return names
}

func paramsOf(info *stowage.PlannerInfo) (names []string) {
	for _, p := range info.Params {
		names = append(names, p.Name)
	}
	return names
}

// complete offers values for a flag to the shell.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err)
	}
}
