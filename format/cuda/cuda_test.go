package cuda

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/model"
)

// A pickler writes protocol 4 as Python's pickler does, memo and all.
type pickler struct {
	out  []byte
	memo map[string]int
	next int
}

func (p *pickler) op(b ...byte) { p.out = append(p.out, b...) }

func (p *pickler) memoize() {
	p.op(0x94)
	p.next++
}

type pair struct {
	key   string
	value any
}

func (p *pickler) value(v any) {
	switch v := v.(type) {
	case nil:
		p.op('N')
	case bool:
		p.op(map[bool]byte{true: 0x88, false: 0x89}[v])
	case float64:
		p.op('G', 1, 2, 3, 4, 5, 6, 7, 8)
	case int:
		p.value(int64(v))
	case int64:
		if v >= 0 && v < 256 {
			p.op('K', byte(v))
			return
		}
		p.op(0x8a, 8)
		p.out = binary.LittleEndian.AppendUint64(p.out, uint64(v))
	case string:
		if at, ok := p.memo[v]; ok {
			p.op('j')
			p.out = binary.LittleEndian.AppendUint32(p.out, uint32(at))
			return
		}
		p.memo[v] = p.next
		p.op(0x8c, byte(len(v)))
		p.out = append(p.out, v...)
		p.memoize()
	case []any:
		p.op(']')
		p.memoize()
		p.op('(')
		for k, e := range v {
			if k > 0 && k%1000 == 0 {
				p.op('e', '(')
			}
			p.value(e)
		}
		p.op('e')
	case []pair:
		p.op('}')
		p.memoize()
		p.op('(')
		for _, e := range v {
			p.value(e.key)
			p.value(e.value)
		}
		p.op('u')
	}
}

func pickle(v any) []byte {
	p := pickler{memo: map[string]int{}}
	p.op(0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0)
	p.value(v)
	p.op('.')
	return p.out
}

const base = 0x7f0000000000

func event(action string, addr, size int64, stream int) []pair {
	return []pair{
		{"action", action},
		{"addr", addr},
		{"size", size},
		{"stream", stream},
		{"time_us", int64(1 << 50)},
		{"frames", []any{[]pair{{"name", "forward"}, {"filename", "model.py"}, {"line", 12}}}},
	}
}

// sample is a snapshot with blocks from before, to the end, and all the time.
func sample() []pair {
	return []pair{
		{"segments", []any{[]pair{
			{"device", 0},
			{"address", int64(base)},
			{"total_size", 2 << 20},
			{"stream", 0},
			{"blocks", []any{
				[]pair{{"size", 1024}, {"requested_size", 900}, {"state", "active_allocated"}},
				[]pair{{"size", 512}, {"requested_size", 0}, {"state", "inactive"}},
				[]pair{{"address", int64(base + 8192)}, {"size", 512}, {"requested_size", 500}, {"state", "active_allocated"}},
			}},
		}}},
		{"device_traces", []any{[]any{
			event("segment_alloc", base, 2<<20, 0),
			event("alloc", base+1024, 1000, 0),
			event("alloc", base+2048, 3000, 0),
			event("free_requested", base+1024, 1000, 0),
			event("alloc", 5, 7, 3),
			event("free_completed", base+1024, 1000, 0),
			event("segment_alloc", base<<1, 1<<20, 0),
			event("alloc", base+1024, 600, 0),
			event("segment_free", base<<1, 1<<20, 0),
			event("free_completed", base+65536, 700, 0),
			event("oom", 0, 1<<40, 0),
			event("alloc", base+8192, 500, 0),
		}, []any{}}},
		{"allocator_settings", []pair{{"expandable_segments", false}, {"x", 1.5}, {"y", nil}}},
	}
}

