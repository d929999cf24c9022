package session

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: the steps keep and fit. A body stays if it may. A body of the call goes where a pin or a hint wants it. The
// other bodies of the call take free places.
//
// Complexity: O(n) for each body that is looked up. If rules change, the bodies that they name are looked up, too.

// keep leaves every body where it is, if it may lie there. It lists the others.
func (c *call) keep() {
	r, now := &c.s.scratch, c.now()
	touched, called := zeros(r.touched, len(c.at)), r.called[:0]
	for _, i := range c.changed {
		if body := c.of(i); !touched[body] {
			touched[body] = true
			called = append(called, body)
			c.lift(now, body)
		}
	}
	c.homeless = c.ground.strays(r.homeless[:0], touched)
	for _, body := range c.homeless {
		if _, _, stood := c.oldPlace(body); stood {
			c.forced(body)
		}
		touched[body] = true
		c.lift(now, body)
	}
	c.part(touched)
	for _, body := range called {
		if !c.stay(body) {
			c.homeless = append(c.homeless, body)
		}
	}
	c.largestFirst(c.homeless)
	r.touched, r.called, r.homeless = touched, called, c.homeless
}

// forced notes that a body cannot stay.
func (c *call) forced(body int32) {
	m := c.moves(body)
	c.must.Cost, c.must.Buffers = min(c.must.Cost+m.Cost, model.MaxSum), c.must.Buffers+m.Buffers
}

// part lifts bodies whose rules have changed, as long as they share bytes with others that they may not. The cheap ones
// go first.
func (c *call) part(touched []bool) {
	var named []int32
	for _, i := range c.named {
		if body := c.of(i); !touched[body] {
			touched[body] = true
			named = append(named, body)
		}
	}
	slices.SortStableFunc(named, func(a, b int32) int {
		_, p := c.pinned(a)
		_, q := c.pinned(b)
		x, y := c.moves(a), c.moves(b)
		return cmp.Or(btoi(p)-btoi(q), x.compare(&y), int(a-b))
	})
	for _, body := range named {
		if pool, origin, _ := c.oldPlace(body); !c.free(c.now(), body, pool, origin) {
			c.lift(c.now(), body)
			c.homeless = append(c.homeless, body)
		}
	}
}

// stay puts a body of the call where it was, or where a pin or a hint wants it. No buffer but those of the call moves.
func (c *call) stay(body int32) bool {
	pool, origin, stood := c.oldPlace(body)
	others := c.moves(body).Buffers > 0
	if others && (!stood || !c.ground.mayLie(body, pool, origin)) {
		if stood {
			c.forced(body)
		}
		return false
	}
	if c.s.skip[Keep] {
		return false
	}
	want, pinned := c.pinned(body)
	if stood && (others || !pinned) {
		if c.putFree(body, pool, origin) {
			return true
		}
		if others {
			return false
		}
	}
	if hint := c.s.p.Buffers[body].Hint; !pinned && !stood && hint != nil {
		want, pinned = *hint-c.from(body), true
	}
	for q := range c.pools {
		if pinned && c.putFree(body, q, want) {
			return true
		}
	}
	return false
}

// putFree puts a body at a place, if that is free.
func (c *call) putFree(body, pool int32, origin int64) bool {
	free := c.free(c.now(), body, pool, origin)
	if free {
		c.put(c.now(), body, pool, origin)
	}
	return free
}

// free reports whether a body may lie at a place beside what is placed.
func (c *call) free(p placing, body, pool int32, origin int64) bool {
	if !c.ground.mayLie(body, pool, origin) {
		return false
	}
	r := &c.s.scratch
	r.bans = c.ground.bans(r.bans[:0], body, pool, p)
	return outside(r.bans, origin)
}

// fit gives each body to place the best place that is free. It reports whether all have one; if not, none has.
func (c *call) fit() bool {
	for k, body := range c.homeless {
		pool, origin, ok := c.ground.best(body)
		if !ok {
			c.lift(c.now(), c.homeless[:k]...)
			return false
		}
		c.put(c.now(), body, pool, origin)
	}
	return true
}

// pinned returns the origin that a fixed offset gives a body. ok is false if no member has one.
func (c *call) pinned(body int32) (origin int64, ok bool) {
	for _, i := range c.members(body) {
		if fixed := c.s.p.Buffers[i].Fixed; fixed != nil {
			return *fixed - c.from(i), true
		}
	}
	return 0, false
}

// oldPlace returns where a body lay before the call. Buffers that the call is about count only if the body has no
// others. ok is false if there is no such place, or buffers lay at several.
func (c *call) oldPlace(body int32) (pool int32, origin int64, ok bool) {
	for _, mine := range [...]bool{false, true} {
		some := false
		for _, i := range c.members(body) {
			if c.mine[i] != mine || c.old[i] == away {
				if c.mine[i] == mine && !mine {
					return 0, 0, false
				}
				continue
			}
			if here := c.old[i] - c.from(i); !some {
				pool, origin, some = c.before().in(i), here, true
			} else if c.before().in(i) != pool || here != origin {
				return 0, 0, false
			}
		}
		if some {
			return pool, origin, true
		}
	}
	return 0, 0, false
}

// largestFirst sorts bodies: the pinned first, then by the sum of size times life, and by index.
func (c *call) largestFirst(list []int32) {
	area := func(body int32) (a int64) {
		for _, i := range c.members(body) {
			b := &c.s.p.Buffers[i]
			a = min(a+saturated(b.Size, b.Upper-b.Lower), model.MaxSum)
		}
		return a
	}
	slices.SortFunc(list, func(a, b int32) int {
		_, p := c.pinned(a)
		_, q := c.pinned(b)
		return cmp.Or(btoi(q)-btoi(p), cmp.Compare(area(b), area(a)), int(a-b))
	})
}
