package strips

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: a builder writes down the operators of the new model, one after the other. It knows pieces: tensors of the new
// model that hold some lines of an old tensor. A piece is cut by SLICE if fewer lines are read. Pieces are joined by
// CONCATENATION. The same cut is made once in a strip, and the same constant once in the model.
//
// Invariant: the name of a tensor says which lines of which old tensor it holds.

// A piece is some lines of an old tensor, in a tensor of the new model.
type piece struct {
	tensor int32
	span
}

type builder struct {
	s         *Splitter
	edit      tflite.Edit
	origins   []Origin
	loops     []Loop
	constants map[string]int32

	// Of the chain:
	number int // which of the chains it is
	axis   Axis
	strip  int
	cuts   map[cutKey]piece // of this strip
}

// A cutKey is a piece and lines of it.
type cutKey struct {
	tensor int32
	lines  span
}

const (
	codeSlice         = tflite.Code(tfliteschema.BuiltinOperatorSLICE)
	codePad           = tflite.Code(tfliteschema.BuiltinOperatorPAD)
	codeConcatenation = tflite.Code(tfliteschema.BuiltinOperatorCONCATENATION)
)

func newBuilder(s *Splitter) *builder { return &builder{s: s, constants: map[string]int32{}} }

// copy takes operators over as they are.
func (b *builder) copy(first, end int) {
	for k := first; k < end; k++ {
		o := &b.s.m.Operators[k]
		b.edit.Operators = append(b.edit.Operators, tflite.NewOperator{From: k, Inputs: o.Inputs, Outputs: o.Outputs})
		b.origins = append(b.origins, Origin{k, -1, -1, false})
	}
}

// chain writes a chain in strips.
func (b *builder) chain(number int, c *Chain, result int32) error {
	b.number, b.axis = number, c.Axis
	cuts, err := b.s.cuts(c, result)
	if err != nil {
		return err
	}
	write := b.halo
	if c.Ring {
		write = b.ring
	}
	first := len(b.edit.Operators)
	parts, err := write(c, result, cuts)
	if err != nil {
		return err
	}
	if c.Loop {
		if parts, err = b.loop(result, parts, first); err != nil {
			return err
		}
	}
	b.strip = -1
	b.join(parts, result, result)
	return nil
}

// aligned is the multiple of bytes at which parts of a result begin, if there are enough such lines: a part can then
// lie in place for kernels that ask for it.
const aligned = 16

// cuts returns the first line of each strip of a result, and the end.
func (s *Splitter) cuts(c *Chain, result int32) ([]int, error) {
	t := &s.m.Tensors[result]
	n := int(t.Shape[1+c.Axis])
	if c.Strips < 2 || c.Strips > n {
		return nil, s.refuse(s.maker[result], "its result has "+strconv.Itoa(n)+" "+c.Axis.String()+", too few for "+
			strconv.Itoa(c.Strips)+" strips of at least one; two strips are the fewest")
	}
	step, line := 1, t.Bytes/int64(n)
	for line*int64(step)%aligned != 0 {
		step *= 2
	}
	if n/step < c.Strips {
		step = 1
	}
	out := []int{0}
	if c.Loop { // all but the last have as many lines
		lines := ((n+c.Strips-1)/c.Strips + step - 1) / step * step
		if made := (n + lines - 1) / lines; made != c.Strips {
			return nil, s.refuse(s.maker[result], fmt.Sprintf("a loop of strips of %d of its %d %s has %d, not %d", lines, n,
				c.Axis, made, c.Strips))
		}
		for k := lines; k < n; k += lines {
			out = append(out, k)
		}
		return append(out, n), nil
	}
	for k := 1; k < c.Strips; k++ {
		out = append(out, (n/step*k+c.Strips/2)/c.Strips*step)
	}
	return append(out, n), nil
}

// add writes an operator of ours.
func (b *builder) add(o tflite.NewOperator, serves int) {
	o.From = -1
	b.edit.Operators = append(b.edit.Operators, o)
	b.origins = append(b.origins, Origin{serves, b.number, b.strip, true})
}

// value makes a tensor like an old one, with other dimensions.
func (b *builder) value(like int32, shape []int32, lines span, about string) int32 {
	return b.tensor(tflite.NewTensor{
		Name: b.s.m.Tensors[like].Name + "[" + b.axis.String() + " " + strconv.Itoa(lines.first) + ":" +
			strconv.Itoa(lines.end) + about + "]",
		Shape: shape, Like: like,
	})
}

func (b *builder) tensor(t tflite.NewTensor) int32 {
	b.edit.Tensors = append(b.edit.Tensors, t)
	return int32(len(b.s.maker) + len(b.edit.Tensors) - 1)
}