func TestSample(t *testing.T) {
	data := pickle(sample())
	heaps := must.Get(Parse(data, "x.pickle"))(t)
	want := []Heap{
		{Stream: 0, Reserved: 3 << 20, Problem: &model.Problem{Name: "device 0, stream 0", Buffers: []model.Buffer{
			{ID: "alloc 1", Lower: 1, Upper: 5, Size: 1000, Alignment: 512},
			{ID: "alloc 2", Lower: 2, Upper: 12, Size: 3000, Alignment: 512},
			{ID: "alloc 7", Lower: 7, Upper: 12, Size: 600, Alignment: 512},
			{ID: "before 0x7f0000010000", Lower: 0, Upper: 9, Size: 700, Alignment: 512},
			{ID: "alloc 11", Lower: 11, Upper: 12, Size: 500, Alignment: 512},
			{ID: "before 0x7f0000000000", Lower: 0, Upper: 12, Size: 900, Alignment: 512},
		}}},
		{Stream: 3, Problem: &model.Problem{
			Name: "device 0, stream 3", Buffers: []model.Buffer{{ID: "alloc 4", Lower: 4, Upper: 12, Size: 7, Alignment: 512}},
		}},
	}
	if diff := godiff.Diff(want, heaps); diff != "" {
		t.Error(diff)
	}
	if !IsSnapshot(data[:16]) || IsSnapshot([]byte("id,lower")) || IsSnapshot(nil) || IsSnapshot([]byte{0x80, 4, 0x95}) {
		t.Error("snapshots are told wrongly")
	}
}

func TestFaults(t *testing.T) {
	traces := func(events ...any) []byte { return pickle([]pair{{"device_traces", []any{events}}}) }
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty": {nil, "the file is truncated"},
		"text": {
			[]byte("id,lower,upper,size\n"), "byte 0: opcode INST would run code or name a class, which a snapshot never does",
		},
		"old":       {[]byte("\x80\x01}."), "byte 0: has protocol 1 of pickle: only 2 to 5 can be read"},
		"truncated": {traces(event("alloc", 1, 2, 0))[:40], "truncated or damaged"},
		"other":     {pickle([]any{1, 2}), "device_traces: is missing: this is not a snapshot of PyTorch's allocator"},
		"no list":   {pickle([]pair{{"device_traces", []any{1}}}), "device_traces 0: is not a list"},
		"nothing":   {traces(), "device_traces: has no allocation: was torch.cuda.memory._record_memory_history() called?"},
		"size":      {traces(event("alloc", 1, -2, 0)), `device_traces 0, event 0, size "-2": must be from 0 to`},
		"no size": {
			traces(event("alloc", 1, 2, 0), []pair{{"action", "alloc"}, {"addr", 1}, {"stream", 0}}),
			"device_traces 0, event 1, size: is not a 64-bit number",
		},
		"fraction": {
			traces([]pair{{"action", "free_completed"}, {"addr", 1.5}, {"size", 2}, {"stream", 0}}),
			"device_traces 0, event 0, addr: is not a 64-bit number",
		},
		"stream": {
			traces([]pair{{"action", "alloc"}, {"addr", 1}, {"size", 2}, {"stream", "0"}}),
			"device_traces 0, event 0, stream: is not a 64-bit number",
		},
		"segments": {
			traces(event("segment_alloc", 1, model.MaxSum, 0), event("segment_alloc", 1, model.MaxSum, 0)),
			"makes the segments exceed",
		},
		"reduce":   {[]byte("\x80\x04cos\nsystem\n(X\x02\x00\x00\x00lstR."), "byte 2: opcode GLOBAL would run code"},
		"global":   {[]byte("\x80\x04\x8c\x02os\x8c\x06system\x93."), "opcode STACK_GLOBAL would run code"},
		"no value": {[]byte("\x80\x04."), "finds no value"},
		"no mark":  {[]byte("\x80\x04}u."), "finds no mark"},
		"memo":     {[]byte("\x80\x04h\x05."), "memo 5 was never written"},
		"far memo": {[]byte("\x80\x04}q\x05."), "memo 5 comes before memo 0"},
		"append":   {[]byte("\x80\x04}Na."), "it appends to a value that is not a list"},
		"items":    {[]byte("\x80\x04]NNs."), "it sets items of a value that is not a dictionary"},
		"odd":      {[]byte("\x80\x04}(Nu."), "it sets items of a value that is not a dictionary"},
		"length":   {[]byte("\x80\x04X\xff\xff\xff\xffa."), "truncated or damaged"},
		"deep":     {[]byte("\x80\x04" + strings.Repeat("(", 5000)), "is nested more than 1024 deep"},
		"wide":     {[]byte("\x80\x04" + strings.Repeat("N", 300_000)), "it keeps more than 262144 values at once"},
		"unknown":  {[]byte("\x80\x04\x01."), "opcode 0x1 is unknown"},
		"below":    {[]byte("\x80\x04](a."), "finds no value"},
	} {
		_, err := Parse(test.data, "x")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), "x: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestHostile reads files that are made to take more than they should.
