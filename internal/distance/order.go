package distance

import "math"

// Idea: a kernel is a nest of loops around reads of an operand and writes of a result. A steps sums up a
// part of such a run, for one operand and one result, by three numbers:
//
//	distance  the largest end(w) − begin(r) over its writes w and the reads r that come after w
//	written   the largest end(w)
//	read      the least begin(r)
//
// One part after another: the distance is the largest of the two parts and of written of the first − read of the
// second. A part n times, moved by a fixed number of bytes each time, is a linear function of the two indices k < l,
// so its maximum is at a corner: (0, 1), (0, n−1) or (n−2, n−1). A nest with fixed steps therefore costs a few
// additions for each loop, however long the loops are. All is exact: nothing is rounded up.
//
// Source: the distance is defined as in diagonal memory optimisation, Blacker et al., arXiv 2010.01668. Their third
// method is a closed form for each operator.
//
// Trials: docs/lab/tflm.md (closed forms are right for one loop order only; recording accesses is slow).

// A steps sums up a part of a kernel's run.
type steps struct {
	distance int64 // never if no read comes after a write
	written  int64 // never if nothing is written
	read     int64 // unread if nothing is read
}

// never and unread stand for what does not happen.
const (
	never  = math.MinInt64
	unread = math.MaxInt64
)

// idle is a part that neither reads nor writes.
func idle() steps { return steps{never, never, unread} }

// reads is a read whose first byte is at.
func reads(at int64) steps { return steps{never, never, at} }

// writes is a write that ends at end.
func writes(end int64) steps { return steps{never, end, unread} }

// copies is memcpy of n bytes from the start of the operand to the start of the result. The two must be apart, since
// memcpy copies bytes in any order.
func copies(n int64) steps { return steps{n, n, 0} }

// gap returns the distance that a read after a write asks for.
func gap(written, read int64) int64 {
	if written == never || read == unread {
		return never
	}
	return written - read
}

// moved returns the same part with its writes and reads further by some bytes.
func (s steps) moved(result, operand int64) steps {
	if s.distance != never {
		s.distance += result - operand
	}
	if s.written != never {
		s.written += result
	}
	if s.read != unread {
		s.read += operand
	}
	return s
}

// then returns s, with next after it.
func (s steps) then(next steps) steps {
	return steps{
		max(s.distance, next.distance, gap(s.written, next.read)),
		max(s.written, next.written),
		min(s.read, next.read),
	}
}

// times returns s n times, n ≥ 1, each time moved by some bytes from the time before.
func (s steps) times(n, result, operand int64) steps {
	last := s.moved((n-1)*result, (n-1)*operand)
	out := steps{max(s.distance, last.distance), max(s.written, last.written), min(s.read, last.read)}
	if n > 1 {
		second, before := s.moved(result, operand), last.moved(-result, -operand)
		out.distance = max(out.distance, gap(s.written, second.read), gap(s.written, last.read),
			gap(before.written, last.read))
	}
	return out
}

// permit is what a run permits for an operand and a result.
func (s steps) permit(operand, result int) Permit {
	return Permit{Operand: operand, Result: result, Distance: s.distance}
}
