package session

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// leakMost is how much the heap may grow. What a session uses again grows to the largest call.
const leakMost = 512 << 10

// TestLeak makes many changes of one session, with marks, and compares the heap near the start and at the end. STOWAGE_CHANGES is how
// many: ten million take some minutes.
func TestLeak(t *testing.T) {
	changes := 40_000
	if text := os.Getenv("STOWAGE_CHANGES"); text != "" {
		var err error
		if changes, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	r := gen.NewRNG(1, "leak")
	s, err := Open(ctx, &model.Problem{Capacity: 1000}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	heap := func() (bytes, routines int) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc), runtime.NumGoroutine()
	}
	var first, threads int
	steps := map[string]int{}
	var mark Mark
	for k := range changes {
		if k == changes/10 {
			first, threads = heap()
		}
		switch k % 10 {
		case 0:
			mark = s.Mark()
		case 9:
			undo := s.Commit
			if r.Chance(0.3) {
				undo = s.Rollback
			}
			if err := undo(mark); err != nil {
				t.Fatal(err)
			}
		}
		n := int64(s.Len())
		b := model.Buffer{ID: "l" + strconv.Itoa(k), Lower: r.Below(100), Size: r.Within(1, 100)}
		b.Upper = b.Lower + r.Within(1, 20)
		if r.Chance(0.1) {
			b.Gaps = r.Gaps(&b, 0.5)
		}
		var a Answer
		var err error
		switch kind := r.Below(5); {
		case n < 20 || kind == 0 && n < 60:
			a, err = s.Add(ctx, b)
		case kind == 1 || n >= 60:
			a, err = Answer{Status: model.Feasible, Step: Keep}, s.Remove(s.p.Buffers[r.Below(n)].ID)
		case kind == 2:
			a, err = s.Replace(ctx, s.p.Buffers[r.Below(n)].ID, func(x *model.Buffer) { x.Size, x.Gaps = b.Size, nil })
		case kind == 3:
			a, err = s.Replace(ctx, s.p.Buffers[r.Below(n)].ID, func(x *model.Buffer) { x.Lower, x.Upper, x.Gaps = b.Lower, b.Upper, nil })
		default:
			a, err = s.Fits(ctx, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		steps[fmt.Sprint(a.Status, " ", a.Step)]++
	}
	last, left := heap()
	t.Logf("%d changes (%v): heap %d KiB after a tenth of them, %d KiB at the end; goroutines %d and %d", changes, steps, first>>10, last>>10, threads, left)
	if last > first+leakMost || left > threads {
		t.Errorf("the heap grew from %d to %d bytes, and the goroutines from %d to %d", first, last, threads, left)
	}
	if len(s.marks) == 0 && len(s.journal) > 0 {
		t.Errorf("%d entries of the journal are left", len(s.journal))
	}
}
