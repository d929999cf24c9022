package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: the glue of a library keeps a structure of its own for each operator, which holds the reference kernel's and
// some numbers more. What Prepare keeps beside it is often what the reference kernel keeps. Both are in
// the arena's tail.
//
// Source: the structures of the glue named in esp.go and cmsis.go, with the fields of the reference kernels at the
// revision of distance.Reference. Sizes are what a compiler makes of them for pointers of 4 and of 8 bytes, with
// doubles aligned to 8.

// Kept is what a kernel takes of an arena's tail, and for a moment of its beginning.
type Kept struct {
	Data        int64   // bytes that Init keeps
	Temporaries string  // tensors that Prepare looks at: digits are operands, * is all of them, o is the first result
	Buffers     []int64 // what Prepare keeps, in order
}

// data are the bytes of a structure if pointers have 4 and 8 bytes.
type data [2]int64

// on returns the bytes for pointers of so many bytes.
func (d data) on(word int64) int64 {
	if word == 4 {
		return d[0]
	}
	return d[1]
}

// A keeper says what one kind of operator keeps.
type keeper struct {
	data        data
	temporaries string
	buffers     func(s Set, op *distance.Operator, word int64) []int64
}

func keepers(l distance.Library) map[string]keeper {
	switch l {
	case distance.ESP:
		return espKept
	case distance.MVE, distance.DSP, distance.C:
		return cmsisKept
	}
	return nil
}

// KeptBy returns what a set's kernel keeps for an operator if pointers have so many bytes, 4 or 8. The answer is that
// of Of. Kept is set only if the answer is ByVendor.
func KeptBy(s Set, op *distance.Operator, word int64) (Kept, Answer) {
	if _, answer := Of(s, op); answer != ByVendor {
		return Kept{}, answer
	}
	k, ok := keepers(s.Library)[op.Kind]
	if !ok {
		return Kept{}, Unknown
	}
	out := Kept{Data: k.data.on(word), Temporaries: k.temporaries}
	if k.buffers != nil {
		out.Buffers = k.buffers(s, op, word)
	}
	return out, ByVendor
}

var espKept = map[string]keeper{
	"CONV_2D":           {data: data{60, 80}, temporaries: "o01012o", buffers: perChannel(0)},
	"DEPTHWISE_CONV_2D": {data: data{60, 80}, temporaries: "o01012o", buffers: perChannel(3)},
	"SOFTMAX":           {data: data{64, 88}, temporaries: "0o", buffers: exponents},
}

var cmsisKept = map[string]keeper{
	"CONV_2D":                      {data: data{60, 80}, temporaries: "01o012o", buffers: ifQuantised(perChannel(0))},
	"DEPTHWISE_CONV_2D":            {data: data{60, 80}, temporaries: "01o012o", buffers: ifQuantised(perChannel(3))},
	"TRANSPOSE_CONV":               {data: data{76, 88}, temporaries: "o21213o", buffers: perChannel(0)},
	"FULLY_CONNECTED":              {data: data{72, 96}, temporaries: "012o", buffers: connectedKept},
	"AVERAGE_POOL_2D":              {data: data{36, 36}, temporaries: "0o0o"},
	"MAX_POOL_2D":                  {data: data{36, 36}, temporaries: "0o"},
	"SOFTMAX":                      {data: data{64, 88}, temporaries: "0o", buffers: exponents},
	"SVDF":                         {data: data{40, 48}, temporaries: "01234o", buffers: svdfKept},
	"BATCH_MATMUL":                 {data: data{36, 56}, temporaries: "01o", buffers: matricesKept},
	"UNIDIRECTIONAL_SEQUENCE_LSTM": {data: data{912, 1008}, temporaries: "*o", buffers: lstmKept},
}

// quantised reports whether a tensor has integers of 8 or 16 bits.
func quantised(t *distance.Tensor) bool { return is(t, "INT8") || is(t, "INT16") }

// ifQuantised keeps nothing for other types.
func ifQuantised(f func(Set, *distance.Operator, int64) []int64) func(Set, *distance.Operator, int64) []int64 {
	return func(s Set, op *distance.Operator, word int64) []int64 {
		if !quantised(operand(op, 0)) {
			return nil
		}
		return f(s, op, word)
	}
}

// connectedKept are multipliers and shifts, and the sums of the weights.
func connectedKept(s Set, op *distance.Operator, word int64) (all []int64) {
	if op.PerChannel && quantised(operand(op, 0)) {
		all = perChannel(0)(s, op, word)
	}
	if is(operand(op, 0), "INT8") {
		if bytes, kept := sums(s, op); kept {
			all = append(all, bytes)
		}
	}
	return all
}

// svdfKept are the sums of the weights.
func svdfKept(s Set, op *distance.Operator, _ int64) []int64 {
	if s.Library != distance.MVE || !is(operand(op, 0), "INT8") {
		return nil
	}
	return []int64{4 * int64(operand(op, 1).Shape[0])}
}

// integers are the bytes of a list of integers with its length.
func integers(n int) int64 { return 4 + 4*int64(n) }

// matricesKept are a transposed copy of each operand that is not in the order that the kernel wants, with its
// record (TfLiteEvalTensor) and shape; the shape of the result; multiplier, shift and bounds.
func matricesKept(_ Set, op *distance.Operator, word int64) (all []int64) {
	copied := func(t *distance.Tensor) {
		all = append(all, data{12, 24}.on(word), integers(len(t.Shape)), t.Elements()*int64(t.Type.Bytes))
	}
	if op.TransposedX {
		copied(operand(op, 0))
	}
	if !op.TransposedY {
		copied(operand(op, 1))
	}
	all = append(all, integers(len(op.Results[0].Shape)))
	if quantised(operand(op, 0)) {
		all = append(all, 28)
	}
	return all
}

// lstmKept are biases with the sums of the weights, two for each of four gates.
func lstmKept(_ Set, op *distance.Operator, _ int64) (all []int64) {
	x, hidden := operand(op, 0), operand(op, lstmHidden)
	if !quantised(x) || !is(operand(op, lstmCell), "INT16") || len(hidden.Shape) < 2 {
		return nil
	}
	bytes := 4 * int64(hidden.Shape[1])
	if is(x, "INT16") {
		bytes *= 2
	}
	for range 8 {
		all = append(all, bytes)
	}
	return all
}

// perChannel are a multiplier and a shift for each channel of a filter, whose channels are the given dimension.
func perChannel(dimension int) func(Set, *distance.Operator, int64) []int64 {
	return func(_ Set, op *distance.Operator, _ int64) []int64 {
		f := operand(op, 1)
		if dimension >= len(f.Shape) {
			return nil
		}
		n := 4 * int64(f.Shape[dimension])
		return []int64{n, n}
	}
}

// exponents are the tables of a softmax of 16 bits.
func exponents(_ Set, op *distance.Operator, _ int64) []int64 {
	if is(operand(op, 0), "INT16") {
		return []int64{2 * 513, 2 * 513}
	}
	return nil
}
