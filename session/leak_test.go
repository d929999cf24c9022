package session

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// leakMost is how much the heap may grow. What a session uses again grows to the largest call.
const leakMost = 512 << 10

// leak makes many changes of one session, with marks, and compares the heap near the start and at the end. change makes
// one; it gets a buffer that may come. STOWAGE_CHANGES is how many; without it there are few.
func leak(t *testing.T, s *Session, r *gen.RNG, few int, change func(b model.Buffer) (Answer, error)) {
	t.Helper()
	changes := few
	if text := os.Getenv("STOWAGE_CHANGES"); text != "" {
		var err error
		if changes, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
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
			must.Do(t, undo(mark))
		}
		b := model.Buffer{ID: "l" + strconv.Itoa(k), Lower: r.Below(100), Size: r.Within(1, 100)}
		b.Upper = b.Lower + r.Within(1, 20)
		if r.Chance(0.1) {
			b.Gaps = r.Gaps(&b, 0.5)
		}
		a := must.Get(change(b))(t)
		steps[fmt.Sprint(a.Status, " ", a.Step)]++
	}
	last, left := heap()
	t.Logf("%d changes (%v): heap %d KiB after a tenth of them, %d KiB at the end; goroutines %d and %d",
		changes, steps, first>>10, last>>10, threads, left)
	if last > first+leakMost || left > threads {
		t.Errorf("the heap grew from %d to %d bytes, and the goroutines from %d to %d", first, last, threads, left)
	}
}

// TestLeak makes many changes of a session without rules. Ten million take some minutes.
func TestLeak(t *testing.T) {
	ctx := context.Background()
	r := gen.NewRNG(1, "leak")
	s := must.Get(Open(ctx, &model.Problem{Capacity: 1000}, nil, Options{}))(t)
	leak(t, s, r, 40_000, func(b model.Buffer) (Answer, error) {
		n := int64(s.Len())
		switch kind := r.Below(5); {
		case n < 20 || kind == 0 && n < 60:
			return s.Add(ctx, b)
		case kind == 1 || n >= 60:
			return Answer{Status: model.Feasible, Step: Keep}, s.Remove(s.p.Buffers[r.Below(n)].ID)
		case kind == 2:
			return s.Replace(ctx, s.p.Buffers[r.Below(n)].ID, func(x *model.Buffer) { x.Size, x.Gaps = b.Size, nil })
		case kind == 3:
			return s.Replace(ctx, s.p.Buffers[r.Below(n)].ID, func(x *model.Buffer) {
				x.Lower, x.Upper, x.Gaps = b.Lower, b.Upper, nil
			})
		}
		return s.Fits(ctx, b)
	})
	if len(s.marks) == 0 && len(s.journal) > 0 {
		t.Errorf("%d entries of the journal are left", len(s.journal))
	}
}

// TestLeakRules is TestLeak for a session with two pools and rules that come and go. A million changes take some
// minutes.
func TestLeakRules(t *testing.T) {
	ctx := context.Background()
	r := gen.NewRNG(1, "leak rules")
	fast := model.Pool{ID: "fast", Capacity: 600, Alignment: 2}
	slow := model.Pool{ID: "slow", Capacity: 1000, Reserved: []model.Range{{Lower: 8, Upper: 16}}}
	pools := []model.Pool{fast, slow}
	s, err := Open(ctx, &model.Problem{Rules: &model.Rules{Pools: pools}}, nil, Options{Effort: Repair, NodeLimit: 20})
	if err != nil {
		t.Fatal(err)
	}
	any := func() string { return s.p.Buffers[r.Below(int64(s.Len()))].ID }
	// rule draws a rule about two buffers. If it is about their distance, the first one is moved to where they meet.
	rule := func(b *model.Buffer, other string) Rules {
		pair := [2]string{b.ID, other}
		switch kind := r.Below(8); {
		case kind < 2:
			return Rules{Apart: [][2]string{pair}}
		case kind < 4:
			return Rules{MayOverlap: [][2]string{pair}}
		case kind < 6:
			return Rules{Together: []Tie{{Buffers: pair[:], At: []int64{0, 2 * r.Below(60)}}}}
		}
		x, _, _ := s.Buffer(other)
		*b = model.Buffer{ID: b.ID, Size: b.Size, Lower: x.Upper - 1, Upper: x.Upper + r.Within(0, 20)}
		return Rules{Distances: []Distance{{First: other, Second: b.ID, Bytes: r.Within(-20, 20)}}}
	}
	seen := map[string]int{}
	leak(t, s, r, 3_000, func(b model.Buffer) (a Answer, err error) {
		n, rules := int64(s.Len()), s.p.Rules
		if r.Chance(0.3) {
			b.Extra = &model.Extra{Pools: []int32{int32(r.Below(2))}}
		}
		kind, effort := r.Below(10), None
		if r.Chance(0.005) {
			effort = Fresh
		}
		switch {
		case n < 15 || n > 40:
			kind = n / 20 // 0 and 2
		case len(rules.Together)+len(rules.Apart)+len(rules.MayOverlap)+len(rules.Distances) > 20:
			kind = 4
		}
		seen[[]string{"place", "fits", "remove", "bind", "unbind", "resize", "retime", "pin", "limit", "replan"}[kind]]++
		switch kind {
		case 0, 1:
			var with Rules
			if n > 1 {
				with = rule(&b, any())
			}
			if kind == 0 {
				a, err = s.PlaceWith(ctx, []model.Buffer{b}, with, effort)
			} else {
				a, err = s.FitsWith(ctx, []model.Buffer{b}, with)
			}
		case 2:
			return Answer{Status: model.Feasible, Step: Keep}, s.Remove(any())
		case 3:
			x := s.p.Buffers[r.Below(n)]
			a, err = s.Bind(ctx, rule(&x, any()))
		case 4:
			a, err = drawUnbind(r, naiveOf(&s.p)).call(ctx, s)
		case 5:
			a, err = s.Resize(ctx, any(), b.Size)
		case 6:
			a, err = s.Replace(ctx, any(), func(x *model.Buffer) { x.Lower, x.Upper, x.Gaps = b.Lower, b.Upper, nil })
		case 7:
			id := any()
			if x, at, _ := s.Buffer(id); x.Fixed != nil {
				a, err = Answer{Status: model.Feasible, Step: Keep}, s.Unpin(id)
			} else {
				pool, _ := s.PoolOf(id)
				a, err = s.PinIn(ctx, id, pool, at)
			}
		case 8:
			a, err = s.LimitPool(ctx, int32(r.Below(2)), r.Within(600, 1500))
		default:
			a, err = s.Replan(ctx, 0, effort)
		}
		if _, bad := err.(*model.InputError); bad { // of rules that contradict each other
			seen["refused"]++
			err = nil
		}
		return a, err
	})
	t.Log(seen)
	if os.Getenv("STOWAGE_CHANGES") == "" && seen["unbind"] < 10 || len(s.marks) > 1 {
		t.Errorf("calls %v, %d marks", seen, len(s.marks))
	}
}
