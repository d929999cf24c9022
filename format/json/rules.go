package json

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/model"
)

// Idea: version 2 is version 1 with keys for rules. Rules name buffers and pools that may come later in the file. So
// names are kept while the text is walked, and looked up at its end.
//
// Invariant: if the file has no fault, list k of a rule in the problem is list k of the file. So if the model finds a
// fault in apart[k], it is at the line of that list.
//
// Complexity: O(n).
//
// Trials: docs/lab/formats.md (a document type for each version would repeat all but a few keys).

var (
	rulesDocumentKeys = slices.Concat(documentKeys, []string{
		"pools", "together", "apart", "may_overlap", "penalties", "distances", "threads", "period", "objective",
	})
	listKeys          = []string{"different_pools", "same_pool", "lockstep", "kinds", "alternatives", "groups", "scenarios", "symbols"}
	listsDocumentKeys = slices.Concat(rulesDocumentKeys, listKeys)
	rulesBufferKeys   = slices.Concat(bufferKeys, []string{"fixed", "pools", "costs", "evictions"})
	banksBufferKeys   = slices.Concat(rulesBufferKeys, []string{"spans"})
)

// A named is a name in the text, and where it stands.
type named struct {
	name string // a slice of the text
	at   int
}

// A rule is an item of a list of rules.
type rule struct {
	at    int       // where it stands
	pair  [2]string // the names in it, slices of the text
	whole bool      // both names could be read
	value int64     // cost or distance
}

// A tied is an item of together.
type tied struct {
	at      int // where it stands
	buffers []string
	whole   bool
	offsets []int64 // nil for none
}

// A listed is an item of a list of lists of buffers.
type listed struct {
	at      int // where it stands
	buffers []string
	whole   bool // all names could be read
}

// A choice is the part of a buffer about pools.
type choice struct {
	buffer int
	listed bool // there is a list of pools
	pools  []named
	costs  []named
	cost   []int64 // in the order of costs
}

// ruled has what version 2 adds to a document.
type ruled struct {
	two       bool // the file is of version 2 or 3
	three     bool // the file is of version 3
	says      bool // there is a rule
	nameless  bool // a buffer's name could not be read
	rules     model.Rules
	lists     map[string][]rule // pairs, by key
	together  []tied
	groups    []gathered
	named     map[string][]listed // lists of buffers, by key
	items     map[string][]int    // by key, for other lists: where each item stands
	keys      map[string]int      // by key: where the value stands
	choices   []choice
	threadsIn bool // the key threads is there
	claims    claims
}

// versionOf returns the version that the document claims; 1 if it claims none, and 3 if it claims none and sizes vary.
func versionOf(t *source.Text) (version int64, varies bool) {
	w := walker{Text: t}
	if !w.enter('{') {
		return Version, false
	}
	for w.more() {
		key, _ := w.text()
		value := w.value()
		varies = varies || key == "scenarios" || key == "symbols"
		if v, err := strconv.ParseInt(value, 10, 64); key == "version" && err == nil {
			if version = v; v != BanksVersion { // nothing below matters
				return version, false
			}
		}
	}
	switch {
	case version == 0 && varies:
		version = BanksVersion
	case version == 0:
		version = Version
	}
	return version, varies
}

