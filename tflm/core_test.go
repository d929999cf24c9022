package tflm_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: core/tflm/stowage_tflm_planner.h takes the place of the runtime's planner in two places. In the interpreter of
// PyPI, whose table of virtual functions is overwritten, all models run in the smallest arena that each planner needs. In a
// program of ours, with headers in place of the runtime's, it plans drawn buffers with scratch of any size.

const coreData = "testdata/core"

// compiled compiles core/stowage_core.c and a source of testdata/core, and links both with more arguments.
func compiled(t *testing.T, source string, more ...string) string {
	t.Helper()
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("needs a C++ compiler, c++ (c-compiler)")
	}
	dir := t.TempDir()
	object, program := filepath.Join(dir, "core.o"), filepath.Join(dir, "program")
	flags := []string{"-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I../core", "-I../core/tflm"}
	for _, f := range more {
		if strings.HasPrefix(f, "-f") || strings.HasPrefix(f, "-D") {
			flags = append(flags, f)
		}
	}
	shell(t, "cc", append(slices.Clone(flags), "-std=c99", "-c", "../core/stowage_core.c", "-o", object)...)
	flags = append(flags, "-std=c++17", "-I"+coreData+"/stub", filepath.Join(coreData, source), object, "-o", program)
	shell(t, "c++", append(flags, more...)...)
	return program
}

