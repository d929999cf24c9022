package onnx

import "slices"

// The rules of sequences of tensors. A sequence is followed as long as it is known
// how many tensors it has; its size is theirs together.

// maxItems is how many tensors a sequence may have to be followed.
const maxItems = 256

// sequence says what the first result is: a sequence of these tensors.
func (c *call) sequence(items []result, counted bool) string {
	c.out[0] = result{kind: kindSequence}
	if counted && len(items) <= maxItems && c.w.spend(120*len(items)) {
		c.out[0].items, c.out[0].counted = items, true
		return ""
	}
	return "the number of its tensors is not known"
}

// item returns an input as a tensor of a sequence.
func (c *call) item(k int) result {
	if !c.given(k) {
		return result{}
	}
	return result{elem: c.in[k].elem, dims: c.in[k].dims}
}

// items returns the tensors of an input that is a sequence.
func (c *call) items(k int) ([]result, bool) {
	if !c.given(k) || c.in[k].kind != kindSequence {
		return nil, false
	}
	return c.in[k].items, c.in[k].counted
}

// at returns the index that an input gives into a list, count where it gives none.
func (c *call) at(k int, count int, last int64) (int, bool) {
	if !c.given(k) {
		return int(last), true
	}
	list := c.ints(k)
	if len(list) != 1 {
		return 0, false
	}
	return axisOf(list[0], count)
}

func sequenceEmpty(c *call) string { return c.sequence(nil, true) }

func sequenceConstruct(c *call) string {
	items := make([]result, len(c.in))
	for k := range c.in {
		items[k] = c.item(k)
	}
	return c.sequence(items, true)
}

func sequenceInsert(c *call) string {
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

func sequenceErase(c *call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 {
		return c.sequence(nil, false)
	}
	at, ok := c.at(1, len(items), int64(len(items))-1)
	if !ok {
		// Where all are alike it is all the same which one goes.
		for i := range items {
			if items[i].elem != items[0].elem || items[i].dims == nil || !slices.Equal(items[i].dims, items[0].dims) {
				return c.sequence(nil, false)
			}
		}
		at = 0
	}
	return c.sequence(slices.Delete(slices.Clone(items), at, at+1), true)
}

// sequenceAt is one of the tensors; what all have in common where it is open which.
func sequenceAt(c *call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 {
		return "the number of tensors in the sequence is not known"
	}
	if at, ok := c.at(1, len(items), 0); ok {
		c.out[0] = items[at]
		return ""
	}
	if c.ints(1) != nil {
		return "its position is not in the sequence"
	}
	for i := range items {
		c.out[0] = either(c.out[0], items[i], i == 0)
	}
	return c.unknown(1, "position")
}

func sequenceLength(c *call) string {
	c.set(0, typeInt64, []int64{})
	if items, ok := c.items(0); ok {
		c.out[0].data = &data{ints: []int64{int64(len(items))}}
	}
	return ""
}

// splitToSequence cuts a tensor along an axis: into tensors of one, of so many, or of
// lengths that are given.
func splitToSequence(c *call) string {
	dims := c.dims(0)
	at, ok := axisOf(c.integer("axis", 0), len(dims))
	if dims == nil || !ok || dims[at] < 0 {
		return c.sequence(nil, false)
	}
	n := dims[at]
	var lengths []int64
	drop := false
	switch list, shape := c.ints(1), c.dims(1); {
	case !c.given(1):
		drop = c.integer("keepdims", 1) == 0
		if n > maxItems {
			return c.sequence(nil, false)
		}
		lengths = parts(n, n, false)
	case len(list) == 0 || shape == nil:
		reason := c.sequence(nil, false)
		c.out[0].most = max(0, bytesOf(c.elem(0), dims)) // together they are the whole
		return reason + "; " + c.unknown(1, "list of lengths")
	case len(shape) == 0:
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
	items := make([]result, len(lengths))
	for k, l := range lengths {
		out := slices.Clone(dims)
		if out[at] = fits(l); drop {
			out = slices.Delete(out, at, at+1)
		}
		items[k] = result{elem: c.elem(0), dims: out}
	}
	if !c.w.spend(8 * len(dims) * len(items)) {
		return ""
	}
	return c.sequence(items, true)
}

// concatFromSequence joins the tensors along an axis, or along a new one.
func concatFromSequence(c *call) string {
	items, ok := c.items(0)
	if !ok || len(items) == 0 || items[0].dims == nil {
		return "the number of tensors in the sequence is not known"
	}
	added := c.integer("new_axis", 0) != 0
	rank := len(items[0].dims)
	if added {
		rank++
	}
	at, ok := axisOf(c.integer("axis", 0), rank)
	if !ok || rank > maxRank {
		return "its axis does not exist in its result"
	}
	out := slices.Clone(items[0].dims)
	for i := 1; i < len(items); i++ {
		d := items[i].dims
		if len(d) != len(out) || d == nil {
			return "the tensors of the sequence have different ranks"
		}
		for k := range out {
			switch {
			case k == at && !added:
				out[k] = sum(out[k], d[k])
			case out[k] < 0:
				out[k] = d[k]
			}
		}
	}
	if added {
		out = slices.Insert(out, at, int64(len(items)))
	}
	c.set(0, items[0].elem, out)
	return ""
}

// optional is a tensor that is there or not; one of another kind is not followed.
func optional(c *call) string {
	c.out[0] = result{kind: kindOptional}
	if c.given(0) && c.in[0].kind == kindNone {
		c.out[0].items, c.out[0].counted = []result{c.item(0)}, true
	}
	return ""
}

func optionalGet(c *call) string {
	switch {
	case !c.given(0):
	case c.in[0].kind == kindOptional && c.in[0].counted:
		c.out[0] = c.in[0].items[0]
	case c.in[0].kind != kindOptional:
		return identity(c)
	}
	return ""
}

func optionalHas(c *call) string {
	c.set(0, typeBool, []int64{})
	return ""
}
