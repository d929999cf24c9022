// Package strips rewrites a TensorFlow Lite model so that chains of its operators run in strips: some lines of each
// image at a time. The runtime needs no change, and the outputs stay the same bits.
//
// # How a chain runs in strips
//
// A chain is successive operators, of which one result is read outside. A line is a row or a column. For each strip of
// the result, each operator of the chain is called on the lines that the strip needs. The operator's own kernel
// computes each element from the same numbers in the same order as before:
//
//	whole:   x ─▶ CONV_2D 3×3 SAME ─▶ v ─▶ CONV_2D 3×3 SAME ─▶ y
//
//	strips:  SLICE rows 0–9 of x   PAD  CONV_2D VALID  PAD  CONV_2D VALID ─▶ rows 0–7 of y  ┐
//	         SLICE rows 6–15 of x  PAD  CONV_2D VALID  PAD  CONV_2D VALID ─▶ rows 8–15 of y ┘ CONCATENATION ─▶ y
//
// Successive strips read some of the same lines. A halo computes those of interior values again for each strip
// (halo.go). A ring keeps them from strip to strip by SLICE and CONCATENATION (ring.go). Strips that are equal but for
// where they begin can be one strip in a loop (loop.go).
//
// # What is the same, and what is refused
//
// Which lines an operator reads is in package distance. calls.go says how an operator is called on some lines, and
// refuse.go which operators cannot be: a refusal names the operator and the reason. Weights are shared by all strips.
//
// Sources: halos are from Alwani et al., "Fused-Layer CNN Accelerators" (MICRO 2016), as are rings. XMOS's xcore-opt
// writes strips of int8 models into a file for its own compiler.
package strips

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/tiling"
)

// An Axis says which lines strips have.
type Axis = tiling.Axis

// The axes.
const (
	Rows    = tiling.Rows
	Columns = tiling.Columns
)

// A Chain is successive operators of the first subgraph that run in strips.
type Chain struct {
	First, Last int  // operators, both included
	Axis        Axis // the lines that strips have
	Strips      int  // how many
	Ring        bool // lines that several strips read are kept, and not computed again
	// Crop keeps the SAME padding of convolutions. Their strips then have a line or two too many at the ends, which are
	// cut off. That is more arithmetic, but no PAD, which makes a second copy of what is read.
	Crop bool
	// Loop makes all strips of the same lines one strip in a WHILE, so that the runtime keeps its operators once.
	Loop bool
}

// An Origin says where an operator of the new model comes from.
type Origin struct {
	Operator int  // of the given model; of a CONCATENATION of parts: the operator whose result it puts together
	Chain    int  // the chain, -1 outside of chains
	Strip    int  // the strip; -1 outside of chains, and of a CONCATENATION of parts
	Added    bool // it is a SLICE, PAD, CONCATENATION or of a loop, and the given model lacks it
}

// A Split is a model with chains in strips.
type Split struct {
	// Model is a sketch: see tflite.Model.Edited. Its Written is the file.
	Model   *tflite.Model
	Origins []Origin // of the operators of its first subgraph
	Loops   []Loop
}

// A Refusal says why a chain cannot run in strips.
type Refusal struct {
	Operator int    // of the model; -1: of none
	Kind     string // the operator's name
	Reason   string // why not
}

// Error names the operator and the reason.
func (r *Refusal) Error() string {
	if r.Operator < 0 {
		return r.Reason
	}
	return fmt.Sprintf("operator %d (%s) cannot run in strips: %s", r.Operator, r.Kind, r.Reason)
}

// A Splitter splits chains of one model. It keeps what it has found out of the operators, so that many choices of
// chains can be tried. It is for one goroutine.
type Splitter struct {
	m         *tflite.Model
	operators []operator
	maker     []int   // by tensor: the operator that makes it; nobody, or several
	readers   [][]int // by tensor: operators that read it, each once, in order
	ends      []bool  // by tensor: an input or an output of the model, or a variable
	narrow    bool    // for tests: each window reads a line less than it needs
}

// Values of maker if a tensor has no single maker.
const (
	nobody  = -1
	several = -2
)

// An operator is one of the model's, as far as it was asked for.
type operator struct {
	d     *distance.Operator
	along [tiling.Axes]*lines
}

// lines are what is known of an operator along an axis.
type lines struct {
	refused  string             // "" if it can run in strips
	operands []int32            // of the operator
	reads    [][]distance.Range // by operand, by line of the results; nil for an operand that is no image
	fused    *fused
}

