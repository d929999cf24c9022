package framework

import (
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/model"
)

// Idea: this is how TFLite's OpenCL backend uses its plans for buffers. It makes two: the better of the two greedy
// assignments to shared objects, and the offsets of greedy by size. If the offsets take no more memory, one parent
// buffer is cut by them. Else each object becomes a buffer of its own.
//
// Complexity: the sum of the three.
//
// Source: TensorFlow Lite GPU delegate, cl/inference_context.cc, AllocateBufferBasedTensors (LiteRT f674577). If a
// device cannot cut buffers it takes the objects in any case, as the GL backend always does.

func init() {
	register(planner{
		name:    "tflite-opencl",
		summary: "the lower of the plans of tflite-greedy-by-size and tflite-objects-best",
		source:  "TensorFlow Lite GPU, OpenCL inference context (LiteRT f674577)",
		place: func(t *task) error {
			objects, err := tfliteBest(t)
			if err != nil {
				return err
			}
			if err := t.placeInOrder(t.sorted(t.larger), place.BestFit); err == nil {
				t.nodes += int64(len(t.buffers))
				if model.HeightOf(t.tl.Problem, t.offsets) <= objects.total() {
					return nil
				}
			}
			return objects.place()
		},
	})
}
