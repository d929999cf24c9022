// Package experiment compares planners: it runs each on each problem, keeps
// every run in a file so that a sweep can be interrupted and widened, and sets
// out what came of it. stowage compare and the programs in bench turn flags
// into a Sweep and print its tables; what a comparison means stands here.
//
//	instance.go    problems: finding and naming them
//	run.go         a run: what was asked and what came out; a planner that dies
//	cache.go       the file of runs, which several processes may share
//	sweep.go       planners on problems, again and again, some at a time
//	comparison.go  what follows from the runs: optimum, means, order
//	tables.go      a comparison as tables, CSV, JSON and a picture
//	page.go        a comparison as a page
//	table.go       a table, and how it is set in Markdown
//	statistics.go  medians and means
//	figures.go     numbers as text
package experiment
