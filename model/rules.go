package model

import "slices"

// Idea: most problems are one block of bytes, and one lifespan for each buffer. Whatever else a compiler
// says of its memory is in Rules, and in Extra for a single buffer. A problem without either costs one nil
// test. docs/memories.md has an example of each rule.
//
// Meaning, in the order of the fields:
//
//	bytes     a buffer holds [o, o+Size) of its pool. o is a multiple of its alignment and of the
//	          pool's. The bytes lie below the pool's capacity and meet no reserved range.
//	objects   in a pool of objects, two buffers begin at the same byte or share none. Buffers that begin at
//	          the same byte are in one object, which is as large as its largest buffer and has one buffer at
//	          a time: buffers that conflict are in different objects, even if their windows share no byte.
//	          If sizes have several dimensions, an object is as large as its largest in each (extents.go).
//	border    a buffer ends at a border of its pool or below, or begins there or above, unless it spans.
//	conflict  two buffers conflict if they belong to different bodies and are in Apart, or meet in
//	          time without being in MayOverlap. Apart wins over MayOverlap. Conflicting buffers in
//	          one pool share no byte, but for a Distance.
//	body      buffers that Together ties. They are in one pool, at fixed distances, and never
//	          conflict with one another.
//	lockstep  buffers of a list have one offset. Each is a buffer of its own pool, with its own bytes and times.
//	choice    a plan has one buffer of each list of Alternatives. Rules say nothing of the others.
//	page      conflicting buffers of different kinds have bytes on no common page of a pool with a granularity.
//	penalty   is paid if two buffers of different bodies are in one pool, share a byte and do not
//	          conflict. On any other pair it means nothing.
//
// Sources: Pools to Penalties mean what they mean in dsa-solver (tonibohnlein/dsa-solver a8d1257), and
// Clocks what they mean in OmniMalloc (2e9cf4e): a buffer ends before another starts if its end is at most
// the other's start in every component.

// Rules say what one block of bytes and plain lifespans cannot. The zero value says nothing.
type Rules struct {
	// Pools are the memories to plan for. Empty means one pool without a name, whose capacity is Problem.Capacity.
	Pools []Pool
	// Together ties buffers to one pool and to fixed distances between their offsets: views,
	// aliases, contiguous groups. Lists that share a buffer unite.
	Together []Together
	// Apart has pairs of buffers that must share no byte of a pool, whatever their lifespans.
	Apart []Pair
	// MayOverlap has pairs of buffers that may share bytes although they are live at the same time.
	MayOverlap []Pair
	// Distances has pairs that meet in one slot, and may share bytes in it if they are far enough
	// apart. The first buffer of a pair dies in the slot, and the second is born in it.
	Distances []Distance
	// Penalties has pairs that cost something if they share bytes. If a pair is listed twice, the costs are added.
	Penalties []Penalty
	// Groups has prices that are paid once for a set of pairs.
	Groups []Group
	// DifferentPools has lists of buffers. Any two buffers of a list are in different pools, with all of their parts:
	// ping and pong in two banks.
	DifferentPools [][]int32
	// SamePool has lists of buffers that are all in one pool, with all of their parts.
	SamePool [][]int32
	// Lockstep has lists of buffers that lie at one offset, each in its own pool: the image of a buffer in every bank
	// of a group.
	Lockstep [][]int32
	// Kinds has lists of buffers of one kind. Two buffers of different kinds that conflict share no page of a pool with
	// a granularity. A buffer of no list may share pages with all.
	Kinds [][]int32
	// Alternatives has lists of buffers. Each list is the forms that one buffer may have, and a plan has one of them. A
	// buffer is in one list at most. See Absent.
	Alternatives [][]int32
	// Threads is the number of clocks, or 0 if time is one line. If it is not 0, every buffer has Extra.Clocks.
	Threads int
	// Period is the length of a step that repeats, in slots, or 0 if time does not repeat. If it is not 0,
	// every buffer has 0 <= Lower < Period and Upper <= Lower + Period, and slots count modulo Period.
	Period int64
	// Objective lists the measures to minimise. The second one decides only between plans that are equal
	// in the first, and so on. Empty means height for one pool, and cost, then height, for several.
	Objective []Measure
}

