package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/viewdata"
)

// Idea: many problems in one run. Each file is read, planned, checked and written as if it were alone, and its line is
// printed when it is done. What is wrong with one file does not end the run. With several workers, several files are
// planned at once, each by one worker, so that the plans are those of single runs.
//
// Complexity: one plan in memory for each worker.

// A batch is the files of one run.
type batch struct {
	s     *solveFlags
	cmd   *cobra.Command
	files []string
	into  []string // where each plan goes
	fresh bool     // there was nothing in that folder

	options stowage.Options // of each run

	mu     sync.Mutex // of what is printed and counted
	out    *gathered
	counts map[string]int // by status; notRead for files with faults
	line   *progress
	done   int // files
}

const notRead = "not read"

// inputsGiven refuses a command line without files, and one with a number whose unit stands apart.
func inputsGiven(cmd *cobra.Command, args []string) error {
	if at := slices.IndexFunc(args, bareUnit); len(args) > 1 && at >= 0 {
		return arity(1, "INPUT")(cmd, args)
	}
	return arity(1, slices.Repeat([]string{"INPUT"}, max(1, len(args)))...)(cmd, args)
}

// inputs returns the files that the arguments name: folders, patterns and files.
func inputs(args []string) (files []string, several bool, err error) {
	for _, arg := range args {
		found, err := format.Files(arg)
		if err != nil {
			return nil, false, err
		}
		several = several || len(found) != 1 || found[0] != arg
		files = append(files, found...)
	}
	return files, several || len(args) > 1, nil
}

// runAll plans several files into a folder.
func (s *solveFlags) runAll(cmd *cobra.Command, files []string) error {
	began := time.Now()
	for flag, given := range map[string]bool{
		"start": s.start != "", "steps": s.steps > 0, "stats": s.stats != "", "progress": s.progress != "",
		"certificate": s.certificate != "", "checkpoint": s.checkpoint != "", "why": s.why,
	} {
		if given {
			return usagef("--%s is for one problem: there are %d", flag, len(files))
		}
	}
	b := &batch{s: s, cmd: cmd, files: files, counts: map[string]int{}}
	var err error
	if b.options, err = s.options(); err != nil {
		return err
	}
	b.options.Minimize, b.options.Workers = s.minimize, 1
	if err := b.places(); err != nil {
		return err
	}
	stopProfile, err := startProfile(s.cpuProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	ctx, release := interruptible(cmd.Context())
	defer release()
	ctx, unwatch := run.Watched(ctx)
	defer unwatch()
	defer guard()()
	collectLess()
	b.out = gather(cmd.OutOrStdout())
	b.line = lineOf(cmd.ErrOrStderr(), s.quiet, 0)
	b.line.share(0, len(files), "")
	var next atomic.Int64
	var wait sync.WaitGroup
	var fault error
	for range max(1, min(s.workers, len(files))) {
		wait.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(files)) && ctx.Err() == nil; k = next.Add(1) - 1 {
				// A goroutine that goes on for 10 ms loses its processor at a system call, and the thread of the
				// runtime that sees to that then looks every 20 µs: 5 µs a file. A pause comes before.
				if k%8 == 0 {
					runtime.Gosched()
				}
				if err := b.one(ctx, int(k)); err != nil {
					b.mu.Lock()
					fault = errors.Join(fault, err)
					b.mu.Unlock()
					next.Store(int64(len(files)))
				}
			}
		})
	}
	wait.Wait()
	b.line.stop()
	if err := b.out.Close(); err != nil && fault == nil {
		fault = outputError{err: err}
	}
	if fault != nil {
		return fault
	}
	return b.finish(began)
}

// places decides where the plans go, and refuses two for one place.
func (b *batch) places() error {
	s := b.s
	if len(s.paths) != 1 || toStdout(s.paths[0]) {
		return usagef("%s need -o DIR: a folder for the plans", count(len(b.files), "problem"))
	}
	folder := s.paths[0]
	switch info, err := os.Stat(folder); {
	case err == nil && !info.IsDir():
		return usagef("%s is a file: %s need a folder", folder, count(len(b.files), "problem"))
	}
	kind, err := formatOf(s.format, "", slices.Concat(formatNames(), []string{dsaProblem, dsaSolution}))
	if err != nil {
		return err
	}
	s.outputs = []output{{path: folder, flag: "-o", kind: kind}}
	extension := kind
	if kind == dsaProblem || kind == dsaSolution {
		extension += ".json"
	}
	entries, err := os.ReadDir(folder)
	b.fresh = len(entries) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) // nothing in it can be replaced
	of := make(map[string]string, len(b.files))
	for _, file := range b.files {
		if file == format.Standard {
			return usagef("standard input does not go with other problems")
		}
		name := filepath.Base(strings.TrimSuffix(file, ".gz"))
		name = strings.TrimSuffix(name, filepath.Ext(name)) + "." + extension
		path := filepath.Join(folder, name)
		if other, twice := of[path]; twice {
			return usagef("%s and %s would both be planned in %s", other, file, path)
		}
		if of[path] = file; !b.fresh && !s.force && replaces(path, file) {
			return usagef("%s would be replaced by its plan: name another folder, or --force", file)
		}
		b.into = append(b.into, path)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return outputError{folder, err}
	}
	return nil
}

