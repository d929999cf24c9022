package choice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/outer/spread"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: if a core C does not pack in a pool (core.go), some body of C goes elsewhere. So the assignments that may be cheaper fall into classes,
// one for each body of C:
//
//	class i    the ith body of C is not in the pool, and those before it are
//
// The walk through time finds the cheapest assignment of each class. The cheapest of all is asked next, and
// its class falls apart in turn if that does not pack either.
//
// Invariant: the classes in the queue and what has been asked are all assignments that cost less than the best that packs. So when the queue is
// empty the best is the cheapest plan, unless a core is not proven or a walk was cut off; then the least cost of these is a bound.
//
// Complexity: a walk for each body of a core, at most mostWalks.
//
// Source: no-goods of logic-based Benders decomposition (Hooker and Ottosson 2003), branched on as Lawler (1972) does for the k best solutions.

// mostWalks is the most walks for classes.
const mostWalks = 3_000

// A class is the assignments that keep to what is banned, and the cheapest of them whose loads fit.
type class struct {
	banned map[ban]bool
	of     spread.Assignment
	cost   int64
}

// A ban keeps a body out of a pool of its list.
type ban struct {
	body  int32
	place int32
}

// without looks for the cheapest assignment that packs, from one that does not. It raises the bound of the cost if it can.
func (x *packing) without(ctx context.Context, first spread.Assignment) error {
	ctx, cancel := run.Share(ctx, 3)
	defer cancel()
	queue := []class{{nil, first, x.Cost(first)}}
	low, walks := int64(math.MaxInt64), 0 // of what is left undecided
	for len(queue) > 0 {
		next := 0
		for k := range queue {
			if queue[k].cost < queue[next].cost {
				next = k
			}
		}
		if queue[next].cost >= x.least {
			break
		}
		now := queue[next]
		queue = slices.Delete(queue, next, next+1)
		if x.left <= 0 || walks >= mostWalks || x.Over(ctx) {
			x.Low = max(x.Low, min(low, now.cost)) // the others cost no less
			return nil
		}
		at := slices.IndexFunc(x.cores, func(y core) bool { return y.heldBy(x.Choices, now.of) })
		if at < 0 {
			failed, err := x.try(ctx, now.of)
			if err != nil {
				return err
			}
			if failed < 0 {
				continue
			}
			found, err := x.coreOf(ctx, failed, now.of)
			if err != nil {
				return err
			}
			at = len(x.cores)
			x.cores = append(x.cores, found)
		}
		if !x.cores[at].proven {
			low = min(low, now.cost)
		}
		for _, k := range x.movable(&x.cores[at], now.of) {
			here := ban{k, now.of[k]}
			if walks++; walks > mostWalks || x.Over(ctx) {
				low = min(low, now.cost)
				break
			}
			banned := map[ban]bool{here: true}
			for b := range now.banned {
				banned[b] = true
			}
			limit := int64(math.MaxInt64 / 4)
			if x.least < math.MaxInt64 {
				limit = x.Prices.Gap(x.least - 1)
			}
			of, least := x.Through(ctx, limit, func(body, place int32) bool { return !banned[ban{body, place}] })
			if of != nil {
				queue = append(queue, class{banned, of, x.Cost(of)})
			}
			if least < math.MaxInt64 && (of == nil || x.Prices.Least(least) < x.Cost(of)) {
				low = min(low, x.Prices.Least(least))
			}
			// From now on this body stays.
			now.banned = x.stays(now.banned, here)
		}
	}
	x.found = true
	if low = min(low, x.least); low < math.MaxInt64 {
		x.Low = max(x.Low, low)
	}
	return nil
}

// movable returns the bodies of a core that have a choice, those that move elsewhere most cheaply first.
func (x *packing) movable(y *core, of spread.Assignment) (in []int32) {
	moves := make([]int64, len(of))
	for _, body := range y.bodies {
		k := body - int32(x.Single)
		if k < 0 {
			continue
		}
		in = append(in, k)
		moves[k] = math.MaxInt64
		for m, excess := range x.Prices.Excess[k] {
			if int32(m) != of[k] {
				moves[k] = min(moves[k], excess)
			}
		}
	}
	slices.SortStableFunc(in, func(a, b int32) int { return cmp.Compare(moves[a], moves[b]) })
	return in
}

// stays returns bans that also leave a body nothing but one pool.
func (x *packing) stays(banned map[ban]bool, b ban) map[ban]bool {
	all := make(map[ban]bool, len(banned)+1)
	for k := range banned {
		all[k] = true
	}
	for n := range x.Bodies[x.Single+int(b.body)].Pools {
		if int32(n) != b.place {
			all[ban{b.body, int32(n)}] = true
		}
	}
	return all
}
