package climb

import (
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: in large graphs the load is at its peak for a moment and lower at all
// others. What heuristics waste, they waste there: they place something early
// that is in the way at the peak. So plan the sections around the peak first,
// exactly and at the bound, all buffers that are active there and no others;
// then place the rest around this core by first fit. The rest has room to
// spare. Cores of several widths are tried, and the rest in two orders: that of
// the plan to improve, and by size. Later turns aim higher than the bound, and
// at other crowded moments.
//
// Two buffers of the core conflict anywhere only if they do so within the
// core's sections, since both are live there; so cutting them to it loses
// nothing. With gaps that is not so, and there are no cores; nor are there with
// fixed offsets, which the rest would have to go around.
//
// Invariant: the core's offsets are valid for the whole problem; decoding in
// their order never puts one higher.
//
// Complexity: a bounded exact search and two placements a core.
//
// A core of all sections is the exact planner with a node limit: of A–K that is
// what solves B, C, F, H and K at once.
//
// Measured: pangu_2.6B ends at the load in 0.1 s, where all heuristics waste
// 0.76% and more; 3 sections to either side of the peak are enough.

// halves are how many sections a core has on each side of its middle.
var halves = []int32{3, 10, 30, 100, 300}

// coreLimit is the largest number of buffers in a core.
const coreLimit = 3000

// cores plans around cores. It belongs to one worker.
type cores struct {
	tl     *timeline.Timeline
	part   part
	limit  int64 // nodes of the exact planner
	steps  int64
	most   int64 // steps at which the node limit comes
	peak   int32
	member []bool
	core   []int32
	share  float64
}

func newCores(tl *timeline.Timeline, nodes int64) *cores {
	c := &cores{tl: tl, part: part{tl: tl}, limit: nodes, share: 0.5, member: make([]bool, len(tl.Problem.Buffers))}
	for s := range tl.Load {
		if tl.Load[s] > tl.Load[c.peak] {
			c.peak = int32(s)
		}
	}
	return c
}

// hasCores reports whether the problem is of a kind that cores are for.
func hasCores(tl *timeline.Timeline) bool {
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			return false
		}
	}
	return !tl.HasGaps() && tl.Sections() > 0
}

// first tries the cores around the peak at the goal, from narrow to wide. It
// returns the lowest plan, nil where none is under the height of offsets.
func (c *cores) first(ctx limit, offsets []int64, height, goal int64) (best []int64, lowest int64) {
	lowest = height
	for _, half := range halves {
		got, h, ok := c.around(ctx, offsets, c.peak, half, lowest, goal)
		if got != nil {
			best, lowest = got, h
		}
		if !ok || lowest <= goal || ctx.Over() || len(c.core) == len(offsets) {
			break
		}
	}
	return best, lowest
}

// run tries one core, at a random crowded moment and of random width, between
// the goal and the height. The next one aims lower after a success and higher
// after a failure.
func (c *cores) run(ctx limit, rng *rand.Rand, offsets []int64, height, goal int64) ([]int64, int64) {
	target := height - max(1, int64(c.share*float64(height-goal)))
	middle := c.peak
	for range 8 {
		if s := rng.Int32N(int32(c.tl.Sections())); rng.IntN(2) == 0 && c.tl.Load[s] >= c.tl.MaxLoad-c.tl.MaxLoad/8 {
			middle = s
		}
	}
	got, h, ok := c.around(ctx, offsets, middle, halves[rng.IntN(len(halves))], height, target)
	if ok {
		c.share = min(1, 1.5*c.share)
	} else if c.share /= 2; c.share*float64(height-goal) < 1 {
		c.share = 0.5
	}
	return got, h
}

// around plans the core of half sections to each side of the middle under the
// target, and the rest around it. It returns a plan under below, if any; ok is
// false where the core itself could not be planned.
func (c *cores) around(ctx limit, offsets []int64, middle, half int32, below, target int64) (best []int64, height int64, ok bool) {
	tl := c.tl
	low, high := max(0, middle-half), min(int32(tl.Sections()), middle+half+1)
	c.part.begin()
	c.core = c.core[:0]
	c.steps += int64(len(offsets))
	for i := range offsets {
		first, last := tl.Extent(i)
		if c.member[i] = first < high && last > low; c.member[i] {
			if len(c.core) == coreLimit {
				return nil, 0, false
			}
			c.core = append(c.core, int32(i))
			c.part.free(int32(i), low, high)
		}
	}
	size := int64(len(c.core))
	nodes := affordable(c.limit+2*size, c.most-c.steps, size)
	if nodes < 1 {
		return nil, 0, false
	}
	core, taken := exact.Fit(ctx.Context, c.part.end(), target, nodes, 1)
	c.steps += taken * size
	if core == nil {
		return nil, 0, false
	}
	at := make([]int64, len(offsets))
	for k, i := range c.core {
		at[i] = core[k]
	}
	order := c.only(greedy.ByOffset(at), true)
	rest := c.only(greedy.ByOffset(offsets), false)
	height = below
	for range 2 {
		got, h, _ := place.Below(ctx.Watch, tl, append(slices.Clone(order), rest...), place.FirstFit, height)
		c.steps += int64(len(offsets))
		if got != nil {
			best, height = got, h
		}
		if ctx.Over() || c.steps >= c.most {
			break
		}
		rest = c.only(greedy.BySize(tl, offsets), false)
	}
	return best, height, true
}

// only keeps of a list those who are members of the core, or those who are not.
//
//go:noinline
func (c *cores) only(list []int32, member bool) []int32 {
	kept := list[:0]
	for _, i := range list {
		if c.member[i] == member {
			kept = append(kept, i)
		}
	}
	return kept
}
