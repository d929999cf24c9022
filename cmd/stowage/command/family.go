package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
)

// Idea: a family is a problem at its largest sizes, for every command. This file has what solve and verify add: the
// order that gives the offsets for all other sizes.

// ordersUsage is the help of the flag --orders.
const ordersUsage = "if sizes vary: up to `N` orders, where one is above the load"

// mostOrders is the most orders that --orders takes.
const mostOrders = 8

// checkFamily refuses flags that do not go with sizes that vary. Standard output gets JSON: CSV has no room for an
// order.
func (s *solveFlags) checkFamily(file *format.File) error {
	if s.orders < 1 || s.orders > mostOrders {
		return usagef("invalid argument %d for --orders: must be from 1 to %d", s.orders, mostOrders)
	}
	for _, x := range []struct{ flag, value string }{{"--checkpoint", s.checkpoint}, {"--start", s.start}} {
		if x.value != "" {
			return usagef("%s does not go with sizes that vary", x.flag)
		}
	}
	if file.Problem.Ruled() {
		if err := s.checkRuled(file); err != nil {
			return err
		}
	}
	for k := range s.outputs {
		if o := &s.outputs[k]; o.kind == "csv" && toStdout(o.path) && s.format == "" {
			o.kind = "json"
		}
	}
	return nil
}

// solveFamily plans a family. Its capacity is for the largest sizes.
func (s *solveFlags) solveFamily(ctx context.Context, f *model.Family, o stowage.Options) (*stowage.Result, error) {
	r, err := stowage.SolveFamilyOrders(ctx, f, s.orders, o)
	if err != nil {
		return nil, err
	}
	s.varied, s.family = r, f
	return &r.Result, nil
}

// saysFamily prints how good the order of a family is.
func (s *solveFlags) saysFamily(w io.Writer) {
	r := s.varied
	if r == nil || r.Order == nil {
		return
	}
	fmt.Fprintln(w, "order: "+orderText(s.family, r))
}

func orderText(f *model.Family, r *stowage.FamilyResult) string {
	pairs := 0
	for _, list := range r.Order.Below() {
		pairs += len(list)
	}
	what := "scenario"
	if len(f.Symbols) > 0 {
		what = "value"
	}
	text := fmt.Sprintf("at the load at %s; %s", count(int(r.Looked), what), count(pairs, "pair"))
	if r.Worst > 0 {
		text = fmt.Sprintf("at most %.3f%% above the load, at %s, of %s; %s", 100*r.Worst, cell(f.Name(r.WorstAt)),
			count(int(r.Looked), what), count(pairs, "pair"))
	}
	if r.Looked < f.Points() {
		text += fmt.Sprintf("; %d values were not looked at", f.Points()-r.Looked)
	}
	if f.Largest < 0 {
		text += "; no scenario is the largest in every buffer, so the largest size of each is planned"
	}
	if r.Exact && r.Worst > 0 {
		text += "; no order is better"
	}
	if x := r.Switched; x != nil {
		var from []string
		for _, v := range x.From[1:] {
			if len(f.Symbols) == 0 {
				from = append(from, cell(f.Scenarios[v]))
			} else {
				from = append(from, fmt.Sprintf("%s=%d", cell(f.Symbols[x.Symbol].Name), v))
			}
		}
		text += fmt.Sprintf("\n%s, the next from %s: ", count(len(x.Orders), "order"), strings.Join(from, ", "))
		if x.Worst > 0 {
			text += fmt.Sprintf("at most %.3f%% above the load, at %s", 100*x.Worst, cell(f.Name(x.WorstAt)))
		} else {
			text += "at the load"
		}
	}
	return text
}

// writeOrder writes the order of a family as C, for stowage_place.
func writeOrder(w io.Writer, d *document) error {
	order, err := model.NewOrder(d.problem, d.below, d.pools)
	if err != nil {
		return err
	}
	p := &cheader.OrderPlan{
		Name: d.problem.Name, Order: order, Arena: d.height, Alignment: models.AlignmentOf(d.problem),
		Largest: d.family.Name(d.family.Largest), Family: d.family, Switched: d.switched,
	}
	for i := range d.problem.Buffers {
		p.Buffers = append(p.Buffers, d.problem.Buffers[i].ID)
	}
	return cheader.WriteOrder(w, p)
}

// mostShapes is how many shapes a page has, more or less.
const mostShapes = 32

