// Package oracle answers small problems by brute force, to judge planners in tests: grid.go for a few buffers of
// small sizes, orders.go for sizes of any scale. With rules, rules.go tries every offset, and chains.go, at any
// scale, only the offsets that bodies can rest on.
//
// It shares nothing with the timeline, the bounds or a planner, so that it cannot repeat a mistake of theirs.
package oracle

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a second opinion for tests, by plain enumeration. Every buffer may be at every integer offset that fits.
// Placing one removes the offsets that meet it from all others. The buffer with the fewest offsets left is placed
// next. Heights are tried upwards from the load. Offsets need not be sums of sizes, since alignment, fixed offsets
// and windows make others useful, and no order is assumed, since windows interlock.
//
// Invariant: the domain of an unplaced buffer holds exactly the offsets that meet no placed buffer.
//
// Complexity: exponential; about 8 buffers with sizes to 6 take microseconds to milliseconds. Nothing is shared with
// the timeline or with any planner: each pair's legal distances are found by walking the times at which either changes.

// oracleReach is the largest height that the oracle looks at.
const oracleReach = 1 << 16

// MinHeight returns the lowest height of any plan of p, and such a plan. ok is false if there is none at any height,
// because fixed offsets collide. The capacity of p does not count. It is meant for tests of tiny problems; it panics if
// a plan may need a height above 65536.
func MinHeight(p *model.Problem) (height int64, offsets []int64, ok bool) {
	if len(p.Buffers) == 0 {
		return 0, nil, true
	}
	// Above all fixed buffers there is room to stack the others.
	reach := int64(0)
	for i := range p.Buffers {
		if at := p.Buffers[i].Fixed; at != nil {
			reach = max(reach, *at+p.Buffers[i].Size)
		}
	}
	for i := range p.Buffers {
		reach += p.Buffers[i].Size + p.Buffers[i].Align() - 1
	}
	o := newOracle(p, reach)
	if offsets := o.fit(reach); offsets == nil {
		return 0, nil, false
	}
	for height = o.load(); ; height++ {
		if offsets := o.fit(height); offsets != nil {
			return height, offsets, true
		}
	}
}

// Fits reports whether p has a plan of at most the given height. It is meant
// for tests of tiny problems; it panics on a capacity above 65536.
func Fits(p *model.Problem, capacity int64) bool {
	if len(p.Buffers) == 0 {
		return true
	}
	o := newOracle(p, max(capacity, 1))
	return o.load() <= capacity && o.fit(capacity) != nil
}

type oracle struct {
	buffers []model.Buffer
	reach   int64
	// legal[i*n+j] has bit reach+d set where j may be at i's offset + d, for -reach < d < reach.
	legal [][]uint64
	words int        // words of a domain at the height in hand
	trail [][]uint64 // domains of all buffers at each depth
	at    []int64    // offset of each placed buffer, -1 for others
}

func newOracle(p *model.Problem, reach int64) *oracle {
	if reach > oracleReach {
		panic("oracle: the problem is too large for the oracle")
	}
	n := len(p.Buffers)
	o := &oracle{buffers: p.Buffers, reach: reach, legal: make([][]uint64, n*n)}
	for i := range n {
		for j := range n {
			if i != j {
				o.legal[i*n+j] = legalDistances(&p.Buffers[i], &p.Buffers[j], reach)
			}
		}
	}
	return o
}

// Used returns the bytes that b uses at a time, counted from its offset; from is not below to where it uses none. It
// says slot by slot what model.Buffer.Pieces says by stretches, for tests to hold against each other.
func Used(b *model.Buffer, time int64) (from, to int64) {
	if time < b.Lower || time >= b.Upper {
		return 0, 0
	}
	for _, g := range b.Gaps {
		if g.Lower <= time && time < g.Upper {
			if g.Window == nil {
				return 0, 0
			}
			return g.Window.Lower, g.Window.Upper
		}
	}
	return 0, b.Size
}

