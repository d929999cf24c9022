// Command strips writes the table of models whose operators run in strips (stowage plan --split).
//
//	go run ./lab/bench/strips [-macs 0.1] [-list FILE] [-results FILE] [-into docs/tflm.md] FOLDER...
//
// It needs Python with the package tflite_micro (STOWAGE_PYTHON). The list names the models by their SHA-256, and the
// folders have them, in files of any name. Each model is folded, planned and split with the scratch of the reference
// kernels, without and with results over operands. Each split model is run beside the model in the interpreter, with
// five seeds and three invocations each, in the arena that is printed. Differences are printed, and the exit code is 1.
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
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: the list is older than the table, and the table has each model of the list, whether strips help or not, and
// whether the interpreter runs it or not.

func main() {
	t := table{results: map[string]*result{}}
	flag.Float64Var(&t.macs, "macs", 0.1, "the multiply-accumulates that may be added, as a share")
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
	Error  string `json:"error,omitempty"` // why it is not measured
	NotRun string `json:"not_run,omitempty"`
	Images bool   `json:"convolution"` // a convolution model, as the list says
	Own    int64  `json:"own"`
	// Ways are without results over operands, and with those that the reference kernels permit.
	Ways [2]way `json:"ways"`
}

// A way is a model that is planned and split.
type way struct {
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
}

// A table runs models, one after the other.
type table struct {
	process *interpreter.Process
	macs    float64
	file    string
	results map[string]*result // by SHA-256
	faults  int
}

func (t *table) run(list, into string, folders []string) (err error) {
	if err := t.read(); err != nil {
		return err
	}
	var names [][2]string // SHA-256, name
	data, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			names = append(names, [2]string{f[0], f[1]})
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
	order := slices.Clone(names)
	slices.SortStableFunc(order, func(x, y [2]string) int { return len(found[x[0]]) - len(found[y[0]]) })
	for _, x := range order {
		if t.results[x[0]] != nil || found[x[0]] == nil {
			continue
		}
		r := &result{Model: x[0], Name: x[1], Date: record.Today()}
		if err := t.measure(r, found[x[0]]); err != nil {
			r.Error = err.Error()
		}
		if err := t.add(r); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s %+v\n", time.Now().Format(time.TimeOnly), *r)
	}
	text := t.text(names)
	fmt.Print(text)
	if into == "" {
		return nil
	}
	return record.ReplaceBlock(into, "tflm-strips", text)
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
	of.Operators = slices.DeleteFunc(slices.Clone(m.Operators), func(o tflite.Operator) bool {
		return !slices.Contains([]string{"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"}, o.Name())
	})
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
	var written [2][]byte
	for k, kernels := range []tflm.Kernels{"", tflm.ReferenceKernels} {
		w := &r.Ways[k]
		o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m), Kernels: kernels, Solve: stowage.Options{NodeLimit: 20_000}}
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			return err
		}
		began := time.Now()
		split, err := made.Split(context.Background(), o, tflm.SplitOptions{Target: &tflm.Firmware32, MaxMACs: t.macs})
		if err != nil {
			return err
		}
		w.Seconds = time.Since(began).Seconds()
		plan := made
		if split.Plan != nil {
			plan, w.Split = split.Plan, true
		}
		sizes := plan.Sizes()
		r.Own, w.Plan, w.Arena = made.Sizes()[0].Before.Smallest, made.Sizes()[0].After.Smallest, sizes[0].After.Smallest
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