// constant returns a tensor with these numbers.
func (b *builder) constant(shape []int32, data ...int32) int32 {
	key := make([]byte, 0, 4*len(data)+1)
	for _, v := range data {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	key = append(key, byte(len(shape)))
	t, ok := b.constants[string(key)]
	if !ok {
		t = b.tensor(tflite.NewTensor{Shape: shape, Data: data})
		b.constants[string(key)] = t
	}
	return t
}

// shape returns the dimensions of a tensor with so many lines.
func (b *builder) shape(t int32, lines int) []int32 {
	out := slices.Clone(b.s.m.Tensors[t].Shape)
	out[1+b.axis] = int32(lines)
	return out
}

// whole is an old tensor as it is.
func (b *builder) whole(t int32) piece {
	shape := b.s.m.Tensors[t].Shape
	if at := len(shape) - 3 + int(b.axis); at >= 0 {
		return piece{t, span{0, int(shape[at])}}
	}
	return piece{t, span{0, 1}}
}

// cut returns lines of a piece of an old tensor.
func (b *builder) cut(of int32, p piece, lines span, serves int) piece {
	if p.span == lines {
		return p
	}
	key := cutKey{p.tensor, lines}
	if out, ok := b.cuts[key]; ok {
		return out
	}
	shape := b.shape(of, lines.end-lines.first)
	begin, size := [4]int32{}, [4]int32{-1, -1, -1, -1} // all that there is: so slices of many tensors share constants
	begin[1+b.axis], size[1+b.axis] = int32(lines.first-p.first), int32(lines.end-lines.first)
	out := piece{b.value(of, shape, lines, ""), lines}
	four := []int32{4}
	b.add(tflite.NewOperator{
		Code: codeSlice, Inputs: []int32{p.tensor, b.constant(four, begin[:]...), b.constant(four, size[:]...)},
		Outputs: []int32{out.tensor},
	}, serves)
	b.cuts[key] = out
	return out
}

// mostJoined is the most operands that TensorFlow Lite Micro's CONCATENATION has.
const mostJoined = 10

// join puts successive pieces of an old tensor together. into is the tensor that they become, -1 for a new one.
func (b *builder) join(parts []piece, of, into int32) piece {
	for len(parts) > 1 {
		var next []piece
		for group := range slices.Chunk(parts, mostJoined) {
			if len(group) == 1 {
				next = append(next, group[0])
				continue
			}
			out := piece{into, span{group[0].first, group[len(group)-1].end}}
			if len(parts) > mostJoined || into < 0 {
				out.tensor = b.value(of, b.shape(of, out.end-out.first), out.span, "")
			}
			inputs := make([]int32, len(group))
			for i, p := range group {
				inputs[i] = p.tensor
			}
			b.add(tflite.NewOperator{
				Code: codeConcatenation, Axis: 1 + int32(b.axis), Inputs: inputs, Outputs: []int32{out.tensor},
			}, b.s.maker[of])
			next = append(next, out)
		}
		parts = next
	}
	return parts[0]
}

// run calls an operator of the chain, with the lines of its operands from find. It returns the pieces that it makes,
// one for each result.
func (b *builder) run(k int, c call, find func(t int32, lines span, serves int) piece) []piece {
	o, d := &b.s.m.Operators[k], b.s.operators[k].d
	at := 1 + int(b.axis)
	inputs := slices.Clone(o.Inputs)
	for _, r := range c.reads {
		p := find(r.tensor, r.span, k)
		if c.padding == tflite.ValidPadding {
			p = b.pad(r.tensor, p, r, around(d, 3-at), k)
		}
		inputs[r.place] = p.tensor
	}
	switch d.Kind {
	case "PAD", "PADV2":
		pads := numbers(d.Operands[1].Data)
		pads[2*at], pads[2*at+1] = int32(c.reads[0].before), int32(c.reads[0].after)
		inputs[1] = b.constant([]int32{4, 2}, pads...)
	case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR":
		inputs[1] = b.constant([]int32{2}, b.shape(o.Outputs[0], c.made.end-c.made.first)[1:3]...)
	case "TRANSPOSE_CONV":
		inputs[0] = b.constant([]int32{4}, b.shape(o.Outputs[0], c.made.end-c.made.first)...)
	}
	var outputs []int32
	var out []piece
	for _, t := range o.Outputs {
		p := piece{b.value(t, b.shape(t, c.made.end-c.made.first), c.made, ""), c.made}
		outputs, out = append(outputs, p.tensor), append(out, p)
	}
	b.edit.Operators = append(b.edit.Operators, tflite.NewOperator{
		From: k, Padding: c.padding, Inputs: inputs, Outputs: outputs,
	})
	b.origins = append(b.origins, Origin{k, b.number, b.strip, false})
	return out
}

// around returns how far windows reach beyond the image on the other axis.
func around(d *distance.Operator, at int) (out [2]int) {
	w, _ := distance.WindowOf(d, at)
	n := d.Results[0].Shape[at]
	return [2]int{w.Before, max(0, (n-1)*w.Stride-w.Before+w.Span-d.Operands[0].Shape[at])}
}

// pad puts zeros around lines, if any are needed.
func (b *builder) pad(t int32, p piece, r read, across [2]int, serves int) piece {
	pads := make([]int32, 8)
	at := 1 + int(b.axis)
	pads[2*at], pads[2*at+1] = int32(r.before), int32(r.after)
	pads[2*(3-at)], pads[2*(3-at)+1] = int32(across[0]), int32(across[1])
	if !slices.ContainsFunc(pads, func(n int32) bool { return n != 0 }) {
		return p
	}
	shape := b.shape(t, r.before+r.end-r.first+r.after)
	shape[3-at] += int32(across[0] + across[1])
	out := piece{b.value(t, shape, p.span, ", padded"), p.span}
	b.add(tflite.NewOperator{
		Code: codePad, Inputs: []int32{p.tensor, b.constant([]int32{4, 2}, pads...)}, Outputs: []int32{out.tensor},
	}, serves)
	return out
}

// numbers are those of a constant as a model has them.
func numbers(all []int64) []int32 {
	out := make([]int32, len(all))
	for i, v := range all {
		out[i] = int32(v)
	}
	return out
}
