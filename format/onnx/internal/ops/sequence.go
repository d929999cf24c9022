package ops

import (
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of sequences of tensors. A sequence is followed as long as the number of its tensors is known; its size
// is the sum of theirs.

// maxItems is how many tensors a sequence may have to be followed.
const maxItems = 256

// sequence says what the first result is: a sequence of these tensors.
func (c *Call) sequence(items []shape.Result, counted bool) string {
	c.Out[0] = shape.Result{Kind: shape.KindSequence}
	if counted && len(items) <= maxItems && c.Scope.Spend(120*len(items)) {
		c.Out[0].Items, c.Out[0].Counted = items, true
		return ""
	}
	return "the number of its tensors is not known"
}

// item returns an input as a tensor of a sequence.
func (c *Call) item(k int) shape.Result {
	if !c.given(k) {
		return shape.Result{}
	}
	return shape.Result{Elem: c.In[k].Elem, Dims: c.In[k].Dims}
}

// items returns the tensors of an input that is a sequence.
func (c *Call) items(k int) ([]shape.Result, bool) {
	if !c.given(k) || c.In[k].Kind != shape.KindSequence {
		return nil, false
	}
	return c.In[k].Items, c.In[k].Counted
}

// at returns the index that an input gives into a list, count if it gives none.
func (c *Call) at(k int, count int, last int64) (int, bool) {
	if !c.given(k) {
		return int(last), true
	}
	list := c.ints(k)
	if len(list) != 1 {
		return 0, false
	}
	return shape.Axis(list[0], count)
}

func sequenceEmpty(c *Call) string { return c.sequence(nil, true) }

func sequenceConstruct(c *Call) string {
	items := make([]shape.Result, len(c.In))
	for k := range c.In {
		items[k] = c.item(k)
	}
	return c.sequence(items, true)
}

func sequenceInsert(c *Call) string {
	items, ok := c.items(0)
	if !ok {
		return c.sequence(nil, false)
	}
	at := len(items)
	if c.given(2) {
		list := c.ints(2)
		if len(list) != 1 {
			// The order is open, but not what is in it.
			c.sequence(append(slices.Clone(items), c.item(1)), true)
			return c.unknown(2, "position")
		}
		i := list[0]
		if i < 0 {
			i += int64(len(items))
		}
		if i < 0 || i > int64(len(items)) {
			return "its position is not in the sequence"
		}
		at = int(i)
	}
	return c.sequence(slices.Insert(slices.Clone(items), at, c.item(1)), true)
}

func sequenceErase(c *Call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 {
		return c.sequence(nil, false)
	}
	at, ok := c.at(1, len(items), int64(len(items))-1)
	if !ok {
		// If all are alike it is all the same which one goes.
		for i := range items {
			if items[i].Elem != items[0].Elem || items[i].Dims == nil || !slices.Equal(items[i].Dims, items[0].Dims) {
				return c.sequence(nil, false)
			}
		}
		at = 0
	}
	return c.sequence(slices.Delete(slices.Clone(items), at, at+1), true)
}

// sequenceAt is one of the tensors; what all have in common if it is open which.
func sequenceAt(c *Call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 {
		return "the number of tensors in the sequence is not known"
	}
	if at, ok := c.at(1, len(items), 0); ok {
		c.Out[0] = items[at]
		return ""
	}
	if c.ints(1) != nil {
		return "its position is not in the sequence"
	}
	for i := range items {
		c.Out[0] = shape.Either(c.Out[0], items[i], i == 0)
	}
	return c.unknown(1, "position")
}

func sequenceLength(c *Call) string {
	c.set(0, shape.TypeInt64, []int64{})
	if items, ok := c.items(0); ok {
		c.Out[0].Data = &shape.Data{Ints: []int64{int64(len(items))}}
	}
	return ""
}

// splitToSequence cuts a tensor along an axis: into tensors of one, of so many, or of lengths that are given.
func splitToSequence(c *Call) string {
	dims := c.dims(0)
	at, ok := shape.Axis(c.integer("axis", 0), len(dims))
	if dims == nil || !ok || dims[at] < 0 {
		return c.sequence(nil, false)
	}
	n := dims[at]
	var lengths []int64
	drop := false
	switch list, given := c.ints(1), c.dims(1); {
	case !c.given(1):
		drop = c.integer("keepdims", 1) == 0
		if n > maxItems {
			return c.sequence(nil, false)
		}
		lengths = parts(n, n, false)
	case len(list) == 0 || given == nil:
		reason := c.sequence(nil, false)
		c.Out[0].Most = max(0, shape.BytesOf(c.elem(0), dims)) // together they are the whole
		return reason + "; " + c.unknown(1, "list of lengths")
	case len(given) == 0:
		if list[0] < 1 || n/list[0] > maxItems {
			return c.sequence(nil, false)
		}
		for left := n; left > 0; left -= list[0] {
			lengths = append(lengths, min(left, list[0]))
		}
	default:
		lengths = list
	}
	if len(lengths) > maxItems {
		return c.sequence(nil, false)
	}
	items := make([]shape.Result, len(lengths))
	for k, l := range lengths {
		out := slices.Clone(dims)
		if out[at] = shape.Fits(l); drop {
			out = slices.Delete(out, at, at+1)
		}
		items[k] = shape.Result{Elem: c.elem(0), Dims: out}
	}
	if !c.Scope.Spend(8 * len(dims) * len(items)) {
		return ""
	}
	return c.sequence(items, true)
}

// concatFromSequence joins the tensors along an axis, or along a new one.
func concatFromSequence(c *Call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 || items[0].Dims == nil {
		return "the number of tensors in the sequence is not known"
	}
	added := c.integer("new_axis", 0) != 0
	rank := len(items[0].Dims)
	if added {
		rank++
	}
	at, ok := shape.Axis(c.integer("axis", 0), rank)
	if !ok || rank > shape.MaxRank {
		return "its axis does not exist in its result"
	}
	out := slices.Clone(items[0].Dims)
	for i := 1; i < len(items); i++ {
		d := items[i].Dims
		if len(d) != len(out) || d == nil {
			return "the tensors of the sequence have different ranks"
		}
		for k := range out {
			switch {
			case k == at && !added:
				out[k] = shape.Sum(out[k], d[k])
			case out[k] < 0:
				out[k] = d[k]
			}
		}
	}
	if added {
		out = slices.Insert(out, at, int64(len(items)))
	}
	c.set(0, items[0].Elem, out)
	return ""
}

// optional is a tensor that is there or not; one of another kind is not followed.
func optional(c *Call) string {
	c.Out[0] = shape.Result{Kind: shape.KindOptional}
	if c.given(0) && c.In[0].Kind == shape.KindNone {
		c.Out[0].Items, c.Out[0].Counted = []shape.Result{c.item(0)}, true
	}
	return ""
}

func optionalGet(c *Call) string {
	switch {
	case !c.given(0):
	case c.In[0].Kind == shape.KindOptional && c.In[0].Counted:
		c.Out[0] = c.In[0].Items[0]
	case c.In[0].Kind != shape.KindOptional:
		return identity(c)
	}
	return ""
}

func optionalHas(c *Call) string {
	c.set(0, shape.TypeBool, []int64{})
	return ""
}
