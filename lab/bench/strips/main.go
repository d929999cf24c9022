// Command strips writes the table of models whose operators run in strips (stowage plan --split).
//
//	go run ./lab/bench/strips [-macs 0.1] [-into docs/tflm.md] PATH...
//
// It needs Python with the package tflite_micro (STOWAGE_PYTHON). A PATH is a model or a folder of models. Each model
// is folded, planned and split with the scratch of the reference kernels, without and with results over operands. Each
// split model is run beside the model in the interpreter, with five seeds and three invocations each: in the smallest
// arena that works, which has to be the predicted one. Differences are printed, and the exit code is 1.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: the table has every model that was given and that the interpreter runs, whether strips help or not.

func main() {
	macs := flag.Float64("macs", 0.1, "the multiply-accumulates that may be added, as a share")
	into := flag.String("into", "", "put the table into the marked block of `FILE`")
	flag.Parse()
	t := table{macs: *macs, seen: map[[32]byte]bool{}}
	if err := t.run(*into, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "strips:", err)
		os.Exit(2)
	}
	if t.faults > 0 {
		os.Exit(1)
	}
}

// A table runs models, one after the other.
type table struct {
	process *interpreter.Process
	macs    float64
	seen    map[[32]byte]bool
	rows    strings.Builder
	faults  int
}

func (t *table) run(into string, paths []string) (err error) {
	if t.process, err = interpreter.Start(interpreter.Python()); err != nil {
		return err
	}
	defer func() { t.process.Close() }()
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".tflite" {
				return err
			}
			if err := t.model(file); err != nil {
				return err
			}
			return t.write(into)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write prints the table so far, and puts it into a file.
func (t *table) write(into string) error {
	text := "| model | as it is | plan | distances | strips | strips, distances | less | arithmetic | operators | file |\n" +
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n" + t.rows.String()
	fmt.Print(text)
	if into == "" {
		return nil
	}
	return record.ReplaceBlock(into, "tflm-strips", text)
}

// model adds a row for a model.
func (t *table) model(file string) error {
	data, err := os.ReadFile(file)
	if err != nil || t.seen[sha256.Sum256(data)] {
		return err
	}
	t.seen[sha256.Sum256(data)] = true
	m, err := tflite.Parse(data, file)
	if err != nil {
		return err
	}
	if m, _, err = m.Fold(); err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".tflite")
	var arenas []int64
	var last *tflm.Split
	size := 0
	for _, kernels := range []tflm.Kernels{"", tflm.ReferenceKernels} {
		o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m), Kernels: kernels, Solve: stowage.Options{NodeLimit: 20_000}}
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			return err
		}
		split, err := made.Split(context.Background(), o, tflm.SplitOptions{Target: &tflm.Firmware32, MaxMACs: t.macs})
		if err != nil {
			return err
		}
		plan := made
		if split.Plan != nil {
			plan, last = split.Plan, split
		}
		if kernels == "" {
			arenas = append(arenas, made.Sizes()[0].Before.Smallest)
		}
		arenas = append(arenas, made.Sizes()[0].After.Smallest, plan.Sizes()[0].After.Smallest)
		written, err := plan.Written(m)
		if err != nil {
			return err
		}
		if size = len(written) - len(m.Bytes()); split.Plan == nil {
			continue
		}
		if said, err := t.check(m.Bytes(), written, plan); err != nil || said != "" {
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s (%s): %s\n", name, kernels, said)
			t.faults++
		}
	}
	fmt.Fprintln(os.Stderr, name, arenas)
	best := min(arenas[2], arenas[4])
	fmt.Fprintf(&t.rows, "| %s | %d | %d | %d | %d | %d | %.1f%% |", name, arenas[0], arenas[1], arenas[3], arenas[2], arenas[4],
		100*float64(arenas[0]-best)/float64(arenas[0]))
	if last == nil {
		t.rows.WriteString(" | | |\n")
		return nil
	}
	fmt.Fprintf(&t.rows, " +%.1f%% | %d | +%d |\n", 100*float64(last.Choice.MACs)/float64(max(last.MACs, 1)),
		last.Choice.Operators, size)
	return nil
}

// check runs both models, and says what is not as it should be.
func (t *table) check(given, written []byte, plan *tflm.Plan) (string, error) {
	folder, err := os.MkdirTemp("", "strips-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	sizes := plan.Sizes()[2]
	var answers []*interpreter.Answer
	for k, model := range [][]byte{given, written} {
		path := filepath.Join(folder, fmt.Sprint(k)+".tflite")
		if err := os.WriteFile(path, model, 0o600); err != nil {
			return "", err
		}
		r := interpreter.Request{Model: path, Arena: interpreter.Enough(&sizes.Before), Runs: 3, Seeds: 5}
		if k == 1 {
			r.Smallest, r.Expected = true, sizes.After.Smallest
		}
		a, err := t.process.Run(r)
		if err != nil {
			return "", err
		}
		answers = append(answers, a)
	}
	switch was, is := answers[0], answers[1]; {
	case was.Error != "" || is.Error != "":
		return "not run: " + was.Error + is.Error, nil
	case was.Outputs != is.Outputs || was.Outputs[:min(64, len(was.Outputs))] != is.SmallestOutputs[:min(64, len(is.SmallestOutputs))]:
		return "outputs differ", nil
	case is.Smallest != sizes.After.Smallest:
		return fmt.Sprintf("the smallest arena is %d, predicted %d", is.Smallest, sizes.After.Smallest), nil
	}
	return "", nil
}
