package climb

import (
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: at a border of the critical chain, let a buffer of the upper block and
// one of the lower swap places in the order, or put the one before the other,
// or the whole upper block before a lower buffer; decode; keep what is no
// higher. Equal heights are kept as well, since several chains may reach the
// top and each must be broken. Some moves are drawn at random instead, or
// the search would stop where no border helps.
//
// Invariant: offsets is the decoding of order, and height its height.
//
// Complexity: a decoding a move; a chain only after a move that was kept.
//
// Source: N5 and N6 of job-shop scheduling (see chain.go); Vela's
// hill climb (a6f6566) swaps around the same chain, without blocks.
//
// Tried and dropped: ejection of single buffers from a plan under a target, with
// costs that grow with each failure. Late acceptance (Burke and Bykov, 2017: no higher
// than the plan of some steps ago), on A–K at 2 s.

// blockMoves is the percentage of moves at borders that move a whole block.
const blockMoves = 25

// critical is a search over orders. It belongs to one worker.
type critical struct {
	rng    *rand.Rand
	decode *decoder
	chain  *chain
	blocks bool // moves of whole blocks
	random int  // percent of moves that ignore the chain

	order, next []int32
	at          []int32 // position of each buffer in order
	offsets     []int64
	trial       []int64
	height      int64
	moved       []int32 // scratch of block
	member      []bool
}

func newCritical(tl *timeline.Timeline, rng *rand.Rand, sw settings) *critical {
	n := len(tl.Problem.Buffers)
	return &critical{
		rng: rng, decode: newDecoder(tl, sw.resume), chain: newChain(tl, rng), blocks: sw.blocks, random: sw.random,
		next: make([]int32, n), at: make([]int32, n), offsets: make([]int64, n), trial: make([]int64, n), member: make([]bool, n),
	}
}

// begin starts from a plan. Its decoding is often lower already.
func (c *critical) begin(ctx limit, offsets []int64) bool {
	c.order = greedy.ByOffset(offsets)
	c.decode.forget()
	height, ok := c.decode.decode(ctx, c.order, 0, c.offsets, unlimited)
	if !ok {
		return false
	}
	c.height = height
	c.kept(0)
	return true
}

// kept brings what depends on the order up to date: it has changed from a
// position on.
func (c *critical) kept(from int) {
	for k := from; k < len(c.order); k++ {
		c.at[c.order[k]] = int32(k)
	}
	c.decode.keep(from)
	c.decode.base(c.order, c.offsets)
	c.chain.trace(c.offsets, c.height)
}

// run moves until the height is under below, and reports whether it is; or
// until the decoder has made the given number of steps, or ctx ends.
func (c *critical) run(ctx limit, below, steps int64) bool {
	for end := c.decode.steps + steps; c.decode.steps < end && !ctx.Over(); {
		if c.rng.IntN(16) == 0 {
			c.chain.trace(c.offsets, c.height)
		}
		copy(c.next, c.order)
		// What is placed before the change keeps its offset.
		copy(c.trial, c.offsets)
		from := c.move()
		height, ok := c.decode.decode(ctx, c.next, from, c.trial, c.height+1)
		if ok {
			c.order, c.next = c.next, c.order
			c.offsets, c.trial = c.trial, c.offsets
			c.height = height
			c.kept(from)
		}
		if c.height < below {
			return true
		}
	}
	return false
}

// move changes next and returns the first position that is not order's.
func (c *critical) move() int {
	links, borders, rng := c.chain.links, c.chain.borders, c.rng
	if len(borders) == 0 || rng.IntN(100) < c.random {
		return shift(c.next, int(c.at[links[rng.IntN(len(links))]]), rng.IntN(len(c.next)))
	}
	k := rng.IntN(len(borders))
	border := borders[k]
	upper, lower := links[:border], links[border:]
	if k > 0 {
		upper = links[borders[k-1]:border]
	}
	if k+1 < len(borders) {
		lower = links[border:borders[k+1]]
	}
	// Mostly where the blocks meet, else any of either block.
	x, y := upper[len(upper)-1], lower[0]
	if rng.IntN(2) == 0 {
		x = upper[rng.IntN(len(upper))]
	}
	if rng.IntN(2) == 0 {
		y = lower[rng.IntN(len(lower))]
	}
	if c.blocks && rng.IntN(100) < blockMoves {
		return c.block(upper[rng.IntN(len(upper)):], y)
	}
	p, q := int(c.at[y]), int(c.at[x])
	if p > q {
		p, q = q, p
	}
	switch rng.IntN(3) {
	case 0:
		return shift(c.next, q, p)
	case 1:
		return shift(c.next, p, q)
	}
	c.next[p], c.next[q] = c.next[q], c.next[p]
	return p
}

// block moves those of a block that come after y before it, in their order.
func (c *critical) block(block []int32, y int32) int {
	from := int(c.at[y])
	end := from + 1
	for _, i := range block {
		if p := int(c.at[i]); p > from {
			c.member[i] = true
			end = max(end, p+1)
		}
	}
	c.moved = c.moved[:0]
	rest := slices.Grow(c.moved, end-from)[:0]
	part := c.next[from:end]
	k := 0
	for _, i := range part {
		if c.member[i] {
			part[k] = i
			k++
			c.member[i] = false
		} else {
			rest = append(rest, i)
		}
	}
	copy(part[k:], rest)
	c.moved = rest
	return from
}

// shift moves the element at position p to position q and returns the lower of
// the two.
func shift(order []int32, p, q int) int {
	x := order[p]
	if p < q {
		copy(order[p:q], order[p+1:q+1])
	} else {
		copy(order[q+1:p+1], order[q:p])
	}
	order[q] = x
	return min(p, q)
}
