package model

// Idea: most problems are one strip of bytes and lifespans. What else a compiler may say of its
// memory is in Rules, and in Extra for one buffer. A problem without either costs one nil test.
//
// Meaning, in the order of the fields:
//
//	bytes     a buffer holds [o, o+Size) of its pool. o is a multiple of its alignment and of the
//	          pool's. The bytes lie below the pool's capacity and meet no reserved range.
//	conflict  two buffers conflict if they belong to different bodies and are in Apart, or meet in
//	          time without being in MayOverlap. Apart wins over MayOverlap. Conflicting buffers in
//	          one pool share no byte, but for a Distance.
//	body      buffers that Together ties. They are in one pool, at fixed distances, and never
//	          conflict with one another.
//	penalty   is paid if two buffers of different bodies are in one pool, share a byte and do not
//	          conflict. On any other pair it means nothing.
//
// Rules 1 to 6 mean what dsa-solver (tonibohnlein/dsa-solver a8d1257) makes of them, and Clocks
// what OmniMalloc (2e9cf4e) does: a buffer ends before another starts if its end is at most the
// other's start in every component.

// Rules say what one strip of bytes and lifespans cannot. The zero value says nothing.
type Rules struct {
	// Pools are the memories to plan for. Empty means one pool without a name, whose capacity is
	// Problem.Capacity.
	Pools []Pool
	// Together ties buffers to one pool and to fixed distances between their offsets: views,
	// aliases, contiguous groups. Lists that share a buffer unite.
	Together []Together
	// Apart has pairs of buffers that share no byte of a pool, whatever their lifespans.
	Apart []Pair
	// MayOverlap has pairs of buffers that may share bytes although they are live together.
	MayOverlap []Pair
	// Distances has pairs that may share bytes in the one slot where they meet, from a
	// distance on.
	Distances []Distance
	// Penalties has pairs that cost something if they share bytes. The costs of a pair that is
	// listed twice add.
	Penalties []Penalty
	// Threads is the number of clocks, or 0 if time is one line. If it is not 0, every buffer has
	// Extra.Clocks.
	Threads int
	// Period is the length of a step that repeats, in slots, or 0 if time does not repeat. Then
	// 0 <= Lower < Period and Upper <= Lower + Period for every buffer, and slots count modulo
	// Period.
	Period int64
	// Objective lists the measures to minimise, the first first; see the constants of Measure.
	// Empty means height for one pool, and cost, then height, for several.
	Objective []Measure
}

// A Pool is one memory.
type Pool struct {
	ID        string  // its name, not empty, and different from all others
	Capacity  int64   // bytes; 0 means that there is no limit
	Alignment int64   // every offset is a multiple of it; 0 and 1 both mean no constraint
	Cost      int64   // cost of each byte of a buffer, where the buffer has no cost of its own; at least 0
	Reserved  []Range // ranges of bytes that no buffer may use; they count in no height
}

// A Range is the half-open range [Lower, Upper) of bytes.
type Range struct {
	Lower int64 // first byte
	Upper int64 // one past the last byte
}

// Extra is what only some problems say of a buffer.
type Extra struct {
	// Pools has the pools that the buffer may be in, as indices into Rules.Pools; nil for any.
	Pools []int32
	// Costs has what the buffer costs in some pools, in place of the pool's cost for its size.
	Costs []PoolCost
	// Clocks is the lifespan by clocks, for problems with Rules.Threads. Lower and Upper of the
	// buffer are then the sums of the two: SetClocks fills them in.
	Clocks *Clocks
	// Evictions are stretches within the lifespan in which the buffer may be absent, at a price.
	// They are in ascending order and disjoint, and begin and end inside the lifespan.
	Evictions []Eviction
}

// A PoolCost is the cost of a buffer in a pool: at least 0.
type PoolCost struct {
	Pool int32 // index into Rules.Pools
	Cost int64 // at least 0, in the unit of Pool.Cost
}

// Clocks are the start and the end of a lifespan, one number a thread. Lower is at most Upper in
// every component and less in at least one.
type Clocks struct {
	Lower []int64 // the start, by each thread's clock, at least 0
	Upper []int64 // the end
}

// An Eviction is a stretch [Lower, Upper) of a buffer's life in which a plan may do without it:
// it is spilled and reloaded, or computed again. The plan then pays Cost, and what is left of the
// life are parts, each with an offset of its own.
type Eviction struct {
	Lower, Upper int64 // logical time, half-open
	Cost         int64 // at least 0
}

// A Pair is two different buffers, as indices into Problem.Buffers, in any order.
type Pair [2]int32

// A Together ties buffers into one body: they are in one pool, and offset of Buffers[k] less offset of
// Buffers[0] is At[k] - At[0]. At may be nil: all begin at the same byte.
type Together struct {
	Buffers []int32 // indices into Problem.Buffers
	At      []int64 // bytes, in the order of Buffers; nil for zeros
}

// A Penalty is paid once if both buffers of the pair are in one pool, share a byte, do not conflict
// and are of different bodies.
type Penalty struct {
	Buffers Pair  // the two that had better share no byte
	Cost    int64 // at least 0
}

// A Distance lets two buffers share bytes in the only slot where they meet: the first dies there
// and the second is born. They may if offset of the first - offset of the second >= Distance bytes.
type Distance struct {
	Buffers  Pair  // the one that dies, and the one that is born
	Distance int64 // bytes; it may be negative
}

// A Measure is one number of a plan that can be minimised. Bytes count as they are, without
// rounding.
type Measure string

// The measures. HeightIn and PeakIn make those of one pool.
const (
	MeasureHeight    Measure = "height"     // the sum over pools of the highest end of a buffer
	MeasureMaxHeight Measure = "max_height" // the largest of these
	MeasurePeak      Measure = "peak"       // as height, but a pool counts at least the end of its highest reserved range
	MeasureMaxPeak   Measure = "max_peak"   // the largest of these
	MeasureCost      Measure = "cost"       // the sum of what the buffers cost in their pools
	MeasurePenalty   Measure = "penalty"    // the sum of the penalties that are paid
	MeasureEviction  Measure = "eviction"   // the sum of the costs of the evictions that are taken
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

// A Part is what is left of a buffer's life between evictions that a plan takes.
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

// AllPools returns the pools of p: those of the rules, or the one pool that a problem without
// has, whose ID is empty.
func (p *Problem) AllPools() []Pool {
	if p.Rules != nil && len(p.Rules.Pools) > 0 {
		return p.Rules.Pools
	}
	return []Pool{{Capacity: p.Capacity}}
}

// Objective returns the measures that p asks to minimise, with the default where it names none.
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

// SetClocks gives the buffer a lifespan by clocks. Lower and Upper become the sums of the
// components, so a buffer that ends before another starts has the smaller times, too.
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
