package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: this file reads the rules again, from Problem.Rules alone. A plan is a list of stays. A stay is a buffer, or a
// part of one, in a pool at an offset. The stays of each pool are cut into rectangles of time × bytes, and overlap.go
// finds those that intersect. These pairs may intersect:
//
//	one body     at all times
//	apart        are not checked here, but pair by pair in separate: they share no byte at any time
//	may_overlap  at all times
//	distance     if offset of the first - offset of the second >= distance
//
// A life that crosses the end of a period is cut there. Clocks have no line of time. With clocks, all rectangles last
// from 0 to 1, and pairs that the clocks order may intersect, too.
//
// Invariant: this file calls nothing of model.Conflicts, model.MeasuresOf, model.BodiesOf or
// internal/lower, so a mistake there cannot hide here.
//
// Complexity: O(n log n) for n stays, gaps, ties and listed pairs, and O(log n) for each pair of
// stays that share bytes and time, permitted or not. With clocks those are all pairs that share bytes.

// CheckPlan checks a plan against a problem. Without rules the problem has one pool, of p.Capacity. CheckPlan checks
// every rule, the pools and parts of the plan, and plan.Height, which is the sum over pools. A negative height claims
// nothing. The plan may have any numbers. model.Validate should accept the problem.
func CheckPlan(p *model.Problem, plan *model.Plan) *model.Report {
	return CheckMeasures(p, plan, nil)
}

// CheckMeasures is CheckPlan for a plan that claims measures. It also compares them with the actual ones.
func CheckMeasures(p *model.Problem, plan *model.Plan, claimed []model.Value) *model.Report {
	return checkPlan(p, plan, claimed, MaxOverlaps)
}

// FirstOf returns the first violation of a plan as text, or "" if the plan is valid. It checks what
// CheckPlan checks, and stops at the first overlap. model.Validate should accept the problem.
func FirstOf(p *model.Problem, plan *model.Plan) string {
	if r := checkPlan(p, plan, nil, 1); !r.OK() {
		return r.Violations[0].Message
	}
	return ""
}

// MeasuresOf returns the same as model.MeasuresOf, by code of its own. It is nil if the number of
// offsets is not that of the buffers.
func MeasuresOf(p *model.Problem, plan *model.Plan) []model.Value {
	return checkPlan(p, plan, nil, 1).Measures
}

func checkPlan(p *model.Problem, plan *model.Plan, claimed []model.Value, most int) *model.Report {
	c := &ruled{p: p, plan: plan, rules: &model.Rules{}, pools: p.AllPools()}
	if p.Rules != nil {
		c.rules = p.Rules
	}
	var measures []model.Value
	if c.count(p, plan.Offsets) && c.countPools() {
		c.choices()
		c.stays()
		c.union()
		c.lists()
		for k := range c.placed {
			c.one(&c.placed[k])
		}
		c.ties()
		c.poolLists()
		c.objects()
		c.pages()
		for pair := range c.apart {
			c.separate(pair)
		}
		for pool := range c.pools {
			c.overlaps(int32(pool), most)
		}
		measures = c.measures()
		c.claims(claimed, measures)
	}
	r := c.report()
	r.Measures = measures
	return r
}

// stayed is a stay: a buffer, or a part of one, in a pool at an offset.
type stayed struct {
	buffer       int
	lower, upper int64 // the part of the life
	pool         int32 // -1 if there is no such pool
	at           int64
}

// ruled is the state of a check.
type ruled struct {
	checker
	p     *model.Problem
	plan  *model.Plan
	rules *model.Rules
	pools []model.Pool

	absent []bool   // of each buffer, whether it is one of several alternatives, and not the chosen one
	placed []stayed // in the order of the buffers and of time
	first  []int    // of each buffer, its first stay; one more for the end
	body   []int32  // of each buffer, one that stands for its body
	apart  map[model.Pair]bool
	free   map[model.Pair]bool
	near   map[model.Pair][]model.Distance
}

func (c *ruled) countPools() bool {
	n := len(c.p.Buffers)
	switch {
	case c.plan.Pools == nil && (len(c.pools) == 1 || n == 0):
		return true
	case len(c.plan.Pools) == n:
		return true
	}
	c.add(model.RuleCount, -1, -1,
		fmt.Sprintf("the plan has %d pools of buffers, but the problem has %d buffers", len(c.plan.Pools), n))
	return false
}

