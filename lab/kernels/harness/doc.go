// Package harness measures how closely the result of a kernel may lie over its operand, by running the
// kernel's own code.
//
// # Two ways
//
// A trace is exact: QEMU runs a program for a Cortex-M, a plugin (bare/trace.c) sees every access to operand and
// result, and the distance is the largest end(w) − begin(r) over writes w and later reads r. One run of a
// case is enough, so shapes may be as large as in real models, and kernels in assembly and in vector
// instructions are measured as they are.
//
// A sweep looks at results only: the operand comes closer byte by byte, until the result differs from the one with
// the tensors apart, over several sets of random data. It needs no QEMU, and checks that the trace misses nothing.
// Data that overwrites a byte by an equal one hides an access, so a sweep is a lower bound.
//
// A third run has the tensors at given distances. At the table's distance the result must be right with all data. A
// byte below the traced distance it should be wrong with some.
//
// # Layout
//
// machine.go: targets of a build, and what must be installed; program.go: building and running; draw.go: random
// cases; compare.go: the table against what was measured. bare has the C code that all drivers share.
// lab/kernels/cmsis and lab/kernels/esp have the drivers.
package harness
