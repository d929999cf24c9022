package dsa

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: the part of a file with pools and buffers. Their numbers may be any of 32 bits, and other parts refer to
// them, so numbers become indices only when the whole file is read.
//
// Invariant: pool k and buffer k of the problem are pool k and buffer k of the file.
//
// Complexity: O(n log n), for intervals that are in no order.

func (d *reader) readProblem() error {
	return d.object("problem", func(key string, at int64) error {
		switch key {
		case "pools":
			return list(d, key, &d.pools, func(x *pool, at int64) { x.at = at })
		case "buffers":
			return list(d, key, &d.buffers, func(x *buffer, at int64) { x.at = at })
		case "constraints":
			return d.object(key, d.readConstraint)
		case "cost_model":
			return d.object(key, d.readCosts)
		case "objective":
			return d.readObjective(at)
		case "pypto_structure":
			return d.skip()
		}
		return d.unknown(key, at)
	})
}

// number gives each buffer and pool its index.
func (d *reader) number() {
	d.poolOf, d.bufferOf = make(map[int64]int32, len(d.pools)), make(map[int64]int32, len(d.buffers))
	if len(d.pools) == 0 {
		d.refuse(0, "pools", "", "there is no pool")
	}
	add := func(of map[int64]int32, k int, id *int64, field string, at int64) {
		if id == nil {
			d.refuse(at, field+".id", "", "the key is missing")
		} else if _, again := of[*id]; again {
			d.refuse(at, field+".id", strconv.FormatInt(*id, 10), "is a duplicate")
		} else {
			of[*id] = int32(k)
		}
	}
	for k := range d.pools {
		add(d.poolOf, k, d.pools[k].ID, "pools", d.pools[k].at)
	}
	for k := range d.buffers {
		add(d.bufferOf, k, d.buffers[k].ID, "buffers", d.buffers[k].at)
	}
}

// index looks up a number.
func (d *reader) index(of map[int64]int32, id *int64, field string, at int64) int32 {
	if id == nil {
		d.refuse(at, field, "", "the key is missing")
		return 0
	}
	k, ok := of[*id]
	if !ok {
		d.refuse(at, field, strconv.FormatInt(*id, 10), "there is none with this id")
	}
	return k
}

// unique reports whether n names are all there and different.
func unique(n int, name func(k int) string) bool {
	seen := make(map[string]bool, n)
	for k := range n {
		if name(k) == "" || seen[name(k)] {
			return false
		}
		seen[name(k)] = true
	}
	return true
}

// make makes the problem.
func (d *reader) make() {
	r := &model.Rules{}
	p := &d.problem
	p.Name, p.Rules = strings.Clone(d.name), r
	named := unique(len(d.pools), func(k int) string { return d.pools[k].Name })
	for k := range d.pools {
		r.Pools = append(r.Pools, d.makePool(&d.pools[k], named))
	}
	named = unique(len(d.buffers), func(k int) string { return d.buffers[k].Name })
	p.Buffers = make([]model.Buffer, 0, len(d.buffers))
	for k := range d.buffers {
		p.Buffers = append(p.Buffers, d.makeBuffer(&d.buffers[k], named))
	}
	d.makeConstraints()
	d.makePenalties()
	if d.issues.Err() != nil {
		return
	}
	body, _, _ := model.BodiesOf(p)
	d.widen(body)
	for k := range d.pins {
		d.pin(&d.pins[k], body)
	}
	d.objective()
}

func (d *reader) makePool(x *pool, named bool) model.Pool {
	p := model.Pool{ID: strings.Clone(x.Name)}
	if !named {
		p.ID = strconv.FormatInt(*x.ID, 10)
	}
	if x.Capacity != nil {
		if p.Capacity = *x.Capacity; p.Capacity == 0 { // here 0 means none
			d.refuse(x.at, "pools.capacity", "0", "must be at least 1, or null for none")
		}
	}
	for _, s := range x.Reserved {
		if s.Begin == nil || s.End == nil {
			d.refuse(x.at, "pools.reserved_ranges", "", "needs begin and end")
			continue
		}
		p.Reserved = append(p.Reserved, model.Range{Lower: *s.Begin, Upper: *s.End})
	}
	return p
}

