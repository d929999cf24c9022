package climb

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: in large graphs the load is at its peak for a moment and lower at all
// others. What heuristics waste, they waste there: they place something early
// that is in the way at the peak. So plan the sections around the peak first,
// exactly and at the bound, all buffers that are active there and no others;
// then sweep from this core to both ends of time (greedy.Outward). The rest has room to
// spare. Cores of several widths are tried. Later turns aim higher than the bound, and
// at other peaks.
//
// What is live in all sections of the core is one pile at its bottom, so that of a
// training graph of 30,000 buffers, of which 7,700 are live at the peak, exact search sees
// a hundred for forty sections.
//
// Two buffers of the core conflict anywhere only if they do so within the
// core's sections, since both are live there; so cutting them to it loses
// nothing. With gaps that is not so, and there are no cores; nor are there with
// fixed offsets, which the rest would have to go around.
//
// Invariant: the core's offsets are valid for the whole problem.
//
// Complexity: a bounded exact search and up to twelve sweeps a core.
//
// A core of all sections is the exact planner with a node limit: of A–K that is
// what solves B, C, F, H and K at once.
//
// Tried and dropped: first fit of the rest, in the order of the plan to improve and by
// size, which leaves S_1 0.12% above its load.

// halves are how many sections a core has on each side of its middle.
var halves = []int32{3, 10, 30, 100, 300}

// peaks is how many peaks cores are around.
const peaks = 16

// coreLimit is the largest number of buffers in a core, the pile aside.
const coreLimit = 3000

// cores plans around cores. It belongs to one worker.
type cores struct {
	tl    *timeline.Timeline
	out   *greedy.Outward
	part  part
	limit int64 // nodes of the exact planner
	steps int64 // but for those of sweeps
	most  int64 // steps at which the node limit comes
	tries int
	share float64
}

// newCores returns nil where the problem is not of a kind that cores are for.
func newCores(ctx limit, tl *timeline.Timeline, nodes int64, offsets []int64) *cores {
	out := greedy.NewOutward(ctx.Watch, tl, offsets)
	if out == nil {
		return nil
	}
	return &cores{tl: tl, out: out, part: part{tl: tl}, limit: nodes, share: 0.5}
}

// taken returns the steps so far.
func (c *cores) taken() int64 { return c.steps + c.out.Steps }

// run tries a core of each width, until one lowers the plan: at first around the peak and
// at the goal, from narrow to wide, then at random peaks, narrower, and between the
// goal and the height. Of these the next one aims lower after a success and higher
// after a failure.
func (c *cores) run(ctx limit, rng *rand.Rand, offsets []int64, height, goal int64) ([]int64, int64) {
	c.out.Than(offsets)
	for range halves {
		n, half, target := 0, halves[c.tries%len(halves)], goal
		if c.tries >= len(halves) {
			n, half, target = rng.IntN(1+rng.IntN(peaks)), 1+rng.Int32N(half), height-max(1, int64(c.share*float64(height-goal)))
		}
		c.tries++
		if got, h := c.around(ctx, n, half, target); got != nil {
			c.share = min(1, 1.5*c.share)
			return got, h
		}
		if c.share /= 2; c.share*float64(height-goal) < 1 {
			c.share = 0.5
		}
		if ctx.Over() || c.taken() >= c.most {
			break
		}
	}
	return nil, 0
}

// around plans the core of half sections to each side of the n-th peak under the
// target, and the rest around it. It returns a lower plan, if any.
func (c *cores) around(ctx limit, n int, half int32, target int64) ([]int64, int64) {
	c.steps += int64(len(c.tl.Problem.Buffers)) // to look which are in it
	c.out.Most = c.out.Steps + c.most - c.taken()
	return c.out.Again(n, half, target, func(loose []int32, low, high int32, floor, target int64, at []int64) bool {
		size := int64(len(loose)) + 1
		nodes := affordable(c.limit+2*size, c.most-c.taken(), size)
		if nodes < 1 || size > coreLimit {
			return false
		}
		c.part.begin()
		for _, i := range loose {
			c.part.free(i, low, high)
		}
		if floor > 0 {
			c.part.blocks = append(c.part.blocks, fixedBlock{first: low, last: high, to: floor})
		}
		core, taken := exact.Fit(ctx.Context, c.part.end(), target, nodes, 1)
		c.steps += taken * size
		for k, i := range loose {
			if core != nil {
				at[i] = core[k]
			}
		}
		return core != nil
	})
}
