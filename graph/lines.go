package graph

import "strconv"

// Idea: a value may consist of lines, one behind the other and of the same size: rows of an image, tokens, blocks. An
// operator may say which lines of an operand it reads for a line of its results. Then it can be called for some lines
// of its results only, and a chain of such operators can run in strips (strips.go).
//
// Most operators have a window that moves. Line j of the results reads the lines
//
//	floor((j·Stride - Padding) / Up) to floor((j·Stride - Padding + Window - 1) / Up)
//
// as far as the operand has them. Any other operator lists the lines for each j.

// mostLines is the most lines of a value, mostWork the most arithmetic of a graph with lines.
const (
	mostLines = 1 << 16
	mostWork  = 1 << 50
)

// A Read says which lines of an operand an operator reads for a line of its results. All results of the operator have
// as many lines. An operand without a Read is read whole for each line.
type Read struct {
	// Operand is a value of the operator that has lines, as an index into Graph.Values.
	Operand int
	// Window, Stride and Padding are those of a convolution or a pool: the lines that a window spans, the lines from one
	// window to the next, and the lines of padding before the first line. A dilated window spans
	// (kernel - 1) × dilation + 1 lines. With a negative padding the first window starts behind the first line. For
	// Window and Stride 0 means 1, so the zero value reads line j for line j.
	Window, Stride, Padding int
	// Up divides: 2 is for an operator that makes two lines of one. 0 means 1.
	Up int
	// Spans, if there are any, are used in place of the window: the first line and the end for each line of the results.
	Spans [][2]int
}

// lines returns the lines that lines [from, to) of the results read, of n: the first and the end. They are equal if
// none is read.
func (r *Read) lines(from, to, n int) (first, end int) {
	if r.Spans == nil {
		up, stride := max(r.Up, 1), max(r.Stride, 1)
		first = max(floor(from*stride-r.Padding, up), 0)
		end = min(floor((to-1)*stride-r.Padding+max(r.Window, 1)-1, up)+1, n)
	} else {
		first = n
		for _, s := range r.Spans[from:to] {
			if s[0] < s[1] {
				first, end = min(first, s[0]), max(end, s[1])
			}
		}
	}
	if first >= end {
		return 0, 0
	}
	return first, end
}

// floor divides and rounds down.
func floor(x, by int) int {
	q := x / by
	if x%by < 0 {
		q--
	}
	return q
}

// line returns the bytes of a line.
func (v *Value) line() int64 { return v.Size / int64(max(v.Lines, 1)) }

// read returns what an operator reads of an operand; nil if it reads all of it.
func (o *Operator) read(operand int) *Read {
	for k := range o.Reads {
		if o.Reads[k].Operand == operand {
			return &o.Reads[k]
		}
	}
	return nil
}

// Work returns the arithmetic of all operators.
func (g *Graph) Work() (sum int64) {
	for k := range g.Operators {
		sum += g.work(k)
	}
	return sum
}

// work returns the arithmetic of an operator.
func (g *Graph) work(k int) int64 {
	o := &g.Operators[k]
	if o.Work > 0 {
		return o.Work
	}
	sum := int64(0)
	for _, y := range o.Results {
		sum += g.Values[y].Size
	}
	return sum
}

// lines checks the lines of a value.
func (v *validator) lines(at Place, x *Value, sized bool) {
	switch n := strconv.Itoa(x.Lines); {
	case x.Lines < 0 || x.Lines > mostLines:
		v.add(at, "lines", n, "must be from 0 to "+strconv.Itoa(mostLines))
	case x.Lines > 0 && sized && x.Size%int64(x.Lines) != 0:
		v.add(at, "lines", n, "does not divide the size "+strconv.FormatInt(x.Size, 10)+": all lines must have as many bytes")
	}
}

// reading checks what operator k says of lines.
func (v *validator) reading(at Place, o *Operator) {
	if o.Work < 0 || o.Work > mostWork {
		v.add(at, "work", strconv.FormatInt(o.Work, 10), "must be from 0 to "+strconv.FormatInt(mostWork, 10))
	}
	if len(o.Reads) == 0 {
		return
	}
	made := v.resultLines(at, o)
	for k := range o.Reads {
		r, field := &o.Reads[k], "reads["+strconv.Itoa(k)+"]"
		if !v.known(at, field+".operand", r.Operand) {
			continue
		}
		x := &v.g.Values[r.Operand]
		switch {
		case v.reads[r.Operand] != at.Operator+1:
			v.add(at, field+".operand", v.value(r.Operand), "is no operand of the operator")
			continue
		case o.read(r.Operand) != r:
			v.add(at, field+".operand", v.value(r.Operand), "is a duplicate: what is read of it is said already")
			continue
		case x.Lines < 1:
			v.add(at, field+".operand", v.value(r.Operand), "has no lines: the key lines of the value says how many")
			continue
		}
		for _, f := range []struct {
			name     string
			x, least int
		}{{"window", r.Window, 0}, {"stride", r.Stride, 0}, {"padding", r.Padding, -mostLines}, {"up", r.Up, 0}} {
			switch {
			case f.x < f.least || f.x > mostLines:
				v.add(at, field+"."+f.name, strconv.Itoa(f.x),
					"must be from "+strconv.Itoa(f.least)+" to "+strconv.Itoa(mostLines))
			case f.x != 0 && r.Spans != nil:
				v.add(at, field+"."+f.name, strconv.Itoa(f.x), "must not be there: spans say which lines are read")
			}
		}
		if r.Spans == nil || made < 0 {
			continue
		}
		if len(r.Spans) != made {
			v.add(at, field+".spans", strconv.Itoa(len(r.Spans)),
				"must have one for each of the "+strconv.Itoa(made)+" lines of the results")
		}
		for j, s := range r.Spans {
			if s[0] < 0 || s[0] > s[1] || s[1] > x.Lines {
				v.add(at, field+".spans["+strconv.Itoa(j)+"]", strconv.Itoa(s[0])+" to "+strconv.Itoa(s[1]),
					"must be two numbers in order, from 0 to the "+strconv.Itoa(x.Lines)+" lines of "+v.value(r.Operand))
			}
		}
	}
}

// work checks the sum of the work of a graph that may run in strips.
func (v *validator) work() {
	sum := int64(0)
	for k := range v.g.Operators {
		if sum += min(v.g.work(k), mostWork+1); sum > mostWork {
			break
		}
	}
	for k := range v.g.Operators {
		if len(v.g.Operators[k].Reads) > 0 && sum > mostWork {
			v.add(Place{-1, k}, "reads", "", "must not be there: the work of all operators, or the bytes of their results, "+
				"exceed "+strconv.Itoa(mostWork))
			return
		}
	}
}

// resultLines returns how many lines all results of an operator have; -1 if they have not as many, which it says.
func (v *validator) resultLines(at Place, o *Operator) int {
	made := -1
	for _, y := range o.Results {
		if y < 0 || y >= len(v.g.Values) {
			return -1
		}
		n := v.g.Values[y].Lines
		switch {
		case n < 1:
			v.add(at, "reads", v.value(y), "is a result without lines: the key lines of the value says how many")
			return -1
		case made >= 0 && n != made:
			v.add(at, "reads", v.value(y), "is a result of "+strconv.Itoa(n)+" lines, and another result has "+
				strconv.Itoa(made))
			return -1
		}
		made = n
	}
	if made < 0 {
		v.add(at, "reads", "", "must not be there: the operator has no results")
	}
	return made
}
