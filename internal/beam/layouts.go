package beam

import (
	"math"
	"math/bits"
	"slices"
)

// Idea: the score of a layout tells how scattered the free bytes will be. While nothing new comes, each hole grows:
// when a buffer beside it ends, the holes on both sides and the buffer are one hole. So the holes from now on are a
// tree, and
//
//	score = sum over the holes of this tree of weight(size) · (worth(end) - worth(begin))
//
// Many holes are bad, whatever their sizes, so the weight grows slowly with the size. Near moments weigh more, since
// later ones will be filled otherwise. Scores are integers, so they are the same on every machine.
//
// Two layouts with holes of the same sizes at each moment have the same score: one that is upside down, or one with
// stacks in another order. So of layouts with the same score only one is kept (alike). Without this a beam is mostly
// such copies.
//
// Invariant: in each layout the offsets ascend. The score of a child is that of its layout, and what changes: until the
// new buffer ends, the hole in which it lies is two. After that it is what it was.
//
// Complexity: a child takes as many steps as buffers beside its hole end one after the other before the new one does.

// unit is the worth of the first moment. horizon is the worth of the ends of memory.
const (
	unit    = 1 << 10
	horizon = 1 << 20
)

// weightUnit is the weight of a hole without bytes.
const weightUnit = 1 << 10

// aheadMost is how many large buffers a layout must have holes for. aheadBuffers is how far away they begin at most.
const aheadMost, aheadBuffers = 8, 256

// worth returns how much so many moments weigh: the square root, in units.
func worth(d int32) int64 {
	return min(int64(unit*math.Sqrt(float64(d))), horizon)
}

// weight is what a hole of a size weighs while it is there. One as large as the mean buffer weighs 1.3 times a small
// one.
func (x *pass) weight(hole int64) int64 {
	if hole <= 0 {
		return 0
	}
	return weightUnit + int64(weightUnit*0.3*math.Sqrt(float64(hole)/x.mean))
}

// A beam is layouts of the same buffers. The arrays at and id have stride entries for each layout, the others one.
type beam struct {
	n, live, stride int
	at              []int64 // the offsets, ascending; loose layouts have none
	id              []int32 // their buffers, as places in pass.order
	score           []int64
	trace           []int32 // the node of each layout

	low, up, dist, whole []int32 // see loose.go
}

// room makes room for so many layouts. It keeps those that are there.
func (g *beam) room(layouts int) {
	if len(g.score) < layouts {
		g.at = append(g.at, make([]int64, layouts*g.stride-len(g.at))...)
		g.id = append(g.id, make([]int32, layouts*g.stride-len(g.id))...)
		g.score = append(g.score, make([]int64, layouts-len(g.score))...)
		g.trace = append(g.trace, make([]int32, layouts-len(g.trace))...)
	}
}

// advance goes to a section: buffers that have ended leave the layouts, and the scores are those of that moment.
func (x *pass) advance(now int32) {
	g := &x.now
	for _, k := range g.id[:g.live] {
		if x.value[k] = worth(max(0, x.last[k]-now)); x.loose != nil && x.last[k] <= now {
			x.loose.free = append(x.loose.free, x.loose.slot[k])
		}
	}
	live := g.live
	for s := range g.n {
		from := s * g.stride
		to := from
		for r := from; r < from+live; r++ {
			if k := g.id[r]; x.last[k] > now {
				g.id[to], g.at[to] = k, g.at[r]
				to++
			}
		}
		if g.live = to - from; x.loose != nil {
			g.score[s] = x.totalLoose(s)
		} else {
			g.score[s] = x.total(g.at[from:to], g.id[from:to])
		}
	}
}

// never is the worth of what does not end.
const never = int64(1) << 62

// A wall is a buffer beside a hole, or an end of memory: until when it is there, and its upper end.
type wall struct{ until, top int64 }

// total adds up the score of a layout. walls are those below, each there for longer than the next one.
func (x *pass) total(at []int64, id []int32) (score int64) {
	walls := append(x.walls[:0], wall{until: never})
	top := int64(0)
	for r := 0; r <= len(at); r++ {
		upper, until := x.ceiling, never
		if r < len(at) {
			upper, until = at[r], x.value[id[r]]
		}
		score += x.weight(upper-top) * min(walls[len(walls)-1].until, until, horizon)
		for len(walls) > 1 && walls[len(walls)-1].until <= until { // it ends, and the hole below it is one with that above
			ended := walls[len(walls)-1].until
			walls = walls[:len(walls)-1]
			w := walls[len(walls)-1]
			score += x.weight(upper-w.top) * (min(w.until, until, horizon) - ended)
		}
		if r < len(at) {
			top = upper + x.size[id[r]]
			walls = append(walls, wall{until: until, top: top})
		}
	}
	x.walls = walls
	return score
}

