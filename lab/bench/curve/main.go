// Command curve measures what a curve of capacity costs and whether it is true.
//
//	go run ./lab/bench/curve [-rounds 15] [-timeout 60s] [FILE...]
//
// It builds the command. For each problem it runs `stowage solve` and `stowage size`, in turn,
// both without a limit, and prints the median of the processor's time that the processes took,
// which other programs lengthen less than the clock's. Then it asks `stowage solve
// --capacity` for each capacity of the curve, and for those on both sides of the lower bound and
// the height: what size says is feasible or infeasible must be so. A capacity that solve does not
// decide within the timeout counts as open. The files are those of the folders challenging and
// models of STOWAGE_DATA, if none are named.
//
// The exit code is 1 if a capacity has another answer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/lab/bench/internal/program"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/sizing"
)

func main() {
	rounds := flag.Int("rounds", 15, "times that each command runs on a problem")
	slow := flag.Duration("slow", 2*time.Second, "a problem that takes this long is run three times")
	timeout := flag.Duration("timeout", time.Minute, "time for an answer at one capacity")
	flag.Parse()
	if err := measure(flag.Args(), *rounds, *slow, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "curve:", err)
		os.Exit(1)
	}
}

// A bench has the command, and counts the capacities that were asked.
type bench struct {
	path                  string
	points, open, opposed int
}

func measure(files []string, rounds int, slow, timeout time.Duration) error {
	if len(files) == 0 {
		if public.Dir() == "" {
			return experiment.ErrNoData
		}
		for _, set := range []string{"challenging", "models"} {
			found, err := filepath.Glob(filepath.Join(public.Dir(), set, "*.csv"))
			if err != nil {
				return err
			}
			files = append(files, found...)
		}
	}
	dir, err := os.MkdirTemp("", "curve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{path: filepath.Join(dir, "stowage")}
	if err := program.Build(context.Background(), b.path); err != nil {
		return err
	}
	worst := 0.0
	for _, file := range files {
		var solve, size []float64
		for k := range rounds {
			if k >= 3 && solve[0] > slow.Seconds() {
				break
			}
			for _, one := range []struct {
				command string
				times   *[]float64
			}{{"solve", &solve}, {"size", &size}} {
				took, err := b.time(one.command, file)
				if err != nil {
					return err
				}
				*one.times = append(*one.times, took)
			}
		}
		known, err := b.check(file, timeout)
		if err != nil {
			return err
		}
		a, c := comparison.Median(solve), comparison.Median(size)
		worst = max(worst, c/a)
		fmt.Printf("%-40s solve %9.1f ms  size %9.1f ms  ratio %.2f  %v %d\n", filepath.Base(file), a*1e3, c*1e3, c/a, known.Status, known.Height)
	}
	fmt.Printf("%d problems, worst ratio %.2f; %d capacities asked, %d open, %d with another answer\n", len(files), worst, b.points, b.open, b.opposed)
	if b.opposed > 0 {
		return errors.New("a capacity has another answer")
	}
	return nil
}

// time runs a command on a file and returns the seconds of the processor that it took.
func (b *bench) time(command, file string) (float64, error) {
	args := []string{"solve", "--quiet", "-o", os.DevNull, file}
	if command == "size" {
		args = []string{"size", "--quiet", "--timeout", "0", file}
	}
	cmd := exec.CommandContext(context.Background(), b.path, args...)
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// check asks solve for the capacities of the curve of a file.
func (b *bench) check(file string, timeout time.Duration) (known sizing.Range, err error) {
	out, err := exec.CommandContext(context.Background(), b.path, "size", "--quiet", "--timeout", "0", "--format", "json", file).Output()
	if err != nil {
		return known, err
	}
	var said struct {
		Problems []struct {
			Status     model.Status `json:"status"`
			Height     int64        `json:"height"`
			LowerBound int64        `json:"lower_bound"`
		} `json:"problems"`
		Curve []struct {
			Capacity int64 `json:"capacity"`
		} `json:"curve"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return known, err
	}
	p := said.Problems[0]
	known = sizing.Range{Status: p.Status, LowerBound: p.LowerBound, Height: p.Height}
	capacities := []int64{p.LowerBound - 1, p.LowerBound, p.Height - 1, p.Height, p.Height + 1}
	for _, point := range said.Curve {
		capacities = append(capacities, point.Capacity)
	}
	slices.Sort(capacities)
	for _, capacity := range slices.Compact(capacities) {
		if capacity < 1 {
			continue
		}
		b.points++
		got, err := b.ask(file, capacity, timeout)
		if err != nil {
			return known, err
		}
		switch want := known.Fits(capacity); {
		case want == model.Unknown || got == model.Unknown:
			b.open++
			fmt.Printf("%-40s at %d: size says %v, solve %v\n", filepath.Base(file), capacity, want, got)
		case got != want:
			b.opposed++
			fmt.Printf("%-40s at %d: size says %v, but solve %v\n", filepath.Base(file), capacity, want, got)
		}
	}
	return known, nil
}

// ask returns what solve says of a capacity.
func (b *bench) ask(file string, capacity int64, timeout time.Duration) (model.Status, error) {
	at := strconv.FormatInt(capacity, 10)
	err := exec.CommandContext(context.Background(), b.path, "solve", "--quiet", "-o", os.DevNull, "-t", timeout.String(), "-c", at, file).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return model.Feasible, nil
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return model.Infeasible, nil
	case errors.As(err, &exit) && exit.ExitCode() == 4:
		return model.Unknown, nil
	}
	return model.Unknown, err
}
