package shape

import "math"

// Idea: shapes follow from small tensors: the dimensions that a Reshape asks for, the scales of a Resize. Their
// elements have one form, whether they are from the file or computed.

// MaxFold is how many elements a tensor that shapes are computed from may have, and
// MaxFoldFloat how many if they are fractions.
const (
	MaxFold      = 1024
	MaxFoldFloat = 64
)

// Data are the elements of a small tensor: whole numbers and truth values, or fractions. One of the two is not nil.
type Data struct {
	Ints   []int64
	Floats []float64
}

// Foldable reports whether the elements of such a tensor are few enough.
func Foldable(elem Type, dims []int64) bool {
	n := Elements(dims)
	return n >= 0 && (elem.Integer() && n <= MaxFold || elem.Float() && n <= MaxFoldFloat)
}

// Fits reports whether every number is one of the type.
func (d *Data) Fits(elem Type) bool {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	switch elem {
	case TypeBool:
		low, high = 0, 1
	case TypeUint8:
		low, high = 0, math.MaxUint8
	case TypeInt8:
		low, high = math.MinInt8, math.MaxInt8
	case TypeUint16:
		low, high = 0, math.MaxUint16
	case TypeInt16:
		low, high = math.MinInt16, math.MaxInt16
	case TypeInt32:
		low, high = math.MinInt32, math.MaxInt32
	case TypeUint32:
		low, high = 0, math.MaxUint32
	case TypeUint64:
		low = 0
	}
	for _, x := range d.Ints {
		if x < low || x > high {
			return false
		}
	}
	return true
}

// Pick returns the elements at these indices.
func (d *Data) Pick(at []int) *Data {
	out := &Data{}
	if d.Ints != nil {
		out.Ints = make([]int64, len(at))
		for i, k := range at {
			out.Ints[i] = d.Ints[k]
		}
		return out
	}
	out.Floats = make([]float64, len(at))
	for i, k := range at {
		out.Floats[i] = d.Floats[k]
	}
	return out
}