// A Pool is one memory.
type Pool struct {
	ID        string  // its name, not empty, and different from all others
	Capacity  int64   // bytes; 0 means that there is no limit
	Alignment int64   // every offset is a multiple of it; 0 and 1 both mean no constraint
	Cost      int64   // cost of each byte of a buffer that has no cost of its own here; at least 0
	Reserved  []Range // ranges of bytes that no buffer may use; they count in peaks, and in no height
	Borders   []int64 // bytes at which a bank of the pool ends: no buffer lies on both sides, but for those that span
	Sizes     []Size  // ascending, the largest is Capacity: a pool that is used pays for the cheapest one that holds it
	// Granularity is the size of a page, on which buffers of different kinds do not lie together; 0 is none.
	Granularity int64
	Objects     bool // the pool is divided into objects, such as textures; each has one buffer at a time
}

// A Size is one of the sizes that a pool may have, and what it costs to have it.
type Size struct {
	Bytes int64 // at least 1
	Price int64 // at least 0, in the unit of Pool.Cost
}

// PriceOf returns the price of a pool of such a height: that of its cheapest size that holds it, and 0 if it is empty.
func (q *Pool) PriceOf(height int64) (price int64) {
	found := false
	for _, x := range q.Sizes {
		if height > 0 && x.Bytes >= height && (!found || x.Price < price) {
			price, found = x.Price, true
		}
	}
	return price
}

// Fill makes the largest size the capacity, if the pool has sizes and no capacity.
func (q *Pool) Fill() {
	if n := len(q.Sizes); n > 0 && q.Capacity == 0 {
		q.Capacity = q.Sizes[n-1].Bytes
	}
}

// A Range is the half-open range [Lower, Upper) of bytes.
type Range struct {
	Lower int64 // first byte
	Upper int64 // one past the last byte
}

// Extra has the properties of a buffer that only some problems have.
type Extra struct {
	// Pools has the pools that the buffer may be in, as indices into Rules.Pools; nil for any.
	Pools []int32
	// Costs has what the buffer costs in some pools, in place of the pool's cost for its size.
	Costs []PoolCost
	// Clocks is the lifespan by clocks, for problems with Rules.Threads. Lower and Upper of the
	// buffer are then the sums of the two: SetClocks fills them in.
	Clocks *Clocks
	// Spans says that the buffer may lie on both sides of a border of its pool.
	Spans bool
	// Extents are the dimensions of the size: its width and height, and perhaps its depth; nil for a size of one
	// number. Buffer.Size is their product, and SetExtents makes it so. They count in pools of objects.
	Extents []int64
	// Evictions are stretches of the lifespan in which the buffer may be absent, at a price. They are in ascending
	// order, with at least one slot between two. Each begins after the start of the lifespan and ends before its end.
	Evictions []Eviction
}

// A PoolCost is the cost of a buffer in a pool: at least 0.
type PoolCost struct {
	Pool int32 // index into Rules.Pools
	Cost int64 // at least 0, in the unit of Pool.Cost
}

// Clocks are the start and the end of a lifespan, with one number for each thread. Lower is at most
// Upper in every component, and less in at least one.
type Clocks struct {
	Lower []int64 // the start, by each thread's clock, at least 0
	Upper []int64 // the end
}

// An Eviction is a stretch [Lower, Upper) of a buffer's life in which the buffer may be absent: it is
// spilled and reloaded, or computed again. A plan that takes the eviction pays Cost. The life then has
// parts, before and after the eviction, each with an offset of its own.
type Eviction struct {
	Lower, Upper int64 // logical time, half-open
	Cost         int64 // at least 0
}

// A Pair is two different buffers, as indices into Problem.Buffers, in any order.
type Pair [2]int32

