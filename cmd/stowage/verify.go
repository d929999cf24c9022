package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
)

func newVerify() *cobra.Command {
	var (
		capacity size
		quiet    bool
	)
	cmd := &cobra.Command{
		Use:   "verify PROBLEM [PLAN]",
		Short: "Check a plan against its problem",
		Long: `Verify checks that no two buffers that are live at once overlap, that each is aligned and where it is fixed to be, and that all end within the capacity. It shares no code with the planners.

With one file, its own offset column (CSV) or plan (JSON) is checked. With two, the offsets of PLAN are matched to the buffers of PROBLEM by id, and the offsets that PROBLEM fixes are checked too.

Every violation is printed on standard error, by name. An invalid plan is bad input: the exit code is 2.`,
		Example: `  stowage verify plan.csv
  stowage verify --capacity 1MiB model.csv plan.csv`,
		Args: arity(1, "PROBLEM", "PLAN"),
		Annotations: map[string]string{exitsKey: "0  the plan is valid\n1  internal failure\n" +
			"2  the plan is invalid, or bad usage or input"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return verify(cmd, args, &capacity, quiet)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&capacity, "capacity", "fit into `SIZE` bytes: a plain integer, or one with KiB, MiB, GiB (K, M, G) [default: the problem's, else none]")
	f.BoolVarP(&quiet, "quiet", "q", false, "print nothing about a valid plan")
	return cmd
}

func verify(cmd *cobra.Command, args []string, capacity *size, quiet bool) error {
	var (
		p    *stowage.Problem
		plan []int64
		err  error
	)
	path := args[len(args)-1] // the file at fault
	if len(args) == 1 {
		var own owned
		if own, err = readOwned(path); err == nil {
			p, plan, err = own.problem, own.offsets, own.needPlan(path)
		}
	} else if p, _, err = format.ReadProblem(args[0]); err == nil {
		plan, err = readPlan(path, p)
	}
	if err != nil {
		return err
	}
	bound, err := stowage.LowerBound(p)
	if err != nil {
		return err
	}
	report := stowage.Verify(p, plan, capacity.or(p))
	if !report.OK() {
		stderr := cmd.ErrOrStderr()
		for _, v := range report.Violations {
			fmt.Fprintf(stderr, "%s: %s\n", path, v.Message)
		}
		if more := report.Total - len(report.Violations); more > 0 {
			fmt.Fprintf(stderr, "… and %d more\n", more)
		}
		fmt.Fprintf(stderr, "invalid: %d violations\n", report.Total)
		return outcome(exitUsage)
	}
	if !quiet {
		line := fmt.Sprintf("valid: height %d, lower bound %d, gap %s", report.Height, bound, gap(report.Height, bound))
		if c := capacity.or(p); c > 0 {
			line += fmt.Sprintf(", capacity %d", c)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s, %d buffers\n", line, len(p.Buffers))
	}
	return nil
}
