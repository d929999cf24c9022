// Command xla compiles programs with JAX, reads XLA's dumps of their memory, and compares XLA's heights with Stowage's.
//
//	pip install jax flax optax
//	go run ./lab/bench/xla [-timeout 10s] [-dir DIR] [-into docs/xla.md]
//
// dump.py compiles the programs, for the CPU, into the folder DIR. If DIR has dumps, these are read instead. The
// trace in a program's HloProto and its texts must give the same problem, in which XLA's own plan is valid.
//
// The table goes to standard output and, with -into, to the block <!-- bench:xla --> of a document; every run is
// written to lab/bench/results as JSON. The exit code is 1 if any of this fails. STOWAGE_PYTHON names the
// interpreter; python3 is the default.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/xla"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/xla:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var (
		timeout = flag.Duration("timeout", 10*time.Second, "stop planning after `D`")
		dir     = flag.String("dir", "", "keep the dumps in the folder `DIR`, or read those that are there")
		into    = flag.String("into", "", "put the table into the document `FILE`")
		out     = flag.String("results", "lab/bench/results", "write the runs as JSON to the folder `DIR`; none where empty")
	)
	flag.Parse()
	if *dir == "" {
		made, err := os.MkdirTemp("", "stowage-xla-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		*dir = made
	}
	all, err := dumps(ctx, *dir)
	if err != nil {
		return err
	}
	r := result{
		Tool: "lab/bench/xla", Date: record.Today(), Machine: record.ThisMachine(), Versions: versions(ctx),
		Timeout: timeout.Seconds(),
	}
	for _, path := range all {
		m, err := measure(ctx, path, *timeout)
		if err != nil {
			return err
		}
		r.Programs = append(r.Programs, m)
	}
	table := r.markdown()
	fmt.Print(table)
	if *out != "" {
		if err := record.WriteJSON(filepath.Join(*out, "xla-"+r.Date+".json"), r); err != nil {
			return err
		}
	}
	if *into != "" {
		return record.ReplaceBlock(*into, "bench:xla", table)
	}
	return nil
}

func python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

// dumps returns the HloProtos of a folder, made if there are none.
func dumps(ctx context.Context, dir string) ([]string, error) {
	pattern := filepath.Join(dir, "*.hlo.pb")
	if all, err := filepath.Glob(pattern); err != nil || len(all) > 0 {
		return all, err
	}
	if exec.CommandContext(ctx, python(), "-c", "import jax, flax, optax").Run() != nil {
		return nil, fmt.Errorf("%s has no jax, flax and optax (pip install jax flax optax)", python())
	}
	cmd := exec.CommandContext(ctx, python(), filepath.Join("lab", "bench", "xla", "dump.py"), dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("dump.py: %w", err)
	}
	return filepath.Glob(pattern)
}

// versions returns those of the Python packages.
func versions(ctx context.Context) string {
	const script = `from importlib.metadata import version
print(", ".join(p + " " + version(p) for p in ("jaxlib", "flax", "optax")))`
	out, err := exec.CommandContext(ctx, python(), "-c", script).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

type result struct {
	Tool     string         `json:"tool"`
	Date     string         `json:"date"`
	Machine  record.Machine `json:"machine"`
	Versions string         `json:"versions"`
	Timeout  float64        `json:"timeout"`
	Programs []measured     `json:"programs"`
}

type measured struct {
	Program    string  `json:"program"`
	Values     int     `json:"values"`
	Buffers    int     `json:"buffers"`
	XLA        int64   `json:"xla"`
	Height     int64   `json:"height"`
	LowerBound int64   `json:"lower_bound"`
	Status     string  `json:"status"`
	Seconds    float64 `json:"seconds"`
}

// measure reads both dumps of a program and plans its largest heap.
func measure(ctx context.Context, path string, timeout time.Duration) (measured, error) {
	base := strings.TrimSuffix(path, ".hlo.pb")
	m := measured{Program: filepath.Base(base)}
	h, err := both(path, base)
	if err != nil {
		return m, err
	}
	m.Values, m.Buffers, m.XLA = h.Values, len(h.Problem.Buffers), h.Height
	own, err := stowage.Verify(h.Problem, h.Offsets, 0)
	if err != nil {
		return m, err
	}
	if !own.OK() || own.Height != h.Height {
		return m, fmt.Errorf("%s: XLA's own plan is not valid: %v", path, own.Violations)
	}
	start := time.Now()
	r, err := stowage.Minimize(ctx, h.Problem, stowage.Options{Timeout: timeout})
	if err != nil {
		return m, err
	}
	m.Seconds = time.Since(start).Seconds()
	m.Height, m.LowerBound, m.Status = r.Height, r.LowerBound, r.Status.String()
	return m, nil
}

// both reads the trace and the texts, which must agree.
func both(path, base string) (*xla.Heap, error) {
	trace, err := read(path, func(r io.Reader) (*xla.Dump, error) { return xla.Read(r, path) })
	if err != nil {
		return nil, err
	}
	name := base + xla.AssignmentSuffix
	texts, err := read(name, func(r io.Reader) (*xla.Dump, error) {
		return xla.ReadText(r, name, func(suffix string) (io.ReadCloser, string, error) {
			f, err := os.Open(base + suffix)
			return f, base + suffix, err
		})
	})
	if err != nil {
		return nil, err
	}
	if len(trace.Heaps) != 1 || len(texts.Heaps) != 1 {
		return nil, fmt.Errorf("%s: %d heaps in the trace, %d in the texts", base, len(trace.Heaps), len(texts.Heaps))
	}
	texts.Heaps[0].Problem.Name = trace.Heaps[0].Problem.Name
	if !reflect.DeepEqual(trace.Heaps, texts.Heaps) {
		return nil, errors.New(base + ": the trace and the texts give different problems")
	}
	return &trace.Heaps[0], nil
}

func read(path string, how func(io.Reader) (*xla.Dump, error)) (*xla.Dump, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return how(f)
}

func (r *result) markdown() string {
	var rows [][]string
	for _, p := range r.Programs {
		stowage := comparison.Grouped(p.Height)
		if p.Status != "optimal" {
			stowage += ", at least " + comparison.Grouped(p.LowerBound)
		}
		over := "0"
		if p.XLA != p.Height {
			over = fmt.Sprintf("%.4f%%", 100*float64(p.XLA-p.Height)/float64(p.Height))
		}
		rows = append(rows, []string{
			p.Program, fmt.Sprint(p.Values), fmt.Sprint(p.Buffers), comparison.Grouped(p.XLA), stowage, p.Status, over,
			fmt.Sprintf("%.3f", p.Seconds),
		})
	}
	headers := []string{"program", "values", "buffers", "XLA", "Stowage", "status", "XLA over it", "seconds"}
	return comparison.NewTable(headers, rows).Markdown() +
		fmt.Sprintf("\nBytes; %s, CPU; at most %g s each, %s; %s.\n", r.Versions, r.Timeout, r.Machine, r.Date)
}
