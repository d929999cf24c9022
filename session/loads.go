package session

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/model"
)

// Idea: the loads may prove a call with rules hopeless. Bodies that conflict pair by pair need bytes of their own in
// the pools where they may be. internal/ruled/assign knows these loads: ties and pairs that may overlap lower them;
// pairs apart, clocks and periods raise them; a body that may be in some pools only counts for these.
//
// Before the call there was a plan. So every new overload has a body that could not stay. Only these bodies and those
// in conflict with them are asked about. Nothing is asked if every body has found a place.
//
// The places of single bodies and of pairs may prove it, too (internal/ruled/places): then the proof has their words.
//
// Invariant: the bodies that are asked about are whole, since a tie may let its members share bytes.
//
// Complexity: O(n) conflicts for each body to place, and a lowering of those bodies: O(m log m) for m of them without
// rules. A tree over time knows no pairs, so with rules O(log n) is out of reach; each such call looks at all buffers
// anyway.
//
// The proof is not tried at the begin of a call, because most calls keep or fit all their bodies.

// hopeless returns a proof from the loads that there is no plan; nil if they prove nothing.
func (g *ruledGround) hopeless() *Proof {
	loose := make([]bool, len(g.at))
	g.mark(loose, g.homeless...)
	for _, i := range g.around(loose) {
		g.mark(loose, g.of(i))
	}
	q := g.among(marked(loose))
	o, why := assign.Overloaded(lower.New(q))
	switch {
	case o == nil && why == "":
		return nil
	case o == nil:
		return byRules(q, why)
	}
	slot, ok := together(q, o.Members)
	if !ok {
		return &Proof{Why: ByRules, By: "loads"}
	}
	p := &Proof{Why: ByLoad, Capacity: o.Room, Slot: slot, Load: o.Bytes}
	if len(g.pools) == 1 {
		p.LowestPossible = o.Bytes
	}
	if len(g.p.Rules.Pools) > 0 {
		for _, k := range o.Pools {
			p.Pools = append(p.Pools, g.pools[k].ID)
		}
	}
	return p
}

// byRules returns a proof from the name of what proved that a problem has no plan. If the places did, it has their
// words.
func byRules(q *model.Problem, by string) *Proof {
	p := &Proof{Why: ByRules, By: by, Capacity: q.Capacity}
	if by != places.Proved {
		return p
	}
	if found := places.Prove(q, strconv.Quote); found != nil {
		p.Reason, p.A = found.Reason, q.Buffers[found.None[0]].ID
		if len(found.None) > 1 {
			p.B = q.Buffers[found.None[1]].ID
		}
	}
	return p
}

// together returns a time at which each body of the members has one that is live. ok is false if there is none: then
// rules, or clocks, keep them apart.
func together(p *model.Problem, members []int32) (slot int64, ok bool) {
	if p.Rules.Threads > 0 {
		return 0, false
	}
	body, _, _ := model.BodiesOf(p)
	of := func(i int32) int32 {
		if body == nil {
			return i
		}
		return body[i]
	}
	var bodies []int32
	for _, i := range members {
		if !slices.Contains(bodies, of(i)) {
			bodies = append(bodies, of(i))
		}
	}
	for _, i := range members {
		at := p.Buffers[i].Lower
		var live []int32
		for _, j := range members {
			if liveAt(&p.Buffers[j], at, p.Rules.Period) && !slices.Contains(live, of(j)) {
				live = append(live, of(j))
			}
		}
		if len(live) == len(bodies) {
			return at, true
		}
	}
	return 0, false
}

// liveAt reports whether a buffer uses bytes at a time. With a period it is live again in each turn.
func liveAt(b *model.Buffer, at, period int64) bool {
	for piece := range b.Pieces {
		if piece.Lower <= at && at < piece.Upper || period > 0 && piece.Lower <= at+period && at+period < piece.Upper {
			return true
		}
	}
	return false
}
