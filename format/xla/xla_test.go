package xla

import (
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func parse(t *testing.T, data []byte) *Dump {
	t.Helper()
	return must.Get(Parse(data, "made.hlo.pb"))(t)
}

func readTexts(t *testing.T, texts map[string]string) *Dump {
	t.Helper()
	return must.Get(ReadText(strings.NewReader(texts[AssignmentSuffix]), "made"+AssignmentSuffix, opener(texts)))(t)
}

// valid holds XLA's own plan to the problem.
func valid(t *testing.T, h *Heap) {
	t.Helper()
	if h.Offsets == nil {
		t.Fatal("there is no plan")
	}
	r := verify.Check(h.Problem, h.Offsets, 0)
	if !r.OK() || r.Height != h.Height {
		t.Fatalf("height %d, said to be %d; %v", r.Height, h.Height, r.Violations)
	}
}

// A meeting is a pair of values of different places that are live at the same time: their sizes.
type meeting struct {
	a, b         string
	sizeA, sizeB int64
}

// meetings returns who meets whom, by the events.
func (m *made) meetings() []meeting {
	live := map[int]bool{}
	sizes := func() map[int]int64 {
		out := map[int]int64{}
		for k := range live {
			v := &m.values[k]
			out[v.shares] = max(out[v.shares], v.size)
		}
		return out
	}
	first := map[int]int64{} // the smallest id of a place
	for k := range m.values {
		v := &m.values[k]
		if id, ok := first[v.shares]; !ok || v.id < id {
			first[v.shares] = v.id
		}
	}
	name := func(place int) string {
		for k := range m.values {
			if m.values[k].id == first[place] {
				return m.values[k].name()
			}
		}
		return ""
	}
	var out []meeting
	for _, e := range m.events() {
		if e.kind == free {
			delete(live, e.value)
			continue
		}
		live[e.value] = true
		now := sizes()
		for a, x := range now {
			for b, y := range now {
				if a != b {
					out = append(out, meeting{name(a), name(b), x, y})
				}
			}
		}
	}
	return tidy(out)
}

// meetingsOf returns who meets whom in a problem.
func meetingsOf(p *model.Problem) []meeting {
	size := func(b *model.Buffer, at int64) int64 {
		_, to := oracle.Used(b, at)
		return to
	}
	var out []meeting
	for i := range p.Buffers {
		for j := range p.Buffers {
			a, b := &p.Buffers[i], &p.Buffers[j]
			for at := a.Lower; i != j && at < a.Upper; at++ {
				if x, y := size(a, at), size(b, at); x > 0 && y > 0 {
					out = append(out, meeting{a.ID, b.ID, x, y})
				}
			}
		}
	}
	return tidy(out)
}

// tidy leaves out a meeting if one of the same two is as large.
func tidy(all []meeting) []meeting {
	slices.SortFunc(all, func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b), cmp.Compare(a.sizeA, b.sizeA),
			cmp.Compare(a.sizeB, b.sizeB))
	})
	all = slices.Compact(all)
	return slices.DeleteFunc(slices.Clone(all), func(m meeting) bool {
		return slices.ContainsFunc(all, func(o meeting) bool {
			return o != m && o.a == m.a && o.b == m.b && o.sizeA >= m.sizeA && o.sizeB >= m.sizeB
		})
	})
}

// TestMade reads the dumps of modules made at random: the trace and the texts give one problem. The same values meet
// as in the trace, and XLA's plan is valid.
func TestMade(t *testing.T) {
	gaps, windows, shared := 0, 0, 0
	for seed := range uint64(400) {
		m := module(rand.New(rand.NewPCG(seed, 0)))
		d := parse(t, m.proto())
		if len(d.Heaps) != 1 || d.Module != "jit_made" || d.Heaps[0].Allocation != 3 || d.Heaps[0].Values != len(m.values) {
			t.Fatalf("seed %d: %+v", seed, d)
		}
		h := &d.Heaps[0]
		valid(t, h)
		if diff := godiff.Diff(m.meetings(), meetingsOf(h.Problem), godiff.AllowUnexported(meeting{})); diff != "" {
			t.Fatalf("seed %d: who meets whom (-events +problem):\n%s", seed, diff)
		}
		x := readTexts(t, m.texts())
		x.Heaps[0].Problem.Name = d.Module
		if diff := godiff.Diff(d.Heaps, x.Heaps); diff != "" || len(x.Notes) > 0 {
			t.Fatalf("seed %d: trace and texts differ, %q:\n%s", seed, x.Notes, diff)
		}
		shared += h.Values - len(h.Problem.Buffers)
		for _, b := range h.Problem.Buffers {
			for _, g := range b.Gaps {
				if g.Window != nil {
					windows++
				} else {
					gaps++
				}
			}
		}
	}
	if gaps < 50 || windows < 20 || shared < 500 {
		t.Errorf("%d gaps, %d windows, %d shared: too few to show anything", gaps, windows, shared)
	}
}

