// Package shape has what is known of a value of an ONNX model, and how to compute with it.
//
//	type.go     element types, numbered as in ONNX, and how many bits an element takes
//	dims.go     dimensions: products, sums, broadcasting; an open dimension is -1
//	data.go     the elements of small tensors, from which other shapes are computed
//	result.go   all of these of one value: a tensor, a sequence or an optional
//
// A shape is a []int64: nil if not even the rank is known, and -1 for each dimension that
// is open. The package knows neither files nor operators.
package shape