// A Together ties buffers into one body. They are in one pool, at fixed distances:
//
//	offset of Buffers[k] - offset of Buffers[0] = At[k] - At[0]
//
// If At is nil, all begin at the same byte.
type Together struct {
	Buffers []int32 // indices into Problem.Buffers
	At      []int64 // bytes, in the order of Buffers; nil for zeros
}

// A Penalty is paid once if both buffers of the pair are in one pool and share a byte. It is never paid
// for buffers that conflict or are of one body.
type Penalty struct {
	Buffers Pair  // the two that had better share no byte
	Cost    int64 // at least 0
}

// A Distance lets two buffers share bytes in the only slot in which they meet. The first one dies there,
// and the second one is born. They may share bytes if
//
//	offset of the first - offset of the second >= Distance
type Distance struct {
	Buffers  Pair  // the one that dies, and the one that is born
	Distance int64 // bytes; it may be negative
}

// A Measure is a number of a plan that can be minimised. Bytes are not rounded.
type Measure string

// The measures. HeightIn and PeakIn make those of one pool.
const (
	MeasureHeight    Measure = "height"     // the end of the highest buffer in each pool, added up
	MeasureMaxHeight Measure = "max_height" // the largest of these ends
	// as height, but each pool counts at least to the end of its highest reserved range
	MeasurePeak     Measure = "peak"
	MeasureMaxPeak  Measure = "max_peak" // as max_height, with the same exception
	MeasureCost     Measure = "cost"     // the sum of what the buffers cost in their pools, and of the prices of the pools
	MeasurePenalty  Measure = "penalty"  // the sum of the penalties and the groups that are paid
	MeasureEviction Measure = "eviction" // the sum of the costs of the evictions that are taken
	MeasureObjects  Measure = "objects"  // the number of objects, in the pools that are divided into objects
)

// HeightIn is the measure height of one pool: "height:" and its ID.
func HeightIn(pool string) Measure { return MeasureHeight + ":" + Measure(pool) }

// PeakIn is the measure peak of one pool: "peak:" and its ID.
func PeakIn(pool string) Measure { return MeasurePeak + ":" + Measure(pool) }

// A Value is a measure and its number, or a bound of it.
type Value struct {
	Measure Measure // what is measured
	Value   int64   // bytes, or the unit of the costs
}

// A Part is a stretch of a buffer's life between evictions that a plan takes.
type Part struct {
	Lower, Upper int64 // logical time, half-open
	Pool         int32 // index into Rules.Pools; 0 if there are none
	Offset       int64 // bytes
}

// Parts are the parts of one buffer, in the order of time.
type Parts struct {
	Buffer int32  // index into Problem.Buffers
	Parts  []Part // at least two, in the order of time
}

// Ruled reports whether p has rules, so that it is more than one strip of bytes.
func (p *Problem) Ruled() bool { return p.Rules != nil }

// AllPools returns the pools of p. A problem without pools in its rules has one, whose ID is empty.
func (p *Problem) AllPools() []Pool {
	if p.Rules != nil && len(p.Rules.Pools) > 0 {
		return p.Rules.Pools
	}
	return []Pool{{Capacity: p.Capacity}}
}

// Objective returns the measures that p asks to minimise, or the default if it names none.
func (p *Problem) Objective() []Measure {
	switch {
	case p.Rules == nil:
		return []Measure{MeasureHeight}
	case len(p.Rules.Objective) > 0:
		return p.Rules.Objective
	case len(p.Rules.Pools) > 1:
		return []Measure{MeasureCost, MeasureHeight}
	}
	return []Measure{MeasureHeight}
}

// ListsPools reports whether r has lists of buffers that are in different pools, or in the same one.
func (r *Rules) ListsPools() bool { return r != nil && len(r.DifferentPools)+len(r.SamePool) > 0 }

// A Listing is a rule that is lists of buffers, by its name in files.
type Listing struct {
	Name  string     // the key in JSON
	Lists *[][]int32 // in the rules
}

// Listings returns the rules that are lists of buffers.
func (r *Rules) Listings() []Listing {
	return []Listing{
		{"different_pools", &r.DifferentPools},
		{"same_pool", &r.SamePool},
		{"lockstep", &r.Lockstep},
		{"kinds", &r.Kinds},
		{"alternatives", &r.Alternatives},
	}
}

