package engine

import (
	"strings"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// switches turns each technique of the search on or off. Every combination is
// sound and complete: a technique only ever removes partial plans of which a
// better or an equal one is explored elsewhere.
type switches struct {
	canonical        bool
	sectionInference bool
	monotonicFloor   bool
	unallocatedFloor bool
	dominance        bool
	hatless          bool
	preordering      bool
	dynamicOrdering  bool
	decomposition    bool
	cheapReject      bool
	memo             bool
	lifting          bool
	notFirst         bool
	suffixBound      bool
	symmetry         bool
	postponement     bool
	shifts           bool
	stretches        bool
	ladders          bool
	spares           bool
	effectiveSizes   bool
	fronts           bool
}

// settings are what can be set: the techniques, and the orders as parsed.
type settings struct {
	switches
	merging bool
	list    string
	orders  []string
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	for _, t := range [...]struct {
		on   *bool
		name string
	}{
		{&s.canonical, "canonical"},
		{&s.sectionInference, "section-inference"},
		{&s.monotonicFloor, "monotonic-floor"},
		{&s.unallocatedFloor, "unallocated-floor"},
		{&s.dominance, "dominance"},
		{&s.hatless, "hatless"},
		{&s.preordering, "preordering"},
		{&s.dynamicOrdering, "dynamic-ordering"},
		{&s.decomposition, "decomposition"},
		{&s.cheapReject, "cheap-reject"},
		{&s.memo, "memo"},
		{&s.lifting, "lifting"},
		{&s.notFirst, "not-first"},
		{&s.suffixBound, "suffix-bound"},
		{&s.symmetry, "symmetry"},
		{&s.postponement, "postponement"},
		{&s.effectiveSizes, "effective-sizes"},
		{&s.fronts, "fronts"},
		{&s.ladders, "ladders"},
		{&s.spares, "spares"},
		{&s.stretches, "stretches"},
		{&s.shifts, "shifts"},
		{&s.merging, "merging"},
	} {
		d.Technique(t.on, t.name, "")
	}
	d.Text(&s.list, "orders", defaultOrders, "orders separated by commas, of the keys "+orderLetters, validOrders, "")
}

// Words says in words what each is, by name.
func (*settings) Words() map[string]string {
	return map[string]string{
		"canonical":         "explore only plans that are built in ascending order of offset, then of rank",
		"section-inference": "bound each section by its floor plus the sizes of its unplaced buffers",
		"monotonic-floor":   "do not place a later buffer lower than the one just placed",
		"unallocated-floor": "raise a section's floor to the lowest possible offset of its unplaced buffers",
		"dominance":         "never leave a space below a buffer that an unplaced buffer could fill",
		"hatless":           "try no alternative to a buffer if nothing can lie above it",
		"preordering":       "rank buffers by static keys; without it, by their order in the input",
		"dynamic-ordering":  "try the buffer with the lowest possible offset first",
		"decomposition":     "split the problem between two sections if no unplaced buffer is live in both",
		"cheap-reject":      "discard a candidate before it is placed if a section has no room for it",
		"memo":              "remember partial plans that no completion makes fit",
		"lifting":           "raise a buffer's lowest offset to make room for the buffers that must lie below it",
		"not-first":         "raise the lowest offset of a buffer that cannot be the lowest in a section",
		"suffix-bound":      "in every section, check that the buffers that cannot lie below a level fit above it",
		"symmetry":          "place identical buffers in the order of their indices",
		"postponement":      "raise bounds because a failed candidate is not placed next, before another one is tried",
		"effective-sizes":   "count with each buffer the space above it that no other buffer can use",
		"fronts":            "skip partial plans that are no better than one that has failed",
		"ladders":           "for small partitions that stay undecided: choose buffers in the order of their offsets, with bounds on the room that each set of buffers needs",
		"spares":            "in ladders, leave out buffers that have a place wherever the others lie",
		"stretches":         "search stretches of time separately",
		"shifts":            "count each buffer's offset from a level of its own, so that the upper of two buffers has the higher offset even with windows",
		"merging":           "between rounds, plan groups of buffers that fit together too well for chance",
		"orders":            "static orders, searched round robin; the keys are A area, C sections, L lower, O overlaps, T total, U upper, W width, Z size",
	}
}

// bind sets what o asks for.
func (s *settings) bind(o *plan.Options) error {
	err := run.Bind(Name, o, s)
	s.orders = ordersOf(s.list)
	return err
}

// defaultOrders are the static preorderings, tried round robin. Each alone on the
// challenging suite: TWA solves 8 of the 11 within 2,300 nodes; TAW the other
// three, B, C and H, within 460; TC needs 263 and 306 nodes for E and F. They
// were chosen on that suite.
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
		Source:  "Moffitt, MiniMalloc, ASPLOS 2023; google/minimalloc 9f5cf81; lifting, not-first, suffix bound and memo are Stowage's",
		Exact:   true,
		Moves:   true,
	}, Settings)
}

// Settings returns the settings of a planner that runs the engine: its techniques and parameters.
func Settings() run.Settings { return new(settings) }
