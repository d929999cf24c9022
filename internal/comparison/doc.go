// Package comparison runs planners side by side: each planner on each problem. It keeps every run
// in a file, so that a comparison can be interrupted and widened, and sets out the results as
// tables, pages and pictures. `stowage compare` and the laboratory turn flags into a Request.
// `stowage size` and stowage-sweep use its instances, tables and statistics.
//
//	instance.go    a problem, its names and its bounds
//	run.go         a run: what was asked and what came out; a planner that dies
//	cache.go       the file of runs, which several processes may share
//	request.go     planners on problems, again and again, some at a time
//	result.go      what follows from the runs: optimum, means, order
//	tables.go      a result as tables, CSV, JSON and a picture
//	page.go        a result as a page
//	table.go       a table, and how it is set in Markdown
//	statistics.go  medians and means
//	figures.go     numbers as text
package comparison