func (d *reader) makeBuffer(x *buffer, named bool) model.Buffer {
	b := model.Buffer{ID: strings.Clone(x.Name), Alignment: cmp.Or(x.Alignment, 1)}
	if !named {
		b.ID = strconv.FormatInt(*x.ID, 10)
	}
	refuse := func(field, message string) {
		issue := d.place(x.at)
		issue.Buffer, issue.Field, issue.Message = source.Clip(b.ID), field, message
		d.issues.Add(issue)
	}
	if x.Size == nil {
		refuse("size", "the key is missing")
		return b
	}
	b.Size = *x.Size
	live := make([]model.Range, 0, len(x.Live))
	for _, s := range x.Live {
		if s.Lower == nil || s.Upper == nil || *s.Lower >= *s.Upper {
			refuse("live_intervals", "needs lower and upper, and lower below upper")
			return b
		}
		live = append(live, model.Range{Lower: *s.Lower, Upper: *s.Upper})
	}
	if len(live) == 0 {
		refuse("live_intervals", "the buffer is never live")
		return b
	}
	slices.SortFunc(live, func(a, b model.Range) int { return cmp.Compare(a.Lower, b.Lower) })
	b.Lower, b.Upper = live[0].Lower, live[0].Upper
	for _, s := range live[1:] {
		if s.Lower > b.Upper {
			b.Gaps = append(b.Gaps, model.Gap{Lower: b.Upper, Upper: s.Lower})
		}
		b.Upper = max(b.Upper, s.Upper)
	}
	var pools []int32
	for k := range x.Allowed {
		pool := d.index(d.poolOf, &x.Allowed[k], "allowed_pools", x.at)
		if slices.Contains(pools, pool) && d.issues.Err() == nil {
			refuse("allowed_pools", "names a pool twice")
		}
		pools = append(pools, pool)
	}
	if len(pools) == 0 {
		refuse("allowed_pools", "the buffer may be in no pool")
	}
	if len(pools) < len(d.pools) {
		b.Extra = &model.Extra{Pools: pools}
	}
	return b
}

// validate checks the problem, and says where a fault stands.
func (d *reader) validate() {
	names := map[string]string{
		"lower": "live_intervals", "upper": "live_intervals", "gaps": "live_intervals", "pools": "allowed_pools",
		"offset": "pinned_allocations.offset",
	}
	err := model.ValidateAs(&d.problem, model.Terms{
		Where: func(i int) model.Issue {
			if i < 0 {
				return model.Issue{File: d.File}
			}
			return d.place(d.buffers[i].at)
		},
		Name: func(field string) string { return cmp.Or(names[field], field) },
	})
	var e *model.InputError
	if errors.As(err, &e) {
		for k := range e.Issues {
			d.locate(&e.Issues[k])
		}
	}
	d.issues.Join(err)
}

// locate gives a fault of a rule its line and the name that the file has for the rule.
func (d *reader) locate(issue *model.Issue) {
	issue.File, issue.Buffer, issue.Value = d.File, source.Clip(issue.Buffer), source.Clip(issue.Value)
	name, rest, _ := strings.Cut(issue.Field, "[")
	number, rest, _ := strings.Cut(rest, "]")
	k, err := strconv.Atoi(number)
	if err != nil {
		k = math.MaxInt
	}
	for _, l := range []struct {
		model, file string
		list        []pair
	}{
		{"apart", "separations", d.apart},
		{"may_overlap", "temporal_exclusions", d.free},
		{"penalties", "reuse_penalties", d.paid},
		{"together", "colocations", d.together},
	} {
		if name == l.model && issue.Buffer == "" {
			if issue.Field = l.file + rest; k < len(l.list) {
				issue.Line = d.place(l.list[k].at).Line
			}
		}
	}
	if name == "pools" && k < len(d.pools) {
		issue.Field, issue.Line = "pools"+rest, d.place(d.pools[k].at).Line
	}
}
