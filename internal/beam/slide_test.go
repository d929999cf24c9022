package beam

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestSlides follows an ejection buffer by buffer. After each one both bounds are plans in the same order, and only
// what is in the way has gone out. Each buffer has the range that its neighbours leave it, which relax finds, too.
func TestSlides(t *testing.T) {
	gone, moved, wider := 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := crowded(seed, 60, 1<<11, heavy)
		if seed%2 == 1 {
			gapped(p, r)
		}
		for i := range p.Buffers {
			p.Buffers[i].Alignment = []int64{16, 32, 48}[r.IntN(3)]
		}
		tl := timeline.New(p)
		e := newEjection(passOf(t, tl))
		e.rng = r
		e.roof = (tl.LowerBound + tl.LowerBound/8) / e.granule
		for k := range e.order {
			if e.cost[k] = costUnit; e.size[k] <= e.roof {
				e.drop(int32(k))
			}
		}
		placed := func(k int) bool { return e.spots[k].placed }
		for step := 0; step < 400 && len(e.out) > 0; step++ {
			before := append([]spot(nil), e.spots...)
			k := e.pop()
			at, cost := e.cheapest(k, e.roof)
			e.put(k, e.roof)
			sum := int64(0)
			for j := range e.order {
				if before[j].placed && !placed(j) {
					gone++
					sum++
				}
				if before[j].placed && before[j].at != e.spots[j].at {
					moved++
				}
				if s := e.spots[j]; before[j].placed && s.placed && (s.at < before[j].at || s.high > before[j].high) {
					wider++
				}
			}
			if cost == 0 && sum > 0 {
				t.Fatalf("seed %d: %d buffers leave offset %d, where there is room", seed, sum, at)
			}
			checkSpots(t, e, seed)
			for j := range e.order {
				if s := e.spots[j]; s.placed {
					if low, high := reach(e, j); s.at != low || s.high != high {
						t.Fatalf("seed %d, buffer %d: %d to %d, by its neighbours %d to %d", seed, j, s.at, s.high, low, high)
					}
				}
			}
			if step%7 == 0 {
				kept := append([]spot(nil), e.spots...)
				up, down := slices.Clone(e.links.up), slices.Clone(e.links.down)
				e.relax()
				for j := range e.order {
					same := slices.Equal(up[e.links.own[j]:e.links.own[j+1]], e.ups(int32(j))) &&
						slices.Equal(down[e.links.own[j]:e.links.own[j+1]], e.downs(int32(j)))
					if placed(j) && (kept[j] != e.spots[j] || !same) {
						t.Fatalf("seed %d, buffer %d: %+v, from the order of all %+v, with the same links: %v",
							seed, j, kept[j], e.spots[j], same)
					}
				}
			}
		}
	}
	if gone < 1000 || moved < 1000 || wider < 1000 {
		t.Errorf("%d ejected, %d moved, %d ranges wider: the cases are lopsided", gone, moved, wider)
	}
}

// checkSpots checks the invariant of slide.go, pair by pair.
func checkSpots(t *testing.T, e *ejection, seed uint64) {
	t.Helper()
	for j, s := range e.spots {
		if !s.placed {
			continue
		}
		if s.at < 0 || s.at > s.high || s.high+e.size[j] > e.roof || s.top != s.at+e.size[j] ||
			s.at%e.align[j] != 0 || s.high%e.align[j] != 0 {
			t.Fatalf("seed %d, buffer %d of size %d: %+v below %d", seed, j, e.size[j], s, e.roof)
		}
		for k, u := range e.spots[:j] {
			if !u.placed || !e.meets(j, k) {
				continue
			}
			below := s.top <= u.at && s.high+e.size[j] <= u.high
			above := u.top <= s.at && u.high+e.size[k] <= s.high
			if below == above {
				t.Fatalf("seed %d: buffers %d and %d: %+v and %+v", seed, j, k, s, u)
			}
		}
	}
}

// reach returns the lowest and the highest offset that the neighbours of a buffer leave it.
func reach(e *ejection, k int) (low, high int64) {
	high = e.roof
	for j, s := range e.spots {
		if j == k || !s.placed || !e.meets(j, k) {
			continue
		}
		if s.at < e.spots[k].at {
			low = max(low, s.top)
		} else {
			high = min(high, s.high)
		}
	}
	align := e.align[k]
	return (low + align - 1) / align * align, (high - e.size[k]) / align * align
}

// TestSlideJoinsHoles: two holes of 2 units with a buffer between them have room for 4 units if that buffer moves, and
// never for 5. If offsets are fixed, 4 units do not fit.
func TestSlideJoinsHoles(t *testing.T) {
	for _, c := range []struct {
		size  int64
		slide bool
		out   int
	}{{2, false, 0}, {4, false, 1}, {4, true, 0}, {5, true, 1}} {
		p := &model.Problem{}
		for i, size := range []int64{3, 3, 1, c.size} {
			p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + i)), Upper: 2, Size: size})
		}
		p.Buffers[3].Upper = 3 // the last one in the order of sizes, too
		x := passOf(t, timeline.New(p))
		x.settings.slide = c.slide
		e := newEjection(x)
		e.rng, e.roof = rand.New(rand.NewPCG(1, 1)), 11
		last := int32(-1)
		for k, i := range e.order {
			at := []int64{0, 5, 10, 0}[i]
			e.spots[k] = spot{at: at, top: at + e.size[k], high: at, placed: i < 3}
			if e.cost[k] = costUnit; i == 3 {
				last = int32(k)
			}
		}
		if c.slide {
			e.relax()
		}
		e.put(last, 11)
		if len(e.out) != c.out {
			t.Errorf("%d units, slide %v: %d buffers are out, want %d", c.size, c.slide, len(e.out), c.out)
		}
		offsets := make([]int64, len(e.order))
		for k, i := range e.order {
			offsets[i] = e.spots[k].at
		}
		if fault := verify.First(p, offsets, 11, -1); c.out == 0 && fault != "" {
			t.Errorf("%d units, slide %v: %s", c.size, c.slide, fault)
		}
	}
}