// small is two values in one place, the second smaller and later, one beside them, and one that comes in between.
func small() *made {
	return &made{instructions: 9, values: []madeValue{
		{id: 4, size: 100, start: 1, end: 2, shares: 0, tuple: "t.1", tupleAt: 4096},
		{id: 3, size: 60, offset: 128, start: 1, end: 8, shares: 1},
		{id: 9, size: 40, start: 4, end: 5, shares: 2},
		{id: 7, size: 8, start: 6, end: 8, shares: 0, tuple: "t.2", tupleAt: 4096},
	}}
}

func TestUnited(t *testing.T) {
	want := []model.Buffer{
		{ID: "op.3", Lower: 0, Upper: 3, Size: 60, Alignment: 64},
		{ID: "op.4", Lower: 0, Upper: 3, Size: 100, Alignment: 64, Gaps: []model.Gap{
			{Lower: 1, Upper: 2}, {Lower: 2, Upper: 3, Window: &model.Window{Upper: 8}},
		}},
		{ID: "op.9", Lower: 1, Upper: 2, Size: 40, Alignment: 64},
	}
	for _, h := range []Heap{parse(t, small().proto()).Heaps[0], readTexts(t, small().texts()).Heaps[0]} {
		if diff := godiff.Diff(want, h.Problem.Buffers); diff != "" {
			t.Error(diff)
		}
		if diff := godiff.Diff([]int64{128, 0, 0}, h.Offsets); diff != "" || h.Height != 188 {
			t.Errorf("height %d, offsets %s", h.Height, diff)
		}
	}
}

// TestWithoutPositions says that branches may share what the texts do not tell.
func TestWithoutPositions(t *testing.T) {
	texts := small().texts()
	delete(texts, positions)
	d := readTexts(t, texts)
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], positions) || len(d.Heaps[0].Problem.Buffers) != 4 {
		t.Errorf("notes %q, %d buffers", d.Notes, len(d.Heaps[0].Problem.Buffers))
	}
}

// TestAlignment takes no more than XLA's own offsets have.
func TestAlignment(t *testing.T) {
	m := small()
	m.values[1].offset = 112
	for _, h := range []Heap{parse(t, m.proto()).Heaps[0], readTexts(t, m.texts()).Heaps[0]} {
		if a := h.Problem.Buffers[0].Alignment; a != 16 {
			t.Errorf("the alignment is %d, want 16", a)
		}
		valid(t, &h)
	}
}

// TestColor reads which kind of memory a heap is in.
func TestColor(t *testing.T) {
	m := small()
	m.color = 2
	for _, h := range []Heap{parse(t, m.proto()).Heaps[0], readTexts(t, m.texts()).Heaps[0]} {
		if h.Color != 2 {
			t.Errorf("color %d", h.Color)
		}
	}
}

// assignmentOf makes an HloProto of buffers of these sizes, allocations and traces.
func assignmentOf(sizes []int64, allocations [][][2]int64, traces ...[][3]int64) []byte {
	var a []byte
	for k, size := range sizes {
		a = put(a, assignmentBuffers, varint(varint(nil, bufferID, int64(k)), bufferSize, size))
	}
	for k, assigned := range allocations {
		b := varint(nil, allocationIndex, int64(10+k))
		for _, at := range assigned {
			b = put(b, allocationAssigned, varint(varint(nil, assignedBuffer, at[0]), assignedOffset, at[1]))
		}
		a = put(a, assignmentAllocations, b)
	}
	for _, events := range traces {
		var b []byte
		for _, e := range events {
			b = put(b, traceEvents, varint(varint(varint(nil, eventKind, e[0]), eventBuffer, e[1]), eventSharesWith, e[2]))
		}
		a = put(a, assignmentTraces, b)
	}
	return put(nil, hloBufferAssignment, a)
}