// rule reads the value of a key of the document that only version 2 has.
func (d *decoder) rule(name string) {
	d.peek()
	at := d.pos
	d.keys[name] = at
	r := &d.rules
	switch name {
	case "pools":
		d.list(name, 2*int(unsafe.Sizeof(model.Pool{}))+poolBytes, d.readPool)
	case "together":
		d.list(name, 2*int(unsafe.Sizeof(tied{})+unsafe.Sizeof(model.Together{})), d.readTogether)
	case "apart", "may_overlap":
		d.list(name, pairBytes, func() { d.lists[name] = append(d.lists[name], d.pairOf(name)) })
	case "penalties":
		d.list(name, pairBytes, func() { d.readPair(name, "cost") })
	case "distances":
		d.list(name, pairBytes, func() { d.readPair(name, "distance") })
	case "different_pools", "same_pool", "lockstep", "kinds", "alternatives":
		d.list(name, 2*int(unsafe.Sizeof(listed{})), func() {
			d.peek()
			x := listed{at: d.pos}
			d.sound = true
			d.list(name, 40, func() { x.buffers = append(x.buffers, d.str(name)) })
			x.whole = d.sound
			d.named[name] = append(d.named[name], x)
		})
	case "groups":
		d.list(name, groupBytes, d.readGroup)
	case "threads":
		threads := d.amount(name)
		if threads > maxThreads {
			d.refuse(at, name, strconv.FormatInt(threads, 10), "must be at most "+strconv.Itoa(maxThreads))
		}
		r.Threads, d.threadsIn = int(min(threads, maxThreads)), true
	case "period":
		r.Period = d.time(name)
	case "objective":
		d.list(name, 64, func() {
			d.peek()
			d.items[name] = append(d.items[name], d.pos)
			r.Objective = append(r.Objective, model.Measure(strings.Clone(d.str(name))))
		})
	}
}

// poolBytes is what a pool takes in memory besides itself: its name, its measures, and what follows from it in a plan.
const poolBytes = 1024

// pairBytes is the memory of a pair of buffers: as it is read, and as a rule.
const pairBytes = 2*int(unsafe.Sizeof(rule{})) + 32

// maxThreads is the most clocks that a file may have.
const maxThreads = 1 << 16

var (
	poolKeys     = []string{"id", "capacity", "alignment", "cost", "reserved"}
	bankPoolKeys = slices.Concat(poolKeys, []string{"objects", "borders", "sizes", "granularity"}) // of version 3
)

func (d *decoder) readPool() {
	var p model.Pool
	d.peek()
	d.items["pools"] = append(d.items["pools"], d.pos)
	keys := poolKeys
	if d.three {
		keys = bankPoolKeys
	}
	d.object("pools", keys, 1, func(key int) {
		switch key {
		case 0:
			p.ID = strings.Clone(d.str("pools.id"))
		case 1:
			p.Capacity, _ = d.integer("pools.capacity")
		case 2:
			p.Alignment, _ = d.integer("pools.alignment")
		case 3:
			p.Cost, _ = d.integer("pools.cost")
		case 4:
			d.list("pools.reserved", 2*int(unsafe.Sizeof(model.Range{})), func() {
				lower, upper := d.span("pools.reserved", func(field string) int64 {
					v, _ := d.integer(field)
					return v
				})
				p.Reserved = append(p.Reserved, model.Range{Lower: lower, Upper: upper})
			})
		case 5:
			p.Objects = d.truth("pools.objects")
		case 6:
			p.Borders = d.integers("pools.borders")
		case 8:
			p.Granularity = d.amount("pools.granularity")
		case 7:
			d.list("pools.sizes", 2*int(unsafe.Sizeof(model.Size{})), func() {
				bytes, price := d.span("pools.sizes", func(field string) int64 {
					v, _ := d.integer(field)
					return v
				})
				p.Sizes = append(p.Sizes, model.Size{Bytes: bytes, Price: price})
			})
		}
	})
	p.Fill()
	d.rules.Pools = append(d.rules.Pools, p)
}

// truth reads true or false.
func (d *decoder) truth(field string) bool {
	d.peek()
	at := d.pos
	raw := d.value()
	if raw != "true" && raw != "false" {
		d.refuse(at, field, unquote(raw), "is neither true nor false")
	}
	return raw == "true"
}

// integers reads a list of integers.
func (d *decoder) integers(field string) (all []int64) {
	all = []int64{}
	d.list(field, 16, func() {
		v, _ := d.integer(field)
		all = append(all, v)
	})
	return all
}