// beside runs a model, and beside it its two plans, in the arenas that are printed.
func (t *table) beside(r *result, given []byte, written [2][]byte) error {
	folder, err := os.MkdirTemp("", "strips-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var paths []string
	for k, model := range [][]byte{given, written[0], written[1]} {
		paths = append(paths, filepath.Join(folder, fmt.Sprint(k)+".tflite"))
		if err := os.WriteFile(paths[k], model, 0o600); err != nil {
			return err
		}
	}
	enough := 2*max(r.Ways[0].Python, r.Ways[1].Python, r.Own) + 1<<20
	var ratios [2][]float64
	for seed := range int64(5) {
		was, err := t.process.Run(interpreter.Request{Model: paths[0], Arena: enough, Runs: 3, Seed: seed})
		if err != nil {
			return err
		}
		if r.NotRun = was.Error; was.Error != "" {
			return nil
		}
		for k := range r.Ways {
			w := &r.Ways[k]
			if seed == 0 {
				a, err := t.process.Run(interpreter.Request{Model: paths[k+1], Arena: enough, Smallest: true, Expected: w.Python})
				if err != nil {
					return err
				}
				if a.Smallest != w.Python || a.Below != "refused" {
					w.Fault += fmt.Sprintf("the smallest arena is %d, predicted %d; 16 bytes less: %s", a.Smallest, w.Python, a.Below)
				}
			}
			if !w.Split {
				continue
			}
			is, err := t.process.Run(interpreter.Request{Model: paths[k+1], Arena: w.Python, Runs: 3, Seed: seed})
			if err != nil {
				return err
			}
			if is.Error != "" || is.Outputs != was.Outputs {
				w.Fault += "outputs differ " + is.Error
			}
			ratios[k] = append(ratios[k], is.Seconds/max(was.Seconds, 1e-6))
		}
	}
	for k, of := range ratios {
		if len(of) > 0 {
			slices.Sort(of)
			r.Ways[k].Ratio = of[len(of)/2]
		}
	}
	return nil
}

// text returns the table of all models of a list, and what is to be said of them.
func (t *table) text(names [][2]string) string {
	var out strings.Builder
	out.WriteString("| model | as it is | plan | strips | distances | strips, distances | of as it is | head | tail | arithmetic |" +
		" time | operators | file |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	var shares, times []float64
	measured, run, split, missing, not := 0, 0, 0, 0, 0
	for _, x := range names {
		r := t.results[x[0]]
		switch {
		case r == nil:
			missing++
			fmt.Fprintf(&out, "| %s | not measured |%s\n", x[1], strings.Repeat(" |", 11))
			continue
		case r.Error != "":
			not++
			fmt.Fprintf(&out, "| %s | cannot be planned |%s\n", x[1], strings.Repeat(" |", 11))
			continue
		}
		measured++
		best := &r.Ways[0]
		if w := &r.Ways[1]; w.Arena < best.Arena || w.Arena == best.Arena && w.Split {
			best = w
		}
		for k := range r.Ways {
			if f := r.Ways[k].Fault; f != "" && r.NotRun == "" {
				t.faults++
				fmt.Fprintf(os.Stderr, "%s: %s\n", r.Name, f)
			}
		}
		share := float64(best.Arena) / float64(r.Own)
		if r.Images {
			shares = append(shares, share)
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %d | %.1f%% |", r.Name, r.Own, r.Ways[0].Plan, r.Ways[0].Arena, r.Ways[1].Plan,
			r.Ways[1].Arena, 100*share)
		ratio := "not run"
		if r.NotRun == "" {
			if run++; best.Ratio > 0 {
				ratio = fmt.Sprintf("%.2f", best.Ratio)
				times = append(times, best.Ratio)
			} else {
				ratio = ""
			}
		}
		if best.Split {
			split++
			fmt.Fprintf(&out, " %d | %d | %+.1f%% | %s | %d | %+d |\n", best.Head, best.Tail, 100*best.MACs, ratio, best.Operators,
				best.File)
		} else {
			fmt.Fprintf(&out, " | | | %s | | |\n", ratio)
		}
	}
	slices.Sort(shares)
	slices.Sort(times)
	middle := func(of []float64) float64 {
		if len(of) == 0 {
			return 0
		}
		return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
	}
	fmt.Fprintf(&out, "\n%d models, %d of which strips make smaller; the interpreter runs %d. Over the %d convolution models the median of "+
		"the smallest arena is %.1f%% of that as it is. The median of the time is %.2f (%s).", measured, split, run, len(shares),
		100*middle(shares), middle(times), record.Today())
	if missing+not > 0 {
		fmt.Fprintf(&out, " %d models are not measured, and %d cannot be planned.", missing, not)
	}
	out.WriteString("\n")
	return out.String()
}
