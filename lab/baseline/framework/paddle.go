package framework

// Idea: Paddle's inference engine gives each variable, the largest first, to the first cluster whose members it shares
// no time with, or makes it the head of a new one. A cluster is as large as its head.
//
// Complexity: O(n · clusters · log n).
//
// Source: Paddle, inference/analysis/passes/memory_optimize_pass.cc, MakeSimpleReusePlan (a8c86c2). It fills a cluster
// before it begins the next one, which comes to the same. Its variables come from a hash table and its sort is not
// stable; equal sizes go to the input's order.

func init() {
	register(planner{
		name:    "paddle",
		summary: "shared objects, largest buffer first: the first object that is free",
		source:  "Paddle Inference, memory_optimize_pass.cc (a8c86c2)",
		place:   paddle,
	})
}

func paddle(t *task) error {
	o := newObjects(t)
next:
	for _, i := range t.sorted(t.larger) {
		if t.stopped() {
			return errStopped
		}
		for k := range o.size {
			if o.free(k, int(i)) {
				o.add(k, int(i))
				continue next
			}
		}
		o.make(int(i))
	}
	return o.place()
}
