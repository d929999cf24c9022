package framework

import "slices"

// Idea: the strategies of TensorFlow Lite's GPU delegate for textures, whose sizes have two or three dimensions.
// Tensors come in the order of their first use. A tensor takes a free object, or makes one. Objects do not grow:
//
//	equality   a free object of just its extents
//	in order   of the free objects that are at least as large in each dimension, the one with the fewest bytes more
//
// They are no planners: a plain problem has no such sizes.
//
// Complexity: O(tensors · objects).
//
// Source: TensorFlow Lite GPU delegate, equality_assignment and GreedyInOrderAssignmentMultidimensional.

// A texture is a tensor with a size of several dimensions.
type texture struct {
	lower, upper int64 // half-open
	extents      []int64
}

// textureStrategies are the strategies for textures, by their names in the delegate.
var textureStrategies = []struct {
	name  string
	exact bool // only objects of equal extents are shared
}{{"equality", true}, {"greedy in order", false}}

// textures returns what the objects of a strategy take in all. all are in the order of their first use.
func textures(all []texture, exact bool) (sum int64) {
	type object struct {
		extents []int64
		end     int64
	}
	bytes := func(extents []int64) int64 {
		product := int64(1)
		for _, x := range extents {
			product *= x
		}
		return product
	}
	var objects []object
	for _, x := range all {
		best := -1
		for k, o := range objects {
			covers := o.end <= x.lower
			for d := range x.extents {
				covers = covers && o.extents[d] >= x.extents[d]
			}
			if !covers || exact && !slices.Equal(o.extents, x.extents) {
				continue
			}
			if best < 0 || bytes(o.extents) < bytes(objects[best].extents) {
				best = k
			}
		}
		if best < 0 {
			best, objects = len(objects), append(objects, object{extents: x.extents})
			sum += bytes(x.extents)
		}
		objects[best].end = x.upper
	}
	return sum
}
