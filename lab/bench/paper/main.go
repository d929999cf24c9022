// Command paper sets the figures of papers on memory planning beside ours: MiniMalloc and TelaMalloc (both ASPLOS
// 2023) and idealloc (CONVOLVE D5.5, 2024). It runs no planner. It makes a page of tables, pictures and verdicts from
// files of runs.
//
//	go run ./lab/bench/paper                                   the page, of the runs that are kept
//	go run ./lab/bench/paper -section ID -runs FILE            one section, of all runs in FILE
//	go run ./lab/bench/paper -section ID -into DOCUMENT        its table, into <!-- bench:paper-ID -->
//	go run ./lab/bench/paper -list
//
// A section names the specification in sweep/specs that makes its runs anew; `stowage-lab sweep report OUT --runs FILE`
// writes them. google/minimalloc cannot run in a sweep: lab/bench/peers runs it.
//
// lab/bench/results/papers-2026-11-28.html.gz is the last page of the program that also ran what it showed, with all 24 sections.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

func main() { record.Main("lab/bench/paper", show) }

func show(context.Context) error {
	id := flag.String("section", "", "show the section `ID` alone")
	runs := flag.String("runs", "",
		"take all runs of `FILE`, for the one section [default: those of the section in lab/bench/results]")
	out := flag.String("o", filepath.Join("lab", "bench", "out", "paper.html"), "write the page to `FILE`")
	into := flag.String("into", "", "put the section's table into its block of the document `FILE`")
	list := flag.Bool("list", false, "list the sections")
	flag.Parse()
	chosen := slices.Clone(sections)
	if *id != "" {
		chosen = slices.DeleteFunc(chosen, func(s section) bool { return s.id != *id })
	}
	switch {
	case len(chosen) == 0:
		return fmt.Errorf("no section is named %q; -list has them", *id)
	case *id == "" && (*runs != "" || *into != ""):
		return errors.New("-runs and -into want -section")
	case *list:
		for _, s := range chosen {
			fmt.Printf("%-22s  %s\n", s.id, s.title)
		}
		return nil
	}
	all, err := readRuns(cmp.Or(*runs, filepath.Join("lab", "bench", "results", "paper.jsonl.gz")))
	if err != nil {
		return err
	}
	var parts []part
	for _, s := range chosen {
		parts = append(parts, part{s, s.sample(all, *runs != "")})
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o777); err != nil {
		return err
	}
	if err := format.WriteFile(*out, func(w io.Writer) error { return write(w, parts) }); err != nil {
		return err
	}
	fmt.Println(*out)
	if *into == "" {
		return nil
	}
	return record.ReplaceBlock(*into, "bench:paper-"+*id, parts[0].markdown())
}
