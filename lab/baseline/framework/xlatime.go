package framework

// Idea: XLA does not sort by the program's time. Its heap simulator replays the program, and each allocation and each
// release is one tick of a clock of its own. The sorts compare durations in these ticks. If many buffers start or end
// at once, the two orders differ much.
//
// In one step of the program, the buffers that start are allocated first. Then the buffers are freed whose last step
// it is. Both go in the order of start, end and id.
//
// Invariant: two buffers share a tick if and only if they share a step of the program.
//
// Complexity: O(n log n).
//
// Source: XLA, HeapSimulator::RunComputation, and Alloc and Free of
// GlobalDecreasingSizeBestFitHeap (heap_simulator.cc, 0e06ac8).

// A xlaClock has the ticks of each buffer: of its allocation and of its release.
type xlaClock struct{ start, end []int64 }

func (t *task) xlaClock() *xlaClock {
	starts := t.sorted(keys(t.earlier, t.endsEarlier))
	ends := append([]int32(nil), starts...)
	t.sort(ends, func(a, b int32) int { return t.endsEarlier(int(a), int(b)) })
	return t.clock(starts, ends)
}

// clock counts the events of an order by start and one by end.
func (t *task) clock(starts, ends []int32) *xlaClock {
	n := len(t.buffers)
	c := &xlaClock{make([]int64, n), make([]int64, n)}
	for tick := range int64(2 * n) {
		// A buffer's last step is upper - 1.
		if len(starts) > 0 && t.buffers[starts[0]].Lower < t.buffers[ends[0]].Upper {
			c.start[starts[0]], starts = tick, starts[1:]
		} else {
			c.end[ends[0]], ends = tick, ends[1:]
		}
	}
	return c
}

// ticks is how long a buffer lives.
func (c *xlaClock) ticks(i int) int64 { return c.end[i] - c.start[i] }
