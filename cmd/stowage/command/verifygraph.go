package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/model"
)

// Idea: a plan of a graph is checked by replaying the graph's operators. A plan in JSON has their order, and says
// which results lie over which operands. Another file, such as CSV, has offsets by name. Its lifespans have the
// order, if there are any: an operator runs when the first of its results or its scratch begins. An operator without
// results or scratch runs as early as it can, since no other place frees memory earlier.

// graphIn returns the graph in a file; nil if the file is something else.
func graphIn(path string) (*graph.Graph, error) {
	if path == format.Standard {
		return nil, nil
	}
	in, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.Kind != format.JSON && !strings.EqualFold(filepath.Ext(path), ".json") {
		return in.Graph(format.Options{})
	}
	text, err := in.Content()
	if err != nil {
		return nil, err
	}
	if !stowjson.IsGraph(text) {
		return nil, nil
	}
	return stowjson.ReadGraph(in.Reader, in.Name)
}

// verifyGraph checks the plan in a file against a graph.
func verifyGraph(cmd *cobra.Command, g *graph.Graph, path string, capacity size, quiet, asJSON bool) error {
	p, r, err := replayed(g, path)
	if err != nil {
		return err
	}
	if c := int64(capacity); c > 0 && r.Height > c {
		r.Total++
		message := fmt.Sprintf("the plan is %d bytes high, above the capacity %d", r.Height, c)
		r.Violations = append(r.Violations,
			graph.Violation{Rule: model.RuleCapacity, Operator: -1, A: -1, B: -1, Message: message})
	}
	switch {
	case asJSON:
		if err := writeTo(cmd, "", func(w io.Writer) error {
			return writeIndented(w, graphVerdict(g, p, r, int64(capacity)))
		}); err != nil {
			return err
		}
	case !r.OK():
		stderr := cmd.ErrOrStderr()
		for _, v := range r.Violations {
			fmt.Fprintf(stderr, "%s: %s\n", path, cell(v.Message))
		}
		if more := r.Total - len(r.Violations); more > 0 {
			fmt.Fprintf(stderr, "… and %d more\n", more)
		}
		fmt.Fprintf(stderr, "invalid: %s\n", count(r.Total, "violation"))
	case !quiet:
		line := fmt.Sprintf("valid: height %d", r.Height)
		if p.LowerBound > 0 {
			line += fmt.Sprintf(", lower bound %d as %s claims, gap %s", p.LowerBound, cmp.Or(p.Planner, "the file"),
				gap(r.Height, p.LowerBound))
		}
		if capacity > 0 {
			line += fmt.Sprintf(", capacity %d", capacity)
		}
		line += fmt.Sprintf(", %s, %s over operands", count(len(g.Operators), "operator"), count(len(r.Overlaps), "result"))
		if err := writeText(cmd, "", func(w io.Writer) error { _, err := fmt.Fprintln(w, line); return err }); err != nil {
			return err
		}
	}
	if !r.OK() {
		return outcome(exitUsage)
	}
	return nil
}

// replayed reads the plan in a file, and what replaying it shows.
func replayed(g *graph.Graph, path string) (*graph.Plan, *graph.Report, error) {
	if path == format.Standard {
		return nil, nil, usagef("the plan of a graph cannot come from standard input")
	}
	in, err := format.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	if in.Kind == format.JSON {
		text, err := in.Content()
		if err != nil {
			return nil, nil, err
		}
		if stowjson.IsGraphPlan(text) {
			p, err := stowjson.ReadGraphPlan(in.Reader, in.Name, g)
			if err != nil {
				return nil, nil, err
			}
			if !p.Status.HasPlan() {
				return nil, nil, fmt.Errorf("%s: has no plan: its status is %s", path, p.Status)
			}
			r, err := graph.Verify(g, p)
			return p, r, err
		}
	}
	p := &graph.Plan{Order: orderIn(g, path)}
	l, err := graph.Lower(g, p.Order, graph.AllPermits)
	if err != nil {
		return nil, nil, models.Named(path, err)
	}
	placed, err := format.ReadPlan(path, l.Problem)
	if err != nil {
		return nil, nil, err
	}
	at := func(list []int) (out []int64) {
		for _, i := range list {
			if i < 0 {
				out = append(out, -1)
			} else {
				out = append(out, placed.Offsets[i])
			}
		}
		return out
	}
	p.Offsets, p.Scratch = at(l.Value), at(l.Scratch)
	r, err := graph.Replay(g, p.Order, p.Offsets, p.Scratch)
	return p, r, err
}

// orderIn returns the order of a graph's operators that the lifespans in a file give. Without lifespans it is the
// order of the graph.
func orderIn(g *graph.Graph, path string) []int {
	order := graph.Given(g)
	f, err := format.ReadFile(path)
	if err != nil { // a plan may have only offsets
		return order
	}
	begins := make(map[string]int64, len(f.Problem.Buffers))
	for i := range f.Problem.Buffers {
		begins[f.Problem.Buffers[i].ID] = f.Problem.Buffers[i].Lower
	}
	const early = math.MinInt64
	at := make([]int64, len(g.Operators))
	for k := range g.Operators {
		at[k] = math.MaxInt64
		o := &g.Operators[k]
		names := []string{o.Name + ".scratch"}
		for _, y := range o.Results {
			names = append(names, g.Values[y].Name)
		}
		for _, name := range names {
			if from, there := begins[name]; there {
				at[k] = min(at[k], from)
			}
		}
		if at[k] == math.MaxInt64 {
			at[k] = early
		}
	}
	// Always the first operator that can run: those without a time, then by time, then in the graph's order.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return graph.Runnable(g, order)
}

// graphVerdict is what verify --json writes of a plan of a graph.
func graphVerdict(g *graph.Graph, p *graph.Plan, r *graph.Report, capacity int64) *verdict {
	v := &verdict{
		Valid: r.OK(), Height: r.Height, LowerBound: p.LowerBound, Capacity: capacity, Total: r.Total,
		Violations: []violation{},
	}
	for i := range g.Values {
		if !g.Values[i].Constant && g.Values[i].Size > 0 {
			v.Buffers++
		}
	}
	for k := range g.Operators {
		if g.Operators[k].Scratch > 0 {
			v.Buffers++
		}
	}
	if p.LowerBound > 0 {
		v.ClaimedBy = cmp.Or(p.Planner, "the file")
	}
	for _, of := range r.Violations {
		one := violation{Rule: string(of.Rule), Buffers: []string{}, Message: of.Message}
		if of.Operator >= 0 {
			one.Operator = g.Operators[of.Operator].Name
		}
		for _, i := range [...]int{of.A, of.B} {
			if i >= 0 {
				one.Buffers = append(one.Buffers, g.Values[i].Name)
			}
		}
		v.Violations = append(v.Violations, one)
	}
	return v
}