// stays lists the stays of the plan. A buffer whose parts are wrong counts as a whole.
func (c *ruled) stays() {
	parts := make(map[int32][]model.Part, len(c.plan.Parts))
	for k, x := range c.plan.Parts {
		if x.Buffer < 0 || int(x.Buffer) >= len(c.p.Buffers) {
			c.add(model.RuleParts, -1, -1,
				fmt.Sprintf("the plan has parts of buffer number %d, but the problem has %d buffers", int64(x.Buffer)+1,
					len(c.p.Buffers)))
			continue
		}
		if k > 0 && x.Buffer <= c.plan.Parts[k-1].Buffer {
			c.add(model.RuleParts, int(x.Buffer), -1,
				"the parts of buffer "+quote(c.p.Buffers[x.Buffer].ID)+" are not in the order of the buffers, or are there twice")
			continue
		}
		if c.tile(int(x.Buffer), x.Parts) {
			parts[x.Buffer] = x.Parts
		}
	}
	known := func(i int, pool int32) int32 {
		if pool >= 0 && int(pool) < len(c.pools) {
			return pool
		}
		c.add(model.RulePool, i, -1, fmt.Sprintf("buffer %s is in pool number %d, but there are %d pools",
			quote(c.p.Buffers[i].ID), int64(pool)+1, len(c.pools)))
		return -1
	}
	for i := range c.p.Buffers {
		b := &c.p.Buffers[i]
		c.first = append(c.first, len(c.placed))
		if c.absent[i] {
			continue
		}
		for _, x := range parts[int32(i)] {
			c.placed = append(c.placed, stayed{i, x.Lower, x.Upper, known(i, x.Pool), x.Offset})
		}
		if parts[int32(i)] == nil {
			c.placed = append(c.placed, stayed{i, b.Lower, b.Upper, known(i, c.poolOf(i)), c.plan.Offsets[i]})
		}
	}
	c.first = append(c.first, len(c.placed))
}

func (c *ruled) poolOf(i int) int32 {
	if c.plan.Pools == nil {
		return 0
	}
	return c.plan.Pools[i]
}

// tile reports whether the parts of a buffer and the evictions between them make up its life.
func (c *ruled) tile(i int, parts []model.Part) bool {
	b := &c.p.Buffers[i]
	wrong := func(format string, what ...any) bool {
		c.add(model.RuleParts, i, -1, "buffer "+quote(b.ID)+" "+fmt.Sprintf(format, what...))
		return false
	}
	if len(parts) < 2 {
		return wrong("has %d parts, which is less than two", len(parts))
	}
	last := len(parts) - 1
	if parts[0].Lower != b.Lower || parts[last].Upper != b.Upper {
		return wrong("lives %s, but its parts are from %d to %d", interval(b.Lower, b.Upper), parts[0].Lower,
			parts[last].Upper)
	}
	for k, x := range parts {
		if x.Upper <= x.Lower {
			return wrong("has the part %s, which is empty", interval(x.Lower, x.Upper))
		}
		if k > 0 && !c.taken(b, parts[k-1].Upper, x.Lower) {
			return wrong("is absent at times %s, which is none of its evictions", interval(parts[k-1].Upper, x.Lower))
		}
	}
	if parts[0].Offset != c.plan.Offsets[i] || parts[0].Pool != c.poolOf(i) {
		return wrong("is at offset %d of pool number %d, but its first part at %d of number %d",
			c.plan.Offsets[i], int64(c.poolOf(i))+1, parts[0].Offset, int64(parts[0].Pool)+1)
	}
	return true
}

// taken reports whether [lower, upper) is an eviction of the buffer.
func (c *ruled) taken(b *model.Buffer, lower, upper int64) bool {
	return b.Extra != nil && slices.ContainsFunc(b.Extra.Evictions,
		func(e model.Eviction) bool { return e.Lower == lower && e.Upper == upper })
}

// union finds the bodies. They are a forest: each list of ties hangs its buffers below its first one.
func (c *ruled) union() {
	c.body = make([]int32, len(c.p.Buffers))
	for i := range c.body {
		c.body[i] = int32(i)
	}
	for _, t := range c.rules.Together {
		first := c.present(t.Buffers)
		for _, i := range t.Buffers {
			if !c.absent[i] {
				c.body[c.root(i)] = c.root(t.Buffers[first])
			}
		}
	}
}

func (c *ruled) root(i int32) int32 {
	for c.body[i] != i {
		c.body[i] = c.body[c.body[i]]
		i = c.body[i]
	}
	return i
}

// ordered returns a pair with the smaller index first.
func ordered(a, b int32) model.Pair {
	if a > b {
		a, b = b, a
	}
	return model.Pair{a, b}
}

// lists makes sets of the lists of pairs. A pair of one body is in none.
func (c *ruled) lists() {
	set := func(pairs []model.Pair) map[model.Pair]bool {
		set := make(map[model.Pair]bool, len(pairs))
		for _, x := range pairs {
			if c.root(x[0]) != c.root(x[1]) {
				set[ordered(x[0], x[1])] = true
			}
		}
		return set
	}
	c.apart, c.free = set(c.rules.Apart), set(c.rules.MayOverlap)
	c.near = make(map[model.Pair][]model.Distance, len(c.rules.Distances))
	for _, d := range c.rules.Distances {
		pair := ordered(d.Buffers[0], d.Buffers[1])
		c.near[pair] = append(c.near[pair], d)
	}
}

