// Package graph holds an ONNX model as in its file: graphs and functions, nodes, attributes, stored tensors and
// declared types.
//
// Parse reads it from the protobuf, and keeps what planning needs. It decodes no weights. A Tensor with few elements
// decodes them on demand (decode.go).
//
//	graph.go       the types
//	wire.go        the parser: fields of messages, names, what is paid for
//	body.go        graphs, functions and nodes
//	attribute.go   attributes, tensors and types of values
//	decode.go      the elements of a small tensor
//
// The package knows no operator, and what it returns may make no sense as a model.
package graph
