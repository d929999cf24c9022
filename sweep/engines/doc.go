// Package engines tests the ways to run a sweep: shards, Prism, Flink and Dask, with workers that are killed. All
// must give the rows of a plain loop.
//
//	plain_test.go    the plain loop, and what is held against it
//	shards_test.go   eight shards, Prism
//	dask_test.go     sweep/recipes on two processes
//	flink_test.go    sweep/flink on a cluster of this machine
//	cluster_test.go  that cluster: how it starts, ends, and what must not be left of it
package engines
