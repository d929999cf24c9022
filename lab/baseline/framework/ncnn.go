package framework

import (
	"cmp"
	"slices"
)

// Idea: ncnn keeps released memory in a pool. A request looks for memory that is large enough and not larger than the
// ratio allows. It takes the one that has been in the pool longest, which keeps its size. If none suits and the pool
// has ten or more, the pool drops one: the smallest if all are too small, the largest if all are too large. The
// request then gets new memory from the system.
//
// The system may put that memory anywhere. Here it is the lowest place among all memory that has not been dropped.
//
// At equal times what ends comes first, then what starts, both in the input's order.
//
// Invariant: held is sorted by offset and disjoint: what is in use or in the pool.
//
// Complexity: O(n · (pool + held)).
//
// Source: ncnn, src/allocator.cpp, PoolAllocator (a4d2ea1). Its ratio was 192 of 256
// until 2021 and is 0 now: anything large enough will do.

func init() {
	register(planner{
		name:    "ncnn",
		summary: "pool: take the oldest block that is large enough, without splitting it",
		source:  "ncnn, PoolAllocator (a4d2ea1)",
		params: []param{
			{name: "ratio", least: 0, most: 256, summary: "how much of a block a request must fill at least, in parts of 256"},
			{name: "drop", otherwise: 10, least: 1, most: 1 << 40, summary: "number of blocks from which on the pool drops one if none suits"},
		},
		place: ncnn,
	})
}

func ncnn(t *task) error {
	sizes, err := t.units()
	if err != nil {
		return err
	}
	ratio, drop := t.number("ratio"), int(min(t.number("drop"), int64(len(sizes)+1)))
	t.offsets = make([]int64, len(sizes))
	of := make([]chunk, len(sizes))
	var pool, held []chunk
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), func(j int32) { pool = append(pool, of[j]) }) {
		size := sizes[i]
		at := slices.IndexFunc(pool, func(c chunk) bool {
			// c.size * ratio / 256, without a product that may not fit.
			return c.size() >= size && c.size()/256*ratio+c.size()%256*ratio/256 <= size
		})
		if at >= 0 {
			of[i] = pool[at]
			pool = slices.Delete(pool, at, at+1)
		} else {
			if len(pool) >= drop {
				held, pool = shed(held, pool, size)
			}
			of[i] = chunk{0, size}
			k := 0
			for ; k < len(held) && held[k].from < of[i].to; k++ {
				of[i] = chunk{held[k].to, held[k].to + size}
			}
			held = slices.Insert(held, k, of[i])
		}
		t.offsets[i] = of[i].from
	}
	return nil
}

func (c chunk) size() int64 { return c.to - c.from }

// shed drops the memory that the pool drops if a request finds nothing suitable.
func shed(held, pool []chunk, size int64) (newHeld, newPool []chunk) {
	least, most := 0, 0
	for k, c := range pool {
		if c.size() < pool[least].size() {
			least = k
		}
		if c.size() > pool[most].size() {
			most = k
		}
	}
	k := least
	if pool[most].size() >= size {
		if pool[least].size() <= size {
			return held, pool
		}
		k = most
	}
	at, _ := slices.BinarySearchFunc(held, pool[k], func(a, b chunk) int { return cmp.Compare(a.from, b.from) })
	return slices.Delete(held, at, at+1), slices.Delete(pool, k, k+1)
}
