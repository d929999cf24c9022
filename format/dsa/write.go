package dsa

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: the file is what dsa-solver's own writer would write, byte for byte, since the fingerprint of a plan is
// computed from these bytes (solution.go). What the schema cannot state is refused by its name; nothing is dropped.
//
// Invariant: Read returns the problem that was written, with three exceptions. The alignment of a pool is in its
// buffers. A measure is the term that orders plans in the same way. A single pool has a name. Buffer k has number k,
// and so has pool k.
//
// Complexity: O(n log n).
//
// Trials: docs/lab/formats.md (the profile pypto_research_v1 asks for metadata that only a compiler has).

// profile is that of the files that Write makes. It asks nothing of a problem beyond the schema.
const profile = "pypto_structured"

// Write writes a problem as dsa-problem-v1. The error is w's, or names what the schema cannot state, as that of Make
// does; then nothing is written.
func Write(w io.Writer, p *model.Problem) error {
	d, err := Make(p)
	if err != nil {
		return err
	}
	return d.Write(w)
}

// Write writes the problem as the file has it, with its numbers and metadata, so that plans of the document name it.
func (d *Document) Write(w io.Writer) error {
	_, err := io.WriteString(w, d.text)
	return err
}

// Make makes the document of a problem that model.Validate takes. Buffers and pools have their indices as numbers. A
// problem without pools has one, named memory.
//
// The error names all that dsa-problem-v1 cannot state:
//
//   - clocks, a period, evictions, distances, windows of gaps;
//   - a body whose members differ in size or first byte;
//   - a buffer whose pools differ in alignment;
//   - a measure without a term;
//   - a problem without buffers.
//
// Hints are not written, since they are no part of the problem.
func Make(p *model.Problem) (*Document, error) {
	m := maker{p: p, rules: p.Rules}
	if m.rules == nil {
		m.rules = &model.Rules{}
	}
	if banks := m.rules.BankRules(); len(banks) > 0 {
		m.refuse("has no " + strings.Join(banks, " and no "))
	}
	m.pools = p.AllPools()
	tree := m.document()
	if len(m.faults) > 0 {
		return nil, errors.Join(m.faults...)
	}
	d := &Document{
		Problem: p, Profile: profile, Instance: tree["instance"].(string), text: string(appendTree(nil, tree, 0)) + "\n",
	}
	for k := range m.pools {
		d.Pools = append(d.Pools, int64(k))
	}
	for k := range p.Buffers {
		d.Buffers = append(d.Buffers, int64(k))
	}
	return d, nil
}

// A maker makes the tree of a document.
type maker struct {
	p      *model.Problem
	rules  *model.Rules // p's rules, or empty ones
	pools  []model.Pool
	faults []error
}

type (
	object = map[string]any
	array  = []any
)

func (m *maker) refuse(format string, of ...any) {
	if len(m.faults) < model.MaxIssues {
		m.faults = append(m.faults, fmt.Errorf("dsa-problem-v1 "+format, of...))
	}
}

func (m *maker) document() object {
	if len(m.p.Buffers) == 0 {
		m.refuse("has no problems without buffers")
	}
	if m.rules.Threads > 0 {
		m.refuse("has no clocks (threads)")
	}
	if m.rules.Period > 0 {
		m.refuse("has no period")
	}
	if len(m.rules.Distances) > 0 {
		m.refuse("has no distances")
	}
	name := m.p.Name
	if name == "" {
		name = "problem"
	}
	m.text("the name of the problem", name)
	problem := object{
		"pools": m.makePools(), "buffers": m.makeBuffers(), "constraints": m.makeConstraints(),
		"objective": object{"aggregation": "lexicographic", "terms": m.terms()},
	}
	if list := m.rules.Penalties; len(list) > 0 {
		paid := make(array, 0, len(list))
		for _, x := range list {
			paid = append(paid, object{
				"first": int64(x.Buffers[0]), "second": int64(x.Buffers[1]), "cost": x.Cost, "reason": "generic",
			})
		}
		problem["cost_model"] = object{"reuse_penalties": paid}
	}
	return object{
		"schema_version": int64(Version), "profile": profile, "instance": name, "metadata": object{}, "problem": problem,
	}
}

// text refuses a name that is no text.
func (m *maker) text(what, name string) {
	if !utf8.ValidString(name) {
		m.refuse("has only names of valid UTF-8: %s is %q", what, name)
	}
}

func (m *maker) makePools() array {
	list := make(array, 0, len(m.pools))
	for k := range m.pools {
		x := &m.pools[k]
		pool := object{"id": int64(k), "name": x.ID, "capacity": nil}
		if x.ID == "" {
			pool["name"] = "memory"
		}
		m.text("that of a pool", x.ID)
		if x.Capacity > 0 {
			pool["capacity"] = x.Capacity
		}
		reserved := array{}
		for _, r := range x.Reserved {
			reserved = append(reserved, object{"begin": r.Lower, "end": r.Upper})
		}
		pool["reserved_ranges"] = reserved
		list = append(list, pool)
	}
	return list
}