// growing adds up what the hole from lower to upper weighs until a moment, while it grows. It lies between the buffers
// of ranks below and above of a layout; those that a layout does not have never end.
func (x *pass) growing(at []int64, id []int32, below, above int, lower, upper, until int64) (score int64) {
	down, up, now := never, never, int64(0)
	if below >= 0 {
		down = x.value[id[below]]
	}
	if above < len(id) {
		up = x.value[id[above]]
	}
	for {
		end := min(down, up)
		score += x.weight(upper-lower) * (min(end, until) - now)
		if end >= until {
			return score
		}
		now = end
		if down == end {
			for below--; below >= 0 && x.value[id[below]] <= end; below-- {
			}
			if lower, down = 0, never; below >= 0 {
				lower, down = at[below]+x.size[id[below]], x.value[id[below]]
			}
		}
		if up == end {
			for above++; above < len(id) && x.value[id[above]] <= end; above++ {
			}
			if upper, up = x.ceiling, never; above < len(id) {
				upper, up = at[above], x.value[id[above]]
			}
		}
	}
}

// A child is a layout with one more buffer.
type child struct {
	score  int64
	chance int64 // what chance adds to the score
	at     int64
	layout int32
	rank   int32 // of the new buffer in the layout
}

// before orders children, the best first. No two are equal.
func (c *child) before(d *child) bool {
	if a, b := c.score+c.chance, d.score+d.chance; a != b {
		return a < b
	}
	if c.layout != d.layout {
		return c.layout < d.layout
	}
	return c.at < d.at
}

// bear lists the children of all layouts for buffer k: at the lower and at the upper end of each hole.
func (x *pass) bear(k int) {
	if x.loose != nil {
		x.bearLoose(k)
		return
	}
	g := &x.now
	size, align, until := x.size[k], x.align[k], x.value[k]
	x.children = x.children[:0]
	x.divide()
	for _, s32 := range x.lines.order {
		s := int(s32)
		x.lines.begin(s, len(x.children))
		at, id := g.at[s*g.stride:][:g.live], g.id[s*g.stride:][:g.live]
		lower := int64(0)
		for r := 0; r <= g.live; r++ {
			upper := x.ceiling
			if r < g.live {
				upper = at[r]
			}
			low, high := roundUp(lower, align), roundDown(upper-size, align)
			if upper-lower >= size && low <= high {
				rest := g.score[s] - x.growing(at, id, r-1, r, lower, upper, until)
				for o := low; ; o = high {
					c := child{at: o, layout: int32(s), rank: int32(r)}
					c.score = rest + x.growing(at, id, r-1, g.live, lower, o, until) + x.growing(at, id, -1, r, o+size, upper, until)
					if x.noise > 0 {
						c.chance = x.rng.Int64N(x.noise)
					}
					x.children = append(x.children, c)
					if o == high {
						break
					}
				}
			}
			if r < g.live {
				lower = upper + x.size[id[r]]
			}
		}
	}
}

// choose makes the next beam of the best children whose scores differ. Children without a hole for a coming buffer are
// left out.
func (x *pass) choose(k int) {
	g, next := &x.now, &x.next
	x.gather()
	next.n, next.live = 0, g.live+1
	x.seen.room(len(x.children))
	x.seen.clear()
	for next.n < x.width {
		c, line := x.pop()
		if line == nil {
			return
		}
		if x.settings.alike && x.seen.has(uint64(c.score)) {
			continue
		}
		x.seen.add(uint64(c.score)) // one that is not open has copies that are not
		if x.nodes += x.cost; x.over() {
			return
		}
		if x.copy(c, k); x.loose != nil {
			c.at = x.placeLoose(c, k)
		}
		if !x.open() {
			continue
		}
		x.parent, x.at = append(x.parent, g.trace[c.layout]), append(x.at, c.at)
		next.score[next.n], next.trace[next.n] = c.score, int32(len(x.parent)-1)
		next.n++
		line.there++
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
	if x.loose != nil {
		return x.openLoose()
	}
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

// mix scatters the bits of x. Source: the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// set is a set of scores: a table with open addressing, at most half full. 0 stands for no entry.
type set []uint64

// room makes room for so many scores.
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