func shell(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A coreCase is what the runtime asks of a planner. Offsets are those of the model's plan, or tflite.Online.
type coreCase struct {
	scratch, nodes int
	buffers        []model.Buffer
	pins           []int64
}

func (c *coreCase) write(w *bytes.Buffer) {
	fmt.Fprintln(w, c.scratch, c.nodes, len(c.buffers))
	for i, b := range c.buffers {
		fmt.Fprintln(w, b.Size, b.Lower, b.Upper-1, c.pins[i])
	}
}

// TestCorePlanner: with scratch of any size the plan is right, never higher than the greedy planner's, and made
// if there are 16 bytes for each buffer and what aligns the first; pinned buffers stay, even if they share bytes.
func TestCorePlanner(t *testing.T) {
	program := compiled(t, "cases.cc", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	random := rand.New(rand.NewPCG(47, 3))
	var cases []coreCase
	var in bytes.Buffer
	for k := range 600 {
		n := 1 + random.IntN(40)
		c := coreCase{nodes: random.IntN(300), scratch: random.IntN(16*n + 400*n)}
		if k%5 == 0 {
			c.scratch = 16*n + random.IntN(20) - 10
		} else if k%5 == 1 {
			c.scratch = 1 << 20
		}
		for i := range n {
			start := random.Int64N(20) - 1
			b := model.Buffer{ID: fmt.Sprint(i), Lower: start, Upper: start + 1 + random.Int64N(6)}
			b.Size = 16 * (1 + random.Int64N(30))
			pin := int64(tflite.Online)
			if k%3 == 0 && i%3 == 0 {
				pin = random.Int64N(60) * []int64{16, 4}[k/3%2]
			}
			c.buffers, c.pins = append(c.buffers, b), append(c.pins, pin)
		}
		c.write(&in)
		cases = append(cases, c)
	}
	cmd := exec.Command(program)
	cmd.Stdin = &in
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers to %d cases: %s", len(lines), len(cases), said.String())
	}
	refused, lower, shared, levels := 0, 0, 0, map[int]int{}
	for k, c := range cases {
		if lines[k] == "refused" {
			if refused++; c.scratch >= 16*len(c.buffers)+4 {
				t.Errorf("case %d: refused with %d bytes for %d buffers", k, c.scratch, len(c.buffers))
			}
			continue
		}
		if c.scratch < 16*len(c.buffers) {
			t.Errorf("case %d: %d buffers in %d bytes", k, len(c.buffers), c.scratch)
		}
		height, level, offsets := answer(t, lines[k], len(c.buffers))
		levels[level]++
		p := &model.Problem{Buffers: c.buffers}
		for i, pin := range c.pins {
			if pin != tflite.Online && offsets[i] != pin {
				t.Errorf("case %d: buffer %d is at %d, pinned at %d", k, i, offsets[i], pin)
			}
			if pin == tflite.Online && offsets[i]%16 != 0 {
				t.Errorf("case %d: buffer %d is at %d", k, i, offsets[i])
			}
		}
		for i, a := range c.buffers { // only pinned buffers may share bytes with each other
			for j, b := range c.buffers[:i] {
				if (c.pins[i] == tflite.Online || c.pins[j] == tflite.Online) && a.Lower < b.Upper && b.Lower < a.Upper &&
					offsets[i] < offsets[j]+b.Size && offsets[j] < offsets[i]+a.Size {
					t.Errorf("case %d: buffers %d and %d share bytes", k, i, j)
				}
			}
		}
		if model.HeightOf(p, offsets) != height {
			t.Errorf("case %d: height %d, reported %d", k, model.HeightOf(p, offsets), height)
		}
		_, greedy, err := tflm.Greedy(t.Context(), p, c.pins)
		switch {
		case err != nil:
			shared++
		case height > greedy && !(k%3 == 0 && k/3%2 == 1): // greedy does not align after a pin
			t.Errorf("case %d: height %d, greedy %d", k, height, greedy)
		case level == 0 && k%3 != 0 && height != greedy:
			t.Errorf("case %d: first fit has %d, greedy %d", k, height, greedy)
		case height < greedy:
			lower++
		}
	}
	t.Logf("%d refused, %d lower than greedy, %d with pins that collide, levels %v", refused, lower, shared, levels)
	if refused < 20 || lower < 50 || shared < 20 || len(levels) < 3 {
		t.Errorf("%d refused, %d lower, %d shared, levels %v: this shows little", refused, lower, shared, levels)
	}
}

func answer(t *testing.T, line string, n int) (height int64, level int, offsets []int64) {
	t.Helper()
	to := []any{&height, &level}
	offsets = make([]int64, n)
	for i := range offsets {
		to = append(to, &offsets[i])
	}
	must.Get(fmt.Sscan(line, to...))(t, "%q", line)
	return height, level, offsets
}

// TestCorePlannerRefuses: what is not valid is refused, with a message.
func TestCorePlannerRefuses(t *testing.T) {
	program := compiled(t, "cases.cc", "-DSTUB_MICRO")
	for _, c := range []struct{ in, want string }{
		{"1000 0 1 -16 0 1 -1", "size -16"},
		{"1000 0 1 16 3 1 -1", "used from 3 to 1"},
		{"1000 0 1 16 0 2147483647 -1", "used from 0 to 2147483647"},
		{"1000 0 1 16 0 1 2147483640", "offset 2147483640"},
		{"20 0 2 16 0 1 -1 16 0 1 -1", "no room to plan more than 1 buffers"},
		{"0 0 1 16 0 1 -1", "no room to plan more than 0 buffers"},
		{"1000 0 2 2147483632 0 1 -1 2147483632 0 1 -1", "larger than"},
	} {
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader(c.in)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) || !strings.Contains(string(out), "refused") {
			t.Errorf("%s: %v, %q, want %q", c.in, err, out, c.want)
		}
	}
}

// A coreRow is a model with the greedy planner, with an offline plan, and with stowage::TflmPlanner.
type coreRow struct {
	name                                 string
	buffers                              int
	greedyHead, head                     int64
	greedy, offline, arena               int64
	level                                int
	greedyInstructions, coreInstructions int64
	problem                              *model.Problem
}

