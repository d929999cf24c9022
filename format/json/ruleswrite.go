package json

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/stowage-go/stowage/model"
)

// Rules are written in the order of model.Rules, a list a key, an item a line.

// says reports whether a problem has rules that a file must have.
func says(p *model.Problem) bool {
	r := p.Rules
	if r == nil {
		return false
	}
	if len(r.Pools)+len(r.Together)+len(r.Apart)+len(r.MayOverlap)+len(r.Distances)+len(r.Penalties)+len(r.Objective)+
		len(r.BankRules()) > 0 || r.Threads != 0 || r.Period != 0 {
		return true
	}
	for i := range p.Buffers {
		if p.Buffers[i].Extra != nil {
			return true
		}
	}
	return false
}

// writableRules says why the rules cannot be written, if so: an index that is none, or a name that is not valid UTF-8.
func writableRules(p *model.Problem, plan *Plan) error {
	r := p.Rules
	for k := range r.Pools {
		if !utf8.ValidString(r.Pools[k].ID) {
			return fmt.Errorf("json: the ID %q of pool number %d is not valid UTF-8", r.Pools[k].ID, k+1)
		}
	}
	for _, m := range r.Objective {
		if !utf8.ValidString(string(m)) {
			return fmt.Errorf("json: the measure %q is not valid UTF-8", m)
		}
	}
	buffer := func(what string, all ...int32) error {
		for _, i := range all {
			if i < 0 || int(i) >= len(p.Buffers) {
				return fmt.Errorf("json: %s has the buffer of index %d; there are %d", what, i, len(p.Buffers))
			}
		}
		return nil
	}
	pool := func(what string, all ...int32) error {
		for _, k := range all {
			if k < 0 || int(k) >= len(r.Pools) {
				return fmt.Errorf("json: %s has the pool of index %d; there are %d", what, k, len(r.Pools))
			}
		}
		return nil
	}
	var errs []error
	for _, t := range r.Together {
		errs = append(errs, buffer("together", t.Buffers...))
	}
	for _, pair := range r.Apart {
		errs = append(errs, buffer("apart", pair[:]...))
	}
	for _, pair := range r.MayOverlap {
		errs = append(errs, buffer("may_overlap", pair[:]...))
	}
	for _, x := range r.Listings() {
		for _, list := range *x.Lists {
			errs = append(errs, buffer(x.Name, list...))
		}
	}
	for _, x := range r.Penalties {
		errs = append(errs, buffer("penalties", x.Buffers[:]...))
	}
	for k := range r.Groups {
		for _, x := range r.Groups[k].Pairs {
			errs = append(errs, buffer("groups", x[:]...))
		}
	}
	for _, x := range r.Distances {
		errs = append(errs, buffer("distances", x.Buffers[:]...))
	}
	for i := range p.Buffers {
		x := p.Buffers[i].Extra
		if x == nil {
			continue
		}
		errs = append(errs, pool("buffer "+p.Buffers[i].ID, x.Pools...))
		for _, c := range x.Costs {
			errs = append(errs, pool("buffer "+p.Buffers[i].ID, c.Pool))
		}
	}
	if plan != nil && plan.Offsets != nil {
		if several := len(r.Pools) > 1; several && len(plan.Pools) != len(p.Buffers) || len(r.Pools) == 0 &&
			len(plan.Pools) > 0 {
			return fmt.Errorf("json: the plan has %d pools for %d buffers", len(plan.Pools), len(p.Buffers))
		}
		for _, k := range plan.Pools {
			if k != model.Absent || !r.HasAlternatives() {
				errs = append(errs, pool("the plan", k))
			}
		}
		for _, x := range plan.Parts {
			errs = append(errs, buffer("the plan", x.Buffer))
			for _, part := range x.Parts {
				if len(r.Pools) > 0 {
					errs = append(errs, pool("the plan", part.Pool))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// items writes a key with a list of n items, a line each; nothing if there are none.
func (e *encoder) items(key string, n int, item func(k int)) {
	if n == 0 {
		return
	}
	e.str(",\n  \"").str(key).str("\": [")
	for k := range n {
		if k > 0 {
			e.str(",")
		}
		e.str("\n    ")
		item(k)
		e.flush(false)
	}
	e.str("\n  ]")
}

// inline writes a list of n items in one line.
func (e *encoder) inline(n int, item func(k int)) *encoder {
	e.str("[")
	for k := range n {
		if k > 0 {
			e.str(", ")
		}
		item(k)
		e.flush(false)
	}
	return e.str("]")
}

func (e *encoder) ints(all []int64) *encoder {
	return e.inline(len(all), func(k int) { e.int(all[k]) })
}

// rulesAbove writes the rules that stand before the buffers.
func (e *encoder) rulesAbove(r *model.Rules) {
	e.items("pools", len(r.Pools), func(k int) {
		p := &r.Pools[k]
		e.str(`{"id": `).quote(p.ID)
		for _, x := range []struct {
			key   string
			value int64
		}{{"capacity", p.Capacity}, {"alignment", p.Alignment}, {"cost", p.Cost}} {
			if x.value != 0 {
				e.str(`, "`).str(x.key).str(`": `).int(x.value)
			}
		}
		if len(p.Reserved) > 0 {
			e.str(`, "reserved": `).inline(len(p.Reserved), func(k int) {
				e.ints([]int64{p.Reserved[k].Lower, p.Reserved[k].Upper})
			})
		}
		if p.Objects {
			e.str(`, "objects": true`)
		}
		if len(p.Sizes) > 0 {
			e.str(`, "sizes": `).inline(len(p.Sizes), func(k int) { e.ints([]int64{p.Sizes[k].Bytes, p.Sizes[k].Price}) })
		}
		if p.Granularity > 0 {
			e.str(`, "granularity": `).int(p.Granularity)
		}
		if len(p.Borders) > 0 {
			e.str(`, "borders": `).ints(p.Borders)
		}
		e.str("}")
	})
	if r.Threads != 0 {
		e.str(",\n  \"threads\": ").int(int64(r.Threads))
	}
	if r.Period != 0 {
		e.str(",\n  \"period\": ").time(r.Period)
	}
	if len(r.Objective) > 0 {
		e.str(",\n  \"objective\": ").inline(len(r.Objective), func(k int) { e.quote(string(r.Objective[k])) })
	}
}

// extra writes what the rules say of a buffer.
func (e *encoder) extra(p *model.Problem, x *model.Extra) {
	pools := p.AllPools()
	if x.Pools != nil {
		e.str(`, "pools": `).inline(len(x.Pools), func(k int) { e.quote(pools[x.Pools[k]].ID) })
	}
	if len(x.Costs) > 0 {
		e.str(`, "costs": {`)
		for k, c := range x.Costs {
			if k > 0 {
				e.str(", ")
			}
			e.quote(pools[c.Pool].ID).str(": ").int(c.Cost)
		}
		e.str("}")
	}
	if x.Spans && p.Rules.HasBorders() {
		e.str(`, "spans": true`)
	}
	if len(x.Evictions) > 0 {
		e.str(`, "evictions": `).inline(len(x.Evictions), func(k int) {
			v := &x.Evictions[k]
			e.str(`{"lower": `).time(v.Lower).str(`, "upper": `).time(v.Upper).str(`, "cost": `).int(v.Cost).str("}")
		})
	}
}

// rulesBelow writes the rules that name buffers.
func (e *encoder) rulesBelow(p *model.Problem) {
	r := p.Rules
	name := func(i int32) { e.quote(p.Buffers[i].ID) }
	pair := func(x model.Pair) *encoder { return e.inline(2, func(k int) { name(x[k]) }) }
	e.items("together", len(r.Together), func(k int) {
		t := &r.Together[k]
		e.str(`{"buffers": `).inline(len(t.Buffers), func(k int) { name(t.Buffers[k]) })
		if t.At != nil {
			e.str(`, "at": `).ints(t.At)
		}
		e.str("}")
	})
	e.items("apart", len(r.Apart), func(k int) { pair(r.Apart[k]) })
	e.items("may_overlap", len(r.MayOverlap), func(k int) { pair(r.MayOverlap[k]) })
	list := func(x []int32) { e.inline(len(x), func(k int) { name(x[k]) }) }
	for _, x := range r.Listings() {
		e.items(x.Name, len(*x.Lists), func(k int) { list((*x.Lists)[k]) })
	}
	e.items("distances", len(r.Distances), func(k int) {
		e.str(`{"buffers": `)
		pair(r.Distances[k].Buffers).str(`, "distance": `).int(r.Distances[k].Distance).str("}")
	})
	e.items("penalties", len(r.Penalties), func(k int) {
		e.str(`{"buffers": `)
		pair(r.Penalties[k].Buffers).str(`, "cost": `).int(r.Penalties[k].Cost).str("}")
	})
	e.groupsBelow(r, pair)
}

// place writes the offset of a buffer; null for an alternative that is not chosen.
func (e *encoder) place(offset int64) {
	if offset == model.Absent {
		e.str("null")
		return
	}
	e.int(offset)
}

// rulesPlan writes what a plan has of rules.
func (e *encoder) rulesPlan(p *model.Problem, plan *Plan) {
	pools := p.AllPools()
	several := len(pools) > 1
	if several && plan.Offsets != nil {
		e.str(",\n    \"pools\": ").inline(len(plan.Pools), func(k int) {
			if q := plan.Pools[k]; q == model.Absent {
				e.str("null")
			} else {
				e.quote(pools[q].ID)
			}
		})
	}
	if len(plan.Parts) > 0 {
		e.str(",\n    \"parts\": {")
		for k, x := range plan.Parts {
			if k > 0 {
				e.str(",")
			}
			e.str("\n      ").quote(p.Buffers[x.Buffer].ID).str(": ").inline(len(x.Parts), func(k int) {
				part := &x.Parts[k]
				e.str(`{"lower": `).time(part.Lower).str(`, "upper": `).time(part.Upper).str(`, "offset": `).int(part.Offset)
				if several {
					e.str(`, "pool": `).quote(pools[part.Pool].ID)
				}
				e.str("}")
			})
		}
		e.str("\n    }")
	}
	values := func(key string, all []model.Value) {
		if all == nil {
			return
		}
		e.str(",\n    \"").str(key).str("\": {")
		for k, v := range all {
			if k > 0 {
				e.str(", ")
			}
			e.quote(string(v.Measure)).str(": ").int(v.Value)
		}
		e.str("}")
	}
	values("measures", plan.Measures)
	values("bounds", plan.Bounds)
}