// TestHeaps reads a heap that was cut, whose trace is there twice, and two heaps that were put into one allocation.
func TestHeaps(t *testing.T) {
	trace := [][3]int64{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 1}, {1, 2}}
	d := parse(t, assignmentOf([]int64{64, 64, 64}, [][][2]int64{{{0, 0}, {2, 0}}, {{1, 0}}}, trace, trace))
	if len(d.Heaps) != 2 || d.Heaps[0].Allocation != 10 || d.Heaps[1].Allocation != 11 ||
		len(d.Heaps[0].Problem.Buffers) != 2 {
		t.Errorf("cut: %+v", d.Heaps)
	}
	d = parse(t, assignmentOf([]int64{64, 64, 64}, [][][2]int64{{{0, 0}, {1, 64}, {2, 64}}},
		[][3]int64{{0, 0}, {1, 0}}, [][3]int64{{0, 1}, {1, 1}, {0, 2}}))
	if len(d.Heaps) != 2 || d.Heaps[1].Height != 64 || d.Heaps[1].Problem.Buffers[1].Upper != 2 {
		t.Errorf("in one allocation: %+v", d.Heaps)
	}
	valid(t, &d.Heaps[1])
	d = parse(t, assignmentOf([]int64{64, 0, 8}, nil, [][3]int64{{0, 0}, {0, 1}, {0, 2}}))
	if len(d.Heaps) != 1 || d.Heaps[0].Offsets != nil || d.Heaps[0].Allocation != -1 ||
		len(d.Heaps[0].Problem.Buffers) != 2 {
		t.Errorf("in no allocation: %+v", d.Heaps)
	}
}

