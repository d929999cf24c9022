package session

// Idea: two kinds of walks look for a plan if the search over ejections finds none: walks over ejections (guided.go)
// and walks over overlaps (overlap.go). If a walk of one kind ends in a cycle, one of the other kind, or a longer
// one, often finds a plan. So they take turns, and each is longer than the last one of its kind. Walks over ejections
// move less, so they begin.
//
// The early walks end the step repair. If they fail, and nothing says that there is no plan (spare.go, window.go), the
// late walks end the step window. Those over overlaps are many short ones: each begins anew at the present plan.
//
// Complexity: that of the walks. All of them take one or two seconds for 400 buffers, the early ones 0.2 s.
//
// Other lists of walks place as many changes (docs/lab/session.md).

// A walk is one of the two kinds.
type walk struct {
	moves int    // its length in moves or placements, up to walkFull buffers
	part  int64  // over ejections: the part of the mean cost of a movement that is its unit; 0: over overlaps
	odd   uint64 // of a walk over ejections: one in so many placements that eject takes another than the best place
	times int    // how many of them
}

var (
	early = []walk{
		{2_000, 16, 6, 1},
		{8_000, 0, 0, 1},
		{4_000, 16, 6, 1},
		{16_000, 0, 0, 1},
		{8_000, 4, 6, 1},
		{16_000, 0, 0, 1},
		{32_000, 0, 0, 1},
	}
	late = []walk{
		{16_000, 1, 4, 1},
		{20_000, 0, 0, 8},
		{16_000, 4, 4, 1},
		{20_000, 0, 0, 8},
	}
)

// A move takes O(n). So above walkFull buffers a walk has fewer, down to walkLeast.
const (
	walkFull  = 500
	walkLeast = 2_000
)

// earlyWalks is the end of the step repair.
func (c *call) earlyWalks() (Answer, placing, error) {
	p := c.walks(early, c.s.o.Seed)
	if p.at != nil {
		p = c.walkBack(p, backSoon)
	}
	return Answer{}, p, nil
}

// lateWalks is the end of the step window.
func (c *call) lateWalks() (Answer, placing, error) {
	return Answer{}, c.walks(late, c.s.o.Seed+1), nil
}

// walks takes walks until one finds a plan. The placing is empty if none does.
func (c *call) walks(list []walk, draw uint64) (p placing) {
	for _, w := range list {
		moves := w.moves
		if n := len(c.at); n > walkFull {
			moves = max(moves*walkFull/n, min(moves, walkLeast))
		}
		for range w.times {
			if c.watch.Over() {
				return placing{}
			}
			if w.part > 0 {
				p = c.guided(moves, w.part, w.odd, &draw)
			} else {
				p = c.overlap(moves, &draw)
			}
			if p.at != nil {
				return p
			}
		}
	}
	return placing{}
}
