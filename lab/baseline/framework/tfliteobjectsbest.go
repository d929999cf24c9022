package framework

// Idea: run the two greedy strategies for shared objects, by size and by breadth, and take the one whose objects take
// less; by size on a tie. It is what TFLite's GPU delegate runs by default.
//
// Complexity: the sum of both.
//
// Source: TensorFlow Lite GPU delegate, BestGreedy in memory_management (LiteRT 0e9c7a5).

func init() {
	register(planner{
		name:    "tflite-objects-best",
		summary: "the better of tflite-objects-by-size and -by-breadth",
		source:  "TensorFlow Lite GPU, greedy_best (LiteRT 0e9c7a5)",
		place: func(t *task) error {
			best, err := tfliteBest(t)
			if err != nil {
				return err
			}
			return best.place()
		},
	})
}

// tfliteBest returns the objects of the better strategy.
func tfliteBest(t *task) (*objects, error) {
	best, err := tfliteBySize(t)
	if err != nil {
		return nil, err
	}
	if o, err := tfliteByBreadth(t); err == nil && o.total() < best.total() {
		best = o
	}
	t.nodes = 2 * int64(len(t.buffers))
	return best, nil
}
