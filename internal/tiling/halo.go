package tiling

// Idea: a strip of a chain's result needs some lines of each value before it. They follow operator by operator, from
// the last to the first: an operator makes all lines that some operator after it reads.
//
// Complexity: O(operators), and that of the calls.

// Lines are successive lines: First, and those before End.
type Lines struct{ First, End int }

// Cover returns the lines from the first to the last of two. Those without a line count for nothing.
func (x Lines) Cover(y Lines) Lines {
	switch {
	case x.First >= x.End:
		return y
	case y.First >= y.End:
		return x
	}
	return Lines{min(x.First, y.First), max(x.End, y.End)}
}

// A Need is lines of a value that an operator reads.
type Need[T comparable] struct {
	Value T
	Lines
}

// Halo calls the operators from last to first with the lines of their results that are wanted. results names the
// values that an operator makes, and call returns what it reads for these lines. Operators of which nothing is wanted
// are not called. In the end want has the lines of all values.
func Halo[T comparable](first, last int, want map[T]Lines, results func(k int) []T,
	call func(k int, made Lines) ([]Need[T], error),
) error {
	for k := last; k >= first; k-- {
		var lines Lines
		wanted := false
		for _, v := range results(k) {
			if w, ok := want[v]; ok {
				lines, wanted = lines.Cover(w), true
			}
		}
		if !wanted {
			continue
		}
		needs, err := call(k, lines)
		if err != nil {
			return err
		}
		for _, n := range needs {
			want[n.Value] = want[n.Value].Cover(n.Lines)
		}
	}
	return nil
}
