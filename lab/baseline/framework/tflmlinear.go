package framework

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: no memory is shared; buffers lie one above the other in the order of the input. TensorFlow Lite Micro does so
// for debugging, to keep all tensors.
//
// Complexity: O(n).
//
// Source: TensorFlow Lite Micro, linear_memory_planner (90b983c). It has slots
// for 1024 buffers and refuses the next one; it refuses offline offsets too.

func init() {
	register(planner{
		name:    "tflm-linear",
		summary: "one above the other; no buffers share memory",
		source:  "TensorFlow Lite Micro, LinearMemoryPlanner (90b983c)",
		params: []param{
			{name: "slots", otherwise: 0, least: 0, most: 1 << 31, summary: "refuse more buffers than this; 0: no limit; the framework has 1024"},
		},
		round: 16,
		place: func(t *task) error {
			slots := t.number("slots")
			if n := int64(len(t.buffers)); slots > 0 && n > slots {
				return fmt.Errorf("%d buffers, more than the %d slots", n, slots)
			}
			t.bump()
			return nil
		},
	})
}

// bump places the buffers one above the other in the order of the input.
func (t *task) bump() {
	t.offsets = make([]int64, len(t.buffers))
	var top int64
	for i := range t.buffers {
		t.offsets[i] = bound.Up(top, t.buffers[i].Align())
		top = t.offsets[i] + t.buffers[i].Size
	}
}