// BankRules returns the names of the rules of banks that r has. They came after the others, and some formats and
// planners do not take them.
func (r *Rules) BankRules() (names []string) {
	if r == nil {
		return nil
	}
	for _, x := range r.Listings() {
		if len(*x.Lists) > 0 {
			names = append(names, x.Name)
		}
	}
	if len(r.Groups) > 0 {
		names = append(names, "groups")
	}
	if r.HasObjects() {
		names = append(names, "objects")
	}
	if r.HasBorders() {
		names = append(names, "borders")
	}
	if r.HasSizes() {
		names = append(names, "sizes")
	}
	if r.HasPages() {
		names = append(names, "granularity")
	}
	return names
}

// HasObjects reports whether some pool of r is divided into objects.
func (r *Rules) HasObjects() bool {
	return r != nil && slices.ContainsFunc(r.Pools, func(q Pool) bool { return q.Objects })
}

// HasBorders reports whether some pool of r has borders.
func (r *Rules) HasBorders() bool {
	return r != nil && slices.ContainsFunc(r.Pools, func(q Pool) bool { return len(q.Borders) > 0 })
}

// HasPages reports whether some pool of r has a granularity.
func (r *Rules) HasPages() bool {
	return r != nil && slices.ContainsFunc(r.Pools, func(q Pool) bool { return q.Granularity > 0 })
}

// KindOf returns the kind of each of n buffers, from 1 on; 0 for none.
func (r *Rules) KindOf(n int) []int32 {
	of := make([]int32, n)
	for k, list := range r.Kinds {
		for _, i := range list {
			of[i] = int32(k) + 1
		}
	}
	return of
}

// HasSizes reports whether some pool of r has sizes with prices.
func (r *Rules) HasSizes() bool {
	return r != nil && slices.ContainsFunc(r.Pools, func(q Pool) bool { return len(q.Sizes) > 0 })
}

// Straddles reports whether the buffer, at an offset of a pool, lies on both sides of a border and may not.
func (b *Buffer) Straddles(pool *Pool, offset int64) bool {
	return len(pool.Borders) > 0 && (b.Extra == nil || !b.Extra.Spans) &&
		slices.ContainsFunc(pool.Borders, func(at int64) bool { return offset < at && at < offset+b.Size })
}

// MayLeave reports whether b has evictions: stretches of its life in which it may be away.
func (b *Buffer) MayLeave() bool { return b.Extra != nil && len(b.Extra.Evictions) > 0 }

// MayUse reports whether the buffer may be in a pool.
func (b *Buffer) MayUse(pool int32) bool {
	if b.Extra == nil || b.Extra.Pools == nil {
		return true
	}
	for _, q := range b.Extra.Pools {
		if q == pool {
			return true
		}
	}
	return false
}

// CostIn returns what the buffer costs in a pool.
func (b *Buffer) CostIn(pools []Pool, pool int32) int64 {
	if b.Extra != nil {
		for _, c := range b.Extra.Costs {
			if c.Pool == pool {
				return c.Cost
			}
		}
	}
	return pools[pool].Cost * b.Size
}

// SetClocks gives the buffer a lifespan by clocks. Lower and Upper of the buffer become the sums of the components.
// So if a buffer ends before another starts by the clocks, these sums have the same order.
func (b *Buffer) SetClocks(lower, upper []int64) {
	if b.Extra == nil {
		b.Extra = &Extra{}
	}
	b.Extra.Clocks = &Clocks{lower, upper}
	b.Lower, b.Upper = 0, 0
	for _, at := range lower {
		b.Lower += at
	}
	for _, at := range upper {
		b.Upper += at
	}
}

// Before reports whether a buffer with clocks c ends before one with clocks d starts.
func (c *Clocks) Before(d *Clocks) bool {
	for k, end := range c.Upper {
		if end > d.Lower[k] {
			return false
		}
	}
	return true
}