func TestFaults(t *testing.T) {
	one := [][][2]int64{{{0, 0}}}
	truncated := small().proto()
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "has no buffer assignment: XLA writes one to the dump after its optimizations"},
		"text":      {[]byte("not a proto"), "is truncated or damaged, or this is not an HloProto"},
		"truncated": {truncated[:len(truncated)-3], "is truncated or damaged"},
		"no trace": {
			assignmentOf([]int64{8}, one),
			"buffer_assignment: has no heap_simulator_trace: XLA places no temporaries in this module",
		},
		"no events": {assignmentOf([]int64{8}, one, nil), "buffer_assignment: its heaps are empty"},
		"size":      {assignmentOf([]int64{8, -1}, one), `buffer_assignment, logical_buffer 1, size "-1": must be from 0 to`},
		"offset": {
			assignmentOf([]int64{8}, [][][2]int64{{{0, -8}}}),
			`buffer_assignment, buffer_allocation 0, offset "-8": must be from 0 to`,
		},
		"assigned": {
			assignmentOf([]int64{8}, [][][2]int64{{{5, 0}}}),
			`buffer_assignment, buffer_allocation 0, logical_buffer_id "5": there is no such buffer`,
		},
		"unknown": {
			assignmentOf([]int64{8}, one, [][3]int64{{0, 5}}),
			`heap_simulator_trace 0, event 0, buffer_id "5": there is no such buffer`,
		},
		"early": {
			assignmentOf([]int64{8}, one, [][3]int64{{1, 0}}), `event 0, buffer_id "0": is freed before it is allocated`,
		},
		"twice": {assignmentOf([]int64{8}, one, [][3]int64{{0, 0}, {0, 0}}), `event 1, buffer_id "0": is allocated twice`},
		"freed": {
			assignmentOf([]int64{8}, one, [][3]int64{{0, 0}, {1, 0}, {1, 0}}), `event 2, buffer_id "0": is freed twice`,
		},
		"shared": {
			assignmentOf([]int64{8, 8}, one, [][3]int64{{2, 0, 1}}),
			`event 0, share_with_canonical_id "1": no such buffer is allocated before`,
		},
		"kind": {assignmentOf([]int64{8}, one, [][3]int64{{3, 0}}), `event 0, kind "3": is not a known kind`},
		"sum": {
			assignmentOf([]int64{model.MaxSum, model.MaxSum}, nil, [][3]int64{{0, 0}, {0, 1}}),
			"makes the sum of the aligned sizes exceed",
		},
	} {
		_, err := Parse(test.data, "x.pb")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), "x.pb: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func TestTextFaults(t *testing.T) {
	const head, value = "BufferAssignment:\nallocation 3: size 64, preallocated-temp:\n",
		" value: <5 a @0> (size=8,offset=0): f32[2]{0}\n"
	live := "HloLiveRange (max 3):\n  BufferLiveRange:\n    a{}:0-1\n"
	for name, test := range map[string]struct{ assignment, ranges, want string }{
		"report": {
			"Memory Space: default (color=0)\n", "", `x:1: "Memory Space: default (color=0)": is not a buffer assignment`,
		},
		"no heap": {
			"BufferAssignment:\nallocation 0: size 64, constant:\n", live, "x:1: has no allocation that is preallocated-temp",
		},
		"no values": {head, live, "x:2: has no values"},
		"allocation": {
			"BufferAssignment:\nallocation x: size 64, preallocated-temp:\n", live,
			`x:2: allocation "x": must be a number from 0 to`,
		},
		"color": {
			"BufferAssignment:\nallocation 1: size 64, color z, preallocated-temp:\n", live, `x:2: color "z": must be a number`,
		},
		"value":   {head + " value: <5 a>\n", live, "x:3: \" value: <5 a>\": is no value"},
		"id":      {head + strings.Replace(value, "5", "x", 1), live, `x:3: id "x": must be a number`},
		"size":    {head + strings.Replace(value, "8", "-8", 1), live, `x:3: size "-8": must be a number`},
		"offset":  {head + strings.Replace(value, "offset=0", "offset=", 1), live, "x:3: offset: must be a number"},
		"same id": {head + value + value, live, `x:4: "5": is the number of another value, too`},
		"same name": {
			head + value + strings.Replace(value, "5", "6", 1), live, `x:4: "a": is the name of another value, too`,
		},
		"no ranges":  {head + value, "", "x:1: has no live ranges: XLA writes them to NAME-live-range.txt beside it"},
		"not ranges": {head + value, "nothing", `x-live-range.txt:1: "nothing": has no line that begins with HloLiveRange`},
		"no range": {
			head + value, strings.Replace(live, "a{}", "b{}", 1), `x:3: "a": has no live range in x-live-range.txt`,
		},
		"reversed": {head + value, strings.Replace(live, "0-1", "2-1",
			1), `x-live-range.txt:3: "2-1": ends before it starts`},
		"start":  {head + value, strings.Replace(live, "0-1", "q-1", 1), `x-live-range.txt:3: start "q": must be a number`},
		"twice":  {head + value, live + "    a{}:0-1\n", `x-live-range.txt:4: "a{}": has another live range, too`},
		"range":  {head + value, strings.Replace(live, ":0-1", "", 1), `x-live-range.txt:3: "a{}": is no live range`},
		"binary": {"BufferAssignment:\x00", live, "is not text"},
	} {
		beside := func(suffix string) (io.ReadCloser, string, error) {
			if test.ranges == "" || suffix != ranges {
				return nil, "", os.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(test.ranges)), "x" + suffix, nil
		}
		_, err := ReadText(strings.NewReader(test.assignment), "x", beside)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	if _, err := ReadText(strings.NewReader(head+value), "stdin", nil); err == nil ||
		!strings.Contains(err.Error(), "has no live ranges") {
		t.Errorf("nothing beside it: %v", err)
	}
	broken := errors.New("broken")
	_, err := ReadText(strings.NewReader(head+value), "x",
		func(string) (io.ReadCloser, string, error) { return nil, "", broken })
	if !errors.Is(err, broken) {
		t.Errorf("a file that does not open: %v", err)
	}
}

func TestBegins(t *testing.T) {
	proto := small().proto()
	for _, n := range []int{16, 40, len(proto)} {
		if !IsProto(proto[:n]) {
			t.Errorf("the first %d bytes are not told", n)
		}
	}
	for _, s := range []string{
		"", "\n", "\n\n\nid,lower,upper,size\n", "\nid,lower\n", "{}", "\x80\x04",
		string(put(nil, 1, put(nil, 1, []byte("a b")))),
	} {
		if IsProto([]byte(s)) {
			t.Errorf("%q is told as an HloProto", s)
		}
	}
	if !IsText([]byte("BufferAssignment")) || !IsText([]byte("Memory Space: default")) ||
		IsText([]byte("Buffer,lower,upper")) || IsText(nil) {
		t.Error("texts are told wrongly")
	}
}