// Of returns a splitter of a model, which must not change.
func Of(m *tflite.Model) *Splitter {
	n := m.Subgraphs[0].TensorCount
	s := &Splitter{
		m: m, operators: make([]operator, m.Subgraphs[0].OperatorCount), maker: slices.Repeat([]int{nobody}, n),
		readers: make([][]int, n), ends: make([]bool, n),
	}
	for k := range s.operators {
		o := &m.Operators[k]
		for _, t := range o.Inputs {
			if t < 0 {
				continue
			}
			if r := s.readers[t]; len(r) == 0 || r[len(r)-1] != k {
				s.readers[t] = append(r, k)
			}
		}
		for _, t := range o.Outputs {
			if s.maker[t] == nobody {
				s.maker[t] = k
			} else {
				s.maker[t] = several
			}
		}
	}
	for _, t := range slices.Concat(m.Subgraphs[0].Inputs, m.Subgraphs[0].Outputs) {
		s.ends[t] = true
	}
	for t := range n {
		s.ends[t] = s.ends[t] || m.Tensors[t].Variable || m.Tensors[t].Handle
	}
	return s
}

// along returns what is known of an operator along an axis.
func (s *Splitter) along(k int, axis Axis) *lines {
	o := &s.operators[k]
	if o.along[axis] == nil {
		o.along[axis] = s.look(k, axis)
	}
	return o.along[axis]
}

// look finds out which lines an operator reads.
func (s *Splitter) look(k int, axis Axis) *lines {
	o, of := &s.operators[k], &s.m.Operators[k]
	l := &lines{operands: of.Inputs}
	if len(of.Inputs) > mostOperands {
		l.refused = fmt.Sprintf("it has %d operands", len(of.Inputs))
		return l
	}
	if o.d == nil {
		d, ok := described.Operator(s.m, of)
		if !ok {
			l.refused = "its options cannot be read"
			return l
		}
		o.d = d
	}
	l.reads = make([][]distance.Range, len(of.Inputs))
	if l.refused = s.refusal(k, axis, l); l.refused == "" {
		l.fused = s.fuse(k, 1+int(axis))
	}
	return l
}

// mostOperands is the most operands of an operator in a strip. Each is checked beside all others, and a file may name
// one tensor thousands of times.
const mostOperands = 64

// Refused says why a chain of operators cannot run in strips along an axis: the error is a *Refusal, nil if it can.
// Split may still refuse a number of strips.
func (s *Splitter) Refused(first, last int, axis Axis) error {
	_, err := s.result(first, last, axis)
	return err
}

// result returns the tensor that a chain makes for the operators outside of it.
func (s *Splitter) result(first, last int, axis Axis) (int32, error) {
	if first < 0 || last < first || last >= len(s.operators) || axis < 0 || axis >= tiling.Axes {
		return 0, &Refusal{-1, "", fmt.Sprintf("there is no chain from operator %d to %d along axis %d of %d operators",
			first, last, axis, len(s.operators))}
	}
	result := int32(-1)
	for k := first; k <= last; k++ {
		if why := s.along(k, axis).refused; why != "" {
			return 0, s.refuse(k, why)
		}
		for _, t := range s.m.Operators[k].Outputs {
			readers := s.readers[t]
			switch {
			case s.maker[t] != k || len(readers) > 0 && readers[0] <= k:
				return 0, s.refuse(k, "its result is written or read before it")
			case len(readers) == 0 && !s.ends[t]:
				return 0, s.refuse(k, "nobody reads one of its results")
			case !s.ends[t] && readers[len(readers)-1] <= last:
				continue
			case result >= 0:
				return 0, s.refuse(k, fmt.Sprintf("others than operators %d to %d need its result and that of operator %d",
					first, last, s.maker[result]))
			}
			result = t
		}
	}
	if result < 0 {
		return 0, s.refuse(last, "nobody reads its result")
	}
	if n := s.m.Tensors[result].Shape[1+axis]; n < 2 {
		return 0, s.refuse(s.maker[result], fmt.Sprintf("its result has one %s, so there is nothing to cut", one(axis)))
	}
	return result, nil
}

// refuse returns the refusal of an operator.
func (s *Splitter) refuse(k int, why string) error { return &Refusal{k, s.m.Operators[k].Name(), why} }

// Split returns the model with chains in strips. The chains must not share operators. The error is a *Refusal, or one
// of tflite.Model.Edited.
func (s *Splitter) Split(chains []Chain) (*Split, error) {
	b := newBuilder(s)
	order := make([]int, len(chains))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return chains[x].First - chains[y].First })
	next := 0
	for _, i := range order {
		c := &chains[i]
		result, err := s.result(c.First, c.Last, c.Axis)
		if err != nil {
			return nil, err
		}
		if c.First < next {
			return nil, &Refusal{-1, "", fmt.Sprintf("operator %d is in two chains", c.First)}
		}
		b.copy(next, c.First)
		if err := b.chain(i, c, result); err != nil {
			return nil, err
		}
		next = c.Last + 1
	}
	b.copy(next, len(s.operators))
	if len(b.loops) > 0 {
		b.drop()
	}
	m, err := s.m.Edited(&b.edit)
	if err != nil && len(b.loops) > 0 { // fewer tensors come than leave
		return nil, &Refusal{-1, "", "with loops " + err.Error()}
	}
	if err != nil {
		return nil, err
	}
	for k := range b.loops {
		b.loops[k].Body += len(s.m.Subgraphs)
	}
	return &Split{m, b.origins, b.loops}, nil
}
