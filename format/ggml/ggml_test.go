package ggml

import (
	"errors"
	"os"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// log is what ggml prints for two graphs, shortened.
const log = `ggml_dyn_tallocr_alloc: allocating x (128 bytes) - block 0, offset 0, chunk 0
ggml_dyn_tallocr_alloc: allocating a (b) (64 bytes) - block 0, offset 128, chunk 0
exec: MUL_MAT (a (b)) <= w, x
parent x: 0 children, 0 views, allocated: 1
ggml_gallocr_free_node: freeing x at {chunk=0, offset=0} (100 bytes) - n_free_blocks = 1

reusing parent a (b) for y
freeing extra 32 bytes from parent a (b) for y
exec: ADD (y) <= a (b)
ggml_dyn_tallocr_alloc: allocating  (cont) (96 bytes) - block 0, offset 0, chunk 0
ggml_dyn_tallocr_alloc: allocating  (cont) (32 bytes) - block 0, offset 96, chunk 0
reusing view parent  (cont) (view) ( (cont)) for z
exec: CONT (z) <= y
ggml_gallocr_free_node: freeing  (cont) at {chunk=0, offset=0} (96 bytes) - n_free_blocks = 1
exec: ADD (out) <= y
ggml_dyn_tallocr_alloc: allocating out (64 bytes) - block 0, offset 96
exec: ADD (out) <= y
`

func TestRead(t *testing.T) {
	got := must.Get(Read(strings.NewReader(log), "x"))(t)
	window := &model.Window{Upper: 32}
	want := []Graph{
		{"0", &model.Problem{Name: "graph 0", Buffers: []model.Buffer{
			{ID: "x", Lower: 0, Upper: 1, Size: 128, Alignment: 32},
			{ID: "a (b)", Lower: 0, Upper: 4, Size: 64, Alignment: 32, Gaps: []model.Gap{{Lower: 1, Upper: 4, Window: window}}},
			{ID: " (cont)", Lower: 2, Upper: 3, Size: 96, Alignment: 32},
			{ID: " (cont)#2", Lower: 2, Upper: 4, Size: 32, Alignment: 32},
		}}, []int64{0, 128, 0, 96}, 2},
		{"1", &model.Problem{
			Name: "graph 1", Buffers: []model.Buffer{{ID: "out", Lower: 0, Upper: 1, Size: 64, Alignment: 32}},
		}, []int64{96}, 0},
	}
	if diff := godiff.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !IsLog([]byte(log[:40])) || IsLog([]byte("id,lower")) {
		t.Error("logs are told wrongly")
	}
}

// TestChunks reads blocks of several chunks: their offsets are no plan.
func TestChunks(t *testing.T) {
	two := "ggml_dyn_tallocr_alloc: allocating x (48 bytes) - block 0, offset 0, chunk 0\n" +
		"ggml_dyn_tallocr_alloc: allocating y (64 bytes) - block 0, offset 0, chunk 1\n"
	got, err := Read(strings.NewReader(two), "x")
	if err != nil || len(got) != 1 || got[0].Offsets != nil || len(got[0].Problem.Buffers) != 2 ||
		got[0].Problem.Buffers[1].Alignment != 16 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestWhisper reads the log of an encoder of Whisper at small sizes (lab/bench/ggml/run.sh). ggml_gallocr took 104,000
// bytes.
func TestWhisper(t *testing.T) {
	f := must.Get(os.Open("testdata/whisper.ggml-log"))(t)
	defer f.Close()
	graphs, err := Read(f, "whisper")
	if err != nil || len(graphs) != 1 {
		t.Fatalf("%d graphs, %v", len(graphs), err)
	}
	g := graphs[0]
	must.Do(t, model.Validate(g.Problem))
	if report := verify.CheckHeight(g.Problem, g.Offsets, 0, 104_000); !report.OK() || len(g.Offsets) != 45 ||
		g.InPlace != 47 {
		t.Errorf("%d buffers, %d in place, %v", len(g.Offsets), g.InPlace, report.Violations)
	}
}

func TestFaults(t *testing.T) {
	const alloc = "ggml_dyn_tallocr_alloc: allocating x (64 bytes) - block 0, offset 0, chunk 0\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty": {"", `x:1: has no line of ggml's graph allocator: it begins with "ggml_dyn_tallocr_alloc: allocating"`},
		"form": {
			"ggml_dyn_tallocr_alloc: allocating x (64 bytes)",
			"x:1: \"ggml_dyn_tallocr_alloc: allocating x (64 bytes)\": is not of the form ggml_dyn_tallocr_alloc: allocating NAME",
		},
		"size":     {strings.Replace(alloc, "64", "-64", 1), "is not of the form"},
		"zero":     {strings.Replace(alloc, "64", "0", 1), "is not of the form"},
		"overflow": {strings.Replace(alloc, "offset 0", "offset 9223372036854775807", 1), "is not of the form"},
		"free":     {alloc + "ggml_gallocr_free_node: freeing x", "x:2: "},
		"unknown": {
			alloc + "ggml_gallocr_free_node: freeing y at {chunk=0, offset=64} (64 bytes) - n_free_blocks = 1",
			"frees a block that is not live: the log is of several backends at once, or is not whole",
		},
		"reuse": {alloc + "reusing x", "x:2: \"reusing x\": is not of the form reusing parent NAME for NAME"},
		"extra": {
			alloc + "freeing extra 64 bytes from parent x for x",
			"is about a block that is not known, or has no more bytes than that",
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

// TestMutated reads damaged files.
func TestMutated(t *testing.T) {
	mutate.Read(t, 3000, [][]byte{[]byte(log), []byte(strings.Repeat(log, 30))}, func(data []byte) error {
		graphs, err := Read(strings.NewReader(string(data)), "x")
		for _, g := range graphs {
			if fault := model.Validate(g.Problem); fault != nil {
				t.Errorf("%v\n%s", fault, data)
			}
		}
		return err
	})
}

func FuzzRead(f *testing.F) {
	f.Add(log)
	f.Fuzz(func(t *testing.T, text string) {
		graphs, err := Read(strings.NewReader(text), "fuzzed")
		if err == nil && len(graphs) == 0 {
			t.Error("neither graphs nor an error")
		}
		for _, g := range graphs {
			if fault := model.Validate(g.Problem); fault != nil {
				t.Error(fault)
			}
		}
	})
}
