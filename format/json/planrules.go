package json

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/model"
)

// What a plan of version 2 says beyond offsets: pools, parts, measures and bounds. Its names are
// looked up after those of the rules.

var rulesPlanKeys = slices.Concat(planKeys, []string{"pools", "parts", "measures", "bounds"})

// claims has what a plan of version 2 says, by names.
type claims struct {
	buffers, pools            *lookup // set by resolve
	poolsAt                   int     // where the pools stand; 0 for none
	poolOf                    []named // of each buffer
	parts                     []parted
	measuresAt, boundsAt      int
	measures, bounds          []model.Value
	measuresPlace, boundPlace []int // where each stands
}

// parted has the parts of one buffer.
type parted struct {
	buffer named
	parts  []model.Part
	pools  []named // of each part; the name is empty if it has none
	places []int
}

// claim reads the value of a key of a plan that only version 2 has.
func (d *decoder) claim(name string) {
	d.peek()
	c := &d.claims
	switch at := d.pos; name {
	case "pools":
		c.poolsAt = at
		d.list("plan.pools", 2*int(unsafe.Sizeof(named{}))+4, func() {
			d.peek()
			at := d.pos
			if x := (named{at: at}); d.three && d.peek() == 'n' {
				d.value()
				c.poolOf = append(c.poolOf, x)
				return
			}
			c.poolOf = append(c.poolOf, named{d.str("plan.pools"), at})
		})
	case "parts":
		d.members("plan.parts", func(buffer named) {
			x := parted{buffer: buffer}
			d.list("plan.parts", 2*int(unsafe.Sizeof(model.Part{})+unsafe.Sizeof(named{}))+16, func() { d.readPart(&x) })
			c.parts = append(c.parts, x)
		})
	case "measures":
		c.measuresAt = at
		c.measures, c.measuresPlace = d.values("plan.measures")
	case "bounds":
		c.boundsAt = at
		c.bounds, c.boundPlace = d.values("plan.bounds")
	}
}

// placeOf reads the offset of a buffer in a plan: a number, or null for an alternative that is not chosen, which may be
// -1.
func (d *decoder) placeOf() int64 {
	if c := d.peek(); d.three && (c == 'n' || c == '-') {
		at := d.pos
		if raw := d.value(); raw == "null" || raw == "-1" {
			return model.Absent
		}
		d.pos = at
	}
	return d.amount("plan.offsets")
}

// members walks an object with keys of its own, and calls member at each value.
func (d *decoder) members(field string, member func(key named)) {
	d.peek()
	at := d.pos
	if !d.enter('{') {
		d.refuse(at, field, d.value(), "is not an object")
		return
	}
	seen := map[string]bool{}
	for d.more() {
		at := d.pos
		key, _ := d.text()
		d.peek()
		if !d.pay(field, 2*int(unsafe.Sizeof(parted{}))+48) {
			d.value()
			continue
		}
		if seen[key] {
			d.refuse(at, field, key, "is a duplicate: the key appears twice")
			d.value()
			continue
		}
		seen[key] = true
		member(named{key, at})
	}
}

func (d *decoder) values(field string) (all []model.Value, places []int) {
	d.members(field, func(key named) {
		all = append(all, model.Value{Measure: model.Measure(strings.Clone(key.name)), Value: d.amount(field)})
		places = append(places, key.at)
	})
	return all, places
}

var partKeys = []string{"lower", "upper", "offset", "pool"}

func (d *decoder) readPart(x *parted) {
	var p model.Part
	var pool named
	d.peek()
	at := d.pos
	d.object("plan.parts", partKeys, 3, func(key int) {
		switch key {
		case 0:
			p.Lower = d.time("plan.parts.lower")
		case 1:
			p.Upper = d.time("plan.parts.upper")
		case 2:
			p.Offset = d.amount("plan.parts.offset")
		case 3:
			pool.at = d.pos
			pool.name = d.str("plan.parts.pool")
		}
	})
	x.parts, x.pools, x.places = append(x.parts, p), append(x.pools, pool), append(x.places, at)
}

// resolveClaims looks up the names of a plan. It needs a problem with nothing wrong.
func (d *decoder) resolveClaims() {
	c, plan := &d.claims, d.plan
	several := len(d.rules.Pools) > 1
	switch {
	case c.poolsAt == 0 && several && plan.Offsets != nil:
		d.refuse(d.planAt, "plan.pools", "", "the key is missing: the problem has several pools")
	case c.poolsAt > 0 && plan.Offsets == nil:
		d.refuse(c.poolsAt, "plan.pools", "", "the plan has pools but no offsets")
	case c.poolsAt > 0 && len(c.poolOf) != len(d.problem.Buffers):
		d.refuse(c.poolsAt, "plan.pools", "",
			"has "+strconv.Itoa(len(c.poolOf))+" values for "+strconv.Itoa(len(d.problem.Buffers))+" buffers")
	default:
		for i, p := range c.poolOf {
			if p.name == "" && i < len(plan.Offsets) {
				if several {
					plan.Pools = append(plan.Pools, model.Absent)
				}
				if plan.Offsets[i] != model.Absent {
					d.refuse(p.at, "plan.pools", d.problem.Buffers[i].ID, "has an offset, but no pool")
				}
				continue
			}
			pool := c.pools.of(p.at, "plan.pools", p.name)
			if several { // one pool goes without saying
				plan.Pools = append(plan.Pools, pool)
			}
		}
		if several && plan.Offsets != nil && plan.Pools == nil {
			plan.Pools = []int32{}
		}
	}
	lacks := d.problem.MayLack()
	for i, at := range plan.Offsets {
		if at == model.Absent && i < len(lacks) && !lacks[i] {
			d.refuse(d.offsetsAt, "plan.offsets", d.problem.Buffers[i].ID, "has no offset, but is in no list of alternatives")
		} else if at == model.Absent && i < len(plan.Pools) && plan.Pools[i] != model.Absent {
			d.refuse(c.poolsAt, "plan.pools", d.problem.Buffers[i].ID, "has a pool, but no offset")
		}
	}
	for k := range c.parts {
		d.resolveParts(&c.parts[k])
	}
	slices.SortFunc(plan.Parts, func(a, b model.Parts) int { return cmp.Compare(a.Buffer, b.Buffer) })
	if plan.Offsets == nil && c.measuresAt > 0 {
		d.refuse(c.measuresAt, "plan.measures", "", "the plan has measures but no offsets")
	}
	plan.Measures, plan.Bounds = c.measures, c.bounds
}

