// Package core runs the tasks of a sweep and keeps their results. It knows no engine: a distributor of tasks calls
// Work for each.
//
//	row.go     a row of the result, and its Parquet file
//	store.go   the folder of a sweep
//	task.go    problems, units and tasks; their keys
//	load.go    the problems of a specification: files and generators
//	orders.go  a model as a problem: in an order, with results apart or over operands
//	cut.go     which tasks are left to do, the large ones first
//	curve.go   one planner on one problem with all its capacities; what follows without a run
//	work.go    a task: attempts, the file, what is given up
//	loop.go    tasks one after the other, or some at a time, without an engine
//	version.go the version of Stowage in a program
//	status.go  how far a sweep is, from its files
package core
