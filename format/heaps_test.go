package format

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/verify"
)

const (
	xlaText = `BufferAssignment:
allocation 2: size 192, preallocated-temp:
 value: <1 dot @0> (size=100,offset=0): f32[25]{0}
 value: <2 tanh @0> (size=100,offset=0): f32[25]{0}
 value: <3 add @0> (size=64,offset=128): f32[16]{0}
`
	xlaRanges = `HloLiveRange (max 9):
  BufferLiveRange:
    dot{}:1-2
    tanh{}:2-5
    add{}:4-8
`
	ggmlText = "ggml_dyn_tallocr_alloc: allocating x (64 bytes) - block 0, offset 0, chunk 0\nreusing parent x for y\nexec: ADD (y) <= x\n"
	ireeText = `// -----// IR Dump Before LayoutSlicesPass: iree-stream-layout-slices //----- //
util.func public @main() {
  %c64 = arith.constant 64 : index
  %1:2 = stream.resource.pack slices({
    [0, 1] = %c64
  }) : index
  %2:4 = stream.resource.pack slices({
    [0, 1] = %c64,
    [1, 2] = %c64,
    [1, 2] = %n
  }) : index
}
`
	inductorText = `# AOT ID: ['0_inference']
        buf0 = alloc_from_pool(pool0, 0, torch.float32, (4, ), (1, ))
        buf1 = alloc_from_pool(pool1, 64, torch.float32, (8, ), (1, ))
        buf2 = alloc_from_pool(pool1, 0, torch.float32, (s0, ), (1, ))
        return (buf0, buf1, buf2)
`
	// A pickle of one block that is allocated and never freed.
	snapshot = "\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x05\x8c\x04sizeK\x64\x8c\x06streamK\x00ueeu."
)

// xlaProto is an HloProto of two heaps, each of one buffer.
func xlaProto() string {
	number := func(b []byte, field protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
	}
	put := func(b []byte, field protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
	}
	var a []byte
	for k := range uint64(2) {
		a = put(a, 1, number(number(nil, 1, k), 2, 64*(k+1)))
		a = put(a, 3, put(number(nil, 1, 7+k), 9, number(nil, 1, k)))
		a = put(a, 4, put(nil, 1, number(nil, 2, k)))
	}
	return string(put(put(nil, 1, put(nil, 1, []byte("jit_f"))), 3, a))
}

