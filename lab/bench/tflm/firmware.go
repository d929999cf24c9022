package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: firmware has no interpreter to ask. So a build of the runtime, for this machine or for 32-bit Arm, is linked
// with a program of ours (firmware/run.cc) and run, under qemu if need be. It finds the smallest arena of each model
// by bisection, without a plan and with both plans. The probe that users build in logs the scratch that kernels
// request. All of it is compared with predictions that run nothing.

// A firmware is a build of the runtime.
type firmware struct {
	target  *tflm.Target
	command []string
	models  int // that it ran
	arenas  int // bisected
	scratch int // buffers that the probe logged beside tensors
	most    int64
}

// firmwares are the builds of the command line, as in 32=qemu-arm-static out/run.
type firmwares []*firmware

func (f *firmwares) String() string { return "" }

// Set takes a build.
func (f *firmwares) Set(text string) error {
	bits, command, _ := strings.Cut(text, "=")
	target := map[string]*tflm.Target{"32": &tflm.Firmware32, "64": &tflm.Firmware64}[bits]
	if target == nil || command == "" {
		return errors.New("must be 32=COMMAND or 64=COMMAND")
	}
	*f = append(*f, &firmware{target: target, command: strings.Fields(command)})
	return nil
}

// check runs a model unchanged, with the probe, and with two plans. It returns what differs from the prediction.
func (f *firmware) check(m *tflite.Model, dir string) (faults []string, err error) {
	c := trial{firmware: f, m: m, path: filepath.Join(dir, "firmware.tflite"), known: len(tflm.Unknown(m)) == 0}
	o := tflm.Options{Scratch: tflm.ReferenceSet.Scratch(m)}
	for _, inPlace := range []bool{false, true} {
		o.InPlace = inPlace
		made, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			return nil, err
		}
		what := "planned in place"
		if !inPlace {
			what = "planned"
			if err := c.before(made, len(o.Scratch)); err != nil {
				return nil, c.named(err)
			}
		}
		if !made.Worth() {
			continue
		}
		data, err := m.WithOffsets(made.Offsets)
		if err != nil {
			return nil, err
		}
		if err := c.smallest(what, data, made.Arena, made.Head, made.Offsets); err != nil {
			return nil, c.named(err)
		}
	}
	f.models++
	return c.faults, nil
}

// A trial is a model in a build.
type trial struct {
	*firmware
	m      *tflite.Model
	path   string // where it is written
	known  bool   // what all of its kernels keep
	faults []string
}

func (c *trial) named(err error) error {
	return fmt.Errorf("%s, %s: %w", filepath.Base(c.m.File), c.target.Name, err)
}

func (c *trial) add(format string, args ...any) {
	c.faults = append(c.faults, filepath.Base(c.m.File)+", "+c.target.Name+": "+fmt.Sprintf(format, args...))
}

// before runs the unchanged model, and compares the scratch buffers in the probe's log with the plan's.
func (c *trial) before(made *tflm.Plan, predicted int) error {
	var offsets []int32
	if c.m.Offline != nil {
		offsets = c.m.Offline.Offsets
	}
	if err := c.smallest("as it is", c.m.Bytes(), made.Arena, made.Before, offsets); err != nil {
		return err
	}
	log, err := c.run(c.path, "probe")
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	requests, err := tflite.ReadLog(strings.NewReader(log), "log")
	if err != nil {
		return err
	}
	scratch, err := c.m.ScratchOf(requests, made.Life, "log")
	if err != nil {
		return err
	}
	c.scratch += len(scratch)
	probed, err := tflm.Make(context.Background(), c.m, tflm.Options{Scratch: scratch})
	if err != nil {
		return err
	}
	if c.known && (len(scratch) != predicted || probed.Before != made.Before) {
		c.add("the probe logs %d scratch buffers and a head of %d, predicted %d and %d", len(scratch), probed.Before,
			predicted, made.Before)
	}
	return nil
}

// smallest compares the smallest arena in which a model runs with the predicted one.
func (c *trial) smallest(what string, data []byte, a *tflite.Arena, head int64, offsets []int32) error {
	if err := os.WriteFile(c.path, data, 0o600); err != nil {
		return err
	}
	out, err := c.run(c.path, "smallest")
	if err != nil {
		return err
	}
	got, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return err
	}
	want := tflm.ReferenceSet.Predict(c.m, a, offsets, head, c.target).Smallest
	if d := got - want; c.known && d != 0 || d < 0 {
		c.add("%s: smallest arena %d, predicted %d", what, got, want)
		c.most = max(c.most, d, -d)
	}
	c.arenas++
	return nil
}

// run runs the build on a model and returns its output. The smallest arena is on standard output, the log on either
// stream.
func (f *firmware) run(args ...string) (string, error) {
	cmd := exec.Command(f.command[0], append(f.command[1:len(f.command):len(f.command)], args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, firstLine(out.String()))
	}
	return out.String(), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// builds is the table of the builds.
func (f firmwares) builds() string {
	var s strings.Builder
	s.WriteString("| build | models | smallest arenas, bisected | most bytes off | scratch buffers, by the probe |\n|---|---:|---:|---:|---:|\n")
	for _, b := range f {
		fmt.Fprintf(&s, "| %s | %d | %d | %d | %d |\n", b.target.Name, b.models, b.arenas, b.most, b.scratch)
	}
	return s.String()
}