func (d *decoder) resolveParts(x *parted) {
	c, plan, field := &d.claims, d.plan, "plan.parts"
	bad := c.buffers.bad
	buffer := c.buffers.of(x.buffer.at, field, x.buffer.name)
	switch {
	case c.buffers.bad > bad:
		return
	case plan.Offsets == nil:
		d.refuse(x.buffer.at, field, x.buffer.name, "the plan has parts but no offsets")
		return
	case len(x.parts) < 2:
		d.refuse(x.buffer.at, field, x.buffer.name,
			"has "+strconv.Itoa(len(x.parts))+" parts: a buffer without a taken eviction has none, others two or more")
		return
	}
	for k := range x.parts {
		p := &x.parts[k]
		switch {
		case x.pools[k].name != "":
			p.Pool = c.pools.of(x.pools[k].at, field+".pool", x.pools[k].name)
		case len(d.rules.Pools) > 1:
			d.refuse(x.places[k], field+".pool", "", "the key is missing: the problem has several pools")
		}
		if p.Upper <= p.Lower || k > 0 && p.Lower <= x.parts[k-1].Upper {
			d.refuse(x.places[k], field, x.buffer.name, "parts must be in the order of time, with an eviction between")
		}
	}
	first := x.parts[0]
	if int(buffer) < len(plan.Offsets) && plan.Offsets[buffer] != first.Offset {
		d.refuse(x.places[0], field, x.buffer.name,
			"the first part is at "+strconv.FormatInt(first.Offset, 10)+", the offset of the buffer is "+
				strconv.FormatInt(plan.Offsets[buffer], 10))
	}
	if int(buffer) < len(plan.Pools) && plan.Pools[buffer] != first.Pool {
		d.refuse(x.places[0], field, x.buffer.name, "the first part is in another pool than the buffer")
	}
	plan.Parts = append(plan.Parts, model.Parts{Buffer: buffer, Parts: x.parts})
}

// checkMeasures compares what a plan says of its measures with its offsets.
func (d *decoder) checkMeasures() {
	c, plan := &d.claims, d.plan
	given := model.MeasuresOf(&d.problem, &model.Plan{Offsets: plan.Offsets, Pools: plan.Pools, Parts: plan.Parts})
	known := func(v model.Value, at int, field string) bool {
		ok := slices.ContainsFunc(given, func(g model.Value) bool { return g.Measure == v.Measure })
		if !ok {
			ok = d.onePool(v.Measure)
		}
		if !ok {
			d.refuse(at, field, string(v.Measure), "is no measure of the problem")
		}
		return ok
	}
	for k, v := range c.measures {
		if is := d.valueOf(given, v.Measure); known(v, c.measuresPlace[k], "plan.measures") && is != v.Value {
			d.refuse(c.measuresPlace[k], "plan.measures."+string(v.Measure), strconv.FormatInt(v.Value, 10),
				"the plan gives "+strconv.FormatInt(is, 10))
		}
	}
	// A bound is for plans with the best values of the measures before it. So no statement is possible after the
	// first one that is not reached.
	reached := true
	objective := d.problem.Objective()
	for k, v := range c.bounds {
		if known(v, c.boundPlace[k], "plan.bounds") && !slices.Contains(objective, v.Measure) {
			d.refuse(c.boundPlace[k], "plan.bounds", string(v.Measure), "is not in the objective")
		}
	}
	for _, m := range objective {
		k := slices.IndexFunc(c.bounds, func(v model.Value) bool { return v.Measure == m })
		if k < 0 || !reached {
			break
		}
		is, bound := d.valueOf(given, m), c.bounds[k].Value
		refuse := func(message string) {
			d.refuse(c.boundPlace[k], "plan.bounds."+string(m), strconv.FormatInt(bound, 10), message)
		}
		switch {
		case bound > is:
			refuse("is above what the plan gives, " + strconv.FormatInt(is, 10))
		case bound < is && plan.Status == model.Optimal:
			refuse("is below what the plan gives, " + strconv.FormatInt(is, 10) + ", but the status is optimal")
		}
		reached = bound == is
	}
	d.checkHeight(model.ValueOf(given, model.MeasureHeight), objective[0] == model.MeasureHeight)
}

// onePool reports whether m is height or peak of the only pool, which are not among the measures.
func (d *decoder) onePool(m model.Measure) bool {
	return len(d.rules.Pools) == 1 && (m == model.HeightIn(d.rules.Pools[0].ID) || m == model.PeakIn(d.rules.Pools[0].ID))
}

// valueOf returns the value of a measure.
func (d *decoder) valueOf(given []model.Value, m model.Measure) int64 {
	if d.onePool(m) {
		name, _, _ := strings.Cut(string(m), ":")
		m = model.Measure(name)
	}
	return model.ValueOf(given, m)
}
