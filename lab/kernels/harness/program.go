package harness

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
)

// A Driver is a program in C around a library, before it is built.
type Driver struct {
	Source  []byte   // the driver's own, in C
	Include []string // folders of the library's headers
	Sources []string // the library
	Flags   []string
}

// A Program is a driver built for a machine.
type Program struct {
	machine      Machine
	file, folder string
	plugin       string
}

// bare has the C code that drivers share.
//
//go:embed bare
var bare embed.FS

// Build builds a driver for a machine, in a folder that is there.
func Build(ctx context.Context, folder string, m Machine, d Driver) (*Program, error) {
	p := &Program{machine: m, folder: folder, file: filepath.Join(folder, "program-"+m.Name)}
	sources := filepath.Join(folder, "sources-"+m.Name)
	if err := os.CopyFS(sources, bare); err != nil {
		return nil, err
	}
	shared, driver := filepath.Join(sources, "bare"), filepath.Join(sources, "driver.c")
	if err := os.WriteFile(driver, d.Source, 0o600); err != nil {
		return nil, err
	}
	args := append([]string{"-O2", "-w", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-I", shared},
		m.Flags...)
	args = append(args, d.Flags...)
	for _, i := range d.Include {
		args = append(args, "-I", i)
	}
	if m.Traced() {
		p.plugin = filepath.Join(folder, "trace.so")
		if err := run(ctx, "", "gcc", "-O2", "-shared", "-fPIC", filepath.Join(shared, "trace.c"), "-o",
			p.plugin); err != nil {
			return nil, err
		}
		args = append(args, "-mthumb", "-DBARE", "-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs",
			"-T", filepath.Join(shared, "link.ld"), filepath.Join(shared, "start.c"))
	}
	args = append(append(append(args, driver), d.Sources...), "-lm", "-o", p.file)
	return p, run(ctx, "", m.Compiler, args...)
}

func run(ctx context.Context, folder, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// Options says what a run does.
type Options struct {
	Sets      int       // sets of random data, for Distances and Sweep
	Sweep     bool      // measure by comparing results
	Distances [][]int64 // for each case, distances at which the result is compared, at most 16; nothing is traced then
}

// A Measured is the result of a run on a case.
type Measured struct {
	Status int // the library's; others than 0 are refusals, and then nothing else is valid

	Swept *int64 // by a sweep
	Right []int  // for each distance, the number of sets with which the result is right

	// By a trace, in bytes from the start of a tensor. Traced is nil if nothing is read after a write.
	Traced                *int64
	FirstRead, LastRead   *int64
	FirstWrite, LastWrite *int64 // the last ones are ends
}

// Outside reports whether the kernel read or wrote outside of its tensors.
func (m *Measured) Outside(c kernelcase.Case) (reads, writes bool) {
	operand, result := c.Bytes()
	out := func(first, last *int64, n int) bool { return first != nil && (*first < 0 || *last > int64(n)) }
	return out(m.FirstRead, m.LastRead, operand), out(m.FirstWrite, m.LastWrite, result)
}

// kinds has the drivers' numbers of the operators: enum at the top of each driver.
var kinds = []string{
	"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "FULLY_CONNECTED, three dimensions", "MAX_POOL_2D",
	"AVERAGE_POOL_2D", "ADD", "MUL", "SOFTMAX", "MAXIMUM", "MINIMUM", "PAD",
}

// fields returns a case as the driver reads it: struct kind of bare/harness.h.
func fields(c kernelcase.Case) []int {
	bits := map[string]int{"INT8": 8, "INT16": 16}[c.Type]
	if c.Other == "INT4" {
		bits = 4
	}
	rows, top := c.Edge(0)
	columns, left := c.Edge(1)
	result := c.Result()
	terms, channels, outer, flag, kind := 1, 1, 0, 0, c.Kind
	switch c.Kind {
	case "CONV_2D":
		terms, channels = c.Filter[0]*c.Filter[1]*c.Image[3]/c.Mult, c.Out
	case "DEPTHWISE_CONV_2D":
		terms, channels = c.Filter[0]*c.Filter[1], c.Out
	case "FULLY_CONNECTED":
		terms, channels, flag = c.Image[3], c.Out, c.Extra[1]
		if c.Extra[0] == 3 {
			kind = kinds[3]
		}
	case "ADD", "MUL":
		flag = c.Extra[0]
	case "SOFTMAX":
		flag = map[bool]int{true: 1}[c.Other == "INT16"]
	case "MAXIMUM", "MINIMUM":
		if c.Extra[0] == 1 {
			outer = c.Image[3]
		}
	}
	out := []int{
		slices.Index(kinds, kind), bits, c.Image[0], c.Image[1], c.Image[2], c.Image[3], c.Out, c.Filter[0], c.Filter[1],
		c.Stride[0], c.Stride[1], top, left, rows, columns, c.Dilate[0], c.Dilate[1], c.Mult, outer, flag, terms, channels,
	}
	if c.Kind == "SOFTMAX" { // rows of the last dimension
		out[2], out[3], out[4] = c.Image[0]*c.Image[1]*c.Image[2], 1, 1
	}
	if c.Kind == "PAD" {
		out[6], out[11], out[12], out[13], out[14], out[15] = result[3], c.Extra[2], c.Extra[4], result[1],
			result[2], c.Extra[6]
		out[18], out[19] = c.Extra[0], result[0]
	}
	operand, size := c.Bytes()
	return append(out, operand, size)
}

// Run runs cases. The answer has one entry for each.
func (p *Program) Run(ctx context.Context, cases []kernelcase.Case, o Options) ([]Measured, error) {
	var text strings.Builder
	fmt.Fprintln(&text, max(o.Sets, 1), map[bool]int{true: 1}[o.Sweep])
	for i, c := range cases {
		var at []int64
		if o.Distances != nil {
			at = o.Distances[i]
		}
		fmt.Fprintln(&text, strings.Trim(fmt.Sprint(fields(c)), "[]"), len(at), strings.Trim(fmt.Sprint(at), "[]"))
	}
	if err := os.WriteFile(filepath.Join(p.folder, "cases"), []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	trace := filepath.Join(p.folder, "trace")
	args := []string{p.file}
	if p.machine.Traced() {
		args = append([]string{"qemu-system-arm"}, p.machine.Board...)
		args = append(args, "-semihosting", "-nographic", "-monitor", "none", "-serial", "none", "-kernel", p.file)
		if o.Distances == nil {
			args = append(args, "-plugin", p.plugin+",out="+trace)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = p.folder, 5*time.Second
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s on %s: %w\n%s", filepath.Base(p.file), p.machine.Name, err, words.String())
	}
	said := strings.Split(strings.TrimSpace(out.String()+words.String()), "\n") // semihosting writes to either
	if len(said) != len(cases)+1 || said[len(cases)] != "done" {
		return nil, fmt.Errorf("%s on %s answers %d of %d cases", filepath.Base(p.file), p.machine.Name, len(said)-1,
			len(cases))
	}
	var traced []string
	if p.machine.Traced() && o.Distances == nil {
		data, err := os.ReadFile(trace)
		if err != nil {
			return nil, err
		}
		traced = strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	all := make([]Measured, len(cases))
	next := 0
	for i := range all {
		m := &all[i]
		words := strings.Fields(said[i])
		numbers := make([]*int64, len(words))
		for k, w := range words {
			if n, err := strconv.ParseInt(w, 10, 64); err == nil {
				numbers[k] = &n
			}
		}
		if len(numbers) < 3 || numbers[0] == nil || *numbers[0] != int64(i) || numbers[1] == nil {
			return nil, fmt.Errorf("%s: the answer is %q", cases[i], said[i])
		}
		m.Status, m.Swept = int(*numbers[1]), numbers[2]
		for _, n := range numbers[3:] {
			m.Right = append(m.Right, int(*n))
		}
		if traced != nil && m.Status != tooLarge {
			words := strings.Fields(traced[next])
			next++
			for k, at := range []**int64{&m.Traced, &m.FirstRead, &m.LastRead, &m.FirstWrite, &m.LastWrite} {
				if n, err := strconv.ParseInt(words[k], 10, 64); err == nil {
					*at = &n
				}
			}
		}
	}
	return all, nil
}

// tooLarge is the driver's status of a case that its arrays do not hold.
const tooLarge = -99
