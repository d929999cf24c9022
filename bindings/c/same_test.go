package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

// Idea: the same problem, seed and limits give the same plan, byte for byte. This holds for Go, C, C++ and the command,
// and for columns and JSON. The problems are random ones with every feature, and the public ones.

// An asked problem has its options, limits among them.
type asked struct {
	name string
	p    *stowage.Problem
	o    stowage.Options
}

func problems(t *testing.T, random int) []asked {
	var all []asked
	for seed := range uint64(random) {
		p := drawn.Wide(seed)
		o := stowage.Options{NodeLimit: 1 + int64(seed*seed%3000), Seed: seed, Minimize: seed%2 == 0}
		if seed%3 == 0 && p.Capacity == 0 {
			if bound, err := stowage.LowerBound(p); err == nil {
				o.Capacity = max(1, bound+int64(seed%5)-2)
			}
		}
		all = append(all, asked{"seed " + strconv.FormatUint(seed, 10), p, o})
	}
	for _, letter := range "ABCDEFGHIJK" {
		name := "challenging/" + string(letter) + ".1048576.csv"
		p, err := public.Load(name)
		if err != nil {
			t.Logf("%s is not compared: %v", name, err)
			continue
		}
		for _, o := range []stowage.Options{{Capacity: 1048576}, {NodeLimit: 3000, Seed: 7, Minimize: true}} {
			all = append(all, asked{name, p, o})
		}
	}
	return all
}

// encode writes a problem as testdata/check.c reads it.
func encode(w io.Writer, a asked, text []byte) error {
	n := len(a.p.Buffers)
	var columns [6][]int64
	var gaps [4][]int64
	first := []int64{0}
	orNone := func(at *int64) int64 {
		if at == nil {
			return -1
		}
		return *at
	}
	for i := range a.p.Buffers {
		b := &a.p.Buffers[i]
		for k, x := range []int64{b.Lower, b.Upper, b.Size, b.Alignment, orNone(b.Fixed), orNone(b.Hint)} {
			columns[k] = append(columns[k], x)
		}
		for _, g := range b.Gaps {
			window := stowage.Window{Lower: -1, Upper: -1}
			if g.Window != nil {
				window = *g.Window
			}
			for k, x := range []int64{g.Lower, g.Upper, window.Lower, window.Upper} {
				gaps[k] = append(gaps[k], x)
			}
		}
		first = append(first, int64(len(gaps[0])))
	}
	minimize := int64(0)
	if a.o.Minimize {
		minimize = 1
	}
	all := []int64{
		int64(n), first[n], int64(len(text)), 0, a.p.CapacityOr(a.o.Capacity), minimize, 0, a.o.NodeLimit, 0, int64(a.o.Seed),
	}
	all = slices.Concat(append(append([][]int64{all}, append(columns[:], first)...), gaps[:]...)...)
	if err := binary.Write(w, binary.NativeEndian, all); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

// A driver is a process of check.c that answers problems.
type driver struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func drive(t *testing.T, path string) *driver {
	t.Helper()
	cmd := exec.Command(path, "stream")
	in := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("%v: %s", err, &errs)
		}
	})
	return &driver{in, bufio.NewReader(out)}
}

// ask returns status, height, bound, nodes and offsets, and the JSON.
func (d *driver) ask(t *testing.T, a asked, text []byte) (numbers []int64, answer []byte) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, encode(&b, a, text))
	go d.in.Write(b.Bytes())
	numbers = make([]int64, 4)
	read := func(x any) {
		must.Do(t, binary.Read(d.out, binary.NativeEndian, x), "%s: no answer", a.name)
	}
	read(numbers)
	if stowage.Status(numbers[0]).HasPlan() {
		offsets := make([]int64, len(a.p.Buffers))
		read(offsets)
		numbers = append(numbers, offsets...)
	}
	var length int64
	read(&length)
	answer = make([]byte, length)
	read(answer)
	return numbers, answer
}

func TestSamePlans(t *testing.T) {
	random := plantest.Share(1000, 200, 100)
	drivers := map[string]*driver{
		"C":   drive(t, program(t, "testdata/check.c", false, c99...)),
		"C++": drive(t, program(t, "testdata/check.c", true, cpp...)),
	}
	command := built.Command(t)
	plans := 0
	for _, a := range problems(t, random) {
		r := must.Get(stowage.Solve(context.Background(), a.p, a.o))(t, "%s", a.name)
		p := *a.p
		p.Capacity = p.CapacityOr(a.o.Capacity)
		var text, want bytes.Buffer
		must.Do(t, json.Write(&text, &p, nil))
		outcome := &json.Plan{
			Planner: r.Planner, Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Offsets: r.Offsets,
		}
		must.Do(t, json.Write(&want, &p, outcome))
		numbers := append([]int64{int64(r.Status), r.Height, r.LowerBound, r.Stats.Nodes}, r.Offsets...)
		for name, d := range drivers {
			got, answer := d.ask(t, a, text.Bytes())
			if !slices.Equal(got, numbers) {
				t.Fatalf("%s: %s says %v, Go %v", a.name, name, got, numbers)
			}
			if !bytes.Equal(answer, want.Bytes()) {
				t.Fatalf("%s: %s writes\n%s\nGo\n%s", a.name, name, answer, &want)
			}
		}
		if !r.Status.HasPlan() {
			continue
		}
		plans++
		cmd := exec.CommandContext(t.Context(), command, "solve", "--quiet", "--format", "json", "--nodes",
			strconv.FormatInt(a.o.NodeLimit, 10),
			"--seed", strconv.FormatUint(a.o.Seed, 10), "--minimize="+strconv.FormatBool(a.o.Minimize), "-")
		cmd.Stdin = &text
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%s: %v: the command writes\n%s\nGo\n%s", a.name, err, got, &want)
		}
	}
	t.Logf("%d plans", plans)
	if plans < random/2 {
		t.Errorf("only %d of %d problems have a plan", plans, random)
	}
}
