// Package highs holds the HiGHS solver as a WebAssembly module, unchanged from the npm package highs 1.15.3. README.md
// says where it comes from and how to check that; LICENSE is the package's own.
//
// The module runs in-process, under a WebAssembly runtime: internal/milp has the host side. Nothing else may import
// this package, so that only programs that ask for the planner milp carry its 3.5 MB.
package highs

import _ "embed"

// Version is the version of the npm package.
const Version = "1.15.3"

// SHA256 is the checksum of Wasm, in hexadecimal.
const SHA256 = "528be4365bea1d4188988646b244263f50320df55782e14d6af5bce7cd45c840"

// Wasm is build/highs.wasm of the package. It must not be modified.
//
//go:embed highs.wasm
var Wasm []byte
