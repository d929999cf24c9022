// Measure compares the table of distances with kernel libraries, on random shapes, and prints a page of the result.
//
// Usage, in the laboratory's folder:
//
//	STOWAGE_CMSIS_NN=… STOWAGE_ESP_NN=… go run ./lab/kernels/measure [-shapes 500] [-sets 3] [-seed 1] [-only PATTERN] [-cases FILE]
//	STOWAGE_CMSIS_NN=… go run ./lab/kernels/measure -list kernels/measure/shapes.txt
//
// The second form measures the cases of a file by tracing, and prints a line for each: the library, the case, the
// distance.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
	"github.com/stowage-go/stowage/lab/kernels/cmsis"
	"github.com/stowage-go/stowage/lab/kernels/esp"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

func main() {
	shapes := flag.Int("shapes", 500, "shapes that the library takes, on each path")
	sets := flag.Int("sets", 3, "sets of data with which results are compared")
	seed := flag.Uint64("seed", 1, "of the shapes")
	only := flag.String("only", "", "builds and paths to run, by a regular expression on \"build: path\"")
	file := flag.String("cases", "", "file for the cases that were traced, as -list prints them")
	list := flag.String("list", "", "a file of cases to measure instead")
	flag.Parse()
	if *list != "" {
		if err := measureList(*list); err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		return
	}
	if err := measure(*shapes, *sets, *seed, *only, *file); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// A build is a library on a machine.
type build struct {
	name, sources string
	machine       harness.Machine
	library       distance.Library
	driver        func() (harness.Driver, error)
	takes         func(path string) bool
}

func builds() (all []build) {
	for _, t := range cmsis.Targets() {
		name := fmt.Sprintf("%s, %s", t.Library, t.Machine.Name)
		all = append(all, build{name, cmsis.Sources, t.Machine, t.Library, cmsis.Driver, func(string) bool { return true }})
	}
	for _, t := range esp.Targets() {
		name := fmt.Sprintf("%s %s, %s", distance.ESP, t.Kernels, t.Machine.Name)
		all = append(all, build{name, esp.Sources, t.Machine, distance.ESP, t.Driver, esp.Takes})
	}
	return all
}

// text returns a measured distance as a line has it.
func text(d *int64) string {
	if d == nil {
		return "-"
	}
	return fmt.Sprint(*d)
}

// measureList measures the cases of a file on the builds of CMSIS-NN that are traced.
func measureList(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var cases []kernelcase.Case
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		c, err := kernelcase.Parse(line)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	for _, b := range builds() {
		if b.sources != cmsis.Sources || !b.machine.Traced() {
			continue
		}
		p, done, err := b.build(context.Background())
		if err != nil {
			return err
		}
		got, err := p.Run(context.Background(), cases, harness.Options{})
		done()
		if err != nil {
			return err
		}
		for i, m := range got {
			if m.Status == 0 {
				fmt.Println(b.library, cases[i], text(m.Traced))
			}
		}
	}
	return nil
}

// build builds the driver in a folder of its own, which done removes.
func (b *build) build(ctx context.Context) (p *harness.Program, done func(), err error) {
	if why := harness.Missing(b.sources, b.machine); why != "" {
		return nil, nil, fmt.Errorf("%s: %s", b.name, why)
	}
	driver, err := b.driver()
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "kernels")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(folder) }
	if p, err = harness.Build(ctx, folder, b.machine, driver); err != nil {
		done()
		return nil, nil, err
	}
	return p, done, nil
}

func measure(shapes, sets int, seed uint64, only, file string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var cases strings.Builder
	below := 0
	for _, b := range builds() {
		var paths []harness.Path
		for _, path := range b.machine.Paths() {
			if b.takes(path.Name) && pattern.MatchString(b.name+": "+path.Name) {
				paths = append(paths, path)
			}
		}
		if len(paths) == 0 {
			continue
		}
		p, done, err := b.build(ctx)
		if err != nil {
			return err
		}
		defer done()
		fmt.Printf("## %s\n\n| path | shapes | refused | below | exact | above, mean | above, most | wrong a byte lower | reads outside |\n", b.name)
		fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
		begin := time.Now()
		for _, path := range paths {
			row, err := harness.Compare(ctx, p, b.library, path, shapes, sets, seed)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", b.name, path.Name, err)
			}
			if row.Shapes == 0 {
				continue
			}
			fmt.Printf("| %s | %d | %d | %d | %d | %.1f | %d | %d of %d | %d |\n", row.Path, row.Shapes, row.Refused,
				len(row.Below),
				row.Exact, row.Mean, row.Most, row.Tight, row.Tried, row.Outside)
			below += len(row.Below)
			for _, line := range row.Below[:min(len(row.Below), 5)] {
				fmt.Fprintln(os.Stderr, b.name+":", line)
			}
			if row.Most > 0 {
				fmt.Fprintf(os.Stderr, "%s: %d above: %s\n", b.name, row.Most, row.Loose)
			}
			for _, c := range row.Cases {
				if b.machine.Traced() {
					fmt.Fprintln(&cases, b.library, c.Case, text(c.Measured))
				}
			}
		}
		fmt.Println()
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", b.name, time.Since(begin).Seconds())
	}
	if file != "" {
		if err := os.WriteFile(file, []byte(cases.String()), 0o644); err != nil {
			return err
		}
	}
	if below > 0 {
		return fmt.Errorf("the table is below what was measured in %d cases", below)
	}
	return nil
}
