package framework

import (
	"slices"
	"sort"
)

// Idea: without USMP, TVM keeps a pool of storages that take turns. A buffer that starts asks the pool for a storage
// between a sixteenth and sixteen times its size: the smallest that is large enough, or else the largest, which grows
// to its size. Without one it gets a new storage. A buffer that ends puts its storage back.
//
// Relax plans tensors with such a pool (tokens). StorageRewrite plans the buffers of one kernel with it, and leaves
// buffers of 32 bits or less to the register allocator. Here such a buffer keeps a storage of its own.
//
// Invariant: the pool is sorted by size; among equal sizes the one put back first comes first.
//
// Complexity: O(n log n), but for the moves within the pool.
//
// Source: TVM, static_plan_block_memory.cc, TokenAllocator1D (01cb97c), and storage_rewrite.cc, FindAlloc (06fc960).
// Both keep a pool for each element type and scope, of which a problem knows nothing, and StorageRewrite can write a
// result over an operand that ends there.

// tvmMatch is how many times larger or smaller a storage may be.
const tvmMatch = 16

func init() {
	register(planner{
		name:    "tvm-relax",
		summary: "pool of storages: the smallest that is large enough, or else the largest, which grows",
		source:  "TVM Relax, StaticPlanBlockMemory (01cb97c)",
		place:   func(t *task) error { return tvmPool(t, 0) },
	})
	register(planner{
		name:    "tvm-storage-rewrite",
		summary: "the pool of tvm-relax; buffers of at most 4 bytes share nothing",
		source:  "TVM, StorageRewrite (06fc960)",
		place:   func(t *task) error { return tvmPool(t, 4) },
	})
}

// tvmPool plans with a pool that buffers of at most small bytes stay out of.
func tvmPool(t *task, small int64) error {
	type entry struct {
		size   int64
		object int32
	}
	var (
		o    = newObjects(t)
		pool []entry
	)
	release := func(j int32) {
		if t.buffers[j].Size > small {
			e := entry{o.size[o.of[j]], o.of[j]}
			k := sort.Search(len(pool), func(k int) bool { return pool[k].size > e.size })
			pool = slices.Insert(pool, k, e)
		}
	}
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), release) {
		b := &t.buffers[i]
		if b.Size <= small {
			o.make(int(i))
			continue
		}
		// Compared by quotient, since the product may not fit.
		k := sort.Search(len(pool), func(k int) bool { return pool[k].size >= b.Size })
		if k == len(pool) || (pool[k].size-1)/tvmMatch >= b.Size {
			k--
			if k < 0 || pool[k].size < b.Size/tvmMatch {
				o.make(int(i))
				continue
			}
		}
		o.add(int(pool[k].object), int(i))
		pool = slices.Delete(pool, k, k+1)
	}
	return o.place()
}
