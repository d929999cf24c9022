package csv

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: OmniMalloc (fpedd/omnimalloc 2e9cf4e) writes a time by vector clocks as its components with colons between,
// such as 3:0:7, in the columns lower and upper. A file with such times is a problem with rules, and they are its only
// rules.
//
// Invariant: if one row has clocks, model.Validate demands them of all, and as many.
//
// Complexity: O(bytes).

// clockMark stands between the components of a time.
const clockMark = ":"

// clocked reports whether the current row has times by clocks.
func (t *table) clocked() bool {
	return strings.Contains(t.field(lower), clockMark) || strings.Contains(t.field(upper), clockMark)
}

// clocks reads the times of the current row.
func (t *table) clocks(b *model.Buffer) bool {
	if t.head.inclusive {
		t.refuse(upper, t.field(upper),
			"has the colons of a vector clock, which cannot be inclusive: name the column upper, or write the times as numbers")
		return false
	}
	from, ok := t.clock(lower)
	to, also := t.clock(upper)
	if !ok || !also {
		return false
	}
	if len(from) != len(to) {
		t.refuse(upper, t.field(upper), fmt.Sprintf("has %s, lower has %d", count(len(to), "clock"), len(from)))
		return false
	}
	b.SetClocks(from, to)
	t.threads = max(t.threads, len(from))
	return true
}

// unclocked drops the rows that could not be read, and their lines, so that nothing more is said of them. Clocks that
// make them right would take as long to check as the longest row has clocks.
func (t *table) unclocked(p *model.Problem, lines []int32) []int32 {
	bad, n := t.bad, 0
	for i := range p.Buffers {
		if len(bad) > 0 && bad[0] == i {
			bad = bad[1:]
			continue
		}
		p.Buffers[n], lines[n] = p.Buffers[i], lines[i]
		n++
	}
	p.Buffers = p.Buffers[:n]
	return lines[:n]
}

// clock reads one time.
func (t *table) clock(c column) (all []int64, ok bool) {
	n := strings.Count(t.field(c), clockMark) + 1
	if !t.pay(c, 8*n) {
		return nil, false
	}
	all = make([]int64, 0, n)
	for part := range strings.SplitSeq(t.field(c), clockMark) {
		v, fault := parseInt(part)
		if most := model.MaxSum / int64(n); fault == "" && (v < 0 || v > most) {
			fault = fmt.Sprintf("each clock must be from 0 to %d", most)
		}
		if fault != "" {
			t.refuse(c, t.field(c), fault)
			return nil, false
		}
		all = append(all, v)
	}
	return all, true
}

// appendClock appends a time by clocks.
func appendClock(dst []byte, clock []int64) []byte {
	for k, v := range clock {
		if k > 0 {
			dst = append(dst, clockMark...)
		}
		dst = appendInt(dst, v)
	}
	return dst
}

// clocksOnly reports whether a problem has no rules but clocks, which CSV can say. One clock is no different from time.
func clocksOnly(p *model.Problem) bool {
	r := p.Rules
	if r == nil || r.Threads < 2 || len(r.BankRules()) > 0 ||
		len(r.Pools)+len(r.Together)+len(r.Apart)+len(r.MayOverlap)+len(r.Distances)+len(r.Penalties)+len(r.Objective) > 0 {
		return false
	}
	for i := range p.Buffers {
		if x := p.Buffers[i].Extra; x == nil || x.Clocks == nil || x.Pools != nil || len(x.Costs) > 0 ||
			len(x.Evictions) > 0 {
			return false
		}
	}
	return true
}
