package climb

import (
	"math/rand/v2"
	"sort"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: a buffer that first fit has put above the ground rests on another,
// which ends where it begins. So from a buffer at the top a chain leads down to
// the ground, and its sizes add up to the height. To lower the plan, the chain
// must be broken; it is the critical path of scheduling. A run of its links
// that are all live at one moment is a block: however these are ordered, they
// take as much room. Only at the border of two blocks is anything wasted, so
// that is where moves make sense; a chain without a border proves that the
// height is the load.
//
// Where a buffer rests on several, one that keeps the block going is taken, so
// that borders are few; among equals, chance decides.
//
// Invariant: links[k] rests on links[k+1]; a border b is the first link of a
// block, so links[b-1] and links[b] are where the blocks meet.
//
// Complexity: O(p log p) to sort the p tops, then O(log p + equal tops) a link.
//
// Source: Nowicki and Smutnicki, "A Fast Taboo Search Algorithm for the Job
// Shop Problem", 1996 (blocks and the N5 moves), carried over to sections as
// machines that a buffer needs several of at once.

// chain is the critical chain of a plan. It belongs to one worker.
type chain struct {
	tl      *timeline.Timeline
	rng     *rand.Rand
	tops    []top // of the plan, ascending
	links   []int32
	borders []int

	found          []top   // the tops in the order of the buffers
	order, scratch []int32 // their order, that of the plan before until ascend
}

// top is where a span of a buffer ends in space.
type top struct {
	at   int64
	span int32 // of the buffer's
	of   int32
}

func newChain(tl *timeline.Timeline, rng *rand.Rand) *chain { return &chain{tl: tl, rng: rng} }

// trace finds a chain of the plan.
func (c *chain) trace(offsets []int64, height int64) {
	tl := c.tl
	c.found = c.found[:0]
	peak, ties := int32(-1), 0
	for i := range offsets {
		for k, s := range tl.Spans(i) {
			c.found = append(c.found, top{at: offsets[i] + s.Upper, span: int32(k), of: int32(i)})
		}
		if offsets[i]+tl.Problem.Buffers[i].Size == height {
			if ties++; c.rng.IntN(ties) == 0 {
				peak = int32(i)
			}
		}
	}
	c.ascend()
	c.links = append(c.links[:0], peak)
	c.borders = c.borders[:0]
	// The sections in which all of the present block are live.
	first, last := tl.Extent(int(peak))
	for at := peak; offsets[at] > 0; {
		below, keeps := c.support(offsets, at, first, last)
		if below < 0 {
			return
		}
		f, l := tl.Extent(int(below))
		if keeps {
			first, last = max(first, f), min(last, l)
		} else {
			c.borders = append(c.borders, len(c.links))
			first, last = f, l
		}
		c.links = append(c.links, below)
		at = below
	}
}

// ascend sets the tops to what was found, in ascending order. The order of last
// time is a good start.
func (c *chain) ascend() {
	if len(c.order) != len(c.found) {
		c.order, c.scratch = sorting.Count(len(c.found)), make([]int32, len(c.found))
		c.tops = make([]top, len(c.found))
	}
	sorting.Within(c.order, c.scratch, func(i, j int32) bool {
		a, b := &c.found[i], &c.found[j]
		return a.at < b.at || a.at == b.at && i < j
	}, nil)
	for k, i := range c.order {
		c.tops[k] = c.found[i]
	}
}

// support returns a buffer that buffer i rests on, -1 where there is none (it
// is fixed, or hangs in a window), and whether that one is live in [first,
// last).
func (c *chain) support(offsets []int64, i, first, last int32) (below int32, keeps bool) {
	below = -1
	ties := 0
	align := c.tl.Problem.Buffers[i].Align()
	for _, s := range c.tl.Spans(int(i)) {
		ground := offsets[i] + s.Lower
		from := sort.Search(len(c.tops), func(k int) bool { return c.tops[k].at > ground-align })
		for _, t := range c.tops[from:] {
			if t.at > ground {
				break
			}
			on := c.tl.Spans(int(t.of))[t.span]
			// Below i it must be: with windows an equal top alone says little.
			if t.of == i || on.First >= s.Last || on.Last <= s.First || offsets[t.of] >= offsets[i] {
				continue
			}
			f, l := c.tl.Extent(int(t.of))
			k := max(f, first) < min(l, last)
			switch {
			case k && !keeps:
				below, keeps, ties = t.of, true, 1
			case k == keeps:
				if ties++; c.rng.IntN(ties) == 0 {
					below = t.of
				}
			}
		}
	}
	return below, keeps
}