// TestHostile reads files that are made to take more than they should.
func TestHostile(t *testing.T) {
	// Many names that are long, of one instruction's.
	name := strings.Repeat("n", 100_000)
	var a, events []byte
	for k := range int64(20_000) {
		at := varint(nil, locationID, 5)
		a = put(a, assignmentBuffers, put(varint(varint(nil, bufferID, k), bufferSize, 1), bufferDefinedAt, at))
		events = put(events, traceEvents, varint(nil, eventBuffer, k))
	}
	instruction := varint(put(nil, instructionName, []byte(name)), instructionID, 5)
	module := put(nil, moduleComputations, put(nil, computationInstructions, instruction))
	data := put(put(nil, hloModule, module), hloBufferAssignment, put(a, assignmentTraces, events))
	parse := func(data []byte) error { _, err := Parse(data, "x"); return err }
	if err := mutate.Hold(t, data, parse); err != nil {
		t.Error(err)
	}
	// Nothing but empty messages.
	empty := protowire.AppendTag(nil, protowire.Number(assignmentBuffers), protowire.BytesType)
	data = put(nil, hloBufferAssignment, []byte(strings.Repeat(string(append(empty, 0)), 1<<20)))
	if err := mutate.Hold(t, data, parse); err == nil {
		t.Error("a million buffers of one number are read")
	}
	// One place, the sizes and times of whose values interlock.
	m := made{instructions: 40_000}
	for k := range 20_000 {
		m.values = append(m.values, madeValue{
			id: int64(k), size: int64(1 + k%977), start: k, end: k + 1 + k%10_000, shares: 0,
		})
	}
	m.values[0].end = 40_000
	texts := m.texts()
	err := mutate.Hold(t, joined(texts), func([]byte) error {
		_, err := ReadText(strings.NewReader(texts[AssignmentSuffix]), "x", opener(texts))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func seeds() (protos, texts [][]byte) {
	for seed := range uint64(20) {
		m := module(rand.New(rand.NewPCG(seed, 1)))
		protos = append(protos, m.proto())
		texts = append(texts, joined(m.texts()))
	}
	return protos, texts
}

// TestMutated reads damaged files: 100,000 of each kind were read once.
func TestMutated(t *testing.T) {
	protos, texts := seeds()
	mutate.Read(t, 2000, protos, func(data []byte) error {
		_, err := Parse(data, "x")
		return err
	})
	mutate.Read(t, 2000, texts, func(data []byte) error {
		files := parted(data)
		_, err := ReadText(strings.NewReader(files[AssignmentSuffix]), "x", opener(files))
		return err
	})
}

func FuzzParse(f *testing.F) {
	protos, _ := seeds()
	for _, s := range protos[:4] {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, err := Parse(data, "fuzzed"); err == nil {
			for k := range d.Heaps {
				if h := &d.Heaps[k]; len(h.Problem.Buffers) == 0 || h.Offsets != nil && len(h.Offsets) != len(h.Problem.Buffers) {
					t.Errorf("%+v", h)
				}
			}
		}
	})
}

func FuzzText(f *testing.F) {
	_, texts := seeds()
	for _, s := range texts[:4] {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		files := parted(data)
		_, _ = ReadText(strings.NewReader(files[AssignmentSuffix]), "fuzzed", opener(files))
	})
}

// TestJAX compiles programs with JAX and reads what XLA dumps: a chain of products, a loop with its gradient, and
// branches.
func TestJAX(t *testing.T) {
	plantest.Nightly(t)
	python := cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import jax").Run(); err != nil {
		t.Skip("needs the Python package jax; set STOWAGE_PYTHON to an interpreter that has it")
	}
	dir := t.TempDir()
	cmd := exec.Command(python, filepath.Join("testdata", "dump.py"), dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.hlo.pb"))
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, path := range all {
		data := must.Get(os.ReadFile(path))(t)
		d := parse(t, data)
		base := strings.TrimSuffix(path, ".hlo.pb")
		text := must.Get(os.ReadFile(base + AssignmentSuffix))(t)
		x, err := ReadText(strings.NewReader(string(text)), base, func(suffix string) (io.ReadCloser, string, error) {
			f, err := os.Open(base + suffix)
			return f, base + suffix, err
		})
		if err != nil {
			t.Fatal(err)
		}
		x.Heaps[0].Problem.Name = d.Module
		if diff := godiff.Diff(d.Heaps, x.Heaps); diff != "" || len(d.Heaps) != 1 || len(x.Notes) > 0 {
			t.Errorf("%s: trace and texts differ, %q:\n%s", filepath.Base(path), x.Notes, diff)
		}
		valid(t, &d.Heaps[0])
	}
}
