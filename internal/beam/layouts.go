package beam

import (
	"math/bits"
	"slices"
)

// Idea: the score of a layout tells how scattered the free bytes will be. Two neighbours that end at d and e are a border
// between used and free bytes from min(d, e) to max(d, e). A hole has two borders, so with a weight for each moment,
//
//	score = sum over neighbours of |worth(d) - worth(e)| = weighted number of borders of holes from now on
//
// Near moments weigh more, since later ones will be filled otherwise: worth(d) = log(1 + d - now). A hole counts as a
// neighbour that ends now, and the ends of memory as neighbours that end late. A child's score follows from its
// layout's in O(1), since only the neighbours of the new buffer change. Scores are integers, so they are the same on
// every machine.
//
// Invariant: in each layout the offsets ascend. hash is the sum of the marks of its buffers, so two layouts that look the
// same from now on have the same hash.

// unit is the worth of one doubling of the remaining life. edge is the worth of the ends of memory.
const (
	unit = 1 << 10
	edge = 12 * unit
)

// aheadMost is how many large buffers a layout must have holes for. aheadBuffers is how far away they begin at most.
const aheadMost, aheadBuffers = 8, 256

const odd = 0x9e3779b97f4a7c15

// mix scatters the bits of x. Source: the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// mark is what a buffer at an offset adds to the hash of its layout.
func (x *pass) mark(k int32, at int64) uint64 { return mix(x.key[k] ^ uint64(at)*odd) }

// worth returns log2(1+d) in units, where lines join the powers of two.
func worth(d int32) int64 {
	log := bits.Len32(uint32(d)+1) - 1
	return int64(log)*unit + ((int64(d)+1)*unit>>log - unit)
}

// A beam is layouts of the same buffers. The arrays at and id have stride entries for each layout, the others one.
type beam struct {
	n, live, stride int
	at              []int64 // the offsets, ascending
	id              []int32 // their buffers, as places in pass.order
	score           []int64
	hash            []uint64
	trace           []int32 // the node of each layout
}

// room makes room for so many layouts. It keeps those that are there.
func (g *beam) room(layouts int) {
	if len(g.score) < layouts {
		g.at = append(g.at, make([]int64, layouts*g.stride-len(g.at))...)
		g.id = append(g.id, make([]int32, layouts*g.stride-len(g.id))...)
		g.score = append(g.score, make([]int64, layouts-len(g.score))...)
		g.hash = append(g.hash, make([]uint64, layouts-len(g.hash))...)
		g.trace = append(g.trace, make([]int32, layouts-len(g.trace))...)
	}
}

// advance goes to a section: buffers that have ended leave the layouts, and the scores are those of that moment.
func (x *pass) advance(now int32) {
	g := &x.now
	for _, k := range g.id[:g.live] {
		x.value[k] = worth(max(0, x.last[k]-now))
	}
	live := g.live
	for s := range g.n {
		from := s * g.stride
		to, score, top, below, hash := from, int64(0), int64(0), int64(edge), g.hash[s]
		for r := from; r < from+live; r++ {
			k, at := g.id[r], g.at[r]
			if x.last[k] <= now {
				hash -= x.mark(k, at)
				continue
			}
			v := x.value[k]
			score += border(below, v, at > top)
			below, top = v, at+x.size[k]
			g.id[to], g.at[to] = k, at
			to++
		}
		g.score[s], g.hash[s], g.live = score+border(below, edge, top < x.ceiling), hash, to-from
	}
}

// border is what two neighbours add to a score, with a hole between them or without one.
func border(v, w int64, hole bool) int64 {
	if hole {
		return v + w
	}
	return max(v-w, w-v)
}

// A child is a layout with one more buffer.
type child struct {
	score  int64
	at     int64
	layout int32
	rank   int32 // of the new buffer in the layout
}

// before orders children, the best first. No two are equal.
func (c *child) before(d *child) bool {
	if c.score != d.score {
		return c.score < d.score
	}
	if c.layout != d.layout {
		return c.layout < d.layout
	}
	return c.at < d.at
}

