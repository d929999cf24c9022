package command

import (
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/sweep/report"
)

func newDiff() *cobra.Command {
	var format string
	var limits report.Limits
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what got worse since another sweep",
		Long: `Diff compares two sweeps of one specification, such as last night's and this one's, row by row. Worse is: no plan where one was, no proof, a higher plan, a planner that refuses or dies, a row that is missing, and many more nodes for the same answer. Times are not compared, since they differ by themselves. OLD and NEW are folders or specifications.

Exit codes:
  0  nothing got worse
  1  internal failure, or an output that cannot be written
  2  bad usage or input
  3  something got worse`,
		Example: "  stowage-sweep diff last-night sweep-out",
		Args:    exactly("OLD", "NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			write := map[string]func(*report.Difference) error{
				"text": func(d *report.Difference) error { return d.WriteText(cmd.OutOrStdout()) },
				"csv":  func(d *report.Difference) error { return d.WriteCSV(cmd.OutOrStdout()) },
				"json": func(d *report.Difference) error { return d.WriteJSON(cmd.OutOrStdout()) },
			}[format]
			if write == nil {
				return usagef("invalid argument %q for --format: must be text, csv or json", format)
			}
			before, err := rowsOf(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			after, err := rowsOf(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			d := report.Diff(before, after, limits)
			if err := write(&d); err != nil {
				return internalError{err}
			}
			if d.Worse() > 0 {
				return outcome(exitWorse)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "write as `NAME`: text, csv, json")
	cmd.Flags().Float64Var(&limits.Nodes, "nodes", 1.1, "more nodes by this `FACTOR` are worse")
	return cmd
}
