package beam

// Idea: the score of a loose layout is that of layouts.go. A hole between two buffers, once all between them have
// ended, is their distance less the size of the lower one. A new buffer between two neighbours changes only the holes
// around it: until it ends each of them is two, and then one that may be larger than it was, since the new buffer has
// moved its sides apart. Each buffer has as neighbours the next ones below and above that live longer (rows), so the
// holes around a place are a walk along these.
//
// Invariant: the score of a child is what totalLoose says of its layout.
//
// Complexity: added takes a step for each hole around the place, placeLoose one for each two buffers on both sides.

// look sets the rows of layout s.
func (x *pass) look(s int) {
	e, g := x.loose, &x.now
	e.rows = e.rows[:0]
	for r, k := range g.id[s*g.stride:][:g.live] {
		y := row{slot: e.slot[k], size: int32(x.size[k]), until: x.value[k]}
		for y.prev = int16(r - 1); y.prev >= 0 && e.rows[y.prev].until <= y.until; {
			y.prev = e.rows[y.prev].prev
		}
		e.rows = append(e.rows, y)
	}
	for r := len(e.rows) - 1; r >= 0; r-- {
		y := &e.rows[r]
		for y.next = int16(r + 1); int(y.next) < len(e.rows) && e.rows[y.next].until <= y.until; {
			y.next = e.rows[y.next].next
		}
	}
}

// bearLoose lists the children of all layouts for buffer k: between each two neighbours where it fits.
func (x *pass) bearLoose(k int) {
	e, g := x.loose, &x.now
	e.slot[k] = e.free[len(e.free)-1]
	e.free = e.free[:len(e.free)-1]
	x.children = x.children[:0]
	size, ceiling := int32(x.size[k]), int32(x.ceiling)
	x.divide()
	for _, s32 := range x.lines.order {
		s := int(s32)
		x.lines.begin(s, len(x.children))
		x.look(s)
		low, up := g.low[s*g.stride:][:g.stride], g.up[s*g.stride:][:g.stride]
		for p := 0; p <= len(e.rows); p++ {
			need := size
			if p > 0 {
				need += low[e.rows[p-1].slot] + e.rows[p-1].size
			}
			if p < len(e.rows) {
				need += up[e.rows[p].slot]
			}
			if need > ceiling {
				continue
			}
			c := child{at: int64(p), layout: int32(s), rank: int32(p), score: g.score[s] + x.added(s, p, size, x.value[k])}
			if x.noise > 0 {
				c.chance = x.rng.Int64N(x.noise)
			}
			x.children = append(x.children, c)
		}
	}
}

// hole returns the distance from the end of the buffer of rank i to that of rank j of the rows of layout s. Ranks below
// and above all rows are the ground and the roof.
func (x *pass) hole(s, i, j int) int32 {
	rows, g := x.loose.rows, &x.now
	st := g.stride
	switch {
	case i < 0 && j >= len(rows):
		return g.whole[s]
	case i < 0:
		return g.low[s*st+int(rows[j].slot)]
	case j >= len(rows):
		return g.up[s*st+int(rows[i].slot)] - rows[i].size
	}
	return g.dist[(s*st+int(rows[i].slot))*st+int(rows[j].slot)] - rows[i].size
}

// added returns what a buffer between the ranks p-1 and p adds to the score of layout s, whose rows are set.
func (x *pass) added(s, p int, size int32, until int64) (score int64) {
	e, g := x.loose, &x.now
	rows, st := e.rows, g.stride
	low, up, dist := g.low[s*st:][:st], g.up[s*st:][:st], g.dist[s*st*st:][:st*st]
	i, j, now := p-1, p, int64(0)
	below, above := never, never
	var lower, upper int32 // the holes below and above the new buffer
	var under, over int    // slots of its neighbours
	var lengths []int32    // distances from the one above it
	if i >= 0 {
		under, below = int(rows[i].slot), rows[i].until
	}
	if j < len(rows) {
		over, above = int(rows[j].slot), rows[j].until
		lengths = dist[over*st:][:st]
	}
	for {
		var hole int32
		switch {
		case i >= 0 && j < len(rows):
			hole = dist[int(rows[i].slot)*st+int(rows[j].slot)] - rows[i].size
		case i >= 0:
			hole = up[rows[i].slot] - rows[i].size
		case j < len(rows):
			hole = low[rows[j].slot]
		default:
			hole = g.whole[s]
		}
		end, old := min(below, above, horizon), e.weightOf(hole)
		if now < until {
			t := min(end, until)
			score += (e.weightOf(lower) + e.weightOf(upper) - old) * (t - now)
			now = t
		}
		if now < end {
			if wide := lower + size + upper; wide > hole {
				score += (e.weightOf(wide) - old) * (end - now)
			}
		}
		if now = end; now >= horizon {
			return score
		}
		if below == end {
			for i = int(rows[i].prev); i >= 0 && rows[i].until <= end; {
				i = int(rows[i].prev)
			}
			if i >= 0 {
				below = rows[i].until
				lower = dist[int(rows[i].slot)*st+under] + rows[p-1].size - rows[i].size
			} else {
				below = never
				lower = low[under] + rows[p-1].size
			}
		}
		if above == end {
			for j = int(rows[j].next); j < len(rows) && rows[j].until <= end; {
				j = int(rows[j].next)
			}
			if j < len(rows) {
				above = rows[j].until
				upper = lengths[rows[j].slot]
			} else {
				above = never
				upper = up[over]
			}
		}
	}
}

