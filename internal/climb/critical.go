package climb

import (
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: a buffer that first fit has put above offset 0 rests on another one, whose top is
// where it begins. So a chain of buffers leads from the top of the plan down to offset 0, with
//
//	sum of the sizes in the chain = height    (without alignment)
//
// This is the critical path of scheduling, with sections as machines. Only a plan that breaks the chain is lower. So a
// move takes a buffer of the chain, and puts it where another one near it in the chain is in the order. Some moves
// ignore the chain, or else the search would stop where no move within it helps. A plan that is no higher is kept,
// since several chains may reach the top, and each of them must be broken.
//
// If a buffer rests on several others, chance chooses one.
//
// Invariant: offsets = first fit in order, and height = the height of offsets.
//
// Complexity: a placement a move; after a move that was kept, O(n) a link.
//
// Source: Nowicki and Smutnicki, "A Fast Taboo Search Algorithm for the Job Shop
// Problem", 1996, carried over to buffers.
//
// Trials: docs/lab/climb.md (moves of whole blocks, checkpoints and other acceptance rules gave no lower plans).

// critical is a worker's order, the plan of that order, and a chain of that plan.
type critical struct {
	memory      place.Memory
	order, next []int32
	offsets     []int64 // the plan: first fit in order
	height      int64
	chain       []int // the chain, from the top of the plan down, as places in order
}

// near is how many places further down the chain the other buffer may be.
const near = 4

// reorder makes moves until a plan is lower than height, or the steps are used up. It goes on
// from its own order, unless another technique has found a lower plan in the meantime.
func (w *worker) reorder(from []int64, height, steps int64) []int64 {
	c := &w.critical
	if c.order == nil || height < c.height {
		c.order, c.next = sorting.Count(len(from)), greedy.ByOffset(from)
		c.offsets, c.height = slices.Clone(from), place.Unlimited-1
		w.try()
	}
	for c.height >= height {
		if w.taken >= steps || w.watch.Over() {
			return nil
		}
		copy(c.next, c.order)
		p, q := w.places()
		if w.rng.IntN(2) == 0 {
			p, q = q, p
		}
		moved := c.next[p]
		for ; p < q; p++ {
			c.next[p] = c.next[p+1]
		}
		for ; p > q; p-- {
			c.next[p] = c.next[p-1]
		}
		c.next[q] = moved
		w.try()
	}
	return slices.Clone(c.offsets)
}

// places draws the two places of a move. The first is a link's. The second is one of the next links' down the chain
// (near), or any if the move ignores the chain.
func (w *worker) places() (p, q int) {
	chain := w.critical.chain
	k := w.rng.IntN(len(chain))
	p, q = chain[k], w.rng.IntN(len(w.critical.order))
	if w.rng.IntN(100) >= w.sw.random {
		q = chain[(k+1+w.rng.IntN(near))%len(chain)]
	}
	return p, q
}

// try places the next order, and takes it if the plan is no higher.
func (w *worker) try() {
	c := &w.critical
	w.taken += int64(len(c.next))
	offsets, height, _ := c.memory.Below(w.watch, w.tl, c.next, place.FirstFit, c.height+1)
	if offsets != nil {
		c.order, c.next, c.height = c.next, c.order, height
		copy(c.offsets, offsets)
		w.trace()
		if invariants.Enabled {
			w.check()
		}
	}
}

// trace finds a chain of the plan, drawn at random if there are several.
func (w *worker) trace() {
	c := &w.critical
	c.chain = c.chain[:0]
	for above := -1; !w.watch.Over(); {
		link, ties := 0, 0
		for k, i := range c.order {
			if w.under(int(i), above) {
				if ties++; w.rng.IntN(ties) == 0 {
					link = k
				}
			}
		}
		if ties == 0 {
			return
		}
		c.chain = append(c.chain, link)
		above = int(c.order[link])
	}
}

// under reports whether buffer j rests on i. For j = -1 it reports whether i ends at the height of the plan.
func (w *worker) under(i, j int) bool {
	b, offsets := w.tl.Problem.Buffers, w.critical.offsets
	top := offsets[i] + b[i].Size
	if j < 0 {
		return top == w.critical.height
	}
	align := b[j].Align()
	if offsets[i] >= offsets[j] || top <= offsets[j]-align {
		return false
	}
	distance, ok := w.tl.Distance(i, j)
	room := offsets[j] - offsets[i] - distance
	return ok && room >= 0 && room < align
}