// TestDumps reads each kind of dump by name and by content.
func TestDumps(t *testing.T) {
	for _, test := range []struct {
		name, text string
		kind       Kind
		heap       string
		heaps      []string
		ids        string
		note       string
	}{
		{"m.hlo.pb", xlaProto(), XLA, "", []string{"7", "8"}, "buffer 1", "this is heap 8, the one with the largest load. There are 7, 8; --heap selects one"},
		{"m", xlaProto(), XLA, "7", []string{"7", "8"}, "buffer 0", ""},
		{"m-buffer-assignment.txt", xlaText, XLA, "", []string{"2"}, "dot add", ""},
		{"m", strings.Replace(xlaText, "allocation 2", "allocation 0: size 8, constant:\nallocation 2",
			1) + "\n" + xlaRanges, XLA, "", []string{"2"}, "dot add", ""},
		{"m.mlir", ireeText, IREE, "", []string{"main:%1", "main:%2"}, "%2#1 %2#2", "this is heap main:%2, the one with the largest load. There are main:%1, main:%2; --heap selects one\n1 of its slices are left out: their sizes are known only at run time"},
		{"m", ireeText, IREE, "main:%1", []string{"main:%1", "main:%2"}, "%1#1", ""},
		{"m.ggml-log", ggmlText, GGML, "", []string{"0"}, "x", "1 results lie over an operand, as ggml decided"},
		{"m", ggmlText, GGML, "0", []string{"0"}, "x", "1 results lie over an operand, as ggml decided"},
		{"m.py", inductorText, Inductor, "", []string{"pool0", "pool1"}, "buf1", "this is heap pool1, the one with the largest load. There are pool0, pool1; --heap selects one\n1 of its buffers are left out: their sizes are known only at run time"},
		{"m", inductorText, Inductor, "pool0", []string{"pool0", "pool1"}, "buf0", ""},
		{"m.pickle", snapshot, CUDA, "", []string{"0:0"}, "alloc 0", "the allocator reserved at most 0 bytes for this stream"},
		{"m", snapshot, CUDA, "0:0", []string{"0:0"}, "alloc 0", "the allocator reserved at most 0 bytes for this stream"},
	} {
		path := put(t, test.name, test.text)
		if strings.HasSuffix(path, "-buffer-assignment.txt") {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "m-live-range.txt"), []byte(xlaRanges), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f, err := ReadFileWith(path, Options{Heap: test.heap})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var ids []string
		for _, b := range f.Problem.Buffers {
			ids = append(ids, b.ID)
		}
		if notes := strings.Join(f.Notes, "\n"); f.Kind != test.kind || !slices.Equal(f.Heaps, test.heaps) ||
			strings.Join(ids, " ") != test.ids || notes != test.note {
			t.Errorf("%s, heap %q: %s, heaps %q, buffers %q, notes %q", test.name, test.heap, f.Kind, f.Heaps, ids, notes)
		}
		if f.Kind.Model() || !f.Kind.Dump() || f.Problem.Name == "" {
			t.Errorf("%s: name %q", test.name, f.Problem.Name)
		}
		if f.Plan != nil {
			if r := verify.Check(f.Problem, f.Plan.Offsets, 0); !r.OK() || r.Height != f.Plan.Height {
				t.Errorf("%s: XLA's plan: %v", test.name, r.Violations)
			}
		} else if test.kind == XLA && test.name != "m.hlo.pb" && test.heap == "" {
			t.Errorf("%s: XLA's plan is not there", test.name)
		}
	}
}

// TestManyHeaps reads a dump of many heaps within the limits of a reader.
func TestManyHeaps(t *testing.T) {
	var b strings.Builder
	b.WriteString("util.func public @main() {\n%c64 = arith.constant 64 : index\n")
	for i := range 40000 {
		fmt.Fprintf(&b, "%%p%d = stream.resource.pack slices({\n [0, 1] = %%c64\n}) : index\n", i)
	}
	err := mutate.Hold(t, []byte(b.String()), func(data []byte) error {
		f, err := rowOf(IREE).problem(bytes.NewReader(data), "many", Options{})
		if err == nil && len(f.Heaps) != 40000 {
			t.Errorf("%d heaps", len(f.Heaps))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDumpsFail(t *testing.T) {
	for _, test := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"m.hlo.pb", xlaProto(), Options{Heap: "9"}, ` heap "9": is not in this file: there are 7, 8`},
		{"m.pickle", snapshot, Options{Heap: "1:0"}, ` heap "1:0": is not in this file: there is 0:0`},
		{"m.csv", csvText, Options{Heap: "9"}, "is CSV, which has no heaps to choose from"},
		{"m.mlir", ireeText, Options{Alignment: 4}, "is a dump of IREE, which takes no option for a dimension, value, shape, size or alignment"},
		{"m-buffer-assignment.txt", xlaText, Options{}, ":1: has no live ranges"},
		{"m", "Memory Space: default (color=0)\n", Options{}, ":1: \"Memory Space: default (color=0)\": is not a buffer assignment"},
		{"m.pb", "", Options{}, ": has no buffer assignment"},
	} {
		path := put(t, test.name, test.text)
		if _, err := ReadFileWith(path, test.o); err == nil || !strings.HasPrefix(err.Error(), path+":") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	if _, err := ReadPlan(put(t, "m.hlo.pb", xlaProto()), nil); err == nil ||
		!strings.Contains(err.Error(), "is a dump of XLA, not a plan") {
		t.Errorf("as a plan: %v", err)
	}
}
