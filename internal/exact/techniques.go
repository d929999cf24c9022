package exact

import (
	"slices"
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
}

// settings are what can be set: the techniques, and the orders as parsed.
type settings struct {
	switches
	list   string
	orders []string
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.canonical, "canonical", "explore only plans built in ascending order of offset, then rank")
	d.Technique(&s.sectionInference, "section-inference", "add what is unplaced in a section to the section's floor")
	d.Technique(&s.monotonicFloor, "monotonic-floor", "no later buffer lies lower than the one just placed")
	d.Technique(&s.unallocatedFloor, "unallocated-floor", "raise a section's floor to the lowest minimum offset of what is unplaced")
	d.Technique(&s.dominance, "dominance", "never leave a gap that an unplaced buffer could fill")
	d.Technique(&s.hatless, "hatless", "try no alternative to a buffer that has nothing above it")
	d.Technique(&s.preordering, "preordering", "rank buffers by static keys rather than by their order in the input")
	d.Technique(&s.dynamicOrdering, "dynamic-ordering", "try the lowest minimum offset first")
	d.Technique(&s.decomposition, "decomposition", "split the unplaced buffers wherever none crosses from section to section")
	d.Technique(&s.cheapReject, "cheap-reject", "discard a candidate before it is placed where a section could not take it")
	d.Technique(&s.memo, "memo", "remember states of which no completion fits")
	d.Technique(&s.lifting, "lifting", "raise the bound of a buffer that is too low to be placed to that of what must go under it")
	d.Technique(&s.notFirst, "not-first", "raise the bound of a buffer that cannot be lowest in a section")
	d.Technique(&s.suffixBound, "suffix-bound", "what cannot lie below a level must fit above it, in every section")
	d.Technique(&s.symmetry, "symmetry", "place identical buffers in the order of their indices")
	d.Technique(&s.postponement, "postponement", "infer from a candidate that has failed before the next is tried")
	d.Text(&s.list, "orders", defaultOrders, "orders separated by commas, of the keys "+orderLetters, validOrders,
		"static preorderings, tried round robin; keys A area, C sections, L lower, O overlaps, T total, U upper, W width, Z size")
}

// settingsOf returns the settings that o asks for.
func settingsOf(o *plan.Options) (settings, error) {
	var s settings
	err := run.Bind("exact", o, &s)
	s.orders = ordersOf(s.list)
	return s, err
}

// switchesOf returns the switches with the named techniques off.
func switchesOf(without []string) switches {
	s, _ := settingsOf(&plan.Options{Without: without})
	return s.switches
}

// defaultOrders are the static preorderings, tried round robin. Each alone on the
// challenging suite: TWA solves 8 of the 11 within 2,300 nodes; TAW the other
// three, B, C and H, within 460; TC needs 263 and 306 nodes for E and F. They
// were chosen on that suite.
const defaultOrders = "TWA,TAW,TC"

// orderLetters are the keys that a static preordering may use.
const orderLetters = "ACLOTUWZ"

// ordersOf splits the parameter "orders".
func ordersOf(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(order string) bool { return order == "" })
}

// validOrders reports whether a text is a list of orders.
func validOrders(list string) bool {
	orders := ordersOf(list)
	return len(orders) > 0 && !slices.ContainsFunc(orders, func(order string) bool { return strings.Trim(order, orderLetters) != "" })
}

func info() plan.Info {
	return run.Describe(plan.Info{
		Name:    "exact",
		Summary: "depth-first search over canonical plans, with proofs of optimality and infeasibility",
		Source:  "Moffitt, MiniMalloc, ASPLOS 2023; google/minimalloc 9f5cf81; lifting, not-first, suffix bound and memo are Stowage's",
		Exact:   true,
	}, func() run.Settings { return new(settings) })
}
