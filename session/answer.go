package session

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// A Step is a way to find a place, named in the package comment. Later steps take longer, and may move more.
type Step uint8

// The steps in their order. No step is only for answers that needed none.
const (
	None   Step = iota // no step was tried: the load or a pin decided
	Keep               // every buffer kept its offset
	Fit                // the changed buffers went where there was room
	Repair             // the changed buffers took the place of others
	Window             // the buffers near in time were planned again
	Hints              // all buffers were planned again, with hints
	Fresh              // all buffers were planned again, without hints
)

var stepNames = [...]string{"none", "keep", "fit", "repair", "window", "hints", "fresh"}

// String returns the name of the step in lower case.
func (s Step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return "step(" + strconv.Itoa(int(s)) + ")"
}

// StepOf returns the step of a name. ok is false if there is none.
func StepOf(name string) (s Step, ok bool) {
	for k, n := range stepNames {
		if n == name && k > 0 {
			return Step(k), true
		}
	}
	return None, false
}

// An Answer says what became of a call.
type Answer struct {
	// Status is Feasible if the change was made, or, from Fits, if it can be made. It is Infeasible if no
	// plan exists, which is proven, and Unknown if a limit came first. Except after Feasible nothing has changed.
	Status model.Status
	// Step is the step that found the plan; None if nothing had to be placed, or there is no plan.
	Step Step
	// Offsets has the offsets of the buffers that the call is about, in the order of the call. It is nil
	// unless Status is Feasible.
	Offsets []int64
	// Pools has their pools, as indices into Rules.Pools; nil unless there are several.
	Pools []int32
	// Moved says how much the other buffers moved.
	Moved Movement
	// Least says that no plan moves less: fewer bytes by weight or, if equal, fewer buffers.
	Least bool
	// Proof says why there is no plan; nil unless Status is Infeasible.
	Proof *Proof
	// Enough: set only if Status is Unknown. The smallest capacity above the session's for which a planner found a
	// plan; 0 if it found none.
	Enough int64
	// Nodes counts the effort: nodes of the planners and of the repair.
	Nodes int64
}

// Movement is how much a change moves. A change of pool is a movement, too. Buffers that the call is about do not
// count.
type Movement struct {
	Cost    int64 // bytes moved, each buffer's size times its weight
	Buffers int   // buffers moved
	Bytes   int64 // bytes moved
	Slots   int64 // bytes moved times the length of their lives, at most model.MaxSum
}

// compare compares two movements: first by what they cost.
func (m *Movement) compare(n *Movement) int {
	return cmp.Or(cmp.Compare(m.Cost, n.Cost), cmp.Compare(m.Buffers, n.Buffers))
}

// A Why says what kind of proof a Proof is.
type Why string

// The kinds of proofs.
const (
	ByLoad      Why = "load"      // at Slot the live buffers need Load bytes, more than Capacity
	ByCollision Why = "collision" // the pinned buffers A and B share bytes
	ByPin       Why = "pin"       // the pinned buffer A ends above Capacity
	BySearch    Why = "search"    // the planner By searched all plans
	ByRules     Why = "rules"     // the same, for a problem with rules
)

// A Proof says why no plan exists.
type Proof struct {
	Why            Why      // what kind of proof it is
	Capacity       int64    // the capacity that is not enough; 0 if none is
	Pools          []string // by load: the IDs of the pools where the buffers may be; nil for the only one
	Slot           int64    // by load: a time at which it is too much
	Load           int64    // by load: the bytes that are live then
	A, B           string   // IDs. By collision: both; by pin: A; by rules: A without a place, B if it is why
	By             string   // by search or rules: the planner or technique
	Reason         string   // by rules: why A has no place, in words; empty for other reasons
	LowestPossible int64    // a bound: no plan is lower; 0 if nothing is known
}

// String says the proof in a sentence.
func (p *Proof) String() string {
	switch p.Why {
	case ByLoad:
		if p.Pools != nil {
			return fmt.Sprintf("at time %d the live buffers that may only be in %s need %d bytes; there is room for %d",
				p.Slot, strings.Join(p.Pools, " and "), p.Load, p.Capacity)
		}
		return fmt.Sprintf("at time %d the live buffers need %d bytes; the capacity is %d", p.Slot, p.Load, p.Capacity)
	case ByCollision:
		return fmt.Sprintf("the pinned buffers %s and %s share bytes", strconv.Quote(p.A), strconv.Quote(p.B))
	case ByPin:
		return fmt.Sprintf("the pinned buffer %s ends above the capacity %d", strconv.Quote(p.A), p.Capacity)
	}
	if p.Reason != "" {
		return p.Reason
	}
	if p.Why == ByRules {
		return "no plan keeps the rules: proven by " + p.By
	}
	return fmt.Sprintf("%s searched all plans; none fits the capacity %d", p.By, p.Capacity)
}
