package distance

// Idea: many kernels write their result from the first element to the last. The places of the operand that an element
// reads follow dimension by dimension: the row of the result gives the operand's row, the column gives the column.
// Such a kernel is a nest with a loop for each dimension, whose index moves the operand by a list of places. Places
// in arithmetic progression are one run, so a dimension costs as many additions as it has runs: one for a slice,
// three for padding, one a row for a window.
//
// Invariant: the result of nest is that of the written-out loops, in order.
//
// Complexity: the number of runs of all dimensions together.

// A run is places of the operand in arithmetic progression, for successive indices of a loop.
type run struct {
	count       int64 // indices, ≥ 1
	first, step int64 // place of the operand at the first index, and from one to the next
	blind       bool  // nothing is read, whatever the loops inside would read
}

// A loop has the places of its index, and what one index and one place are in bytes.
type loop struct {
	runs            []run
	result, operand int64
}

// every is a loop whose index is the place.
func every(n, result, operand int64) loop {
	return loop{[]run{{count: n, step: 1}}, result, operand}
}

// nest returns the run of loops, the outermost first, around what is done for each element.
func nest(inner steps, loops ...loop) steps {
	for i := len(loops) - 1; i >= 0; i-- {
		l, all, at := loops[i], idle(), int64(0)
		for _, r := range l.runs {
			part := inner.moved(0, r.first*l.operand).times(r.count, l.result, r.step*l.operand)
			if r.blind {
				part = steps{never, inner.written, unread}.times(r.count, l.result, 0)
			}
			all = all.then(part.moved(at, 0))
			at += r.count * l.result
		}
		inner = all
	}
	return inner
}

// element reads an element, then writes one of some bytes.
func element(written int64) steps { return reads(0).then(writes(written)) }

// strides returns the bytes from one index of each dimension to the next.
func strides(shape []int64, size int64) []int64 {
	out := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = size
		size *= shape[i]
	}
	return out
}
