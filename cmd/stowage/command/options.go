package command

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
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
	f.VarP(&s.capacity, "capacity", "c", setting.Usage("capacity"))
	f.BoolVar(&s.ignoreOffsets, "ignore-offsets", false, "plan anew: ignore the offsets that INPUT fixes")
	group(cmd, "Problem", "ignore-offsets")
	s.model.bind(cmd)
	s.bindPlanner(cmd)
}

// plannerSection is the section of the planner's flags.
const plannerSection = "Planner"

// bindPlanner defines the flags of the planner and of its limits.
func (s *search) bindPlanner(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.planner, "planner", stowage.DefaultPlanner, setting.Usage("planner"))
	f.StringSliceVar(&s.without, "without", nil, setting.Usage("without"))
	f.StringArrayVar(&s.set, "set", nil, setting.Usage("set"))
	f.VarP(&s.timeout, "timeout", "t", setting.Usage("timeout"))
	f.Int64Var(&s.nodes, "nodes", 0, setting.Usage("nodes"))
	f.IntVar(&s.workers, "workers", 1, setting.Usage("workers"))
	f.Uint64Var(&s.seed, "seed", 0, setting.Usage("seed"))
	group(cmd, plannerSection, "without", "set", "nodes", "workers", "seed")
	complete(cmd, "planner", plannerNames)
	complete(cmd, "without", func() []string { return techniqueNames(s.planner) })
}

// options returns the Options that the flags stand for, without the capacity: readProblem puts
// that into the problem.
func (s *search) options() (stowage.Options, error) {
	o := stowage.Options{
		Planner:   s.planner,
		Timeout:   time.Duration(s.timeout),
		NodeLimit: s.nodes,
		Workers:   s.workers,
		Seed:      s.seed,
		Without:   s.without,
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
	var faults []error
	for _, err := range setting.CheckNames(&o) {
		faults = append(faults, usageError{err})
	}
	return o, errors.Join(faults...)
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
