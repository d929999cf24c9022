package milp

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/lab/milp/third_party/highs"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

const endlessVariable = "STOWAGE_TEST_ENDLESS"

// TestEndlessLoop solves what HiGHS does not come back from, in a process of its own: where
// a loop cannot be interrupted, no timer of that process ends it.
func TestEndlessLoop(t *testing.T) {
	if os.Getenv(endlessVariable) != "" {
		endless(t)
		return
	}
	// The module may have to be compiled first.
	if err := load(context.Background(), defaultCache()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestEndlessLoop$", "-test.v")
	child.Env = append(os.Environ(), endlessVariable+"=1")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestEndlessLoop") {
		t.Errorf("%v\n%s", err, out)
	}
}

func endless(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 1, Upper: 2, Size: 9},
		{ID: "b", Lower: 0, Upper: 2, Size: 36, Alignment: 1 << 31},
		{ID: "c", Lower: 1, Upper: 2, Size: 126},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for range 2 {
		if _, err := (planner{}).Plan(ctx, timeline.New(p),
			plan.Options{Capacity: model.MaxSum, Minimize: true}); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
}

func TestLooksRefuse(t *testing.T) {
	for _, tc := range []struct{ module, wrong string }{
		{"", "cut off"},
		{"\x00asm\x02\x00\x00\x00", "this is not a module"},
		{string(highs.Wasm[:len(highs.Wasm)/2]), "cut off"},
		{"\x00asm\x01\x00\x00\x00\x0a\x01\x00", "no clock"},
	} {
		if _, err := withLooks([]byte(tc.module)); err == nil || !strings.Contains(err.Error(), tc.wrong) {
			t.Errorf("%d bytes: %v, want %q", len(tc.module), err, tc.wrong)
		}
	}
	if out, err := withLooks(highs.Wasm); err != nil || len(out) < len(highs.Wasm)*101/100 {
		t.Errorf("%d bytes of %d: %v", len(out), len(highs.Wasm), err)
	}
}
