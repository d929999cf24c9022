package kernelscratch

import "github.com/stowage-go/stowage/internal/distance"

// Idea: the glue of a library keeps a structure of its own for each operator, which holds the reference kernel's and
// some numbers more. What Prepare keeps beside it is often what the reference kernel keeps. Both are in
// the arena's tail.
//
// Source: the structures of the glue named in esp.go, with the fields of the reference kernels at the revision of
// distance.Reference. Sizes are what a compiler makes of them for pointers of 4 and of 8 bytes, with doubles
// aligned to 8.

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
	}
	return nil
}

// KeptBy returns what a set's kernel keeps for an operator if pointers have so many bytes, 4 or 8. The answer is that of
// Of: what is kept is set only if it is ByVendor.
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
