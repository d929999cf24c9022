// Command many measures one command on many small problems: stowage solve -o DIR FOLDER, beside planning alone and
// beside a C program that reads the same files and writes plans of the same size, with a temporary name and a rename.
//
//	go run ./lab/bench/many [-files 10000] [-buffers 60] [-runs 5] [-stowage PATH] [-into lab/bench/many/README.md]
//
// The three run in turn, each as a process of its own on one core, in processor time, the system's included:
//
//   - the command, with the start of the process and garbage collection;
//   - planning: a program that has the problems in memory plans them all by one Solver, which verifies each plan;
//   - the C program.
//
// Every plan has to be a new file. The problems are of the kinds of networks of stowage gen, whose lowest plans take
// little search, so that files are a large part of the work. A problem that takes more than 1,000 nodes is left out and
// another drawn: four in 10,000, of which two took longer than all others together, and hid what the files cost.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

//go:embed peer/files.c
var source []byte

// kinds are the generators of the problems, in turn.
var kinds = []string{"inference", "decode", "prefill", "mix", "training"}

var (
	files   = flag.Int("files", 10_000, "problems")
	buffers = flag.Int("buffers", 60, "buffers of each")
	runs    = flag.Int("runs", 5, "run each of the three `N` times, of which the median counts")
	stow    = flag.String("stowage", "", "the `PATH` of stowage; it is built where this is empty")
	into    = flag.String("into", "", "put the table into the document `FILE`")
	only    = flag.String("plan", "", "plan the problems of `FOLDER` in memory and print the time; the program itself sets it")
)

func main() {
	record.Main("lab/bench/many", func(ctx context.Context) error {
		flag.Parse()
		if *only != "" {
			return planning(ctx, *only)
		}
		return measure(ctx)
	})
}

func measure(ctx context.Context) error {
	if *runs < 1 || *files < 1 {
		return errors.New("-runs and -files must be at least 1")
	}
	dir, err := os.MkdirTemp("", "stowage-many-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	problems := filepath.Join(dir, "problems")
	if err := write(ctx, problems); err != nil {
		return err
	}
	if *stow == "" {
		*stow = filepath.Join(dir, "stowage")
		if err := program.Build(ctx, *stow); err != nil {
			return err
		}
	}
	text, peer := filepath.Join(dir, "files.c"), filepath.Join(dir, "files")
	if err := os.WriteFile(text, source, 0o666); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, "cc", "-O2", "-o", peer, text).CombinedOutput(); err != nil {
		return fmt.Errorf("cc: %w: %s", err, said)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var command, plan, copying, ratios []float64
	size := int64(0)
	for k := range *runs {
		// Each run has a folder of its own: some file systems take long for a file whose number was in use a moment
		// ago.
		plans := filepath.Join(dir, fmt.Sprintf("plans-%d", k))
		took, err := alone(ctx, plans, *stow, "solve", "-o", plans, problems)
		if err != nil {
			return err
		}
		if size, err = mean(plans); err != nil {
			return err
		}
		copies := filepath.Join(dir, fmt.Sprintf("copies-%d", k))
		alike, err := alone(ctx, copies, peer, problems, copies, strconv.FormatInt(size, 10))
		if err != nil {
			return err
		}
		said, err := oneCore(ctx, self, "-plan", problems).Output()
		if err != nil {
			return err
		}
		in, err := time.ParseDuration(string(said))
		if err != nil {
			return err
		}
		command, plan, copying = append(command, took), append(plan, in.Seconds()), append(copying, alike)
		ratios = append(ratios, (took-in.Seconds())/alike)
		fmt.Fprintf(os.Stderr, "command %.3f s, planning %.3f s, C %.3f s: planning and %.2f times C\n", took, in.Seconds(), alike,
			ratios[len(ratios)-1])
	}
	each := func(s float64) string { return fmt.Sprintf("%.1f", s/float64(*files)*1e6) }
	row := func(name string, all []float64) []string {
		slices.Sort(all)
		return []string{
			name, fmt.Sprintf("%.3f", comparison.Median(all)), fmt.Sprintf("%.3f to %.3f", all[0], all[len(all)-1]),
			each(comparison.Median(all)),
		}
	}
	slices.Sort(ratios)
	table := comparison.NewTable([]string{"", "processor s", "least to most", "µs a file"}, [][]string{
		row("`stowage solve -o DIR FOLDER`", command), row("planning and verification in memory", plan),
		row("a C program: read, write, rename", copying),
	}).Markdown() + fmt.Sprintf("\nThe command takes planning and **%.2f** times the C program (%.2f to %.2f). "+
		"%d files of %d buffers, plans of %d bytes; medians of %d runs in turn on one core; %s; %s.\n",
		comparison.Median(ratios), ratios[0], ratios[len(ratios)-1], *files, *buffers, size, *runs, record.ThisMachine(), record.Today())
	fmt.Print(table)
	if *into != "" {
		return record.ReplaceBlock(*into, "bench:many", table)
	}
	return nil
}

// mostNodes is how many nodes of search a problem may take.
const mostNodes = 1000

// write makes the problems.
func write(ctx context.Context, folder string) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	solver := stowage.NewSolver(stowage.Options{Workers: 1, NodeLimit: mostNodes})
	var r stowage.Result
	for k, seed := 0, 100*len(kinds); k < *files; seed++ {
		kind := kinds[seed%len(kinds)]
		p, err := gen.Generate(kind, gen.Options{Buffers: *buffers, Seed: uint64(seed / len(kinds))})
		if err != nil {
			return err
		}
		p.Capacity = 0
		if err := solver.Solve(ctx, p, &r); err != nil {
			return err
		}
		if r.Status != stowage.Optimal {
			continue
		}
		k++
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s-%05d.csv", kind, k)))
		if err != nil {
			return err
		}
		if err := errors.Join(format.Write(f, f.Name(), p, nil), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// oneCore returns a command that runs on one core.
func oneCore(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// alone runs a program that writes into a new folder and prints lines, and returns its processor time.
func alone(ctx context.Context, folder, name string, args ...string) (float64, error) {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return 0, err
	}
	lines, err := os.Create(folder + ".txt")
	if err != nil {
		return 0, err
	}
	defer lines.Close()
	cmd := oneCore(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = lines, nil
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// mean returns the mean size of the plans, and refuses a folder that lacks some.
func mean(folder string) (int64, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	if len(entries) != *files {
		return 0, fmt.Errorf("%d plans of %d problems", len(entries), *files)
	}
	sum := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum / int64(len(entries)), nil
}

// planning reads the problems of a folder, plans them and prints how much processor time the plans took.
func planning(ctx context.Context, folder string) error {
	paths, err := format.Files(folder)
	if err != nil {
		return err
	}
	var problems []*stowage.Problem
	for _, path := range paths {
		p, _, err := format.ReadProblem(path)
		if err != nil {
			return err
		}
		problems = append(problems, p)
	}
	solver := stowage.NewSolver(stowage.Options{Workers: 1})
	var r stowage.Result
	var fault error
	took := processor.Of(func() {
		for _, p := range problems {
			if err := solver.Solve(ctx, p, &r); err != nil || !r.Status.HasPlan() {
				fault = fmt.Errorf("%s: %v: %w", p.Name, r.Status, err)
				return
			}
		}
	})
	if fault != nil {
		return fault
	}
	fmt.Print(took)
	return nil
}
