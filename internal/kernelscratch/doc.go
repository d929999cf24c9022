// Package kernelscratch says how much of an arena a vendor's kernels take beside the tensors: the scratch buffers that
// they request, and the data that they keep. All of it follows from the model, so the size of an arena is known before
// anything runs.
//
// # What is asked, what is answered
//
// A Set is a library at a version, and for ESP-NN a family of chips. Parse makes one of a name; Sets lists all.
//
//	s, err := kernelscratch.Parse("esp-nn@27d1f4a") // without a version: the default
//	requests, answer := kernelscratch.Of(s, op)     // op is described as for internal/distance
//	kept, answer := kernelscratch.KeptBy(s, op, 4)  // for pointers of 4 bytes
//
// The answer has three cases, the same from both functions:
//
//   - ByVendor: the library's glue prepares this operator. requests has its scratch buffers in the order in which
//     it requests them, in bytes before the runtime rounds them. A request may have 0 bytes: the runtime keeps a
//     record of it all the same. No request is an empty list.
//   - ByReference: the glue has no kernel of its own for this kind of operator, or one that requests and keeps what the
//     reference kernel does. The caller uses what it knows of reference kernels (tflm/kernels.go).
//   - Unknown: the glue may request scratch, and nobody can say how much from the description. Then an arena is at
//     least what the rest needs.
//
// All of an answer is of the glue: what Prepare of the glue's kernel does. An operator whose types or dilation the
// library does not compute may still get scratch, because the glue requests it before that check.
//
// # Layout
//
//   - set.go: names, versions, what they stand for; of.go: the answers; window.go: shapes of convolutions and pools.
//   - esp.go: ESP-NN and its glue; cmsis.go: CMSIS-NN and its glue; kept.go: what stays in the arena's tail.
package kernelscratch
