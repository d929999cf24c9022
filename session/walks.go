package session

// Idea: two kinds of walks look for a plan if the search over ejections finds none: those over ejections (guided.go) and those over overlaps
// (overlap.go). Where one ends in a cycle the other often finds a plan, and so does a longer one. So they take turns, and each is longer
// than the last one of its kind. Walks over ejections move less, so they begin.
//
// The early walks end the step repair. If they fail, and nothing says that there is no plan (spare.go, window.go), the late walks end the
// step window. Those over overlaps are many short ones: each begins anew at the present plan.
//
// Complexity: that of the walks. All of them take one or two seconds for 400 buffers, the early ones 0.2 s.
//
// Measured, on the 118 changes of A to K that stay undecided without settle.go: eight walks over overlaps of 20,000 moves place 18 to 30, for three
// seeds, two of 80,000 moves 14 to 19, for three, and 16 of 10,000 or 32 of 5,000 moves 19. Walks of 20,000 moves that have not found a plan
// after 80 did not find one in 500: of ten such changes of A they place four.
// Measured, on 145 changes of A, C, F and K that the search over ejections left: two walks over overlaps of 8,000 moves place 113, and
// these lists' early walks 123 to 130, depending on the lengths of those over ejections. Walks over overlaps alone place as many in as
// much time, but move 8% of the bytes where the others move 5 to 7%.
// Played to the end (docs/sessions.md), a session that places more has a fuller memory later, so its next changes are harder. Before settle.go, four lists
// with other lengths leave 102 to 122 of 11,000 changes undecided, and of one instance up to 11 more or fewer: none is better for all.
// The list that ended with 500,000 moves left 122.
// Before walks over overlaps went back (overlap.go), on 197 to 286 changes of each of A, D, J and K, short walks in between (1,000, 2,000,
// 4,000 moves ...) made the 50th slowest of 1,000 calls slower.

// A stroll is a walk of one of the two kinds.
type stroll struct {
	moves int    // its length in moves or placements, up to walkFull buffers
	part  int64  // of a walk over ejections: the part of the mean cost of a movement that is the unit of its weights; 0 for one over overlaps
	odd   uint64 // of a walk over ejections: one in so many placements that eject takes another than the best place
	times int    // how many of them
}

var (
	early = []stroll{
		{2_000, 16, 6, 1},
		{8_000, 0, 0, 1},
		{4_000, 16, 6, 1},
		{16_000, 0, 0, 1},
		{8_000, 4, 6, 1},
		{16_000, 0, 0, 1},
		{32_000, 0, 0, 1},
	}
	late = []stroll{
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

// stroll is the end of the step repair.
func (c *call) stroll() (Answer, []int64, error) {
	at := c.walks(early, c.s.o.Seed)
	if at != nil {
		at = c.homing(at, homeSoon)
	}
	return Answer{}, at, nil
}

// wander is the end of the step window.
func (c *call) wander() (Answer, []int64, error) { return Answer{}, c.walks(late, c.s.o.Seed+1), nil }

// walks takes walks until one finds a plan. It returns nil if none does.
func (c *call) walks(list []stroll, draw uint64) []int64 {
	for _, w := range list {
		moves := w.moves
		if n := len(c.at); n > walkFull {
			moves = max(moves*walkFull/n, min(moves, walkLeast))
		}
		for range w.times {
			if c.watch.Over() {
				return nil
			}
			var at []int64
			if w.part > 0 {
				at = c.guided(moves, w.part, w.odd, &draw)
			} else {
				at = c.overlap(moves, &draw)
			}
			if at != nil {
				return at
			}
		}
	}
	return nil
}
