package core

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// A board is a device that QEMU emulates. testdata/bare.c starts there, and exchanges files with the test.
type board struct {
	name, compiler, emulator string
	flags, machine           []string
}

var boards = []board{
	{
		"Cortex-M4", "arm-none-eabi-gcc", "qemu-system-arm",
		[]string{"-mcpu=cortex-m4", "-mthumb", "-Wl,--section-start=.start=0", "-Wl,-Ttext=0x400", "-Wl,-Tdata=0x20000000"},
		[]string{"-M", "mps2-an386", "-cpu", "cortex-m4"},
	},
	{
		"RISC-V", "riscv64-unknown-elf-gcc", "qemu-system-riscv32",
		[]string{
			"-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany", "-mno-relax",
			"-Wl,--section-start=.start=0x80000000", "-Wl,-Ttext=0x80000100",
		},
		[]string{"-M", "virt", "-bios", "none"},
	},
}

// TestEmulated compares what an emulated Cortex-M4 and RISC-V answer with what this machine answers: status, height,
// bound, nodes and offsets, with sizes of 64 and of 32 bits; by day each with one of them, if its tools are here. The
// other tests compare this machine with Go.
func TestEmulated(t *testing.T) {
	needCC(t)
	questions := emulated(t)
	for i, b := range boards {
		for k, bits := range []int{64, 32} {
			if !plantest.AtNight() && (i != k || !b.here()) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d-bit sizes", b.name, bits), func(t *testing.T) {
				for _, tool := range []string{b.compiler, b.emulator} {
					if _, err := exec.LookPath(tool); err != nil {
						t.Skipf("%s is not on PATH", tool)
					}
				}
				b.compare(t, questions, bits)
			})
		}
	}
}

// here says if the compiler and the emulator are on PATH.
func (b *board) here() bool {
	_, compiler := exec.LookPath(b.compiler)
	_, emulator := exec.LookPath(b.emulator)
	return compiler == nil && emulator == nil
}

// A question is a line of the driver's input. narrow says that sizes of 32 bits hold it.
type question struct {
	line   string
	narrow bool
}

// compare asks the board and this machine, a few megabytes at a time.
func (b *board) compare(t *testing.T, questions []question, bits int) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{
		"-std=gnu99", "-O2", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-DBARE", "-I" + source,
		"-o", filepath.Join(dir, "program"), "testdata/driver.c", "testdata/bare.c", source + "/stowage_core.c",
		"-Wl,-w", "-lgcc",
	}, b.flags...)
	if bits == 32 {
		args = append(args, "-DSTOWAGE_CORE_SIZE32")
	}
	if out, err := exec.CommandContext(t.Context(), b.compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compared := 0
	for len(questions) > 0 {
		var text strings.Builder
		for len(questions) > 0 && text.Len() < 4<<20 {
			if q := questions[0]; q.narrow || bits == 64 {
				text.WriteString(q.line)
				compared++
			}
			questions = questions[1:]
		}
		native := exec.CommandContext(t.Context(), filepath.Join(fast(t), "driver"))
		native.Stdin = strings.NewReader(text.String())
		want := must.Get(native.Output())(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, "cases"), []byte(text.String()), 0o600))
		emulator := exec.CommandContext(t.Context(), b.emulator, append(b.machine, "-semihosting", "-nographic", "-monitor",
			"none", "-serial", "none", "-kernel", "program")...)
		emulator.Dir = dir
		if out, err := emulator.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := must.Get(os.ReadFile(filepath.Join(dir, "answers")))(t)
		if bytes.Equal(got, want) {
			continue
		}
		asked, here, there := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		for i := range here {
			if i >= len(there) || here[i] != there[i] {
				t.Fatalf("of %d lines, line %d differs:\n%.300s\nhere  %.200s\nthere %.200s", len(there), i, asked[i], here[i],
					append(there, "")[min(i, len(there))])
			}
		}
	}
	t.Logf("%d plans, no difference", compared)
}

// emulated are the questions: tiny problems, those with all features, all generators, and google/minimalloc's A to K.
func emulated(t *testing.T) (questions []question) {
	ask := func(p *model.Problem, capacity, nodes int64) {
		text, ok := lowered(p)
		if !ok {
			return
		}
		sum := float64(capacity)
		for i := range p.Buffers {
			b := &p.Buffers[i]
			sum += float64(b.Size) + float64(b.Align())
			if b.Fixed != nil {
				sum += float64(*b.Fixed)
			}
		}
		questions = append(questions, question{fmt.Sprintf("%d %d %s\n", capacity, nodes, text), sum < math.MaxInt32/4})
	}
	for seed := range plantest.Share(200_000, 1_000, uint64(300)) {
		p := drawn.Tiny(seed)
		ask(p, 0, 1_000)
		ask(p, 1+int64(seed%40), 1_000)
	}
	for seed := range plantest.Share(20_000, 100, uint64(30)) {
		ask(drawn.Wide(seed), 0, 200)
		ask(drawn.Awkward(seed), 0, 200)
	}
	kinds := 0
	for _, kind := range gen.Kinds() {
		for k := range plantest.Share(20, 1) {
			p, err := gen.Generate(kind.Name, gen.Options{Buffers: []int{60, 150, 30, 300}[k%4], Seed: uint64(k)})
			if err != nil {
				p, err = gen.Generate(kind.Name, gen.Options{})
			}
			if err == nil && p.Rules == nil && len(p.Buffers) <= 300 {
				ask(p, 0, 300)
				kinds++
			}
		}
	}
	if kinds < 12 {
		t.Errorf("only %d problems of generators", kinds)
	}
	known := len(questions)
	for _, name := range "ABCDEFGHIJK" {
		if p, err := public.Load("challenging/" + string(name) + ".1048576.csv"); err == nil {
			ask(p, 1<<20, 100_000)
			ask(p, 0, 12_000) // J has dives
		}
	}
	t.Logf("%d questions, %d of them about A to K of google/minimalloc", len(questions), len(questions)-known)
	return questions
}
