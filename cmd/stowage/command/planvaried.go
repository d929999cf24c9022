package command

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
)

// Idea: a model with ranges of dimensions is planned by one order, as solve does: both call solveFamily. plan adds the
// report, a table of what some values need, which size prints too.

// variesFlags are the flags of plan that go with ranges.
var variesFlags = []string{
	"output", "capacity", "json", "quiet", "force", "brief", "dim", "value", "shape", "size", "alignment", "planner", "without",
	"set", "timeout", "nodes", "workers", "seed", "orders",
}

// runVaried plans a model with ranges.
func (p *planFlags) runVaried(cmd *cobra.Command, path string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(variesFlags, f.Name) && err == nil {
			err = usagef("--%s does not go with a --dim that has a range", f.Name)
		}
	})
	if err != nil {
		return err
	}
	o, err := p.search.options()
	if err != nil {
		return err
	}
	s := solveFlags{search: p.search, paths: p.outputs, orders: p.orders, quiet: p.quiet, force: p.force, input: path}
	s.model = p.model
	if len(p.outputs) > 0 {
		if err := s.checkPaths(cmd, path); err != nil {
			return err
		}
	}
	file, err := readProblem(path, p.capacity, false, &p.model)
	if err != nil {
		return withCommand(cmd, nameOf(path), err)
	}
	if file.Family == nil {
		return usagef("--dim with a range is for .onnx models: %s is none", nameOf(path))
	}
	if !p.quiet {
		noteRead(cmd, path, file)
	}
	if err := s.checkFamily(file); err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	r, err := s.solve(ctx, cmd, file, o)
	if err != nil {
		return err
	}
	if r.Status.HasPlan() && len(s.outputs) > 0 {
		if err := s.writePlan(cmd, file, r, &viewdata.Recorder{}); err != nil {
			return err
		}
	}
	switch {
	case p.json:
		err = writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, reportOf(file.Family, s.varied)) })
	case !p.quiet:
		report := func(w io.Writer) error { return writeVaried(w, columns(cmd.OutOrStdout()), file.Family, s.varied) }
		if slices.ContainsFunc(s.outputs, func(o output) bool { return toStdout(o.path) }) {
			err = report(cmd.ErrOrStderr())
		} else {
			err = writeText(cmd, "", report)
		}
	}
	if err != nil {
		return err
	}
	return outcomeOf(r.Status)
}

// writeVaried writes the report on a family for people.
func writeVaried(w io.Writer, width int, f *model.Family, r *stowage.FamilyResult) error {
	fmt.Fprintln(w, summary(&r.Result, f.Problem))
	if r.Order == nil {
		return nil
	}
	fmt.Fprintf(w, "order: %s\n\n", orderText(f, r))
	_, err := fmt.Fprintln(w, setTable(valueTable(f, r), width))
	return err
}

// valueTable has a line for some values of the symbols, or for some scenarios.
func valueTable(f *model.Family, r *stowage.FamilyResult) *comparison.Table {
	first := "values"
	if len(f.Symbols) == 0 {
		first = "scenario"
	}
	t := comparison.NewTable([]string{first, "load", "height", "over load"}, nil)
	t.Title = "What the order needs at some values, in the arena of the largest."
	if len(f.Symbols) == 0 {
		t.Title = "What the order needs in each scenario, in the arena of the largest."
	}
	for _, k := range few(f, r) {
		x := heightsOf(r)[k]
		t.Rows = append(t.Rows, []string{x.Name, strconv.FormatInt(x.Load, 10), strconv.FormatInt(x.Height, 10), ratio(x.Height, x.Load)})
	}
	return t
}

// heightsOf returns the points of a family's plan, with the heights of the order that holds at each.
func heightsOf(r *stowage.FamilyResult) []model.Point {
	points := slices.Clone(r.Points)
	if r.Switched != nil {
		for k, h := range r.Switched.Heights {
			points[k].Height = h
		}
	}
	return points
}

// few returns which points a table has: spread evenly, with the worst.
func few(f *model.Family, r *stowage.FamilyResult) (at []int) {
	const most = 8
	n := len(r.Points)
	for k := range min(n, most) {
		at = append(at, k*(n-1)/max(1, min(n, most)-1))
	}
	worst := r.WorstAt
	if r.Switched != nil {
		worst = r.Switched.WorstAt
	}
	for k := range r.Points {
		if r.Points[k].Point == worst || r.Points[k].Point == f.Largest {
			at = append(at, k)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// A variedReport is the report of plan --json on a model with ranges. The keys are a contract with scripts.
type variedReport struct {
	Status     stowage.Status `json:"status"`
	Height     int64          `json:"height"` // at the largest sizes
	LowerBound int64          `json:"lower_bound"`
	Largest    string         `json:"largest"`
	Buffers    int            `json:"buffers"`
	Orders     int            `json:"orders"`
	Looked     int64          `json:"looked"`       // how many values were looked at
	Worst      float64        `json:"worst_excess"` // over the load, as a share
	WorstAt    string         `json:"worst_at"`
	Values     []valueReport  `json:"values"`
}

// A valueReport is what an order needs at a value.
type valueReport struct {
	At     string `json:"at"`
	Load   int64  `json:"load"`
	Height int64  `json:"height"`
}

func reportOf(f *model.Family, r *stowage.FamilyResult) *variedReport {
	out := &variedReport{
		Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Largest: f.Name(f.Largest), Buffers: len(f.Problem.Buffers),
		Looked: r.Looked, Worst: r.Worst, WorstAt: f.Name(r.WorstAt), Values: valuesReport(r),
	}
	if r.Order != nil {
		out.Orders = 1
	}
	if x := r.Switched; x != nil {
		out.Orders, out.Worst, out.WorstAt = len(x.Orders), x.Worst, f.Name(x.WorstAt)
	}
	return out
}

func valuesReport(r *stowage.FamilyResult) []valueReport {
	values := []valueReport{}
	for _, x := range heightsOf(r) {
		values = append(values, valueReport{x.Name, x.Load, x.Height})
	}
	return values
}