// span reads a range, as a pair of numbers.
func (d *decoder) span(field string, number func(field string) int64) (lower, upper int64) {
	d.peek()
	at, sound := d.pos, d.sound
	d.sound = true
	var pair []int64
	d.list(field, 16, func() { pair = append(pair, number(field)) })
	if d.sound && len(pair) != 2 {
		d.refuse(at, field, d.Text.Text[at:d.pos], "is not a pair of integers")
	}
	d.sound = d.sound && sound
	if len(pair) != 2 {
		return 0, 0
	}
	return pair[0], pair[1]
}

// pairOf reads a list of two names.
func (d *decoder) pairOf(field string) (r rule) {
	d.peek()
	r.at, d.sound = d.pos, true
	if d.pos < len(d.Text.Text) && d.Text.Text[d.pos] != '[' {
		d.refuse(r.at, field, unquote(d.value()), "is not a pair of buffers, such as [\"a\", \"b\"]")
		return r
	}
	n := 0
	d.list(field, 0, func() {
		if name := d.str(field); n < 2 {
			r.pair[n] = name
		}
		n++
	})
	if d.sound && n != 2 {
		d.refuse(r.at, field, d.Text.Text[r.at:d.pos], "is not a pair of buffers")
	}
	r.whole = d.sound
	return r
}

// readPair reads a pair of buffers with a number.
func (d *decoder) readPair(name, number string) {
	var r rule
	d.peek()
	at := d.pos
	d.object(name, []string{"buffers", number}, 2, func(key int) {
		switch key {
		case 0:
			pair := d.pairOf(name + ".buffers")
			r.pair, r.whole = pair.pair, pair.whole
		case 1:
			r.value, _ = d.integer(name + "." + number)
		}
	})
	r.at = at
	d.lists[name] = append(d.lists[name], r)
}

func (d *decoder) readTogether() {
	var r tied
	d.peek()
	r.at, d.sound = d.pos, true
	d.object("together", []string{"buffers", "at"}, 1, func(key int) {
		switch key {
		case 0:
			d.list("together.buffers", 40, func() { r.buffers = append(r.buffers, d.str("together.buffers")) })
		case 1:
			r.offsets = d.integers("together.at")
		}
	})
	r.whole = d.sound
	d.ruled.together = append(d.ruled.together, r)
}

// bufferRule reads the value of a key of a buffer that only version 2 has.
func (d *decoder) bufferRule(name string, b *model.Buffer) {
	d.peek()
	switch at := d.pos; name {
	case "fixed":
		if b.Fixed != nil {
			d.refuse(at, name, "", "the buffer has an offset already: fixed and offset say the same")
		}
		b.Fixed = d.pointer(name)
	case "pools":
		c := d.choice()
		c.listed = true
		d.list(name, 2*int(unsafe.Sizeof(named{}))+8, func() {
			d.peek()
			at := d.pos
			c.pools = append(c.pools, named{d.str(name), at})
		})
	case "costs":
		c := d.choice()
		if !d.enter('{') {
			d.refuse(at, name, d.value(), "is not an object")
			return
		}
		for d.more() {
			at := d.pos
			pool, _ := d.text()
			if !d.pay(name, 4*int(unsafe.Sizeof(named{}))) {
				d.value()
				continue
			}
			c.costs = append(c.costs, named{pool, at})
			v, _ := d.integer(name)
			c.cost = append(c.cost, v)
		}
	case "spans":
		if d.truth(name) {
			d.extra(b).Spans = true
		}
	case "evictions":
		var all []model.Eviction
		d.list(name, 2*int(unsafe.Sizeof(model.Eviction{})), func() {
			var e model.Eviction
			d.object("evictions", []string{"lower", "upper", "cost"}, 3, func(key int) {
				switch key {
				case 0:
					e.Lower = d.time("evictions.lower")
				case 1:
					e.Upper = d.time("evictions.upper")
				case 2:
					e.Cost, _ = d.integer("evictions.cost")
				}
			})
			all = append(all, e)
		})
		slices.SortStableFunc(all, func(a, b model.Eviction) int { return cmp.Compare(a.Lower, b.Lower) })
		if len(all) > 0 {
			d.extra(b).Evictions = all
		}
	}
}