// changes returns the times from which b uses other bytes than before.
func changes(b *model.Buffer) []int64 {
	times := []int64{b.Lower, b.Upper}
	for _, g := range b.Gaps {
		times = append(times, g.Lower, g.Upper)
	}
	return times
}

func legalDistances(x, y *model.Buffer, reach int64) []uint64 {
	legal := make([]uint64, 2*reach/64+2)
	for k := range legal {
		legal[k] = ^uint64(0)
	}
	for _, time := range append(changes(x), changes(y)...) {
		a, b := Used(x, time)
		c, d := Used(y, time)
		if a == b || c == d {
			continue
		}
		// They meet where a < d+distance and c+distance < b.
		for distance := max(a-d+1, 1-reach); distance < min(b-c, reach); distance++ {
			bit := reach + distance
			legal[bit/64] &^= 1 << (bit % 64)
		}
	}
	return legal
}

// load returns a height that no plan is under.
func (o *oracle) load() int64 {
	var load int64
	for i := range o.buffers {
		b := &o.buffers[i]
		load = max(load, b.Size)
		if b.Fixed != nil {
			load = max(load, *b.Fixed+b.Size)
		}
		for _, time := range changes(b) {
			var sum int64
			for j := range o.buffers {
				from, to := Used(&o.buffers[j], time)
				sum += to - from
			}
			load = max(load, sum)
		}
	}
	return load
}

// fit returns a plan of at most the given height, nil if there is none.
func (o *oracle) fit(height int64) []int64 {
	n := len(o.buffers)
	o.words = int(height/64) + 1
	o.trail = make([][]uint64, n+1)
	for k := range o.trail {
		o.trail[k] = make([]uint64, n*o.words)
	}
	o.at = make([]int64, n)
	for i := range o.buffers {
		b := &o.buffers[i]
		o.at[i] = -1
		for at := int64(0); at <= height-b.Size; at += b.Align() {
			if b.Fixed == nil || *b.Fixed == at {
				o.trail[0][i*o.words+int(at/64)] |= 1 << (at % 64)
			}
		}
	}
	if !o.place(0) {
		return nil
	}
	return slices.Clone(o.at)
}

// place places the buffers that are left at the given depth.
func (o *oracle) place(depth int) bool {
	n, domains := len(o.buffers), o.trail[depth]
	if depth == n {
		return true
	}
	next, fewest := -1, 0
	for i := range n {
		if o.at[i] >= 0 {
			continue
		}
		count := 0
		for _, word := range domains[i*o.words : (i+1)*o.words] {
			count += bits.OnesCount64(word)
		}
		if next < 0 || count < fewest {
			next, fewest = i, count
		}
	}
	for w, word := range domains[next*o.words : (next+1)*o.words] {
		for ; word != 0; word &= word - 1 {
			at := int64(64*w + bits.TrailingZeros64(word))
			o.at[next] = at
			if o.strike(depth, next, at) && o.place(depth+1) {
				return true
			}
		}
	}
	o.at[next] = -1
	return false
}

// strike sets the domains of the next depth, with buffer i placed. It reports whether none is empty.
func (o *oracle) strike(depth, i int, at int64) bool {
	n := len(o.buffers)
	from, to := o.trail[depth], o.trail[depth+1]
	for j := range n {
		if o.at[j] >= 0 {
			continue
		}
		legal := o.legal[i*n+j]
		any := uint64(0)
		for w := range o.words {
			// Bit x of the word stands for offset 64w+x, a distance of 64w+x-at, which is bit reach-at+64w+x of legal.
			first := int(o.reach-at) + 64*w
			word := uint64(0)
			if k, shift := first/64, first%64; k < len(legal) {
				word = legal[k] >> shift
				if shift > 0 && k+1 < len(legal) {
					word |= legal[k+1] << (64 - shift)
				}
			}
			word &= from[j*o.words+w]
			to[j*o.words+w] = word
			any |= word
		}
		if any == 0 {
			return false
		}
	}
	return true
}