// one plans a file. The error is one that ends the run: a plan that cannot be written.
func (b *batch) one(ctx context.Context, k int) error {
	r, p, read, err := b.plan(ctx, b.files[k], b.into[k])
	if lost := new(outputError); errors.As(err, lost) {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	b.line.share(b.done, len(b.files), cell(b.files[k]))
	if err != nil {
		b.counts[notRead]++
		b.line.aside(func() {
			_ = b.out.Flush() // both may be one file
			report(b.cmd.ErrOrStderr(), b.cmd, err)
		})
		return nil
	}
	b.counts[r.Status.String()]++
	b.line.aside(func() { err = b.say(k, r, p, read) })
	if err != nil {
		return outputError{err: err}
	}
	return nil
}

// say prints what became of a file.
func (b *batch) say(k int, r *stowage.Result, p *stowage.Problem, read times.Read) (err error) {
	switch {
	case b.s.json:
		f := figures.Of(r, p, b.s.minimize)
		f.Read(string(read.Ends), read.Scale())
		lines := json.NewEncoder(b.out)
		lines.SetEscapeHTML(false)
		err = lines.Encode(struct {
			File string `json:"file"`
			figures.Figures
		}{b.files[k], f})
	case !b.s.quiet:
		_, err = io.WriteString(b.out, cell(b.files[k])+": "+summary(r, p)+"\n")
	}
	return err
}

// plan reads a file, plans its problem and writes the plan.
func (b *batch) plan(ctx context.Context, path, into string) (r *stowage.Result, p *stowage.Problem, read times.Read,
	err error,
) {
	began := time.Now()
	s, o := *b.s, b.options
	file, err := s.readProblem(path, s.deadline(began))
	if err != nil {
		return nil, nil, read, err
	}
	p, s.input, o.Timeout = file.Problem, path, s.left(began)
	s.outputs = []output{{path: into, flag: "-o", kind: b.s.outputs[0].kind, fresh: b.fresh}}
	if err := s.checkKind(file); err != nil {
		return nil, nil, read, err
	}
	if kind := s.outputs[0].kind; file.Kind != format.CSV || kind != "csv" { // a table can be written as one
		if err := checkFormat(kind, p); err != nil {
			return nil, nil, read, err
		}
	}
	var steps viewdata.Recorder
	if s.writes("html") {
		o.Progress = steps.See
	}
	if b.s.workers < 2 { // of searches side by side the line shows the count alone
		b.line.follow(&o)
	}
	if file.Family != nil {
		r, err = s.solveFamily(ctx, file.Family, o)
	} else {
		r, err = stowage.Solve(ctx, p, o)
	}
	if err == nil && r.Status.HasPlan() {
		err = s.writePlan(b.cmd, file, r, &steps)
	}
	return r, p, file.Times, err
}

// finish prints how many problems ended how. The exit code is that of the worst.
func (b *batch) finish(began time.Time) error {
	done, words := 0, []string{}
	for _, status := range []string{"optimal", "feasible", "infeasible", "unknown", notRead} {
		if n := b.counts[status]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
			done += n
		}
	}
	if !b.s.quiet {
		left := ""
		if done < len(b.files) {
			left = fmt.Sprintf(", %d not begun", len(b.files)-done)
		}
		fmt.Fprintf(b.cmd.ErrOrStderr(), "%s: %s%s; %s\n", count(len(b.files), "problem"), strings.Join(words, ", "), left,
			seconds(time.Since(began)))
	}
	switch {
	case b.counts[notRead] > 0:
		return outcome(exitUsage)
	case b.counts["infeasible"] > 0:
		return outcome(exitInfeasible)
	case b.counts["unknown"] > 0 || done < len(b.files):
		return outcome(exitUndecided)
	}
	return nil
}
