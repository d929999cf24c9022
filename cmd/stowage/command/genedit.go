package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/session"
)

// Idea: internal/gen draws the changes. It needs a plan of the base, which a session makes. The node limit, not a
// clock, ends the planner, so the same flags make the same trace.

// editKind is the kind of gen that makes traces.
const editKind = "edit"

// traceSection is the section of the help with the flags of edit and msa.
const traceSection = "Traces (kinds edit and msa)"

// editNodes limits the planner of the base.
const editNodes = 100_000

type editFlags struct {
	base        string
	model       modelFlags
	changes     int
	slack, pins float64
	rules       float64
}

// editOwn are the flags that only this kind takes, editTakes all its flags.
var (
	editOwn   = []string{"base", "changes", "slack", "pins", "rules"}
	editTakes = append([]string{"seed", "capacity", "output", "quiet", "list", "ends"}, editOwn...)
)

func (e *editFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.base, "base", "", "change the problem in `FILE`; msa: take its sizes")
	f.IntVar(&e.changes, "changes", 1000, "make `N` changes")
	f.Float64Var(&e.slack, "slack", 1.05, "capacity: `X` first heights; 0 for none")
	f.Float64Var(&e.pins, "pins", 0.05, "pin buffers in this `SHARE` of the steps")
	f.Float64Var(&e.rules, "rules", 0, "let a rule come or go in this `SHARE` of the steps")
	group(cmd, traceSection, editOwn...)
	e.model.bindEnds(cmd)
	cmd.Flags().Lookup("ends").Usage = "read the ends in FILE as `WORD`: inclusive, half-open"
	group(cmd, traceSection, "ends")
}

// unused refuses the flags of edit and msa for another kind.
func unused(cmd *cobra.Command, kind string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case slices.Contains(editOwn, f.Name), f.Name == "ends":
			err = usagef("%s: takes no %s; it is for the kind %s", kind, f.Name, editKind)
		case slices.Contains(msaOwn, f.Name):
			err = usagef("%s: takes no %s; it is for the kind %s", kind, f.Name, msaKind)
		}
	})
	return err
}

// readBase reads the problem that a trace begins with, and says how its times were read.
func (e *editFlags) readBase(cmd *cobra.Command, g *genFlags, ruled bool) (*format.File, error) {
	e.model.ruled = ruled
	f, err := readProblem(e.base, 0, true, &e.model)
	if err != nil {
		return nil, err
	}
	warnEnds(cmd, e.base, f)
	if !g.quiet {
		noteRead(cmd, e.base, f)
	}
	return f, nil
}

func (e *editFlags) run(cmd *cobra.Command, g *genFlags) (err error) {
	err = only(cmd, editKind, editTakes)
	switch {
	case err != nil:
		return err
	case e.base == "":
		return usagef("%s: needs --base FILE, the problem to change", editKind)
	case e.changes < 1 || e.changes > 1<<20:
		return usagef(`invalid argument "%d" for "--changes" flag: must be from 1 to %d`, e.changes, 1<<20)
	case !(e.slack == 0 || e.slack >= 1 && e.slack <= 1000):
		return usagef(`invalid argument "%v" for "--slack" flag: must be from 1 to 1000, or 0 for no capacity`, e.slack)
	case !(e.pins >= 0 && e.pins <= 1):
		return usagef(`invalid argument "%v" for "--pins" flag: must be from 0 to 1`, e.pins)
	case !(e.rules >= 0 && e.rules <= 1):
		return usagef(`invalid argument "%v" for "--rules" flag: must be from 0 to 1`, e.rules)
	}
	if err := checkOutput(g.output); err != nil {
		return err
	}
	if samePlace(e.base, g.output) {
		return usagef("the trace would replace its base %s", e.base)
	}
	f, err := e.readBase(cmd, g, true)
	if err != nil {
		return err
	}
	base := *f.Problem
	pooled := base.Ruled() && len(base.Rules.Pools) > 0
	if pooled && (g.capacity != 0 || cmd.Flags().Changed("slack")) {
		return usagef("%s has pools, with capacities of their own: it takes no --capacity and no --slack", nameOf(e.base))
	}
	if !pooled {
		base.Capacity = 0
	}
	s, err := session.Open(cmd.Context(), &base, nil, session.Options{NodeLimit: editNodes})
	if err != nil {
		return fmt.Errorf("%s: %w", nameOf(e.base), err)
	}
	p, plan := s.Snapshot()
	capacity := int64(g.capacity)
	if pooled {
		capacity = 0
	} else if capacity == 0 {
		capacity = int64(float64(plan.Height) * e.slack)
	} else if capacity < plan.Height {
		return usagef("--capacity %d is below the height of the plan of %s, which is %d", capacity, nameOf(e.base),
			plan.Height)
	}
	t, err := traces.Edit(p, plan.Offsets, traces.EditOptions{
		Seed: g.options.Seed, Changes: e.changes, Capacity: capacity, Pins: e.pins, Rules: e.rules, Pools: plan.Pools,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", nameOf(e.base), err)
	}
	if err := writeTo(cmd, g.output, func(w io.Writer) error { return trace.Write(w, t) }); err != nil {
		return err
	}
	if !g.quiet {
		into := fmt.Sprintf("capacity %d", capacity)
		if pooled {
			into = count(len(base.Rules.Pools), "pool")
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s of %s: %s from a plan of height %d, %s\n", count(e.changes, "change"),
			nameOf(e.base), count(len(p.Buffers), "buffer"), plan.Height, into)
	}
	return nil
}