// TestCoreInterpreter runs models in the smallest arena that each planner needs. With -update and at least 20 models of
// packages, it writes the table in docs/embedded.md.
func TestCoreInterpreter(t *testing.T) {
	p := start(t)
	library := compiled(t, "swap.cc", "-DSTOWAGE_CORE_SIZE32", "-shared", "-fPIC", "-ldl")
	q := must.Get(interpreter.Start(interpreter.Python(), library))(t)
	t.Cleanup(func() { q.Close() })
	rows := []coreRow{
		*coreRun(t, p, q, parsed(t, tflitemade.Network(4, 24), "made network")),
		*coreRun(t, p, q, parsed(t, tflitemade.Model(branches()), "made branches")),
		*coreRun(t, p, q, parsed(t, tflitemade.Model(loop()), "made loop")),
		*coreRun(t, p, q, parsed(t, must.Get(os.ReadFile("../examples/tiny.tflite"))(t), "tiny")),
	}
	if !slices.ContainsFunc(rows, func(r coreRow) bool { return r.head < r.greedyHead && r.arena < r.greedy }) {
		t.Error("no arena is smaller: this shows little")
	}
	public := publicRows(t, library)
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" && len(public) >= 20 {
		problems := []*model.Problem{}
		for _, r := range public {
			problems = append(problems, r.problem)
		}
		counts, why := coreInstructions(t, problems)
		if why != "" {
			t.Log(why)
		}
		for i, c := range counts {
			public[i].greedyInstructions, public[i].coreInstructions = c[1], c[3]
		}
		writeCoreTable(t, public)
	}
}

// publicRows runs the models of packages, several at a time.
func publicRows(t *testing.T, library string) (rows []coreRow) {
	folder := os.Getenv("STOWAGE_MODELS")
	if folder == "" {
		return nil
	}
	var models []*tflite.Model
	seen := map[[32]byte]bool{}
	must.Do(t, filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".tflite" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil || seen[sha256.Sum256(data)] {
			return err
		}
		seen[sha256.Sum256(data)] = true
		m, err := tflite.Parse(data, strings.TrimSuffix(filepath.Base(file), ".tflite"))
		if err != nil {
			return err
		}
		m, _, err = m.Fold()
		models = append(models, m)
		return err
	}))
	const workers = 4
	var mutex sync.Mutex
	t.Run("public", func(t *testing.T) {
		for k := range workers {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				p, q := start(t), must.Get(interpreter.Start(interpreter.Python(), library))(t)
				t.Cleanup(func() { q.Close() })
				for i := k; i < len(models); i += workers {
					if row := coreRun(t, p, q, models[i]); row != nil {
						mutex.Lock()
						rows = append(rows, *row)
						mutex.Unlock()
					}
				}
			})
		}
	})
	return rows
}

