// Package networks makes networks whose order of operators matters: randomly wired ones, and networks of neural
// architecture search. They are programs for internal/order, for tests and measurements. Weights and arithmetic are
// not in them.
//
// A tensor has a byte for each element. Batch normalisation is part of the convolution before it, as exporters have it.
// A convolution keeps its size with padding. Operators are numbered as an exporter would write them: node after node.
package networks

import (
	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/internal/splitmix"
)

// Network is a program with its name.
type Network struct {
	// Family is whose published gain it stands beside: RandWire, DARTS, NASNet, AmoebaNet or SwiftNet-like.
	Family string
	// Name tells its members apart.
	Name    string
	Program *order.Program
}

// Sharing says what a result may do to an operand that dies.
type Sharing int

// The kinds of sharing. Each includes those before it.
const (
	Apart     Sharing = iota // no permits, as SERENITY and HMCOS count
	InPlace                  // element by element: a result may lie exactly over or before its operand
	Distances                // convolutions and pools too, some rows ahead of what they read
)

// tensor is a value with its shape.
type tensor struct {
	value         int32
	height, width int
	channels      int
}

func (t tensor) size() int64 { return int64(t.height) * int64(t.width) * int64(t.channels) }

// builder makes a program, operator by operator.
type builder struct {
	p       order.Program
	sharing Sharing
}

func (b *builder) tensor(height, width, channels int) tensor {
	t := tensor{value: int32(len(b.p.Sizes)), height: height, width: width, channels: channels}
	b.p.Sizes = append(b.p.Sizes, t.size())
	return t
}

func (b *builder) input(height, width, channels int) tensor {
	t := b.tensor(height, width, channels)
	b.p.Inputs = append(b.p.Inputs, t.value)
	return t
}

func (b *builder) output(t tensor) { b.p.Outputs = append(b.p.Outputs, t.value) }

// add appends an operator with one result.
func (b *builder) add(result tensor, permits []order.Permit, operands ...tensor) tensor {
	op := order.Operator{Results: []int32{result.value}, Permits: permits}
	for _, x := range operands {
		op.Operands = append(op.Operands, x.value)
	}
	b.p.Operators = append(b.p.Operators, op)
	return result
}

// each is an operator element by element: an activation, a sum, a mean.
func (b *builder) each(operands ...tensor) tensor {
	x := operands[0]
	y := b.tensor(x.height, x.width, x.channels)
	var permits []order.Permit
	if b.sharing >= InPlace {
		for _, x := range operands {
			permits = append(permits, order.Permit{Result: y.value, Operand: x.value})
		}
	}
	return b.add(y, permits, operands...)
}

// sum adds tensors; one alone is itself.
func (b *builder) sum(operands ...tensor) tensor {
	if len(operands) == 1 {
		return operands[0]
	}
	return b.each(operands...)
}

// window is a convolution or a pool over windows of kernel × kernel.
func (b *builder) window(x tensor, channels, kernel, stride int) tensor {
	y := b.tensor((x.height+stride-1)/stride, (x.width+stride-1)/stride, channels)
	var permits []order.Permit
	if b.sharing >= Distances {
		permits = []order.Permit{{Result: y.value, Operand: x.value, Distance: rowsAhead(x, y, kernel, stride)}}
	}
	return b.add(y, permits, x)
}

// rowsAhead returns a distance at which a kernel that goes row by row may overwrite its operand: when a row of the
// result is written, the rows of the operand that this row and later ones read still lie behind it.
func rowsAhead(x, y tensor, kernel, stride int) int64 {
	distance := int64(0)
	for row := range y.height {
		first := max(0, row*stride-kernel/2)
		written := int64(row+1) * int64(y.width*y.channels)
		distance = max(distance, written-int64(first)*int64(x.width*x.channels))
	}
	return distance
}

// depthwise is a depthwise convolution; pointwise one of 1 × 1; pool a pool of 3 × 3.
func (b *builder) depthwise(x tensor, kernel, stride int) tensor {
	return b.window(x, x.channels, kernel, stride)
}

func (b *builder) pointwise(x tensor, channels, stride int) tensor {
	return b.window(x, channels, 1, stride)
}

func (b *builder) pool(x tensor, stride int) tensor { return b.window(x, x.channels, 3, stride) }

// separable is an activation, a depthwise and a pointwise convolution.
func (b *builder) separable(x tensor, channels, kernel, stride int) tensor {
	return b.pointwise(b.depthwise(b.each(x), kernel, stride), channels, 1)
}

// concat puts the channels of tensors side by side. The runtimes at hand copy.
func (b *builder) concat(operands ...tensor) tensor {
	if len(operands) == 1 {
		return operands[0]
	}
	channels := 0
	for _, x := range operands {
		channels += x.channels
	}
	return b.add(b.tensor(operands[0].height, operands[0].width, channels), nil, operands...)
}

// classify is the end of a classifier: a mean over all positions, then a matrix.
func (b *builder) classify(x tensor, classes int) {
	mean := b.add(b.tensor(1, 1, x.channels), nil, x)
	b.output(b.add(b.tensor(1, 1, classes), nil, mean))
}

// rng draws the same numbers with every version of Go.
type rng struct{ state uint64 }

func newRNG(seed uint64, salt string) *rng {
	r := &rng{seed}
	for _, c := range salt {
		r.state = splitmix.Next(&r.state) ^ uint64(c)
	}
	return r
}

func (r *rng) below(n int) int         { return int(splitmix.Next(&r.state) % uint64(n)) }
func (r *rng) chance(p float64) bool   { return float64(splitmix.Next(&r.state)>>11)/(1<<53) < p }
func (r *rng) within(from, to int) int { return from + r.below(to-from+1) }
