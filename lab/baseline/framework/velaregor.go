package framework

import "slices"

// Idea: this is the hill climb of Vela today. Regor, its core in C++, has the walk of the Python core
// (velahillclimb.go) with three differences. After 25 rounds without a lower plan, a round makes a second swap, from
// all ranges that are connected with the bottleneck in time. The walk goes on for 5,000 rounds after the last
// improvement. A round that makes the plan higher is undone as a whole, so the next one starts from the order of the
// best plan.
//
// Invariant: order, turn, below, address and end are those of the best plan so far when a round begins.
//
// The generator is std::mt19937 with its default seed, plus the seed: with the default
// seed the plans are Regor's, offset by offset.
//
// Complexity: O(conflicts) a round and in memory; a node is one round.
//
// Source: Arm Vela 5.2.0, Regor, hillclimb_allocator.hpp and .cpp.

func init() {
	register(planner{
		name:    "vela-regor",
		summary: "vela-hill-climb as in Vela's C++ core: more rounds without progress, larger moves",
		source:  "Arm Vela 5.2.0, Regor, HillClimbAllocator",
		params:  velaRounds("maximum number of rounds"),
		round:   16,
		place:   velaRegor,
	})
}

const (
	regorSeed    = 5489 // the default of std::mt19937
	regorStuck   = 25   // rounds without improvement until moves get wider
	regorPatient = 5000 // rounds to go on after an improvement
)

func velaRegor(t *task) error {
	v, order, most, err := newVela(t, newMT19937(uint32(regorSeed+t.opts.Seed)))
	if err != nil {
		return err
	}
	kept := [...][]int32{slices.Clone(order), slices.Clone(v.turn), slices.Clone(v.below)}
	ends := slices.Clone(v.end)
	current := [...][]int32{order, v.turn, v.below}
	last := int64(0)
	var queue []int32
	for i := int64(0); i < most && v.best > t.tl.MaxLoad && !t.stopped(); i++ {
		t.nodes++
		queue = v.swap(order, i-last > regorStuck, queue)
		height := v.placeAll(order)
		if height > v.best {
			for k := range kept {
				copy(current[k], kept[k])
			}
			copy(v.end, ends)
			copy(v.address, t.offsets)
		} else {
			if height < v.best {
				last = i
			}
			v.best = height
			for k := range kept {
				copy(kept[k], current[k])
			}
			copy(ends, v.end)
			copy(t.offsets, v.address)
		}
		if t.opts.Fits(v.best) && i-last > regorPatient {
			break
		}
	}
	return nil
}

// swap makes the moves of one round. A limit in the midst of it leaves them half made, and no plan comes of that order.
func (v *vela) swap(order []int32, wide bool, queue []int32) []int32 {
	top := v.affected()
	slices.Sort(v.turns)
	for _, turn := range v.turns {
		if !v.shareTime(top, order[turn]) {
			v.apart = append(v.apart, turn)
		}
	}
	pick := func(set []int32) int32 { return set[v.random.uint32()%uint32(len(set))] }
	exchange := func(x int32) {
		y := pick(v.turns)
		if x == y {
			y = v.turns[len(v.turns)-1]
		}
		order[x], order[y] = order[y], order[x]
	}
	from := v.turns
	if v.random.uint32()%100 < 30 && len(v.apart) > 0 {
		from = v.apart
	}
	exchange(pick(from))
	if !wide {
		return queue
	}
	// All that share time with the bottleneck, then all that share time with those.
	queue = append(queue[:0], top)
	seen := make([]bool, len(order))
	seen[top] = true
	for k := 0; k < len(queue) && !v.t.stopped(); k++ {
		for _, j := range v.neighbours[v.at[queue[k]]:v.at[queue[k]+1]] {
			v.add(v.turn[j])
			if !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	exchange(pick(v.turns))
	return queue
}
