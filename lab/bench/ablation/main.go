// Command ablation measures what each technique of a planner is worth: it
// switches them off one at a time and counts nodes and time.
//
//	go run ./lab/bench/ablation [-into docs/planners/exact.md] [FILE…]
//
// Without files it takes the challenging suite, as lab/bench/peers does. A run ends
// at the timeout; its nodes and time so far then stand for it, marked with >,
// so that the means are lower bounds. Short runs are repeated, in turn with runs
// that have everything on, and the least time of each counts: the ratio is then
// one of times that were taken side by side. Every plan is verified.
//
// The line “these N” switches off together all that is named by -together: by default
// what the planner has beyond the MiniMalloc paper. Those that follow switch off one of
// the others as well: what the paper's techniques are worth where nothing covers them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/experiment"
)

func main() { record.Main("lab/bench/ablation", ablate) }

func ablate(ctx context.Context) error {
	var (
		planner  = flag.String("planner", "exact", "the planner `NAME`")
		set      = flag.String("set", "challenging", "the folder `NAME` of STOWAGE_DATA to run on")
		timeout  = flag.Duration("timeout", 10*time.Second, "end a run after `D`")
		repeat   = flag.Int("repeat", 3, "take the least time of up to `N` runs, where they are under a second")
		together = flag.String("together", strings.Join(beyond("exact", "minimalloc"), ","), "the techniques `T1,T2` that the last lines are without; none where empty")
		into     = flag.String("into", "", "put the tables into the document `FILE`")
		out      = flag.String("results", "lab/bench/results", "write the runs as JSON to the folder `DIR`; none where empty")
	)
	flag.Parse()
	instances, err := experiment.Load(*set, flag.Args())
	if err != nil {
		return err
	}
	settings, err := settingsOf(*planner, *together)
	if err != nil {
		return err
	}
	r := result{
		Tool: "lab/bench/ablation", Planner: *planner, Set: *set, Date: record.Today(),
		Machine: record.ThisMachine(), Timeout: timeout.Seconds(),
	}
	for _, in := range instances {
		r.Instances = append(r.Instances, in.Name)
	}
	for _, s := range settings {
		for _, in := range instances {
			o := stowage.Options{Planner: *planner, Capacity: in.Capacity, Timeout: *timeout, Workers: 1}
			c, err := measure(ctx, in.Problem, o, s.Without, *repeat)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", s.Name, in.Name, err)
			}
			s.add(c)
		}
		r.Settings = append(r.Settings, s)
		fmt.Fprintln(os.Stderr, s.Name, s.Nodes)
	}
	text := r.markdown()
	fmt.Print(text)
	if *out != "" {
		if err := record.WriteJSON(filepath.Join(*out, "ablation-"+*planner+"-"+r.Date+".json"), r); err != nil {
			return err
		}
	}
	if *into != "" {
		return record.ReplaceBlock(*into, "bench:ablation", text)
	}
	return nil
}

// techniques returns what can be switched off of a planner, nil where there is none of
// that name.
func techniques(planner string) (names []string) {
	for _, i := range stowage.Planners() {
		if i.Name == planner {
			for _, t := range i.Techniques {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// beyond returns the techniques that a planner has and another has not. The planner
// minimalloc has those of the paper.
func beyond(planner, other string) []string {
	its := techniques(other)
	return slices.DeleteFunc(techniques(planner), func(name string) bool { return slices.Contains(its, name) })
}

// settingsOf returns what to measure: all on, each technique off, those of the list off
// together, and these with each of the others.
func settingsOf(planner, together string) ([]setting, error) {
	names := techniques(planner)
	if names == nil {
		return nil, fmt.Errorf("no planner is named %q, or it has no techniques", planner)
	}
	settings := []setting{{Name: "all on", Without: []string{}}}
	for _, name := range names {
		settings = append(settings, setting{Name: name, Without: []string{name}})
	}
	if together != "" {
		list := strings.Split(together, ",")
		these := "these " + fmt.Sprint(len(list))
		settings = append(settings, setting{Name: these, Without: list})
		for _, name := range names {
			if !slices.Contains(list, name) {
				settings = append(settings, setting{Name: these + ", " + name, Without: append(slices.Clone(list), name)})
			}
		}
	}
	return settings, nil
}

// measure runs the planner with everything on and without the techniques, in
// turn, again where a run is short.
func measure(ctx context.Context, p *stowage.Problem, o stowage.Options, without []string, repeat int) (cell, error) {
	var c cell
	for i := range max(repeat, 1) {
		on, err := once(ctx, p, o)
		if err != nil {
			return c, err
		}
		off := o
		off.Without = without
		r, err := once(ctx, p, off)
		if err != nil {
			return c, err
		}
		base, seconds := on.Stats.Elapsed.Seconds(), r.Stats.Elapsed.Seconds()
		if i == 0 {
			c = cell{r.Status, r.Stats.Nodes, seconds, base}
		}
		c.seconds, c.base = min(c.seconds, seconds), min(c.base, base)
		if seconds > 1 || r.Status == stowage.Unknown {
			break
		}
	}
	return c, nil
}

func once(ctx context.Context, p *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
	r, err := stowage.Solve(ctx, p, o)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}
