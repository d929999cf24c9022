// Package distance says how closely the result of a kernel may lie over an operand.
//
// # The rule
//
//	offset(operand) − offset(result) ≥ D  is safe, with
//	D = max over writes w of the result and reads r of the operand that come after w
//	    of  end(w) − begin(r)
//
// end(w) is the end of the bytes that w writes, from the start of the result. begin(r) is the first
// byte that r reads, from the start of the operand. If the rule holds, no read comes after a write to
// the same byte. D depends only on the order of the kernel's loops and on shapes, strides, padding and
// types. It may be below zero: then the operand may begin before the result.
//
//	result   |----------------|
//	operand       |------------------|
//	         <-D->
//
// # What is assumed
//
// The distances hold for kernels as compiled from the source that Library.Source names, by a compiler that
// keeps the order of a read and a later write if the two may overlap. C++ lets a compiler assume that
// objects of two types do not overlap, unless one is of characters. GCC and Clang count int8_t and uint8_t as
// characters. TensorFlow Lite Micro is built with that assumption, so a pair of two other types is refused.
//
// # Layout
//
//   - operator.go, library.go: what is asked; distance.go: the answer.
//   - order.go: the algebra of loop nests that all distances come from.
//   - reference.go: operator → rule, for TensorFlow Lite Micro's reference kernels. Each family of
//     operators has a file with the order of its loops.
package distance
