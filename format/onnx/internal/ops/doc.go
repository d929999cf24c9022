// Package ops has a rule for each operator of ONNX. A rule derives facts about a node's results from facts about its
// operands.
//
// A caller makes a Call of a node and its operands. Infer finds the type and shape of each result. Fold computes the
// results themselves if all operands are small and known. A Scope shows a rule the model around its node, such as the
// attributes that a function takes from the calling node.
//
//	ops.go, rules.go       the call, and which operator has which rule
//	element.go             element-wise operators, constants, casts, random numbers
//	reshape.go, cut.go     operators on shapes; slices, concatenation, padding
//	index.go, resize.go    gathering and selecting; resizing
//	linear.go, window.go   products and recurrent networks; convolution and pooling
//	sequence.go            sequences and optionals
//	contrib.go, fused.go   ONNX Runtime's own operators; blocked.go those on blocks of channels
//	fold.go                results that are computed: compute.go arithmetic, move.go the rest
//	known.go               which elements are known, and what they cost
//
// To add an operator, write a rule beside similar ones and name it in rules.go. TestCases and TestPeer of format/onnx
// compare every rule with the onnx package.
package ops
