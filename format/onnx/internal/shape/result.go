package shape

import (
	"cmp"
	"slices"
)

// Idea: what is known of a value: its type, its shape, its elements if they are few and
// known. If the shape is open, an upper bound of the bytes may still be known.
//
// Invariant: if the model can run, a dimension that is not -1 is right, and so are known elements.

// A Result is what is known of a value.
type Result struct {
	Kind Kind // KindNone is a tensor
	Elem Type
	Dims []int64 // -1 for open ones; nil if the rank is not known
	Data *Data   // its elements; nil if they are not known
	// Most is the most bytes that it takes, if the shape does not say; 0 for not known.
	Most int64
	// Items are the tensors of a sequence, or that of an optional, there or not; only valid where counted.
	Items   []Result
	Counted bool
}

// Bytes returns how many bytes the value takes, -1 if that is not known.
func (r *Result) Bytes() int64 {
	if (r.Kind == KindSequence || r.Kind == KindOptional) && r.Counted {
		total := int64(0)
		for i := range r.Items {
			n := r.Items[i].Bytes()
			if n < 0 || total > MaxElements {
				return -1
			}
			total += n
		}
		return total
	}
	if r.Kind != KindNone {
		return cmp.Or(r.Most, -1)
	}
	if n := BytesOf(r.Elem, r.Dims); n >= 0 {
		return n
	}
	return cmp.Or(r.Most, -1)
}

// Either returns what is known of a value that is one of two.
func Either(a, b Result, first bool) Result {
	if first {
		return b
	}
	most := max(a.Bytes(), b.Bytes())
	if a.Bytes() < 0 || b.Bytes() < 0 {
		most = 0
	}
	if a.Elem != b.Elem || a.Kind != b.Kind {
		// Such a model cannot run. Only the size of the tensor is known.
		return Result{Kind: a.Kind, Most: most}
	}
	out := Result{Kind: a.Kind, Elem: a.Elem, Dims: Meet(a.Dims, b.Dims), Most: most}
	if a.Data != nil && b.Data != nil && slices.Equal(a.Dims, b.Dims) && slices.Equal(a.Data.Ints, b.Data.Ints) &&
		slices.Equal(a.Data.Floats, b.Data.Floats) {
		out.Data = a.Data
	}
	return out
}

// Unsized returns what keeps a value from having a size whatever its shape; "" for nothing.
func (r *Result) Unsized() string {
	switch {
	case r.Elem == TypeString:
		return "strings have no fixed size"
	case r.Kind != KindNone:
		return "it is not a tensor"
	case r.Elem.Bits() == 0:
		return "its element type is not known"
	}
	return ""
}
