package exact

import (
	"errors"
	"strings"

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

// table is the one list of the techniques: name, summary, switch.
var table = []struct {
	name, summary string
	of            func(*switches) *bool
}{
	{"canonical", "explore only plans built in ascending order of offset, then rank", func(s *switches) *bool { return &s.canonical }},
	{"section-inference", "add what is unplaced in a section to the section's floor", func(s *switches) *bool { return &s.sectionInference }},
	{"monotonic-floor", "no later buffer lies lower than the one just placed", func(s *switches) *bool { return &s.monotonicFloor }},
	{"unallocated-floor", "raise a section's floor to the lowest minimum offset of what is unplaced", func(s *switches) *bool { return &s.unallocatedFloor }},
	{"dominance", "never leave a gap that an unplaced buffer could fill", func(s *switches) *bool { return &s.dominance }},
	{"hatless", "try no alternative to a buffer that has nothing above it", func(s *switches) *bool { return &s.hatless }},
	{"preordering", "rank buffers by static keys rather than by their order in the input", func(s *switches) *bool { return &s.preordering }},
	{"dynamic-ordering", "try the lowest minimum offset first", func(s *switches) *bool { return &s.dynamicOrdering }},
	{"decomposition", "split the unplaced buffers wherever none crosses from section to section", func(s *switches) *bool { return &s.decomposition }},
	{"cheap-reject", "discard a candidate before it is placed where a section could not take it", func(s *switches) *bool { return &s.cheapReject }},
	{"memo", "remember states of which no completion fits", func(s *switches) *bool { return &s.memo }},
	{"lifting", "raise the bound of a buffer that is too low to be placed to that of what must go under it", func(s *switches) *bool { return &s.lifting }},
	{"not-first", "raise the bound of a buffer that cannot be lowest in a section", func(s *switches) *bool { return &s.notFirst }},
	{"suffix-bound", "what cannot lie below a level must fit above it, in every section", func(s *switches) *bool { return &s.suffixBound }},
	{"symmetry", "place identical buffers in the order of their indices", func(s *switches) *bool { return &s.symmetry }},
	{"postponement", "infer from a candidate that has failed before the next is tried", func(s *switches) *bool { return &s.postponement }},
}

// allOn returns every technique switched on.
func allOn() switches {
	var s switches
	for _, t := range table {
		*t.of(&s) = true
	}
	return s
}

// switchesOf returns the switches with the named techniques off. The names
// have been checked.
func switchesOf(without []string) switches {
	s := allOn()
	for _, name := range without {
		for _, t := range table {
			if t.name == name {
				*t.of(&s) = false
			}
		}
	}
	return s
}

// defaultOrders are the static preorderings, tried round robin. Each alone on the
// challenging suite: TWA solves 8 of the 11 within 2,300 nodes; TAW the other
// three, B, C and H, within 460; TC needs 263 and 306 nodes for E and F. They
// were chosen on that suite.
const defaultOrders = "TWA,TAW,TC"

// orderLetters are the keys that a static preordering may use.
const orderLetters = "ACLOTUWZ"

// ordersOf parses the parameter "orders".
func ordersOf(params map[string]string) ([]string, error) {
	text, ok := params["orders"]
	if !ok {
		text = defaultOrders
	}
	var orders []string
	for _, order := range strings.Split(text, ",") {
		if order == "" {
			continue
		}
		if bad := strings.Trim(order, orderLetters); bad != "" {
			return nil, errors.New("planner exact: parameter orders: \"" + order + "\" has the key \"" + bad[:1] + "\"; the keys are " + orderLetters)
		}
		orders = append(orders, order)
	}
	if len(orders) == 0 {
		return nil, errors.New("planner exact: parameter orders is empty")
	}
	return orders, nil
}

func info() plan.Info {
	i := plan.Info{
		Name:    "exact",
		Summary: "depth-first search over canonical plans, with proofs of optimality and infeasibility",
		Source:  "Moffitt, MiniMalloc, ASPLOS 2023; google/minimalloc 9f5cf81; lifting, not-first, suffix bound and memo are Stowage's",
		Exact:   true,
		Params: []plan.Param{{
			Name: "orders", Default: defaultOrders,
			Summary: "static preorderings, tried round robin; keys A area, C sections, L lower, O overlaps, T total, U upper, W width, Z size",
		}},
	}
	for _, t := range table {
		i.Techniques = append(i.Techniques, plan.Technique{Name: t.name, Summary: t.summary})
	}
	return i
}