func TestHostile(t *testing.T) {
	lists := []byte("\x80\x04" + strings.Repeat("]0", 1<<20) + ".")
	// A list that holds itself, and a trace that is there a hundred thousand times.
	itself := []byte("\x80\x04}\x8c\x0ddevice_traces]\x94h\x00as.")
	many := []byte("\x80\x04}\x8c\x0ddevice_traces](](")
	p := pickler{memo: map[string]int{}}
	for range 100 {
		p.value(event("alloc", 1, 2, 0))
	}
	many = append(append(many, p.out...), 'e', 0x94, 'r')
	many = binary.LittleEndian.AppendUint32(many, uint32(p.next+1))
	many = append(many, []byte(strings.Repeat("2", 100_000)+"es.")...)
	for _, data := range [][]byte{lists, itself, many} {
		if mutate.Hold(t, data, func(data []byte) error { _, err := Parse(data, "x"); return err }) == nil {
			t.Errorf("it reads: %q", data[:50])
		}
	}
}

// TestMutated reads damaged files: 100,000 were read once.
func TestMutated(t *testing.T) {
	seeds := [][]byte{
		pickle(sample()), pickle([]pair{
			{"device_traces", []any{[]any{event("alloc", 1, 2, 3), event("free_completed", 1, 2, 3)}}},
		}),
	}
	mutate.Read(t, 3000, seeds, func(data []byte) error {
		_, err := Parse(data, "x")
		return err
	})
}

func FuzzParse(f *testing.F) {
	f.Add(pickle(sample()))
	f.Add([]byte("\x80\x04cos\nsystem\n(X\x02\x00\x00\x00lstR."))
	f.Fuzz(func(t *testing.T, data []byte) {
		heaps, err := Parse(data, "fuzzed")
		if err == nil && len(heaps) == 0 {
			t.Error("neither heaps nor an error")
		}
	})
}

// TestPython reads what Python's own pickler writes, in every protocol.
func TestPython(t *testing.T) {
	python := cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import pickle").Run(); err != nil {
		t.Skip("needs python3; set STOWAGE_PYTHON to an interpreter")
	}
	dir := t.TempDir()
	const script = `
import pickle, sys
def event(action, addr, size, stream=0):
    frames = [{"name": "forward", "filename": "model.py", "line": n} for n in range(20)]
    return {"action": action, "addr": addr, "size": size, "stream": stream, "time_us": 1 << 50, "frames": frames, "pool_id": (0, 0)}
base = 0x7f0000000000
trace = [event("segment_alloc", base, 1 << 21)]
for n in range(1000):
    trace.append(event("alloc", base + 512 * (n % 7), 100 + n))
    trace.append(event("free_requested", base + 512 * (n % 7), 100 + n))
    trace.append(event("free_completed", base + 512 * (n % 7), 100 + n))
snapshot = {"segments": [{"device": 0, "stream": 0, "total_size": 1 << 21, "address": base, "blocks": []}],
            "device_traces": [trace, []], "allocator_settings": {"a": 1.5, "b": True, "c": None}}
for protocol in range(2, 6):
    if protocol > 3:  # before, a set is a class
        snapshot["allocator_settings"].update(d=b"x", e={1, 2}, f=frozenset("x"))
    with open(f"{sys.argv[1]}/{protocol}.pickle", "wb") as f:
        pickle.dump(snapshot, f, protocol=protocol)
`
	if out, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"2", "3", "4", "5"} {
		f := must.Get(os.Open(filepath.Join(dir, name+".pickle")))(t)
		heaps, err := Read(f, name)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if p := heaps[0].Problem; len(p.Buffers) != 1000 || heaps[0].Reserved != 1<<21 || p.Buffers[999].Size != 1099 {
			t.Errorf("protocol %s: %d buffers, %d reserved", name, len(p.Buffers), heaps[0].Reserved)
		}
	}
}
