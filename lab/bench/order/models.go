package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// Idea: the figures for model files are the ones that `stowage plan` prints. So the command is built and run: without
// and with --reorder, with results apart and over operands.

// ways are how models are planned, each with and without --reorder: the flags for .tflite and for .onnx.
var ways = []struct {
	name string
	args map[string][]string
}{
	{"apart", map[string][]string{".tflite": nil, ".onnx": nil}},
	{"over operands", map[string][]string{".tflite": {"--diagonal", "reference"}, ".onnx": {"--in-place"}}},
}

// A report is the command's report about a model: the keys of both forms.
type report struct {
	Head    int64 `json:"head_planned"` // of a .tflite model
	Planned int64 `json:"planned"`      // of an .onnx model
	Moved   int   `json:"reordered"`
	Bound   int64 `json:"order_bound"`
	Proven  bool  `json:"order_proven"`
}

func (r *report) height() int64 { return max(r.Head, r.Planned) }

// asked are models that the command is asked about.
type asked struct {
	command string
	seen    map[[32]byte]bool
	kinds   map[string]int // models by the ending of their names
	rows    [][]string
	kept    []string // whose order is kept: what must run before what is not known
	// By way: how many are proven, and which are not, with their bounds.
	proven []int
	open   [][]string
}

// ofModels returns the table of the models in files and folders. Each argument may begin with flags for the
// command, with blanks between them. A dimension that is open and has no flag is 1.
func ofModels(ctx context.Context, args []string) (string, error) {
	folder, err := os.MkdirTemp("", "order-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	a := asked{
		command: filepath.Join(folder, "stowage"), seen: map[[32]byte]bool{}, kinds: map[string]int{},
		proven: make([]int, len(ways)), open: make([][]string, len(ways)),
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", a.command, "./cmd/stowage")
	if build.Stderr = os.Stderr; build.Run() != nil {
		return "", errors.New("the command is not built; run this in the root of the clone")
	}
	for _, arg := range args {
		words := strings.Fields(arg)
		err := filepath.WalkDir(words[len(words)-1], func(file string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".tflite" && filepath.Ext(file) != ".onnx" {
				return err
			}
			return a.model(ctx, file, slices.Clip(words[:len(words)-1]))
		})
		if err != nil {
			return "", err
		}
	}
	return a.text(), nil
}

// model asks about a model that was not asked about before.
func (a *asked) model(ctx context.Context, file string, flags []string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if a.seen[sum] {
		return nil
	}
	a.seen[sum] = true
	kind, name := filepath.Ext(file), filepath.Base(file)
	if kind == ".tflite" {
		flags = append(slices.Clip(flags), "--fold-float16")
	} else if flags, err = closeDims(data, file, flags); err != nil {
		return err
	}
	a.kinds[kind]++
	apart := [2]int64{math.MaxInt64, math.MaxInt64} // heights: in the file's order, in the best order
	for k, way := range ways {
		line := slices.Concat(flags, way.args[kind])
		given, err := a.plan(ctx, file, line)
		if err != nil {
			return err
		}
		best, err := a.plan(ctx, file, append(slices.Clip(line), "--reorder"))
		if err != nil {
			return err
		}
		heights := [2]int64{given.height(), best.height()}
		if heights[1] > heights[0] || heights[0] > apart[0] || heights[1] > apart[1] {
			return fmt.Errorf("%s, %s: %d bytes; with results apart %d", file, way.name, heights, apart)
		}
		apart = heights
		proven := "proven"
		switch {
		case best.Proven:
			a.proven[k]++
		case best.Bound > 0:
			proven = "the bound is " + comparison.Grouped(best.Bound)
			a.open[k] = append(a.open[k], fmt.Sprintf("%s (%s, the bound is %s)", name, comparison.Grouped(best.height()), comparison.Grouped(best.Bound)))
		case k == 0:
			a.kept = append(a.kept, name)
		}
		if best.height() < given.height() {
			a.rows = append(a.rows, []string{
				name, way.name, comparison.Grouped(given.height()), comparison.Grouped(best.height()),
				fmt.Sprintf("%.1f%%", 100*(1-float64(best.height())/float64(given.height()))), fmt.Sprint(best.Moved), proven,
			})
		}
	}
	return nil
}

// closeDims adds a flag for each open dimension without one: it is 1.
func closeDims(data []byte, file string, flags []string) ([]string, error) {
	m, err := onnx.Parse(data, file)
	if err != nil {
		return nil, err
	}
	var open *onnx.OpenError
	if _, err := m.Arena(onnx.Options{}); len(flags) == 0 && errors.As(err, &open) {
		for _, flag := range open.Flags { // such as --dim batch=1, perhaps quoted
			flags = append(flags, strings.Fields(strings.ReplaceAll(flag, "'", ""))...)
		}
	}
	return flags, nil
}

// plan asks the command for a plan.
func (a *asked) plan(ctx context.Context, file string, flags []string) (*report, error) {
	cmd := exec.CommandContext(ctx, a.command, slices.Concat([]string{"plan", "-q", "--json"}, flags, []string{file})...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[1:], " "), err, said.String())
	}
	r := &report{}
	return r, json.Unmarshal(out, r)
}

// text is the table, and sentences about the models that are not in it.
func (a *asked) text() string {
	columns := []string{"model", "results", "as it is", "best order", "less", "operators moved", "no order is lower"}
	s := comparison.NewTable(columns, a.rows).Markdown()
	all := a.kinds[".tflite"] + a.kinds[".onnx"]
	s += fmt.Sprintf("\n%d models, %d .tflite and %d .onnx, %s.", all, a.kinds[".tflite"], a.kinds[".onnx"],
		record.Today())
	for k, way := range ways {
		s += fmt.Sprintf(" With results %s, it is proven of %d that no order has a lower plan", way.name, a.proven[k])
		if len(a.open[k]) > 0 {
			s += ". It is not of " + strings.Join(a.open[k], ", ")
		}
		s += "."
	}
	return s + fmt.Sprintf(" The order of %d is kept: %s.\n", len(a.kept), strings.Join(a.kept, ", "))
}