// totalLoose adds up the score of layout s, as total does.
func (x *pass) totalLoose(s int) (score int64) {
	e := x.loose
	x.look(s)
	stack := append(e.stack[:0], -1)
	for r := 0; r <= len(e.rows); r++ {
		until, begun := never, int64(0)
		if r < len(e.rows) {
			until = e.rows[r].until
		}
		for {
			w, wall := stack[len(stack)-1], never
			if w >= 0 {
				wall = e.rows[w].until
			}
			score += e.weightOf(x.hole(s, int(w), r)) * (min(wall, until, horizon) - begun)
			if w < 0 || wall > until {
				break
			}
			begun, stack = wall, stack[:len(stack)-1]
		}
		stack = append(stack, int32(r))
	}
	e.stack = stack
	return score
}

// placeLoose makes the distances of a child with buffer k behind the layouts of the next beam, and returns the buffers
// below and above it, as the trace has them.
func (x *pass) placeLoose(c child, k int) int64 {
	e, g, next := x.loose, &x.now, &x.next
	st, p := g.stride, int(c.rank)
	from, to := int(c.layout)*st, next.n*st
	ids := g.id[from:][:g.live]
	low, up := next.low[to:][:st], next.up[to:][:st]
	copy(low, g.low[from:])
	copy(up, g.up[from:])
	dist := next.dist[to*st:][:st*st]
	copy(dist, g.dist[from*st:])
	mine, size := e.slot[k], int32(x.size[k])
	lowest, rise := int32(0), size // from the ground, and to the roof
	lower, upper := int32(none), int32(none)
	var under, over int16 // slots of the neighbours
	if p > 0 {
		lower = ids[p-1]
		under = e.slot[lower]
		lowest = low[under] + int32(x.size[lower])
	}
	if p < len(ids) {
		upper = ids[p]
		over = e.slot[upper]
		rise += up[over]
	}
	low[mine], up[mine] = lowest, rise
	next.whole[next.n] = max(g.whole[c.layout], lowest+rise)
	out, far := dist[int(mine)*st:][:st], e.far[:0]
	for q, j := range ids[p:] {
		t, d := e.slot[j], size
		if q > 0 {
			d += dist[int(over)*st+int(t)]
		}
		out[t] = d
		low[t] = max(low[t], lowest+d)
		far = append(far, apart{t, d})
	}
	e.far = far
	for q, j := range ids[:p] {
		t := e.slot[j]
		line, d := dist[int(t)*st:][:st], int32(x.size[lower])
		if q < p-1 {
			d += line[under]
		}
		line[mine] = d
		up[t] = max(up[t], d+rise)
		for _, a := range far {
			if v := d + a.d; v > line[a.slot] {
				line[a.slot] = v
			}
		}
	}
	return int64(lower+1)<<32 | int64(upper+1)
}

// openLoose is open for loose layouts.
func (x *pass) openLoose() bool {
	e, next := x.loose, &x.next
	from := next.n * next.stride
	low, up := next.low[from:][:next.stride], next.up[from:][:next.stride]
	for _, j := range x.coming {
		begins, room, base, fits := x.first[j], int32(x.ceiling-x.size[j]), int32(0), false
		for _, k := range next.id[from:][:next.live] {
			if x.last[k] <= begins {
				continue
			}
			t := e.slot[k]
			if fits = base+up[t] <= room; fits {
				break
			}
			base = low[t] + int32(x.size[k])
		}
		if !fits && base > room {
			return false
		}
	}
	return true
}