// extra returns the rules of a buffer.
func (d *decoder) extra(b *model.Buffer) *model.Extra {
	d.says = true
	if b.Extra == nil {
		b.Extra = &model.Extra{}
	}
	return b.Extra
}

// choice returns the choice of the buffer that is being read.
func (d *decoder) choice() *choice {
	i := len(d.problem.Buffers)
	if n := len(d.choices); n == 0 || d.choices[n-1].buffer != i {
		d.choices = append(d.choices, choice{buffer: i})
	}
	return &d.choices[len(d.choices)-1]
}

// clocks reads a start or an end as a list, a number a thread. It is nil if the next value is one number.
func (d *decoder) clocks(field string) []int64 {
	if !d.two || d.peek() != '[' {
		return nil
	}
	at := d.pos
	all := d.integers(field)
	if len(all) == 0 {
		d.refuse(at, field, "[]", "has no clocks")
	}
	for _, v := range all {
		if most := model.MaxSum / int64(len(all)); v < 0 || v > most {
			d.refuse(at, field, strconv.FormatInt(v, 10), fmt.Sprintf("each clock must be from 0 to %d", most))
		}
	}
	return all
}

// setClocks sets the lifespan of a buffer by clocks, if it has one.
func (d *decoder) setClocks(at int, b *model.Buffer, lower, upper []int64) {
	switch {
	case lower == nil && upper == nil || !d.sound:
	case len(lower) != len(upper):
		d.refuse(at, "upper", "", fmt.Sprintf("lower and upper must have as many clocks: they have %d and %d", len(lower),
			len(upper)))
	case d.names.inclusive:
		d.refuse(at, d.names.upper, "", "cannot be inclusive by clocks: name the key upper")
	default:
		d.says = true
		b.SetClocks(lower, upper)
		if !d.threadsIn && d.rules.Threads == 0 {
			d.rules.Threads = len(lower)
		}
	}
}

// resolve looks up the names and makes the rules of the problem. If the file has a fault, the problem gets no rules, so
// that the rest can be checked without them.
func (d *decoder) resolve() {
	d.sound = true
	if !d.nameless && d.listed {
		d.resolveBuffers()
	}
	d.resolvePools()
	r := &d.rules
	d.says = d.says || len(r.Pools)+len(r.Together)+len(r.Apart)+len(r.MayOverlap)+len(r.Penalties)+
		len(r.Distances)+len(r.Objective)+len(r.BankRules()) > 0 || r.Threads != 0 || r.Period != 0
	if d.issues.Err() == nil {
		if d.says {
			rules := *r // a pointer into d would keep the text
			d.problem.Rules = &rules
		}
		return
	}
	for i := range d.problem.Buffers {
		if b := &d.problem.Buffers[i]; b.Extra != nil {
			if b.Extra = nil; b.Upper <= b.Lower {
				b.Upper = b.Lower + 1 // sums of clocks
			}
		}
	}
}

// A lookup finds the indices of names.
type lookup struct {
	d     *decoder
	what  string // for messages
	index map[string]int32
	bad   int
}

func (l *lookup) of(at int, field, name string) int32 {
	i, ok := l.index[name]
	if ok {
		return i
	}
	message := "is no " + l.what + " of the problem"
	if l.bad++; l.bad <= model.MaxIssues { // no more are shown
		if near := suggest.Nearest(name, slices.Sorted(maps.Keys(l.index))); len(near) > 0 {
			message += ": did you mean " + strings.Join(near, " or ") + "?"
		}
	}
	l.d.refuse(at, field, name, message)
	return 0
}