// coreRun runs a model; nil if the interpreter does not.
func coreRun(t *testing.T, p, q *interpreter.Process, m *tflite.Model) *coreRow {
	t.Helper()
	made := must.Get(tflm.Make(context.Background(), m, options(m)))(t, "%s", m.File)
	sizes := made.Sizes()
	at := slices.IndexFunc(sizes, func(s tflm.Sizes) bool { return s.Target == &tflm.Interpreter })
	path := filepath.Join(t.TempDir(), "net.tflite")
	run := func(who *interpreter.Process, data []byte, f tflm.Footprint) *interpreter.Answer {
		must.Do(t, os.WriteFile(path, data, 0o600))
		return must.Get(who.Run(interpreter.Request{
			Model: path, Arena: interpreter.Enough(&f), Runs: 1, Smallest: true, Expected: f.Smallest,
		}))(t, "%s", m.File)
	}
	before := run(p, m.Bytes(), sizes[at].Before)
	if before.Error != "" {
		t.Logf("%s does not run: %s", m.File, before.Error)
		return nil
	}
	now := run(q, m.Bytes(), sizes[at].Before)
	row := &coreRow{
		name:    strings.TrimSuffix(filepath.Base(m.File), ".tflite"),
		buffers: len(made.Arena.Tensor), problem: made.Arena.Problem,
		greedyHead: before.Sizes.Head, head: now.Sizes.Head, greedy: before.Smallest, offline: before.Smallest,
		arena: now.Smallest, level: now.Level,
	}
	same := func(what string, a *interpreter.Answer) {
		if a.Error != "" || a.Outputs != before.Outputs || a.SmallestOutputs != before.Outputs {
			t.Errorf("%s, %s: outputs differ, or: %q", m.File, what, a.Error)
		}
	}
	same("planned when it starts", now)
	if made.Worth() {
		data := must.Get(made.Written(m))(t)
		planned, both := run(p, data, sizes[at].After), run(q, data, sizes[at].After)
		row.offline = planned.Smallest
		same("offline plan", planned)
		same("offline plan, with the planner", both)
		if both.Sizes.Head != planned.Sizes.Head || both.Smallest > planned.Smallest {
			t.Errorf("%s: with its offline plan the head is %d and the arena %d, before %d and %d", m.File, both.Sizes.Head,
				both.Smallest, planned.Sizes.Head, planned.Smallest)
		}
	}
	proven := made.Result.Status == stowage.Optimal && !made.Kept
	if row.head > row.greedyHead || row.arena > row.greedy || proven && row.head > made.Head {
		t.Errorf("%s: %+v; the offline plan's head is %d", m.File, *row, made.Head)
	}
	t.Logf("%s: greedy %d, offline %d, planner %d; heads %d, %d; level %d", row.name, row.greedy, row.offline, row.arena,
		row.greedyHead, row.head, row.level)
	return row
}

// TestCoreStartUp counts instructions of an emulated Cortex-M4: the plans are those that this machine makes.
func TestCoreStartUp(t *testing.T) {
	var problems []*model.Problem
	var heights []int64
	for _, data := range [][]byte{tflitemade.Network(4, 24), tflitemade.Model(branches()), tflitemade.Model(loop())} {
		m := parsed(t, data, "made")
		made := must.Get(tflm.Make(t.Context(), m, options(m)))(t)
		problems, heights = append(problems, made.Arena.Problem), append(heights, made.Head)
	}
	counts, why := coreInstructions(t, problems)
	if why != "" {
		t.Skipf("%s needs %s", t.Name(), why)
	}
	for i, c := range counts {
		if c[2] != heights[i] || c[0] < c[2] || c[1] == 0 || c[3] == 0 {
			t.Errorf("problem %d: heights %d, want %d; instructions %d", i, c[2], heights[i], c)
		}
	}
	t.Log(counts)
}

