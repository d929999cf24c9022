package iree

import (
	"errors"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/model"
)

// dump is what IREE prints, shortened.
const dump = `// -----// IR Dump Before LayoutSlicesPass: iree-stream-layout-slices //----- //
util.func public @main(%arg0: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub} {
  %c57600 = arith.constant 57600 : index
  %c0 = arith.constant 0 : index
  %cst = arith.constant 5.000000e-01 : f32
  %2 = arith.muli %1, %c57600 : index
  %4:2 = stream.resource.pack on(#hal.device.affinity<@__device_0>) slices({
    [0, 0] = %2
  }) : index
  %result, %result_timepoint = stream.resource.alloca uninitialized : !stream.resource<external>{%4#0} => !stream.timepoint
  %7:6 = stream.resource.pack on(#hal.device.affinity<@__device_0>) slices({
    [0, 6] = %c57600,
    [1, 3] = %2,
    [2, 4] = %c0,

    [5, 6] = %c57600
  }) : index
}

// -----// IR Dump Before LayoutSlicesPass: iree-stream-layout-slices //----- //
util.initializer {
  %2 = arith.constant 64 : index
  %7:2 = stream.resource.pack slices({
    [3, 4] = %2
  }) : index
  %7:2 = stream.resource.pack slices({
    [-3, 4] = %2
  }) : index
  %2:2 = util.call @f()
  %8:2 = stream.resource.pack slices({
    [3, 4] = %2
  }) : index
}
`

func TestRead(t *testing.T) {
	got := must.Get(Read(strings.NewReader(dump), "x.mlir"))(t)
	const again = "initializer:%7 in line 26"
	want := []Pack{
		{"main:%7", &model.Problem{Name: "main:%7", Buffers: []model.Buffer{
			{ID: "%7#1", Lower: 0, Upper: 7, Size: 57600, Alignment: 64},
			{ID: "%7#4", Lower: 5, Upper: 7, Size: 57600, Alignment: 64},
		}}, 1},
		{"initializer:%7", &model.Problem{
			Name: "initializer:%7", Buffers: []model.Buffer{{ID: "%7#1", Lower: 3, Upper: 5, Size: 64, Alignment: 64}},
		}, 0},
		{again, &model.Problem{
			Name: again, Buffers: []model.Buffer{{ID: "%7#1", Lower: -3, Upper: 5, Size: 64, Alignment: 64}},
		}, 0},
		{"initializer:%8", &model.Problem{
			Name: "initializer:%8", Buffers: []model.Buffer{{ID: "%8#1", Lower: 3, Upper: 5, Size: 64, Alignment: 64}},
		}, 0},
	}
	if diff := godiff.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !IsDump([]byte(dump[:16])) || IsDump([]byte("id,lower")) {
		t.Error("dumps are told wrongly")
	}
}

func TestFaults(t *testing.T) {
	const head = "util.func @f() {\n%c = arith.constant 8 : index\n%7:2 = stream.resource.pack slices({\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":   {"", "x:1: has no stream.resource.pack: IREE has one with --compile-to=stream"},
		"dynamic": {head + "[0, 1] = %d\n})", "x:1: has no slice whose size is known before run time"},
		"open":    {head + "[0, 1] = %c\n", "ends within the slices of f:%7"},
		"slice":   {head + "[0] = %c\n})", `x:4: "[0] = %c": is not a slice: expected [START, END] = %SIZE`},
		"end":     {head + "[0, 9223372036854775807] = %c\n})", "is not a slice"},
		"reversed": {
			head + "[2, 1] = %c\n})", `x:4: "[2, 1] = %c": is not a slice: expected [START, END] = %SIZE, where END is at least START`,
		},
		"size": {strings.Replace(head, "8", "-8", 1) + "[0, 1] = %c\n})", `x:4: "%c": is -8: a size must be from 0 to`},
		"inline": {
			"%7:2 = stream.resource.pack slices({ [0, 1] = %c }) : index\n",
			"x:1: \"stream.resource.pack slices({ [0, 1] = %c }) : index\": is not a pack",
		},
		"binary": {"\x00", "is not text"},
	} {
		_, err := Read(strings.NewReader(test.text), "x")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestMutated reads damaged files: 100,000 were read once.
func TestMutated(t *testing.T) {
	many := "%c = arith.constant 8 : index\n%7:2 = stream.resource.pack slices({\n" + strings.Repeat("[0, 1] = %c,\n",
		2000) + "})\n"
	mutate.Read(t, 3000, [][]byte{
		[]byte(dump), []byte(many), []byte(strings.Repeat("%4:2 = stream.resource.pack slices({\n})\n", 1000) + dump),
	}, func(data []byte) error {
		_, err := Read(strings.NewReader(string(data)), "x")
		return err
	})
}

func FuzzRead(f *testing.F) {
	f.Add(dump)
	f.Fuzz(func(t *testing.T, text string) {
		packs, err := Read(strings.NewReader(text), "fuzzed")
		if err == nil && len(packs) == 0 {
			t.Error("neither packs nor an error")
		}
	})
}
