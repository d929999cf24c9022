package ops

import (
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: elements that are known cost memory and time, so a walk over a model pays for them
// from an allowance in proportion to the file. Once it is spent, no more elements are known;
// shapes still follow where they need none.

const (
	foldBytes = 8 << 20  // an allowance, beside its part of the file
	maxBody   = 32 << 10 // bytes that a tensor whose elements are decoded takes in a file, with its name
)

// An Allowance is how many bytes a walk may still spend on elements that are known.
type Allowance struct{ left int }

// NewAllowance returns the allowance for a file of a size in bytes.
func NewAllowance(size int) *Allowance { return &Allowance{left: foldBytes + size/4} }

// Known returns the elements of a value, nil where they are not known. Those of an
// initialiser are decoded the first time.
func (a *Allowance) Known(v *Operand) *shape.Data {
	if v.Data == nil && v.Stored != nil && v.Constant && !v.tried {
		v.tried, v.Data = true, a.decode(v.Stored)
	}
	return v.Data
}

// decode returns the elements of a tensor of the file, where that is worth its price.
func (a *Allowance) decode(t *graph.Tensor) *shape.Data {
	if a.left <= 0 || t.Opaque || !shape.Foldable(t.Elem, t.Dims) || len(t.Body) > maxBody {
		return nil
	}
	a.left -= 8*int(shape.Elements(t.Dims)) + len(t.Body)
	return t.Decode()
}