func (m *maker) makeBuffers() array {
	list := make(array, 0, len(m.p.Buffers))
	for k := range m.p.Buffers {
		b := &m.p.Buffers[k]
		m.text("that of a buffer", b.ID)
		live := array{}
		from := b.Lower
		for _, g := range b.Gaps {
			if g.Window != nil {
				m.refuse("has no windows of gaps: buffer %s has one", b.ID)
			}
			if g.Lower > from {
				live = append(live, object{"lower": from, "upper": g.Lower})
			}
			from = g.Upper
		}
		if from < b.Upper {
			live = append(live, object{"lower": from, "upper": b.Upper})
		}
		if len(live) == 0 {
			m.refuse("has no buffers that are never live: buffer %s has a gap for all of its lifespan", b.ID)
		}
		if b.MayLeave() {
			m.refuse("has no evictions: buffer %s has some", b.ID)
		}
		allowed := array{}
		for _, pool := range m.allowed(b) {
			allowed = append(allowed, int64(pool))
		}
		list = append(list, object{
			"id": int64(k), "name": b.ID, "size": b.Size, "alignment": m.alignment(b), "live_intervals": live,
			"allowed_pools": allowed,
		})
	}
	return list
}

// allowed returns the pools that a buffer may be in.
func (m *maker) allowed(b *model.Buffer) []int32 {
	var list []int32
	for k := range m.pools {
		if b.MayUse(int32(k)) {
			list = append(list, int32(k))
		}
	}
	return list
}

// alignment returns the alignment of a buffer in each of its pools.
func (m *maker) alignment(b *model.Buffer) int64 {
	var all int64
	for _, k := range m.allowed(b) {
		is := bound.LCM(b.Align(), max(m.pools[k].Alignment, 1), model.MaxSum)
		if is == 0 {
			m.refuse("has no alignment for buffer %s: no 61 bits hold the common multiple of %d and that of pool %s", b.ID,
				b.Align(), m.pools[k].ID)
			break
		}
		if all != 0 && is != all {
			m.refuse("has no alignment of pools: that of buffer %s is %d in one pool and %d in another", b.ID, all, is)
			break
		}
		all = is
	}
	return max(all, 1)
}

func (m *maker) makeConstraints() object {
	pairs := func(list []model.Pair) array {
		all, seen := make(array, 0, len(list)), make(map[model.Pair]bool, len(list))
		for _, x := range list {
			if sorted := x.Sorted(); !seen[sorted] {
				seen[sorted] = true
				all = append(all, object{"first": int64(x[0]), "second": int64(x[1])})
			}
		}
		return all
	}
	pins := array{}
	for k := range m.p.Buffers {
		if b := &m.p.Buffers[k]; b.Fixed != nil {
			pins = append(pins, object{
				"buffer": int64(k), "pool": int64(m.allowed(b)[0]), "offset": *b.Fixed, "exclusive_for_all_time": false,
			})
		}
	}
	return object{
		"separations": pairs(m.rules.Apart), "temporal_exclusions": pairs(m.rules.MayOverlap),
		"colocations": m.colocations(), "pinned_allocations": pins,
	}
}

// colocations ties each member of a list to the first. dsa-solver reserves the largest size of a class in all lives
// of its members, so classes of different sizes mean something else here and there.
func (m *maker) colocations() array {
	ties := array{}
	for _, x := range m.rules.Together {
		if len(x.Buffers) == 0 {
			continue
		}
		first := &m.p.Buffers[x.Buffers[0]]
		for k, i := range x.Buffers[1:] {
			b := &m.p.Buffers[i]
			switch {
			case x.At != nil && x.At[k+1] != x.At[0]:
				m.refuse("ties buffers at one byte only: %s and %s lie %d bytes apart", first.ID, b.ID, x.At[k+1]-x.At[0])
			case b.Size != first.Size:
				m.refuse("gives tied buffers one size: %s has %d bytes, %s has %d", first.ID, first.Size, b.ID, b.Size)
			}
			ties = append(ties, object{"first": int64(x.Buffers[0]), "second": int64(i)})
		}
	}
	return ties
}

// terms returns the objective. A measure that is the same for all plans needs no term.
func (m *maker) terms() array {
	terms := array{}
	add := func(term string) {
		if !slices.Contains(terms, any(term)) {
			terms = append(terms, term)
		}
	}
	if slices.ContainsFunc(m.pools, func(x model.Pool) bool { return x.Capacity > 0 }) {
		add("capacity_overflow")
	}
	reserved := slices.ContainsFunc(m.pools, func(x model.Pool) bool { return len(x.Reserved) > 0 })
	for _, measure := range m.p.Objective() {
		plain := measure
		if len(m.pools) == 1 { // the sum over pools is that of the one
			switch measure {
			case model.HeightIn(m.pools[0].ID):
				plain = model.MeasureHeight
			case model.PeakIn(m.pools[0].ID):
				plain = model.MeasurePeak
			}
		}
		switch {
		case plain == model.MeasurePeak, plain == model.MeasureHeight && !reserved:
			add("total_peak")
		case plain == model.MeasureMaxPeak, plain == model.MeasureMaxHeight && !reserved:
			add("max_peak")
		case plain == model.MeasurePenalty:
			add("reuse_cost")
		case plain == model.MeasureEviction, plain == model.MeasureCost && m.oneCost():
		default:
			m.refuse("has no term for the measure %s of this problem", measure)
		}
	}
	if len(terms) == 0 {
		add("capacity_overflow")
	}
	return terms
}

// oneCost reports whether all plans have one cost.
func (m *maker) oneCost() bool {
	for k := range m.p.Buffers {
		b := &m.p.Buffers[k]
		pools := m.allowed(b)
		if slices.ContainsFunc(pools,
			func(pool int32) bool { return b.CostIn(m.pools, pool) != b.CostIn(m.pools, pools[0]) }) {
			return false
		}
	}
	return true
}
