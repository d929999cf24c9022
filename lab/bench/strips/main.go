// Command strips writes the table of models whose operators run in strips (stowage plan --split).
//
//	go run ./lab/bench/strips [-macs 0.1] [-limit 10m] [-list FILE] [-results FILE] [-into lab/bench/strips/README.md] FOLDER...
//	go run ./lab/bench/strips -macs 0.2 -list lab/bench/strips/capacities.txt -results RESULTS FOLDER...
//
// It needs Python with the package tflite_micro (STOWAGE_PYTHON). The list names the models by their SHA-256, and the
// folders have them, in files of any name. Each model is folded, planned and split with the scratch of the reference
// kernels, without and with results over operands. Each split model is run beside the model in the interpreter, with
// five seeds and three invocations each, in the arena that is printed. If the package ai_edge_litert is there, LiteRT
// runs both, too, with its reference kernels and its default ones. Differences are printed, and the exit code is 1.
//
// If a line of the list ends in capacities, the model is split for each of them, with results over operands, and the
// table is that of capacities.
//
// A model that the results have already is not measured again, so a run that was stopped goes on. Small files are
// first.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: the list is older than the table, and the table has each model of the list, whether strips help or not, and
// whether the interpreter runs it or not.

func main() {
	t := table{results: map[string]*result{}}
	flag.Float64Var(&t.macs, "macs", 0.1, "the multiply-accumulates that may be added, as a share")
	flag.DurationVar(&t.limit, "limit", 0, "the processor time that a split may take; 0: no limit")
	flag.StringVar(&t.commit, "commit", "", "what is measured, for the results")
	list := flag.String("list", "lab/bench/strips/models.txt", "the models, a `FILE` with a line for each")
	flag.StringVar(&t.file, "results", "lab/bench/strips/results.jsonl", "the `FILE` that results are added to")
	into := flag.String("into", "", "put the table into the marked block of `FILE`")
	flag.Parse()
	if err := t.run(*list, *into, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "strips:", err)
		os.Exit(2)
	}
	if t.faults > 0 {
		os.Exit(1)
	}
}

// A result is what was measured of a model. Sizes are bytes of a 32-bit target.
type result struct {
	Model  string `json:"model"` // SHA-256
	Name   string `json:"name"`
	Date   string `json:"date"`
	Commit string `json:"commit"`
	Error  string `json:"error,omitempty"` // why it is not measured
	NotRun string `json:"not_run,omitempty"`
	Images bool   `json:"convolution"` // a convolution model, as the list says
	Own    int64  `json:"own"`
	// Ways are without results over operands and with those that the reference kernels permit, or one a capacity.
	Ways []way `json:"ways"`
}

// A way is a model that is planned and split.
type way struct {
	Capacity  int64 `json:"capacity,omitempty"`
	kernels   tflm.Kernels
	Plan      int64   `json:"plan"`  // the arena with a plan
	Arena     int64   `json:"arena"` // with the plan in strips; Plan if it is not split
	Split     bool    `json:"split"`
	Head      int64   `json:"head"`
	Tail      int64   `json:"tail"`
	MACs      float64 `json:"macs"` // added, as a share
	Operators int     `json:"operators"`
	File      int     `json:"file"` // bytes added
	Bound     int64   `json:"bound"`
	Python    int64   `json:"python"` // the arena in the interpreter
	Seconds   float64 `json:"seconds"`
	// Ratio is the processor time of the invocations in strips beside that of the model as it is: the median of pairs.
	Ratio float64 `json:"ratio,omitempty"`
	Fault string  `json:"fault,omitempty"` // what is not as it should be
	// LiteRT is what LiteRT makes of it, by its reference kernels and by its default ones: "same", or "differ".
	LiteRT string `json:"litert,omitempty"`
	// Limit is the processor time after which the search was stopped; 0 if it came to its end.
	Limit time.Duration `json:"limit,omitempty"`
}

// A table runs models, one after the other.
type table struct {
	process *interpreter.Process
	lite    *interpreter.Process // nil if LiteRT is not installed
	macs    float64
	limit   time.Duration
	commit  string
	file    string
	results map[string]*result // by SHA-256
	faults  int
}

