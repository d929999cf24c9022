package framework

import "math"

// Idea: the arena planner of TFLite on CPUs. Tensors that live through the whole run go first, in the order of the
// input, so that they share one end of the arena. The others go by decreasing size, then by the node that allocates
// them. Each is placed by best fit (arena.go).
//
// A tensor lives through the whole run if it is allocated at the first node and never freed. Here that is a lifespan
// from the problem's first time to its last.
//
// Starts are aligned, by 64 in TFLite, and sizes are never rounded. The parameter
// align does so here, with the least common multiple of the buffer's own alignment.
//
// Complexity: O(n²).
//
// Source: TensorFlow Lite, arena_planner and simple_memory_arena (TensorFlow 0e44793).
//
// Left out: LiteRT shares a buffer between the input and the output of an op in place, and has a second arena for
// persistent tensors. A problem does not tell either.

func init() {
	register(planner{
		name:    "tflite-arena",
		summary: "tensors of the whole run first, then largest first, each in the smallest hole that fits",
		source:  "TensorFlow Lite, arena_planner and simple_memory_arena (0e44793)",
		params: []param{
			{name: "align", otherwise: 1, least: 1, most: 1 << 30, summary: "buffers start at multiples of this many bytes; the framework uses 64"},
		},
		fixed: true,
		place: tfliteArena,
	})
}

func tfliteArena(t *task) error {
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range t.buffers {
		begin, end = min(begin, t.buffers[i].Lower), max(end, t.buffers[i].Upper)
	}
	whole := func(i int) bool { return t.buffers[i].Lower == begin && t.buffers[i].Upper == end }
	order := t.sorted(func(a, b int) int {
		switch x, y := whole(a), whole(b); {
		case x && y:
			return 0
		case x:
			return -1
		case y:
			return 1
		}
		return keys(t.larger, t.earlier)(a, b)
	})
	t.offsets = make([]int64, len(t.buffers))
	a := newArena(t)
	a.align = t.number("align")
	for i := range t.buffers {
		if _, ok := common(a.align, t.buffers[i].Align()); !ok {
			return errAlignments
		}
	}
	return a.fill(order, true)
}
