package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
)

// Idea: the command line of google/minimalloc runs Stowage's exact planner. Flags, files, log lines and exit codes are
// the same, so a script can call either program. Each inference switch of the original turns the technique of that name
// in the planner `exact` on or off. The techniques that only Stowage has stay on.
//
// Source: src/main.cc and src/converter.cc of google/minimalloc.
//
// Two things differ on purpose. A usage error exits with 2, as everywhere in Stowage. A failure
// leaves an old output file as it was.

// switches maps each boolean flag of the original to a technique.
var switches = []struct{ flag, technique, summary string }{
	{"canonical_only", "canonical", "explore canonical solutions only"},
	{"section_inference", "section-inference", "infer across sections"},
	{"dynamic_ordering", "dynamic-ordering", "order buffers by the section they are in as the search goes"},
	{"check_dominance", "dominance", "skip solutions that leave room for another buffer"},
	{"unallocated_floor", "unallocated-floor", "raise the floors of sections by the least offsets of their buffers"},
	{"static_preordering", "preordering", "order buffers before the search"},
	{"dynamic_decomposition", "decomposition", "split the search where buffers no longer touch in time"},
	{"monotonic_floor", "monotonic-floor", "demand that the floor of a solution only rises"},
	{"hatless_pruning", "hatless", "prune alternatives where nothing lies above a buffer"},
}

type minimallocFlags struct {
	capacity      int64
	input, output string
	timeout       abslDuration
	orders        string
	validate      bool
	minimize      bool
	print         bool
	on            []bool // by switches
}

func newMinimalloc() *cobra.Command {
	m := minimallocFlags{timeout: abslInfinite, on: make([]bool, len(switches))}
	cmd := &cobra.Command{
		Use:   "minimalloc",
		Short: "Stand in for google/minimalloc: its flags, its files",
		Long: `Minimalloc takes the flags of google/minimalloc's program, reads and writes the same CSV files, and runs Stowage's exact planner. Its exit codes are that program's: 1 also if there is no solution, or the timeout came. A link to stowage, or a copy of it, that is called minimalloc behaves as this command.

Flags have one dash or two, = or a space before the value, and hyphens or underscores. Booleans are also --flag, --noflag, or --flag= with true, t, yes, y, 1, false, f, no, n or 0.`,
		Example: "  stowage minimalloc --capacity=12 --input=examples/minimalloc.csv --output=out.csv --validate",
		Annotations: map[string]string{
			exitsKey: "0  a solution was found and written\n" +
				"1  there is none, none was found in time, or an input or output failed\n2  bad usage",
		},
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			askedForHelp, err := parseAbsl(cmd.Flags(), args)
			if err != nil {
				return usageError{err}
			}
			if askedForHelp {
				return cmd.Help()
			}
			return m.run(cmd)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var((*abslInt)(&m.capacity), "capacity", "required: fit into `N` bytes; at 0 nothing fits")
	f.StringVar(&m.input, "input", "", "required: read the problem from the CSV `FILE`")
	f.StringVar(&m.output, "output", "", "write the solution to the CSV `FILE`")
	f.Var(&m.timeout, "timeout", "give up after `D`, such as 500ms or 1h2m3.5s")
	f.BoolVar(&m.validate, "validate", false, "check the solution and say so")
	f.BoolVar(&m.minimize, "minimize_capacity", false, "look for the lowest solution")
	f.BoolVar(&m.print, "print_solution", false, "print the solution as LaTeX on standard output")
	for i, s := range switches {
		f.BoolVar(&m.on[i], s.flag, true, s.summary)
		group(cmd, "Techniques", s.flag)
	}
	f.StringVar(&m.orders, "preordering_heuristics", "WAT,TAW,TWA", "try the static orders in `LIST`, round robin")
	group(cmd, "Techniques", "preordering_heuristics")
	return cmd
}

func (m *minimallocFlags) run(cmd *cobra.Command) error {
	stderr := cmd.ErrOrStderr()
	fail := func(format string, args ...any) error {
		fmt.Fprintf(stderr, format+"\n", args...)
		return outcome(exitInternal)
	}
	if m.input == "" {
		return fail("Opening file failed: --input names none.")
	}
	if samePlace(m.output, m.input) {
		return fail("--output would replace --input %s, which is read: name another file.", m.input)
	}
	file, err := os.Open(m.input)
	if err != nil {
		return fail("Opening file %s failed.", m.input)
	}
	p, _, extra, err := csv.ReadExtra(file, m.input)
	file.Close()
	if err != nil {
		return fail("%v", err)
	}
	if extra.Times.Places > 0 {
		return fail("%s: the times have fractions: multiply them by %d.", m.input, extra.Times.Scale())
	}
	p.Capacity = m.capacity
	start := time.Now()
	r, err := m.solve(cmd, p)
	fmt.Fprintf(stderr, "Elapsed time %.3fs\n", time.Since(start).Seconds())
	switch {
	case err != nil:
		return fail("%v", err)
	case r.Collision != nil:
		return fail("NOT_FOUND: %s.", collides(r.Collision, p))
	case r.Status == stowage.Infeasible:
		return fail("NOT_FOUND: no solution fits the capacity %d; the lower bound is %d.", m.capacity, r.LowerBound)
	case !r.Status.HasPlan():
		return fail("DEADLINE_EXCEEDED: the timeout came before an answer.")
	}
	if m.validate {
		report, err := stowage.Verify(p, r.Offsets, m.capacity)
		if err != nil {
			return fail("Validation FAIL %s", err)
		}
		if !report.OK() {
			return fail("Validation FAIL %s", report.Violations[0].Message)
		}
		fmt.Fprintf(stderr, "Validation PASS, height %d\n", report.Height)
	}
	if m.print {
		d := &document{problem: p, offsets: r.Offsets, height: r.Height, lowerBound: r.LowerBound, result: r}
		if err := writeDocument(cmd, "", "tex", d); err != nil {
			return fail("%v", err)
		}
	}
	if m.output != "" {
		err := writeTo(cmd, m.output, func(w io.Writer) error { return csv.Write(w, p, r.Offsets) })
		if err != nil {
			return fail("%v", err)
		}
	}
	return nil
}

// solve calls the exact planner with the switches of the flags.
func (m *minimallocFlags) solve(cmd *cobra.Command, p *stowage.Problem) (*stowage.Result, error) {
	// For the original, nothing fits a capacity of 0. For Stowage, 0 is no capacity.
	if m.capacity <= 0 && len(p.Buffers) > 0 {
		bound, err := stowage.LowerBound(&stowage.Problem{Buffers: p.Buffers})
		return &stowage.Result{Status: stowage.Infeasible, LowerBound: bound}, err
	}
	o := stowage.Options{Planner: "exact", Capacity: max(m.capacity, 0), Minimize: m.minimize}
	if m.timeout != abslInfinite {
		// A timeout of zero has passed at once.
		o.Timeout = max(time.Duration(m.timeout), 1)
	}
	for i, s := range switches {
		if !m.on[i] {
			o.Without = append(o.Without, s.technique)
		}
	}
	// The original skips empty names. If no name is left, the planner's own orders are used.
	orders := strings.FieldsFunc(m.orders, func(r rune) bool { return r == ',' })
	if len(orders) > 0 {
		o.Params = map[string]string{"orders": strings.Join(orders, ",")}
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	return solve(ctx, cmd.ErrOrStderr(), false, p, o)
}
