package ops

import (
	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: known elements cost memory and time, so a walk over a model pays for them from the budget of the file, as long
// as more than half of the budget is left. After that, no more elements become known. Most shapes do not need any.

// maxBody is how many bytes a tensor whose elements are decoded takes in a file, with its name.
const maxBody = 32 << 10

// Known returns the elements of a value, nil if they are not known. Those of an initialiser are decoded the first time.
func (v *Operand) Known(b *source.Budget) *shape.Data {
	if v.Data == nil && v.Stored != nil && v.Constant && !v.tried {
		v.tried, v.Data = true, decode(b, v.Stored)
	}
	return v.Data
}

// decode returns the elements of a tensor of the file, if that is worth its price.
func decode(b *source.Budget, t *graph.Tensor) *shape.Data {
	if t.Opaque || !shape.Foldable(t.Elem, t.Dims) || len(t.Body) > maxBody ||
		!b.Spare(8*int(shape.Elements(t.Dims))+len(t.Body)) {
		return nil
	}
	return t.Decode()
}
