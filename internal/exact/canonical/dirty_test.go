package canonical

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestRunsAreWhatTheyCount adds and removes pieces of many sections, marks sections, and takes dirty ones. Plain lists
// do the same.
func TestRunsAreWhatTheyCount(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := Section(1 + r.IntN(200))
		var of runs
		a := arrays{m: int(m)}
		of.add(&a)
		a.counts.Make()
		a.words.Make()
		edges, dirty := make([]int, m+1), make([]bool, m+1)
		inside := func() (first, last Section) {
			first = Section(r.IntN(int(m)))
			return first, first + 1 + Section(r.IntN(int(m-first)))
		}
		for range 300 {
			first, last := inside()
			switch r.IntN(6) {
			case 0, 1:
				of.enter(first)
				edges[first]++
			case 2:
				if edges[first] > 0 {
					of.leave(first)
					edges[first]--
				}
			case 3:
				of.mark(first, last)
				for s := first; s < last; s++ {
					dirty[s] = dirty[s] || edges[s] > 0
				}
			case 4:
				want := last
				for s := last - 1; s >= first; s-- {
					if dirty[s] {
						want = s
					}
				}
				if got := of.takeFirst(first, last); got != want {
					t.Fatalf("seed %d: first dirty section of [%d, %d) %d, want %d", seed, first, last, got, want)
				}
				dirty[want] = dirty[want] && want == last
			case 5:
				want := first - 1
				for s := first; s < last; s++ {
					if dirty[s] {
						want = s
					}
				}
				if got := of.takeLast(first, last); got != want && (want >= first || got >= first) {
					t.Fatalf("seed %d: last dirty section of [%d, %d) %d, want %d", seed, first, last, got, want)
				}
				if want >= first {
					dirty[want] = false
				}
			}
			begin := Section(0)
			for s := range m {
				if edges[s] > 0 {
					begin = s
				}
				if got := of.first(s); got != begin {
					t.Fatalf("seed %d: the run of section %d begins at %d, want %d", seed, s, got, begin)
				}
			}
		}
	}
}

// walkedDown calls visit after each placement on the way down, before the inferences. It passes the buffer that was
// placed, and the inferred bounds before that.
func walkedDown(t *testing.T, visit func(k *Kernel, c component, placed common.Buffer, before []int64)) {
	t.Helper()
	defer pauseChecks()()
	for seed := range uint64(60) {
		p := tapered(seed, 14)
		if len(timeline.New(p).Partitions) > 1 {
			continue
		}
		k, c := rootOf(p, timeline.New(p).LowerBound*5/4)
		k.findWaiting(c)
		for k.infer(c) {
			j, _ := k.firstOf(c)
			if j == common.Nobody {
				break
			}
			before := slices.Clone(k.inf)
			c.off, c.rank = k.lb[j], k.ranks.of[j]
			if _, ok := k.place(j); !ok {
				break
			}
			k.findWaiting(c)
			visit(k, c, j, before)
		}
	}
}

// TestPlacementMakesDirty has exactly the runs dirty that a placed buffer or a buffer with a new bound is in.
func TestPlacementMakesDirty(t *testing.T) {
	some, all := 0, 0
	walkedDown(t, func(k *Kernel, _ component, placed common.Buffer, before []int64) {
		want := make([]bool, k.m)
		mark := func(j common.Buffer) {
			for s := k.of[j].first; s < k.of[j].last; s++ {
				want[s] = want[s] || k.runs.edges[s] > 0
			}
		}
		mark(placed)
		if first := k.of[placed].first; k.live[first] > 0 {
			for k.runs.edges[first] == 0 {
				first--
			}
			want[first] = true
		}
		for j := range k.n {
			if !k.placed(j) && k.inf[j] > before[j] {
				mark(j)
			}
		}
		for s := range k.m {
			if got := k.runs.dirty[s>>6]>>(s&63)&1 != 0; got != want[s] {
				t.Fatalf("section %d is dirty: %v, want %v", s, got, want[s])
			}
			if want[s] {
				some++
			}
			all++
		}
	})
	if some < 500 || some > all*2/3 {
		t.Errorf("%d of %d sections are dirty", some, all)
	}
}

// TestCleanSectionsHaveNothingNew looks at all sections again after the dirty ones have settled: no bound rises.
func TestCleanSectionsHaveNothingNew(t *testing.T) {
	again := 0
	walkedDown(t, func(k *Kernel, c component, _ common.Buffer, _ []int64) {
		if !k.infer(c) || k.inferenceCut {
			return
		}
		raised := k.inference.raised
		k.runs.markAll()
		for s := range k.tops.of {
			k.tops.of[s] = gone // nothing is known of the section
		}
		if !k.infer(c) || k.inference.raised != raised {
			t.Fatal("a clean section raises a bound")
		}
		again++
	})
	if again < 200 {
		t.Error("only", again, "nodes")
	}
}