func (d *decoder) resolveBuffers() {
	l := lookup{d: d, what: "buffer"}
	d.claims.buffers = &l
	if len(d.lists)+len(d.together)+len(d.named)+len(d.groups)+len(d.claims.parts) == 0 {
		return
	}
	l.index = make(map[string]int32, len(d.problem.Buffers))
	for i := range d.problem.Buffers {
		l.index[d.problem.Buffers[i].ID] = int32(i)
	}
	r := &d.rules
	for _, x := range d.together {
		t := model.Together{At: x.offsets}
		for _, name := range x.buffers {
			if x.whole {
				t.Buffers = append(t.Buffers, l.of(x.at, "together", name))
			}
		}
		r.Together = append(r.Together, t)
	}
	all := func(key string) (lists [][]int32) {
		for _, x := range d.named[key] {
			var list []int32
			for _, name := range x.buffers {
				if x.whole {
					list = append(list, l.of(x.at, key, name))
				}
			}
			lists = append(lists, list)
		}
		return lists
	}
	for _, x := range r.Listings() {
		*x.Lists = all(x.Name)
	}
	d.resolveGroups(&l)
	each := func(key string, add func(pair model.Pair, value int64)) {
		for _, x := range d.lists[key] {
			if x.whole {
				add(model.Pair{l.of(x.at, key, x.pair[0]), l.of(x.at, key, x.pair[1])}, x.value)
			}
		}
	}
	each("apart", func(pair model.Pair, _ int64) { r.Apart = append(r.Apart, pair) })
	each("may_overlap", func(pair model.Pair, _ int64) { r.MayOverlap = append(r.MayOverlap, pair) })
	each("penalties", func(pair model.Pair, cost int64) {
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: pair, Cost: cost})
	})
	each("distances", func(pair model.Pair, distance int64) {
		r.Distances = append(r.Distances, model.Distance{Buffers: pair, Distance: distance})
	})
}

func (d *decoder) resolvePools() {
	l := lookup{d: d, what: "pool", index: make(map[string]int32, len(d.rules.Pools))}
	for k := range d.rules.Pools {
		if _, again := l.index[d.rules.Pools[k].ID]; !again {
			l.index[d.rules.Pools[k].ID] = int32(k)
		}
	}
	d.claims.pools = &l
	// 1 + the last buffer that names a pool
	listed, priced := make([]int, len(d.rules.Pools)), make([]int, len(d.rules.Pools))
	for _, c := range d.choices {
		b := &d.problem.Buffers[c.buffer]
		d.inside = true
		x := d.extra(b)
		if c.listed {
			x.Pools = make([]int32, 0, len(c.pools))
		}
		for _, p := range c.pools {
			if k, ok := d.once(&l, p, "pools", listed, c.buffer); ok {
				x.Pools = append(x.Pools, k)
			}
		}
		for k, p := range c.costs {
			if pool, ok := d.once(&l, p, "costs", priced, c.buffer); ok {
				x.Costs = append(x.Costs, model.PoolCost{Pool: pool, Cost: c.cost[k]})
			}
		}
		d.release(b.ID)
	}
}

// once looks up a pool that a buffer may name only once.
func (d *decoder) once(l *lookup, p named, field string, last []int, buffer int) (int32, bool) {
	bad := l.bad
	k := l.of(p.at, field, p.name)
	switch {
	case l.bad > bad:
		return 0, false
	case last[k] == buffer+1:
		d.refuse(p.at, field, p.name, "is a duplicate: the buffer names the pool twice")
		return 0, false
	}
	last[k] = buffer + 1
	return k, true
}

// ruleAt returns where the rule stands that the model names in a field, such as apart[3].
func (d *decoder) ruleAt(field string) (at int, ok bool) {
	name, rest, indexed := strings.Cut(field, "[")
	if indexed {
		number, _, _ := strings.Cut(rest, "]")
		if k, err := strconv.Atoi(number); err == nil {
			if list := d.lists[name]; k < len(list) {
				return list[k].at, true
			}
			if list := d.named[name]; k < len(list) {
				return list[k].at, true
			}
			if list := d.items[name]; k < len(list) {
				return list[k], true
			}
			if list := d.together; name == "together" && k < len(list) {
				return list[k].at, true
			}
		}
	}
	at, ok = d.keys[name]
	return at, ok
}
