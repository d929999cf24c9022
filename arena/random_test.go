package arena_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// drawn makes a trace of one thread, whose steps have a few shapes. An allocation is freed after a number of later
// allocations: within its step, in a later step of any shape, between steps, or never. Sometimes this number varies from
// step to step. Another stream uses some of the allocations.
func drawn(r *rand.Rand) *trace.Trace {
	type sort struct {
		size        int64
		stream, use uint64
		life        int // allocations until its free; -1 for never
	}
	shapes := make([][]sort, 1+r.IntN(3))
	for i := range shapes {
		for k := range 1 + r.IntN(8) {
			s := sort{size: 1 + r.Int64N(999), stream: r.Uint64N(2) * r.Uint64N(2), life: r.IntN(6)}
			if k == 0 {
				s.size = int64(2000 + i) // tells the shapes apart
			}
			s.use = s.stream
			if r.IntN(6) == 0 {
				s.use = 7
			}
			if r.IntN(10) == 0 {
				s.life = r.IntN(20) - 1
			}
			shapes[i] = append(shapes[i], s)
		}
	}
	t := &trace.Trace{Names: []string{""}}
	at, number := 0, int64(0)
	due := map[int64]int{}
	free := func() {
		for id := range number {
			if when, ok := due[id]; ok && when <= at {
				delete(due, id)
				t.Events = append(t.Events, trace.Event{Kind: trace.Free, N: id})
			}
		}
		if r.IntN(8) == 0 {
			t.Events = append(t.Events, trace.Event{Kind: trace.Wait, Waiter: []uint64{0, 1, trace.Every}[r.IntN(3)], Stream: 7})
		}
	}
	for range 3 + r.IntN(8) {
		shape := shapes[r.IntN(len(shapes))]
		t.Events = append(t.Events, trace.Event{Kind: trace.Begin, Level: 1})
		for _, s := range shape {
			free()
			t.Events = append(t.Events, trace.Event{Kind: trace.Alloc, N: s.size, Shift: 6, Stream: s.stream})
			if s.use != s.stream {
				t.Events = append(t.Events, trace.Event{Kind: trace.Use, N: number, Stream: s.use})
			}
			at++
			if s.life >= 0 {
				due[number] = at + s.life
				if r.IntN(20) == 0 {
					due[number]++
				}
			}
			number++
		}
		if r.IntN(2) == 0 {
			free()
		}
		t.Events = append(t.Events, trace.Event{Kind: trace.End, Level: 1})
		if r.IntN(2) == 0 {
			free()
		}
	}
	return t
}

// TestDrawn plays traces drawn at random by their own plans, in C. Nothing misses and nothing is refused, so no
// lifespan is too short. The arena keeps the bytes that the plan names.
func TestDrawn(t *testing.T) {
	needCC(t)
	dir := t.TempDir()
	served := 0
	for seed := range uint64(60) {
		r := drawn(rand.New(rand.NewPCG(seed, 1)))
		plans, err := arena.Make(context.Background(), r, arena.Options{All: true, Solve: stowage.Options{NodeLimit: 20_000}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var b bytes.Buffer
		must.Do(t, trace.WriteTrace(&b, r))
		from, plan := filepath.Join(dir, "a.trace"), filepath.Join(dir, "a.plan")
		must.Do(t, os.WriteFile(from, b.Bytes(), 0o644))
		write(t, plan, plans)
		all, kept := 0, 0
		for i := range plans {
			n, k := plans[i].Count()
			all, kept = all+n*plans[i].Times, kept+k*plans[i].Times
		}
		var got [5]int
		out := call(t, plain, "", "serve", from, plan, "1")
		if _, err := fmt.Sscanf(out, "served %d missed %d refused %d kept %d outside %d", &got[0], &got[1], &got[2],
			&got[3], &got[4]); err != nil {
			t.Fatal(err)
		}
		if want := [5]int{all - kept, 0, 0, kept, 0}; got != want {
			t.Errorf("seed %d: served, missed, refused, kept, outside are %v, want %v", seed, got, want)
		}
		served += got[0]
	}
	if served < 1000 {
		t.Errorf("%d allocations were served", served)
	}
}
