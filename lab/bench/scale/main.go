// Command scale measures how planning grows with the problem: whole processes, from a CSV file to a verified CSV plan,
// on training graphs of ten thousand to ten million buffers.
//
//	go run ./lab/bench/scale [-sizes 10000,100000,…] [-planners auto,first-fit] \
//	    [-runs 3] [-most 1000000] [-processor] [-into lab/bench/results/README.md] [-picture docs/images/scale.svg]
//
// Problems above -most buffers are run once, by the first planner only. Time is wall time; with -processor it is
// processor time on all cores, for a machine with other work. Memory is the peak resident size. Both are from the
// system's accounts of the process. The problems are made by `stowage gen training --seed 1`, up to 350 MB in a
// temporary folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// A run is one process.
type run struct {
	Planner    string
	Buffers    int
	Seconds    float64 // wall clock
	Processor  float64 // seconds on all cores
	PeakBytes  int64
	Height     int64
	LowerBound int64
}

// A result is what the raw file holds.
type result struct {
	Machine record.Machine
	Date    string
	Runs    []run
}

func main() {
	sizes := flag.String("sizes", "10000,30000,100000,300000,1000000,3000000,10000000", "numbers of buffers")
	planners := flag.String("planners", "auto,first-fit", "planners")
	runs := flag.Int("runs", 3, "runs of each problem and planner, of which the median counts")
	most := flag.Int("most", 1_000_000, "buffers above which there is one run, of the first planner alone")
	processor := flag.Bool("processor", false, "the table and the picture have processor time, not that of the clock")
	into := flag.String("into", "", "put the table into the document `FILE`")
	picture := flag.String("picture", "", "draw time and height into the SVG `FILE`")
	results := flag.String("results", "lab/bench/results", "`FOLDER` of the raw runs; empty for none")
	flag.Parse()
	if err := measure(strings.Split(*sizes, ","), strings.Split(*planners, ","), *runs, *most, *processor, *into, *picture,
		*results); err != nil {
		fmt.Fprintln(os.Stderr, "lab/bench/scale:", err)
		os.Exit(1)
	}
}

// A scale is what is measured, and what came of it so far.
type scale struct {
	stowage, dir string // the program, and a folder of its own
	runs, most   int
	processor    bool

	out  result
	rows [][]string
	c    comparison.Chart
}

func measure(sizes, planners []string, runs, most int, processor bool, into, picture, results string) error {
	dir, err := os.MkdirTemp("", "stowage-scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := scale{stowage: filepath.Join(dir, "stowage"), dir: dir, runs: runs, most: most, processor: processor}
	build := exec.Command("go", "build", "-trimpath", "-o", s.stowage, "github.com/stowage-go/stowage/cmd/stowage")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	s.out = result{Machine: record.ThisMachine(), Date: record.Today()}
	s.c = comparison.Chart{Title: "Training graphs of 10,000 to 10,000,000 buffers, from CSV to verified CSV"}
	for _, name := range planners {
		s.c.Planners = append(s.c.Planners, comparison.ChartPlanner{Name: name})
	}
	for _, size := range sizes {
		if err := s.size(size, planners); err != nil {
			return err
		}
	}
	return s.write(into, picture, results)
}

// size makes a problem of so many buffers and runs the planners on it.
func (s *scale) size(size string, planners []string) error {
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	problem := filepath.Join(s.dir, "training.csv")
	if text, err := exec.Command(s.stowage, "gen", "training", "--buffers", size, "--seed", "1", "-q", "-o",
		problem).CombinedOutput(); err != nil {
		return fmt.Errorf("gen: %w: %s", err, text)
	}
	s.c.Problems = append(s.c.Problems, comparison.ChartProblem{Name: size, Buffers: n})
	for k, planner := range planners {
		if n > s.most && k > 0 {
			break
		}
		if err := s.row(k, planner, problem, n); err != nil {
			return err
		}
	}
	return nil
}

// row runs planner k on the last problem, as often as its size allows.
func (s *scale) row(k int, planner, problem string, n int) error {
	count := s.runs
	if n > s.most {
		count = 1
	}
	var seconds []float64
	var last run
	var peak int64
	for range count {
		var err error
		if last, err = plan(s.stowage, planner, problem, s.dir); err != nil {
			return err
		}
		last.Buffers = n
		if s.processor {
			seconds = append(seconds, last.Processor)
		} else {
			seconds = append(seconds, last.Seconds)
		}
		peak = max(peak, last.PeakBytes)
		s.out.Runs = append(s.out.Runs, last)
	}
	time := comparison.Median(seconds)
	above := float64(last.Height)/float64(last.LowerBound) - 1
	s.rows = append(s.rows, []string{
		strconv.Itoa(n), planner, fmt.Sprintf("%.2f", time), strconv.FormatInt(peak>>20, 10),
		fmt.Sprintf("%.2f", time/float64(n)*1e6), fmt.Sprintf("%.4f%%", 100*above),
	})
	fmt.Fprintln(os.Stderr, strings.Join(s.rows[len(s.rows)-1], "  "))
	s.c.Planners[k].Points = append(s.c.Planners[k].Points, comparison.ChartPoint{
		Problem: len(s.c.Problems) - 1, Ratio: 1 + above, Seconds: time, Optimal: above == 0,
	})
	return nil
}

// write prints the table, and writes it, the picture and the runs to the files that the flags name.
func (s *scale) write(into, drawing, results string) error {
	unit := "s"
	if s.processor {
		unit = "processor s"
	}
	table := comparison.NewTable([]string{"buffers", "planner", unit, "MiB", "µs a buffer", "above the bound"},
		s.rows).Markdown() +
		fmt.Sprintf("\nWhole processes, median of %d runs (one above %d buffers); %s; %s.\n", s.runs, s.most, s.out.Machine,
			s.out.Date)
	fmt.Print(table)
	if results != "" {
		if err := record.WriteJSON(filepath.Join(results, "scale-"+s.out.Date+".json"), s.out); err != nil {
			return err
		}
	}
	if drawing != "" {
		f, err := os.Create(drawing)
		if err != nil {
			return err
		}
		defer f.Close()
		heights, times := s.c.Figures()
		if _, err := io.WriteString(f, picture.SVG(s.c.Title, heights, times)); err != nil {
			return err
		}
	}
	if into != "" {
		return record.ReplaceBlock(into, "bench:scale", table)
	}
	return nil
}

// plan runs one process and reads what it says of itself.
func plan(stowage, planner, problem, dir string) (run, error) {
	r := run{Planner: planner}
	stats := filepath.Join(dir, "stats.json")
	cmd := exec.Command(stowage, "solve", "--planner", planner, "-q", "--workers", strconv.Itoa(runtime.NumCPU()),
		"-o", filepath.Join(dir, "plan.csv"), "--stats", stats, problem)
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.PeakBytes = usage.Maxrss << 10 // KiB on Linux
	}
	r.Processor = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	text, err := os.ReadFile(stats)
	if err != nil {
		return r, err
	}
	var s struct {
		Height     int64 `json:"height"`
		LowerBound int64 `json:"lower_bound"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return r, err
	}
	r.Height, r.LowerBound = s.Height, s.LowerBound
	return r, nil
}
