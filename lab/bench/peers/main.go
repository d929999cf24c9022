// Command peers times Stowage against google/minimalloc, as whole processes on
// the same files, and verifies every plan of both.
//
//	go run ./lab/bench/peers -minimalloc PATH [-runs 7] [-into docs/measured.md] [FILE…]
//
// Without files it takes the challenging suite from the folder challenging of STOWAGE_DATA (google/minimalloc's
// benchmarks/challenging). A file's capacity is in its name, as in A.1048576.csv.
//
// For each file the programs run in turn, so that other work of the machine slows both. The first one changes from
// pair to pair. The time is by the wall clock, from the start of the process to its end, reading and writing
// included. The ratio of a file is the median of its pairs' ratios.
//
// Every run is written to lab/bench/results as JSON, and the table to standard output and, with -into, to the block
// <!-- bench:challenging --> of a file. The exit code is 1 if a plan is invalid or a program fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/lab/experiment"
)

func main() { record.Main("lab/bench/peers", compare) }

func compare(ctx context.Context) error {
	var (
		stowage = flag.String("stowage", os.Getenv("STOWAGE"),
			"the `PATH` of stowage; it is built where this is empty [$STOWAGE]")
		peer = flag.String("minimalloc", os.Getenv("MINIMALLOC"),
			"the `PATH` of google/minimalloc's program, a Release build [$MINIMALLOC]")
		note    = flag.String("note", "", "what to record about the peer, such as its revision and compiler")
		runs    = flag.Int("runs", 7, "run each program `N` times on each file")
		timeout = flag.Duration("timeout", 2*time.Minute, "end a run after `D`")
		planner = flag.String("planner", "auto", "the planner `NAME` that stowage runs")
		set     = flag.String("set", "challenging",
			"the folder `NAME` of STOWAGE_DATA to run on, and the name of the results")
		into = flag.String("into", "", "put the table into the document `FILE`")
		out  = flag.String("results", "lab/bench/results", "write the runs as JSON to the folder `DIR`; none where empty")
	)
	flag.Parse()
	if *peer == "" {
		fmt.Println("lab/bench/peers skipped: build google/minimalloc and name its program with -minimalloc or MINIMALLOC")
		return nil
	}
	instances, err := experiment.Load(*set, flag.Args())
	if err != nil {
		return err
	}
	if *runs < 1 {
		return errors.New("-runs must be at least 1")
	}
	dir, err := os.MkdirTemp("", "stowage-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *stowage == "" {
		*stowage = filepath.Join(dir, "stowage")
		if err := program.Build(ctx, *stowage); err != nil {
			return err
		}
	}
	programs := [2]program.Program{program.Ours(*stowage, *planner), program.Minimalloc(*peer)}
	programs[1].Note = *note
	for i := range programs {
		if err := programs[i].Identify(ctx); err != nil {
			return err
		}
	}
	r := result{
		Tool: "lab/bench/peers", Set: *set, Date: record.Today(), Machine: record.ThisMachine(), Programs: programs,
	}
	for _, in := range instances {
		m, err := measure(ctx, programs, in, *runs, *timeout, dir)
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, m.line())
		r.Instances = append(r.Instances, m)
	}
	name := *set
	if *planner != "auto" {
		name += "-" + *planner
	}
	table := r.markdown()
	fmt.Print(table)
	if *out != "" {
		if err := record.WriteJSON(filepath.Join(*out, name+"-"+r.Date+".json"), r); err != nil {
			return err
		}
	}
	if *into != "" {
		return record.ReplaceBlock(*into, "bench:"+name, table)
	}
	return nil
}
