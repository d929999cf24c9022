// Command c is Stowage as a C library, shared or static. stowage.h is its whole interface, and docs/c.md its guide.
//
//	go build -buildmode=c-shared  -o libstowage.so ./bindings/c
//	go build -buildmode=c-archive -o libstowage.a  ./bindings/c
//
// `make capi` builds both. Without cgo the package has only this file.
//
//	stowage.h    the interface, by hand
//	solver.h/.c  handles: what is set without entering Go
//	problem.go   columns to buffers
//	options.go   options by number and by name
//	run.go       runs, in the foreground and in the background
//	text.go      JSON in and out, errors
//	session.go/.c  sessions: a problem that changes
//	sweep.go     generated problems, loads, digests
package main

func main() {}
