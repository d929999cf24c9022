package gen

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestRuledStable is TestStable for the kinds with rules.
func TestRuledStable(t *testing.T) {
	var s strings.Builder
	for _, k := range Ruled() {
		all := []Options{{}, {Seed: 1, Threads: 8}, {Threads: 1, Buffers: 5}}
		for _, pattern := range patterns {
			if k.Name == "clocks" {
				all = append(all, Options{Pattern: pattern, Buffers: 64})
			}
		}
		for _, o := range all {
			in := must.Get(New(k.Name, o))(t)
			h := fnv.New64a()
			for _, b := range in.Problem.Buffers {
				fmt.Fprintln(h, b.ID, b.Extra.Clocks.Lower, b.Extra.Clocks.Upper, b.Size)
			}
			p := in.Problem
			fmt.Fprintf(&s, "%s %s %s %d buffers %d threads %016x\n", k.Name, p.Name, o.Pattern, len(p.Buffers),
				p.Rules.Threads, h.Sum64())
		}
	}
	golden.File(t, "testdata/ruled.txt", []byte(s.String()))
}

// TestPatterns looks at what threads know after a step.
func TestPatterns(t *testing.T) {
	const threads, steps = 6, 4 * syncPeriod
	shots := func(pattern string) [][][]int64 { return NewRNG(1, "test").run(pattern, threads, steps) }
	// equal returns how many threads know the same after a step, the first included.
	equal := func(shots [][][]int64, step int) (n int) {
		for _, of := range shots {
			if slices.Equal(of[step-1], shots[0][step-1]) {
				n++
			}
		}
		return n
	}
	for pattern, want := range map[string]map[int]int{ // step: threads that know the same as the first
		"independent": {syncPeriod: 1, steps: 1},
		"pairs":       {syncPeriod - 1: 1, syncPeriod: 2, syncPeriod + 1: 1, steps: 2},
		"subset":      {syncPeriod: 3, steps: 3},
		"groups":      {syncPeriod: 2, steps - 1: 1, steps: 6},
		"tree":        {syncPeriod: 2, 2 * syncPeriod: 4, 3 * syncPeriod: 6, 4 * syncPeriod: 2},
		"barrier":     {syncPeriod - 1: 1, syncPeriod: 6, syncPeriod + 1: 1, steps: 6},
	} {
		of := shots(pattern)
		for step, n := range want {
			if got := equal(of, step); got != n {
				t.Errorf("%s: after step %d %d threads know the same, want %d", pattern, step, got, n)
			}
		}
	}
	// 1 told 2 in step 1, and 2 told 3 in step 2.
	if got := shots("ring")[3][2]; got[3] != 3 || got[2] != 2 || got[1] != 1 || got[0] != 0 {
		t.Errorf("ring: thread 3 knows %v after step 3", got)
	}
	fork := shots("fork_join")
	if begin, end := fork[5][0], fork[0][syncPeriod-1]; begin[0] != 1 || end[5] != syncPeriod {
		t.Errorf("fork_join: %v at the begin, %v at the end", begin, end)
	}
	for _, pattern := range []string{"sparse", "irregular", "dense"} {
		of := shots(pattern)
		told := 0
		for at := range of {
			for k, step := range of[at][steps-1] {
				if k != at && step > 0 {
					told++
				}
				if step > of[k][steps-1][k] || k == at && step != steps {
					t.Fatalf("%s: thread %d knows step %d of thread %d", pattern, at, step, k)
				}
			}
		}
		if least := map[string]int{"sparse": 3, "irregular": 3, "dense": 30}[pattern]; told < least ||
			told > threads*(threads-1) {
			t.Errorf("%s: %d of the threads' pairs know of one another", pattern, told)
		}
	}
}

// TestClockTiling checks the plan that comes along, and that the buffers of step 0 conflict and fill the capacity.
func TestClockTiling(t *testing.T) {
	for seed := range uint64(40) {
		o := Options{
			Seed: seed, Threads: 1 + int64(seed)%5, Buffers: 5 + int(seed)*3, Messages: 1 + int64(seed)*5, Horizon: 400,
		}
		o.Capacity = 1000 * o.Threads
		in := must.Get(New("clock-tiling", o))(t)
		p := in.Problem
		if len(p.Buffers) != o.Buffers || in.Optimum != o.Capacity {
			t.Fatalf("seed %d: %d buffers, optimum %d", seed, len(p.Buffers), in.Optimum)
		}
		if r := verify.CheckPlan(p, &model.Plan{Offsets: in.Offsets, Height: in.Optimum}); !r.OK() {
			t.Fatalf("seed %d: %s", seed, r.Violations[0].Message)
		}
		var first []*model.Buffer
		size := int64(0)
		for i := range p.Buffers {
			if b := &p.Buffers[i]; !slices.ContainsFunc(b.Extra.Clocks.Lower, func(v int64) bool { return v > 0 }) {
				first, size = append(first, b), size+b.Size
			}
		}
		for _, a := range first {
			for _, b := range first {
				if a != b && a.Extra.Clocks.Before(b.Extra.Clocks) {
					t.Errorf("seed %d: %s is over before %s", seed, a.ID, b.ID)
				}
			}
		}
		if size != o.Capacity {
			t.Errorf("seed %d: the buffers of step 0 have %d bytes of %d", seed, size, o.Capacity)
		}
	}
}

func TestClockOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`clocks: pattern "rings": must be one of independent, pairs`: {Pattern: "rings"},
		"clocks: threads 65: must be from 1 to 64":                   {Threads: 65},
		"clocks: horizon 1: must be at least 2":                      {Horizon: 1},
		"clocks: takes no messages":                                  {Messages: 4},
	} {
		if _, err := New("clocks", o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for want, o := range map[string]Options{
		"clock-tiling: capacity 1000: must be a multiple of the 3 threads": {Threads: 3, Capacity: 1000},
		"clock-tiling: buffers 3: must be at least one a thread, 4":        {Threads: 4, Buffers: 3},
		"clock-tiling: messages 50: must be below the horizon, 50":         {Messages: 50, Horizon: 50},
		"clock-tiling: takes no pattern":                                   {Pattern: "ring"},
	} {
		if _, err := New("clock-tiling", o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := New("random", Options{Threads: 2}); err == nil || err.Error() != "random: takes no threads" {
		t.Error(err)
	}
}