// shapesFor returns the plan of a family at its points, or at some of many, for the slider of a page.
func shapesFor(d *document) (shapes []html.Shape) {
	n := len(d.points)
	if d.family == nil || d.below == nil || d.problem.Ruled() || n == 0 {
		return nil
	}
	order, err := model.NewOrder(d.problem, d.below, d.pools)
	if err != nil {
		return nil
	}
	last := -1
	for k := range min(n, mostShapes) {
		at := k * (n - 1) / max(1, min(n, mostShapes)-1)
		if at == last {
			continue
		}
		last = at
		x, by := d.points[at], order
		if s := d.switched; s != nil {
			by = s.Orders[s.At(d.family.ValueAt(s.Symbol, x.Point))]
		}
		sizes, offsets := d.family.SizesAt(x.Point), make([]int64, len(d.problem.Buffers))
		height, err := by.Place(sizes, offsets)
		if err != nil {
			return nil
		}
		shapes = append(shapes, html.Shape{Name: x.Name, Load: x.Load, Height: height, Sizes: sizes, Offsets: offsets})
	}
	return shapes
}

// verifyFamily checks the plan of a family: an order in the family's own file or in PLAN, or offsets at the largest
// sizes. handled is false if there is no order.
func verifyFamily(cmd *cobra.Command, args []string, own owned, quiet, asJSON bool) (handled bool, err error) {
	f, path, claims := own.Family, args[len(args)-1], own.Plan
	if len(args) == 2 {
		other, err := format.ReadFileWith(path, format.Options{Ends: saidOf(own.File)})
		if err != nil || other.Plan == nil || other.Plan.Below == nil {
			return false, nil // offsets alone
		}
		if claims, err = matchOrder(path, other, f); err != nil {
			return true, err
		}
	}
	if claims == nil || claims.Below == nil {
		return false, nil
	}
	plan := &stowage.Plan{Offsets: own.offsets, Pools: own.pools}
	report, err := stowage.VerifyFamily(f, claims.Below, plan, claims.Points)
	if err != nil {
		return true, err
	}
	what := "order"
	if x := claims.Switched; report.OK() && x != nil {
		if report, err = stowage.VerifySwitched(f, x, claims.Points, claims.Height); err != nil {
			return true, err
		}
		what = fmt.Sprint(len(x.Orders)+1, " orders")
	}
	if !report.OK() {
		return true, invalid(cmd, path, own.Problem, report, 0, asJSON)
	}
	if !quiet && !asJSON {
		err = writeText(cmd, "", func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: valid for any sizes, %s checked\n", what, count(len(claims.Points), "scenario"))
			return err
		})
	}
	return err != nil, err // the plan of the largest sizes is checked next
}

// matchOrder returns what another file says of the plan of a family, with buffers and points of that family.
func matchOrder(path string, of *format.File, f *model.Family) (*stowjson.Plan, error) {
	index := map[string]int32{}
	for i := range f.Problem.Buffers {
		index[f.Problem.Buffers[i].ID] = int32(i)
	}
	at := make([]int32, len(of.Problem.Buffers)) // of each buffer of the file, in f; what is missing was reported
	for k := range of.Problem.Buffers {
		at[k] = index[of.Problem.Buffers[k].ID]
	}
	claims := &stowjson.Plan{Below: make([][]int32, len(f.Problem.Buffers)), Height: of.Plan.Height}
	for k, list := range of.Plan.Below {
		for _, j := range list {
			claims.Below[at[k]] = append(claims.Below[at[k]], at[j])
		}
	}
	if len(of.Family.Scenarios) != len(f.Scenarios) || len(of.Family.Symbols) != len(f.Symbols) {
		return nil, fmt.Errorf("%s: has other scenarios than the problem", path)
	}
	for _, x := range of.Plan.Points {
		var err error
		if len(f.Symbols) > 0 {
			x.Point, err = f.PointOf(of.Family.Values(x.Point))
		}
		if err == nil && f.Name(x.Point) != x.Name {
			err = errors.New("scenario " + x.Name + " is not of the problem")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		claims.Points = append(claims.Points, x)
	}
	if x := of.Plan.Switched; x != nil {
		own := *x
		own.Orders = nil
		if len(f.Symbols) > 0 {
			name := of.Family.Symbols[x.Symbol].Name
			own.Symbol = slices.IndexFunc(f.Symbols, func(s model.Symbol) bool { return s.Name == name })
		}
		for _, order := range x.Orders {
			below := make([][]int32, len(f.Problem.Buffers))
			for k, list := range order.Below() {
				for _, j := range list {
					below[at[k]] = append(below[at[k]], at[j])
				}
			}
			order, err := model.NewOrder(f.Problem, below, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			own.Orders = append(own.Orders, order)
		}
		claims.Switched = &own
	}
	return claims, nil
}
