package engine

import (
	"strings"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// settings are the techniques and the parameter "orders", as text and parsed.
type settings struct {
	common.Switches
	merging bool
	list    string
	orders  []string
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	s.Switches.Declare(d)
	d.Technique(&s.merging, "merging", "between rounds, plan groups of buffers that fit together too well for chance")
	d.Text(&s.list, "orders", defaultOrders, "orders separated by commas, of the keys "+orderLetters, validOrders,
		"static orders, searched round robin; the keys are A area, C sections, L lower, O overlaps, T total, U "+
			"upper, W width, Z size")
}

// bind sets the fields to the values in o.
func (s *settings) bind(o *plan.Options) error {
	err := run.Bind(Name, o, s)
	s.orders = ordersOf(s.list)
	return err
}

// defaultOrders are the static preorderings, tried round robin. Each alone on the challenging
// suite: TWA solves 8 of the 11 within 2,300 nodes. TAW solves the other three, B, C and H,
// within 460. TC needs 263 and 306 nodes for E and F. They were chosen on that suite.
const defaultOrders = "TWA,TAW,TC"

// orderLetters are the keys that a static preordering may use.
const orderLetters = "ACLOTUWZ"

// ordersOf splits the parameter "orders" at its commas.
func ordersOf(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
}

// validOrders reports whether a text is a list of orders.
func validOrders(list string) bool {
	return strings.Trim(list, orderLetters+",") == "" && len(ordersOf(list)) > 0
}

// Info describes the planner.
func (*Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    Name,
		Summary: "depth-first search over canonical plans, with proofs of optimality and infeasibility",
		Source: "Moffitt, MiniMalloc, ASPLOS 2023; google/minimalloc 9f5cf81; lifting, not-first, suffix bound and " +
			"memo are Stowage's",
		Exact: true,
		Moves: true,
	}, Settings)
}

// Settings returns the settings of a planner that runs the engine: its techniques and parameters.
func Settings() run.Settings { return new(settings) }