// in names a pool in messages.
func (c *ruled) in(pool int32) string {
	if id := c.pools[pool].ID; id != "" {
		return " of pool " + quote(id)
	}
	return ""
}

// one checks the rules of one buffer.
func (c *ruled) one(x *stayed) {
	if x.pool < 0 {
		return
	}
	b, q := &c.p.Buffers[x.buffer], &c.pools[x.pool]
	if b.Extra != nil && b.Extra.Pools != nil && !slices.Contains(b.Extra.Pools, x.pool) {
		c.single(x.buffer, model.RulePool, b, x.at, false, c.in(x.pool)+", where it may not be")
	}
	if x.at < 0 {
		c.single(x.buffer, model.RuleSign, b, x.at, false, c.in(x.pool)+", below zero")
	}
	if b.Alignment > 1 && x.at%b.Alignment != 0 {
		c.single(x.buffer, model.RuleAlignment, b, x.at, false,
			fmt.Sprintf("%s, not a multiple of its alignment %d", c.in(x.pool), b.Alignment))
	}
	if q.Alignment > 1 && x.at%q.Alignment != 0 {
		c.single(x.buffer, model.RuleAlignment, b, x.at, false,
			fmt.Sprintf("%s, not a multiple of the pool's alignment %d", c.in(x.pool), q.Alignment))
	}
	if b.Fixed != nil && *b.Fixed != x.at {
		c.single(x.buffer, model.RuleFixed, b, x.at, false, fmt.Sprintf("%s, but is fixed at %d", c.in(x.pool), *b.Fixed))
	}
	end := add(x.at, b.Size)
	if x.at > math.MaxInt64-max(b.Size, 0) {
		c.single(x.buffer, model.RuleCapacity, b, x.at, true,
			fmt.Sprintf("%s and ends above %d, the largest address", c.in(x.pool), int64(math.MaxInt64)))
	} else if q.Capacity != 0 && end > q.Capacity {
		c.single(x.buffer, model.RuleCapacity, b, x.at, true,
			fmt.Sprintf("%s and ends at %d, above the capacity %d", c.in(x.pool), end, q.Capacity))
	}
	for _, at := range q.Borders {
		if x.at < at && at < end && (b.Extra == nil || !b.Extra.Spans) {
			c.single(x.buffer, model.RuleBorder, b, x.at, true,
				fmt.Sprintf("%s and lies on both sides of the border at %d", c.in(x.pool), at))
			break
		}
	}
	for _, r := range q.Reserved {
		if x.at < r.Upper && r.Lower < end {
			c.single(x.buffer, model.RuleReserved, b, x.at, true,
				c.in(x.pool)+" and meets the reserved bytes "+interval(r.Lower, r.Upper))
			break
		}
	}
}

// ties checks each list of ties against its first buffer that is there.
func (c *ruled) ties() {
	for _, t := range c.rules.Together {
		first := c.present(t.Buffers)
		for m, i := range t.Buffers {
			if c.absent[i] {
				continue
			}
			f := t.Buffers[first]
			x, y := &c.placed[c.first[f]], &c.placed[c.first[i]]
			by := int64(0)
			if t.At != nil {
				by = t.At[m] - t.At[first]
			}
			if i == f || x.pool == y.pool && add(x.at, by) == y.at {
				continue
			}
			pair := ordered(f, i)
			c.add(model.RuleTogether, int(pair[0]), int(pair[1]),
				fmt.Sprintf("buffer %s must be %d bytes from buffer %s in its pool, but they are %s and %s",
					quote(c.p.Buffers[i].ID), by, quote(c.p.Buffers[f].ID), c.where(y), c.where(x)))
		}
	}
}

// end returns one past the last byte of a stay.
func (c *ruled) end(x *stayed) int64 { return add(x.at, c.p.Buffers[x.buffer].Size) }

// where says where a buffer is.
func (c *ruled) where(x *stayed) string {
	s := fmt.Sprintf("at offset %d", x.at)
	if x.pool >= 0 {
		s += c.in(x.pool)
	}
	return s
}

// of returns the stays of a buffer.
func (c *ruled) of(i int32) []stayed { return c.placed[c.first[i]:c.first[i+1]] }

// share reports whether two stays have a byte of a pool in common.
func (c *ruled) share(x, y *stayed) bool {
	return x.pool == y.pool && x.pool >= 0 && x.at < add(y.at, c.p.Buffers[y.buffer].Size) &&
		y.at < add(x.at, c.p.Buffers[x.buffer].Size)
}