// coreInstructions returns the height and the instructions of the greedy planner and of stowage::TflmPlanner, or what
// is missing. QEMU counts time by instructions: a tick of the timer, which has 25 MHz, is 40 of them.
func coreInstructions(t *testing.T, problems []*model.Problem) (counts [][4]int64, why string) {
	t.Helper()
	root := os.Getenv("STOWAGE_TFLM")
	if root == "" {
		return nil, "the sources of tensorflow/tflite-micro in STOWAGE_TFLM"
	}
	for _, tool := range []string{"qemu-system-arm", "arm-none-eabi-gcc", "arm-none-eabi-g++"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, tool
		}
	}
	dir := t.TempDir()
	var text bytes.Buffer
	for i, p := range problems {
		fmt.Fprintf(&text, "static const Use uses%d[] = {\n", i)
		for _, b := range p.Buffers {
			fmt.Fprintf(&text, "{%d, %d, %d, -1},\n", b.Size, b.Lower, b.Upper-1)
		}
		fmt.Fprintln(&text, "};")
	}
	fmt.Fprintln(&text, "struct Case { const Use* uses; int count; };\nstatic const Case cases[] = {")
	for i, p := range problems {
		fmt.Fprintf(&text, "{uses%d, %d},\n", i, len(p.Buffers))
	}
	fmt.Fprintln(&text, "};")
	must.Do(t, os.WriteFile(filepath.Join(dir, "cases.inc"), text.Bytes(), 0o666))
	const bare = "../lab/kernels/harness/bare"
	flags := []string{"-Os", "-mcpu=cortex-m4", "-mthumb", "-ffunction-sections", "-DSTOWAGE_CORE_SIZE32", "-DGREEDY"}
	flags = append(flags, "-I../core", "-I../core/tflm", "-I"+dir, "-I"+coreData+"/stub", "-I"+root)
	objects := []string{}
	for i, source := range []string{
		"../core/stowage_core.c", bare + "/start.c", coreData + "/cases.cc",
		filepath.Join(root, "tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc"),
	} {
		object := filepath.Join(dir, fmt.Sprint(i, ".o"))
		compiler, own := "arm-none-eabi-gcc", []string{"-std=gnu11"}
		if i >= 2 {
			compiler, own = "arm-none-eabi-g++", []string{"-std=c++17", "-fno-rtti", "-fno-exceptions"}
		}
		shell(t, compiler, slices.Concat(flags, own, []string{"-c", source, "-o", object})...)
		objects = append(objects, object)
	}
	program := filepath.Join(dir, "program.elf")
	shell(t, "arm-none-eabi-gcc", slices.Concat([]string{
		"-mcpu=cortex-m4", "-mthumb", "-nostartfiles", "--specs=nosys.specs", "-Wl,--gc-sections", "-Wl,-w",
		"-T", bare + "/link.ld", "-o", program,
	}, objects)...)
	out := shell(t, "qemu-system-arm", "-M", "mps2-an386", "-cpu", "cortex-m4", "-icount", "shift=0", "-semihosting",
		"-nographic", "-monitor", "none", "-serial", "none", "-kernel", program)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var c [4]int64
		must.Get(fmt.Sscan(line, &c[0], &c[1], &c[2], &c[3]))(t, "%q", line)
		c[1], c[3] = 40*c[1], 40*c[3]
		counts = append(counts, c)
	}
	if len(counts) != len(problems) {
		t.Fatalf("%d lines for %d problems", len(counts), len(problems))
	}
	return counts, ""
}

func writeCoreTable(t *testing.T, rows []coreRow) {
	slices.SortStableFunc(rows, func(a, b coreRow) int {
		return cmp.Or(cmp.Compare(a.arena*b.greedy, b.arena*a.greedy), cmp.Compare(b.greedy, a.greedy))
	})
	var s strings.Builder
	fmt.Fprintln(&s, "| model | buffers | head, greedy | head | arena, greedy | arena, offline plan | arena "+
		"| smaller | level | instructions, greedy | instructions |")
	fmt.Fprintln(&s, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	smaller, below, above := 0, 0, 0
	for _, r := range rows {
		if r.arena < r.greedy {
			smaller++
		}
		if r.arena < r.offline {
			below++
		} else if r.arena > r.offline {
			above++
		}
		fmt.Fprintf(&s, "| %s | %d | %d | %d | %d | %d | %d | %.1f%% | %d | %d | %d |\n", r.name, r.buffers, r.greedyHead,
			r.head, r.greedy, r.offline, r.arena, 100-100*float64(r.arena)/float64(r.greedy), r.level, r.greedyInstructions,
			r.coreInstructions)
	}
	fmt.Fprintf(&s, "\n%d models ran with equal outputs; %d in a smaller arena than with the greedy planner, none in a "+
		"larger. %d need less than with the offline plan, %d more.\n",
		len(rows), smaller, below, above)
	const path, open, shut = "../lab/kernels/results/core.md", "<!-- tflm-core -->\n", "<!-- /tflm-core -->\n"
	text := string(must.Get(os.ReadFile(path))(t))
	head, rest, ok := strings.Cut(text, open)
	_, tail, closed := strings.Cut(rest, shut)
	if !ok || !closed {
		t.Fatal(errors.New(path + " has no block tflm-core"))
	}
	must.Do(t, os.WriteFile(path, []byte(head+open+s.String()+shut+tail), 0o644))
}
