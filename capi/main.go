// Command capi is Stowage as a C library, shared or static: see stowage.h, which is
// the whole of its interface, and docs/c.md.
//
//	go build -buildmode=c-shared  -o libstowage.so ./capi
//	go build -buildmode=c-archive -o libstowage.a  ./capi
//
// `make capi` builds both. Without cgo there is no library, and nothing here but this.
//
//	stowage.h    the interface, by hand
//	solver.h/.c  handles: what is set without entering Go
//	problem.go   columns to buffers
//	options.go   options by number and by name
//	run.go       runs, in the foreground and behind it
//	text.go      JSON in and out, errors
package main

func main() {}