// separate checks that a pair that is apart shares no byte.
func (c *ruled) separate(pair model.Pair) {
	for _, x := range c.of(pair[0]) {
		for _, y := range c.of(pair[1]) {
			if c.share(&x, &y) {
				a, b := &c.p.Buffers[pair[0]], &c.p.Buffers[pair[1]]
				c.add(model.RuleApart, int(pair[0]), int(pair[1]),
					"buffers "+placed(a, x.at)+" and "+placed(b, y.at)+" must be apart, but both use bytes "+
						interval(max(x.at, y.at), min(add(x.at, a.Size), add(y.at, b.Size)))+c.in(x.pool))
				return
			}
		}
	}
}

// rectangles appends the rectangles of a stay: its pieces, cut at the end of the period.
func (c *ruled) rectangles(all []rectangle, x *stayed) []rectangle {
	b := &c.p.Buffers[x.buffer]
	put := func(lower, upper, from, to int64) {
		if lower < upper && from < to {
			all = append(all, rectangle{lower, upper, from, to, x.buffer})
		}
	}
	if c.rules.Threads > 0 {
		put(0, 1, x.at, add(x.at, b.Size))
		return all
	}
	for u := range b.Pieces {
		lower, upper, from, to := max(u.Lower, x.lower), min(u.Upper, x.upper), add(x.at, u.From), add(x.at, u.To)
		if x.pool >= 0 && c.pools[x.pool].Objects {
			from, to = x.at, add(x.at, b.Size) // a buffer takes the whole object, whatever its windows
		}
		t := c.rules.Period
		if t == 0 {
			put(lower, upper, from, to)
			continue
		}
		if lower >= t {
			lower, upper = lower-t, upper-t
		}
		put(lower, min(upper, t), from, to)
		put(0, upper-t, from, to)
	}
	return all
}

// overlaps looks for stays of one pool that share bytes and must not.
func (c *ruled) overlaps(pool int32, most int) {
	var all []rectangle
	for k := range c.placed {
		if c.placed[k].pool == pool {
			all = c.rectangles(all, &c.placed[k])
		}
	}
	if c.rules.Threads == 0 {
		if x, _ := clash(all); x < 0 {
			return
		}
	}
	pairs, truncated := meetingsBut(all, most, c.permitted)
	c.total += len(pairs)
	c.truncated = c.truncated || truncated
	for k := range pairs[:min(len(pairs), MaxViolations)] {
		o := &pairs[k]
		text := "buffers " + c.during(o.a, o.lower, pool) + " and " + c.during(o.b, o.lower, pool) + " both use bytes " +
			interval(o.start, o.end) + c.in(pool)
		if c.rules.Threads == 0 {
			text += " at times " + interval(o.lower, o.upper)
		} else {
			text += ", and neither ends before the other starts"
		}
		c.violations = append(c.violations, model.Violation{Rule: model.RuleOverlap, A: int(o.a), B: int(o.b), Message: text})
	}
}

// during says where a buffer is in a pool at a time.
func (c *ruled) during(i int32, time int64, pool int32) string {
	stays := c.of(i)
	for _, x := range stays {
		for _, r := range c.rectangles(nil, &x) {
			if x.pool == pool && r.lower <= time && time < r.upper {
				return placed(&c.p.Buffers[i], x.at)
			}
		}
	}
	return placed(&c.p.Buffers[i], stays[0].at)
}

// permitted reports whether two buffers may share bytes at one time. A pair that is apart counts as
// permitted, since separate checks it.
func (c *ruled) permitted(a, b int) bool {
	if c.root(int32(a)) == c.root(int32(b)) {
		return true
	}
	pair := ordered(int32(a), int32(b))
	if c.apart[pair] || c.free[pair] {
		return true
	}
	if c.rules.Threads > 0 {
		return c.before(a, b) || c.before(b, a)
	}
	for _, d := range c.near[pair] {
		first, second := c.of(d.Buffers[0])[0].at, c.of(d.Buffers[1])[0].at
		if first >= add(second, d.Distance) {
			return true
		}
	}
	return false
}

// before reports whether a ends before b starts, in every component.
func (c *ruled) before(a, b int) bool {
	x, y := c.p.Buffers[a].Extra.Clocks, c.p.Buffers[b].Extra.Clocks
	for k := range c.rules.Threads {
		if x.Upper[k] > y.Lower[k] {
			return false
		}
	}
	return true
}

// meet reports whether two stays are live at one time.
func (c *ruled) meet(x, y *stayed) bool {
	if c.rules.Threads > 0 {
		return !c.before(x.buffer, y.buffer) && !c.before(y.buffer, x.buffer)
	}
	theirs := c.rectangles(nil, y)
	for _, r := range c.rectangles(nil, x) {
		for _, s := range theirs {
			if r.lower < s.upper && s.lower < r.upper {
				return true
			}
		}
	}
	return false
}
