package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// Idea: loads may be the reason (internal/ruled/assign/overload.go). In a section, buffers that conflict pair by pair
// then need more bytes than the pools that they may be in have. This file says when that is, and which buffers take
// most. Bytes that an eviction may take away do not count. No time is named in three cases: several threads have no
// common time, a repeating step has several times for one moment, and tied buffers may share bytes.
//
// Invariant: the bytes are those of a proof. At the named time all of its buffers are in use.
//
// Complexity: that of spread.Fullest, and O(n log n) for its n buffers.

// overfull is a moment at which buffers take more than their pools have.
type overfull struct {
	lower, upper int64 // equal if no time is named
	pools        []int // in ascending order
	members      []member
	takes        int64 // by all members
	excess       int64
}

// use is the bytes that a buffer takes for a time.
type use struct {
	lower, upper, bytes int64
	buffer              int
}

// fullest returns the moment at which the buffers exceed their pools by most, or nil if they never do.
func fullest(p *model.Problem) *overfull {
	p, of := leastOf(p)
	q := parts.All(p)
	o := assign.Fullest(q.Problem)
	if o == nil {
		return nil
	}
	f := &overfull{takes: o.Bytes, excess: o.Bytes - o.Room}
	for _, k := range o.Pools {
		f.pools = append(f.pools, int(k))
	}
	timed := p.Rules.Threads == 0 && p.Rules.Period == 0
	tied := map[int32]bool{}
	for _, t := range q.Problem.Rules.Together {
		for _, i := range t.Buffers {
			tied[i] = true
		}
	}
	var uses []use
	for _, k := range o.Members {
		b := &q.Problem.Buffers[k]
		timed = timed && !tied[k]
		f.members = append(f.members, member{of[q.Of[k]], b.Size})
		for x := range b.Pieces {
			uses = append(uses, use{x.Lower, x.Upper, x.To - x.From, of[q.Of[k]]})
		}
	}
	if at, most := busiest(uses); timed && most == o.Bytes {
		f.lower = at
		f.members, f.upper = living(uses, at)
	}
	sorting.Structs(f.members, func(a, b member) int { return cmp.Compare(b.bytes, a.bytes) })
	return f
}

// fewest returns members that exceed the pools: if a time is named, only as many of the largest as it takes. They
// ascend.
func (f *overfull) fewest() (core []int) {
	left := f.takes - f.excess
	for _, m := range f.members {
		core = append(core, m.buffer)
		if left -= m.bytes; f.lower < f.upper && left < 0 {
			break
		}
	}
	slices.Sort(core)
	return slices.Compact(core)
}

// busiest returns a time at which most bytes are in use.
func busiest(uses []use) (at, most int64) {
	type change struct{ at, by int64 }
	changes := make([]change, 0, 2*len(uses))
	for _, u := range uses {
		changes = append(changes, change{u.lower, u.bytes}, change{u.upper, -u.bytes})
	}
	sorting.Structs(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	var load int64
	for _, c := range changes {
		if load += c.by; load > most {
			at, most = c.at, load
		}
	}
	return at, most
}

// living returns the buffers in use at a time, the largest first, and until when all of them stay in use.
func living(uses []use, at int64) (members []member, until int64) {
	for _, u := range uses {
		if u.lower <= at && at < u.upper {
			if len(members) == 0 || u.upper < until {
				until = u.upper
			}
			members = append(members, member{u.buffer, u.bytes})
		}
	}
	sorting.Structs(members, func(a, b member) int { return cmp.Compare(b.bytes, a.bytes) })
	return members, until
}

// Missing says in words how many bytes the pools lack at least; "" if loads do not tell.
func Missing(p *model.Problem, name func(id string) string) string {
	f := fullest(p)
	if f == nil || len(p.Rules.Pools) == 0 {
		return ""
	}
	var names []string
	for _, k := range f.pools {
		names = append(names, name(p.Rules.Pools[k].ID))
	}
	return fmt.Sprintf("at least %d bytes more in %s %s", f.excess, units.Plural(len(names), "pool"),
		strings.Join(names, " and "))
}

// words returns the moment in words, without a full stop.
func (f *overfull) words(p *model.Problem) string {
	where, _, _ := roomOf(p.AllPools(), f.pools)
	s := fmt.Sprintf("%d %s", len(f.members), units.Plural(len(f.members), "buffer"))
	if f.lower < f.upper {
		s = fmt.Sprintf("in [%d, %d) %s", f.lower, f.upper, s)
	} else {
		s += " that live together"
	}
	takes := " take"
	if len(f.members) == 1 {
		takes = " takes"
	}
	s += fmt.Sprintf("%s %d bytes, which is %d more than %s", takes, f.takes, f.excess, where)
	if len(p.AllPools()) > len(f.pools) {
		s += ", the only " + map[bool]string{true: "pool", false: "pools"}[len(f.pools) == 1] + " for them"
	}
	return s + "; " + listed(p, f.members, func(id string) string { return id })
}

// listed names the largest members, with their bytes, without a full stop.
func listed(p *model.Problem, members []member, name func(id string) string) string {
	s := "they are "
	switch {
	case len(members) == 1:
		s = "it is "
	case len(members) > mostNamed:
		s = "the largest of them are "
	}
	few := members[:min(len(members), mostNamed)]
	for k, m := range few {
		switch {
		case k > 0 && k == len(few)-1:
			s += " and "
		case k > 0:
			s += ", "
		}
		s += fmt.Sprintf("%s (%d)", name(p.Buffers[m.buffer].ID), m.bytes)
	}
	return s
}