func (t *table) run(list, into string, folders []string) (err error) {
	if err := t.read(); err != nil {
		return err
	}
	var names [][]string // SHA-256, name and the rest of a line
	data, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			names = append(names, f)
		}
	}
	found, err := find(folders)
	if err != nil {
		return err
	}
	if t.process, err = interpreter.Start(interpreter.Python()); err != nil {
		return err
	}
	defer func() { t.process.Close() }()
	if t.lite, err = interpreter.StartLiteRT(interpreter.Python()); err == nil {
		defer func() {
			if t.lite != nil {
				t.lite.Close()
			}
		}()
	} else if !errors.Is(err, interpreter.ErrMissing) {
		return err
	}
	order := slices.Clone(names)
	slices.SortStableFunc(order, func(x, y []string) int { return len(found[x[0]]) - len(found[y[0]]) })
	for _, x := range order {
		if t.results[x[0]] != nil || found[x[0]] == nil {
			continue
		}
		r := &result{Model: x[0], Name: x[1], Date: record.Today(), Commit: t.commit, Ways: ways(x)}
		if err := t.measure(r, found[x[0]]); err != nil {
			r.Error = err.Error()
		}
		if err := t.add(r); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s %+v\n", time.Now().Format(time.TimeOnly), *r)
	}
	text, block := t.text(names), "tflm-strips"
	if ways(names[0])[0].Capacity > 0 {
		text, block = t.capacities(names), "tflm-strips-capacity"
	}
	fmt.Print(text)
	if into == "" {
		return nil
	}
	return record.ReplaceBlock(into, block, text)
}

// ways returns how the model of a line is split: for the capacities in it, if it says no package.
func ways(line []string) (all []way) {
	for _, x := range line[2:] {
		if n, err := strconv.ParseInt(x, 10, 64); err == nil && len(line) == 5 {
			all = append(all, way{kernels: tflm.ReferenceKernels, Capacity: n})
		}
	}
	if all == nil {
		return []way{{kernels: ""}, {kernels: tflm.ReferenceKernels}}
	}
	return all
}

// find returns the models in folders, by their SHA-256.
func find(folders []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".tflite" {
				return err
			}
			data, err := os.ReadFile(file)
			sum := sha256.Sum256(data)
			out[hex.EncodeToString(sum[:])] = data
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read reads the results of earlier runs.
func (t *table) read() error {
	f, err := os.Open(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		r := &result{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return fmt.Errorf("%s: %w", t.file, err)
		}
		t.results[r.Model] = r
	}
	return nil
}

// add adds a result to the file.
func (t *table) add(r *result) error {
	t.results[r.Model] = r
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

// convolves reports whether at least half of the multiply-accumulates of a model are those of convolutions.
func convolves(m *tflite.Model) bool {
	of := *m
	of.Operators = slices.Clone(m.Operators)
	for k := range of.Operators {
		if o := &of.Operators[k]; !slices.Contains([]string{"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"}, o.Name()) {
			*o = tflite.Operator{}
		}
	}
	n := tflm.MACs(&of)
	return n > 0 && 2*n >= tflm.MACs(m)
}

// measure plans, splits and runs a model.
func (t *table) measure(r *result, data []byte) error {
	m, err := tflite.Parse(data, r.Name)
	if err != nil {
		return err
	}
	if m, _, err = m.Fold(); err != nil {
		return err
	}
	r.Images = convolves(m)
	written := make([][]byte, len(r.Ways))
	for k := range r.Ways {
		w := &r.Ways[k]
		o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m), Kernels: w.kernels}
		o.Solve.NodeLimit = 20_000
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			return err
		}
		began := time.Now()
		split, err := t.split(made, o, w.Capacity)
		if err != nil {
			return err
		}
		w.Seconds = time.Since(began).Seconds()
		plan := made
		if split.Stopped != "" {
			w.Limit = t.limit
		}
		if split.Plan != nil {
			plan, w.Split = split.Plan, true
		}
		whole, sizes := made.Sizes()[0], plan.Sizes()
		r.Own, w.Plan, w.Arena = whole.Before.Smallest, whole.After.Smallest, sizes[0].After.Smallest
		w.Head, w.Tail, w.Python = plan.WrittenHead(), sizes[0].After.Tail, sizes[2].After.Smallest
		w.MACs = float64(split.Choice.MACs) / float64(max(split.MACs, 1))
		w.Operators, w.Bound = len(plan.Model.Operators), split.Bound
		if written[k], err = plan.Written(m); err != nil {
			return err
		}
		if w.File = len(written[k]) - len(m.Bytes()); w.Arena > w.Plan {
			w.Fault = "larger than without strips"
		}
	}
	return t.beside(r, m.Bytes(), written)
}

// split splits a model as well as it can in the time. Processor time is counted, so it does not matter what else runs.
func (t *table) split(made *tflm.Plan, o tflm.Options, capacity int64) (*tflm.Split, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	began := processor.Used()
	go func() {
		for every := time.Tick(time.Second); t.limit > 0 && ctx.Err() == nil; <-every {
			if processor.Used()-began > t.limit {
				cancel()
			}
		}
	}()
	return made.Split(ctx, o, tflm.SplitOptions{Target: &tflm.Firmware32, MaxMACs: t.macs, Capacity: capacity})
}