// bear lists the children of all layouts for buffer k: at the lower and at the upper end of each hole.
func (x *pass) bear(k int) {
	g := &x.now
	size, align, v := x.size[k], x.align[k], x.value[k]
	x.children = x.children[:0]
	for s := range g.n {
		from := s * g.stride
		lower, below := int64(0), int64(edge)
		for r := 0; r <= g.live; r++ {
			upper, above := x.ceiling, int64(edge)
			if r < g.live {
				upper, above = g.at[from+r], x.value[g.id[from+r]]
			}
			if upper-lower >= size {
				low := (lower + align - 1) / align * align
				high := (upper - size) / align * align
				rest := g.score[s] - border(below, above, true)
				if low <= high {
					x.add(rest, lower, upper, below, v, above, child{at: low, layout: int32(s), rank: int32(r)}, size)
				}
				if low < high {
					x.add(rest, lower, upper, below, v, above, child{at: high, layout: int32(s), rank: int32(r)}, size)
				}
			}
			if r < g.live {
				lower, below = upper+x.size[g.id[from+r]], above
			}
		}
	}
}

// add adds a child. rest is the score of its layout without the hole from lower to upper.
func (x *pass) add(rest, lower, upper, below, v, above int64, c child, size int64) {
	c.score = rest + border(below, v, c.at > lower) + border(v, above, c.at+size < upper)
	if x.noise > 0 {
		c.score += x.rng.Int64N(x.noise)
	}
	x.children = append(x.children, c)
}

// choose makes the next beam of the best children that differ. Children without a hole for a coming buffer are left out.
func (x *pass) choose(k int) {
	g, next := &x.now, &x.next
	h := x.children
	for i := len(h)/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
	next.n, next.live = 0, g.live+1
	x.seen.clear()
	for len(h) > 0 && next.n < x.width {
		c := h[0]
		h[0] = h[len(h)-1]
		h = h[:len(h)-1]
		sink(h, 0)
		hash := g.hash[c.layout] + x.mark(int32(k), c.at)
		if x.seen.has(hash) {
			continue
		}
		if x.nodes++; x.over() {
			return
		}
		x.copy(c, k)
		if !x.open() {
			continue
		}
		x.seen.add(hash)
		x.parent, x.at = append(x.parent, g.trace[c.layout]), append(x.at, c.at)
		next.score[next.n], next.hash[next.n], next.trace[next.n] = c.score, hash, int32(len(x.parent)-1)
		next.n++
	}
}

// sink moves an entry of the heap down to where it belongs.
func sink(h []child, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].before(&h[c]) {
			c++
		}
		if !h[c].before(&h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// copy makes the layout of a child, behind those of the next beam.
func (x *pass) copy(c child, k int) {
	g, next, m := &x.now, &x.next, int(c.rank)
	from, to := int(c.layout)*g.stride, next.n*next.stride
	copy(next.at[to:], g.at[from:from+m])
	copy(next.id[to:], g.id[from:from+m])
	next.at[to+m], next.id[to+m] = c.at, int32(k)
	copy(next.at[to+m+1:], g.at[from+m:from+g.live])
	copy(next.id[to+m+1:], g.id[from+m:from+g.live])
}

// open reports whether the layout behind those of the next beam has a hole for each coming buffer, at the moment when
// that one begins. Only buffers of the layout that live until then are in the way.
func (x *pass) open() bool {
	next := &x.next
	from := next.n * next.stride
	at, id := next.at[from:from+next.live], next.id[from:from+next.live]
	for _, j := range x.coming {
		begins, size, align, lower, fits := x.first[j], x.size[j], x.align[j], int64(0), false
		for r, k := range id {
			if x.last[k] <= begins {
				continue
			}
			if fits = (lower+align-1)/align*align+size <= at[r]; fits {
				break
			}
			lower = at[r] + x.size[k]
		}
		if !fits && (lower+align-1)/align*align+size > x.ceiling {
			return false
		}
	}
	return true
}

// set is a set of hashes: a table with open addressing, at most half full. 0 stands for no entry.
type set []uint64

// room makes room for so many hashes.
func (s *set) room(hashes int) {
	size := 1 << bits.Len(uint(2*hashes))
	if len(*s) < size {
		*s = slices.Grow((*s)[:0], size)[:size]
	}
}

func (s set) clear() { clear(s) }

// find returns the place of a hash, or the free one where it belongs.
func (s set) find(hash uint64) uint64 {
	mask := uint64(len(s) - 1)
	i := mix(hash) & mask
	for s[i] != 0 && s[i] != hash {
		i = (i + 1) & mask
	}
	return i
}

func (s set) has(hash uint64) bool { return s[s.find(hash)] != 0 }

func (s set) add(hash uint64) { s[s.find(hash)] = hash }
