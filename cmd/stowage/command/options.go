package command

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/model"
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
	pools    poolSizes
	model    modelFlags

	ignoreOffsets bool
}

// bind defines the flags on a command.
func (s *search) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP((*limit)(&s.capacity), "capacity", "c", setting.Usage("capacity"))
	f.BoolVar(&s.ignoreOffsets, "ignore-offsets", false, "plan anew: ignore the offsets that INPUT fixes")
	f.Var(&s.pools, "pool", "give a pool another capacity: `NAME=SIZE`")
	group(cmd, "Problem", "ignore-offsets", "pool")
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

// options returns the Options that the flags stand for, without the capacity: readProblem puts that into the problem.
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
	err := cmd.RegisterFlagCompletionFunc(flag,
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
	if err != nil {
		panic(err)
	}
}

// A poolSizes flag has capacities for pools that a file names.
type poolSizes struct{ given []poolSize }

type poolSize struct {
	name     string
	capacity size
	text     string
}

// Set implements pflag.Value.
func (s *poolSizes) Set(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at < 1 {
		return errors.New("must be NAME=SIZE, such as sram=64KiB")
	}
	q := poolSize{name: text[:at], text: text}
	if err := q.capacity.Set(text[at+1:]); err != nil {
		return err
	}
	s.given = append(s.given, q)
	return nil
}

func (s *poolSizes) Type() string { return "NAME=SIZE" }

func (s *poolSizes) String() string {
	var all []string
	for _, q := range s.given {
		all = append(all, q.text)
	}
	return strings.Join(all, " ")
}

// typed returns the flags as they are typed in a shell, with a space behind each.
func (s *poolSizes) typed() (flags string) {
	for _, q := range s.given {
		flags += q.typed() + " "
	}
	return flags
}

// typed returns the flag as it is typed in a shell.
func (q *poolSize) typed() string { return quoted("--pool=" + q.text) }

// apply gives the pools of a problem their capacities.
func (s *poolSizes) apply(path string, p *stowage.Problem) error {
	if len(s.given) == 0 {
		return nil
	}
	pools, names := []stowage.Pool(nil), []string(nil)
	if p.Ruled() {
		pools = slices.Clone(p.Rules.Pools)
	}
	for _, q := range pools {
		names = append(names, q.ID)
	}
	if len(pools) == 0 {
		return usagef("--pool is for problems with pools: %s has none; its capacity is --capacity. Pools are keys of JSON "+
			"('stowage help rules'); 'stowage solve -o problem.json' writes a problem to begin with", nameOf(path))
	}
	for _, q := range s.given {
		k := slices.Index(names, q.name)
		if k < 0 {
			return usagef("invalid argument %q for --pool: %s has no pool %q%s", q.text, nameOf(path), q.name,
				oneOf(q.name, names, ""))
		}
		pools[k].Capacity = int64(q.capacity)
	}
	p.Rules.Pools = pools
	return model.Validate(p)
}
