package timeline

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/model"
)

// TestPairs compares Overlaps, Distance and Forbid of every ordered pair with every difference of offsets that could
// matter.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	const reach = maxSize + 1
	apart, inside, below := 0, 0, 0
	for k := range rounds(6000) {
		p := random(r)
		if k%2 == 0 {
			p = interlocking(r)
		}
		g, tl := paint(p), New(p)
		for i := range p.Buffers {
			for j := range p.Buffers {
				if i == j {
					continue
				}
				overlap := g.overlap(i, j)
				if got := tl.Overlaps(i, j); got != overlap {
					t.Fatalf("Overlaps(%d, %d) = %v:%s", i, j, got, drawn.Describe(p))
				}
				d, ok := tl.Distance(i, j)
				if ok != overlap {
					t.Fatalf("Distance(%d, %d) = %d, %v:%s", i, j, d, ok, drawn.Describe(p))
				}
				if ok {
					// j lies above i in all slots from d on, and no sooner.
					want := int64(-reach)
					for slot := range slots {
						if g.uses(i, slot) && g.uses(j, slot) {
							want = max(want, g[i][slot][1]-g[j][slot][0])
						}
					}
					if d != want {
						t.Fatalf("Distance(%d, %d) = %d, want %d:%s", i, j, d, want, drawn.Describe(p))
					}
					if d <= 0 {
						below++
					}
				}
				f := tl.Forbid(i, j)
				if !overlap {
					apart++
				}
				if len(f) > 1 {
					inside++
				}
				for diff := int64(-reach); diff <= reach; diff++ {
					forbidden := slices.ContainsFunc(f, func(x Forbidden) bool { return x.Above < diff && diff < x.Below })
					if forbidden != g.clash(i, j, diff) {
						t.Fatalf("Forbid(%d, %d) = %v is wrong about %d:%s", i, j, f, diff, drawn.Describe(p))
					}
				}
				for k := range f {
					if f[k].Above+1 >= f[k].Below || k > 0 && f[k].Above < f[k-1].Below {
						t.Fatalf("Forbid(%d, %d) = %v has an empty range, or two that should be one:%s", i, j, f, drawn.Describe(p))
					}
				}
			}
		}
	}
	if apart < rounds(6000) || inside < rounds(6000)/20 || below < rounds(6000)/20 {
		t.Errorf("the test is lopsided: %d pairs apart, %d interlocked, %d with a distance below 1", apart, inside, below)
	}
}

// TestInterlocks compares with the differences themselves: a partition
// interlocks where those that a pair must not take are not one range around 0.
func TestInterlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	yes, no := 0, 0
	for k := range rounds(6000) {
		p := random(r)
		if k%2 == 0 {
			p = interlocking(r)
		}
		g, tl := paint(p), New(p)
		for _, part := range tl.Partitions {
			want := false
			for _, i := range part.Buffers {
				for _, j := range part.Buffers {
					if i == j || !g.overlap(int(i), int(j)) {
						continue
					}
					turns := 0 // how often a difference is free and the next is not
					for d := int64(-maxSize); d <= maxSize; d++ {
						if !g.clash(int(i), int(j), d-1) && g.clash(int(i), int(j), d) {
							turns++
						}
					}
					want = want || turns != 1 || !g.clash(int(i), int(j), 0)
				}
			}
			if got, known := tl.Interlocks(part, never); got != want || !known {
				t.Fatalf("Interlocks(%v) = %v:%s", part.Buffers, got, drawn.Describe(p))
			}
			if want {
				yes++
			} else if tl.HasGaps() {
				no++
			}
		}
	}
	if yes < rounds(6000)/20 || no < rounds(6000)/20 {
		t.Errorf("the test is lopsided: %d interlock, %d with gaps do not", yes, no)
	}
}

func TestAppendConflicts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range rounds(6000) {
		p := random(r)
		g, tl := paint(p), New(p)
		for i := range p.Buffers {
			got := tl.AppendConflicts([]int32{-7}, i)
			if got[0] != -7 {
				t.Fatalf("AppendConflicts overwrites what is there")
			}
			got = got[1:]
			ordered := slices.IsSortedFunc(got, func(a, b int32) int {
				x, _ := tl.Extent(int(a))
				y, _ := tl.Extent(int(b))
				return int(x - y)
			})
			if !ordered {
				t.Fatalf("AppendConflicts(%d) = %v, not in order of first section:%s", i, got, drawn.Describe(p))
			}
			want := []int32{}
			for j := range p.Buffers {
				if i != j && g.overlap(i, j) {
					want = append(want, int32(j))
				}
			}
			if got = slices.Sorted(slices.Values(got)); !slices.Equal(got, want) {
				t.Fatalf("AppendConflicts(%d) = %v, want %v:%s", i, got, want, drawn.Describe(p))
			}
		}
	}
}

// TestConcurrentQueries asks a fresh timeline from many goroutines at once; the first of them builds the index.
func TestConcurrentQueries(t *testing.T) {
	for _, gaps := range []float64{0, 0.7} {
		p := longLived(t, 500, gaps)
		calm := New(p)
		want := make([][]int32, len(p.Buffers))
		for i := range want {
			want[i] = calm.AppendConflicts(nil, i)
		}
		for range 5 {
			tl := New(p)
			var wait sync.WaitGroup
			start := make(chan struct{})
			for worker := range 8 {
				wait.Go(func() {
					<-start
					for i := worker; i < len(want); i += 3 {
						if got := tl.AppendConflicts(nil, i); !slices.Equal(got, want[i]) {
							t.Errorf("buffer %d: %d conflicts, want %d", i, len(got), len(want[i]))
							return
						}
					}
				})
			}
			close(start)
			wait.Wait()
		}
	}
}

// TestInterlockedExample is the smallest case: a buffer that fits into the hole that another leaves for a while.
func TestInterlockedExample(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "arch", Lower: 0, Upper: 3, Size: 8, Gaps: []model.Gap{
			{Lower: 1, Upper: 2, Window: &model.Window{Lower: 5, Upper: 8}},
		}},
		{ID: "cat", Lower: 1, Upper: 2, Size: 4},
	}}
	tl := New(p)
	if got := tl.Forbid(0, 1); !slices.Equal(got, []Forbidden{{Above: 1, Below: 8}}) {
		t.Errorf("the cat must not be at %v above the arch, want (1, 8)", got)
	}
	if got := tl.Forbid(1, 0); !slices.Equal(got, []Forbidden{{Above: -8, Below: -1}}) {
		t.Errorf("the arch must not be at %v above the cat, want (-8, -1)", got)
	}
	if d, _ := tl.Distance(1, 0); d != -1 {
		t.Errorf("the arch may be %d above the cat, want -1", d)
	}
	if found, known := tl.Interlocks(tl.Partitions[0], never); !found || !known {
		t.Error("the arch and the cat do not interlock")
	}
}

// never lets a question take its time.
func never() bool { return false }

// TestInterlocksUnderALimit asks when there is no time: nothing is known then.
func TestInterlocksUnderALimit(t *testing.T) {
	window := &model.Window{Lower: 1, Upper: 2}
	tl := New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4, Gaps: []model.Gap{{Lower: 1, Upper: 2, Window: window}}},
		{ID: "b", Lower: 1, Upper: 2, Size: 1},
	}})
	if found, known := tl.Interlocks(tl.Partitions[0], func() bool { return true }); found || known {
		t.Errorf("got %v, %v", found, known)
	}
	if found, known := tl.Interlocks(tl.Partitions[0], never); !found || !known {
		t.Errorf("got %v, %v with time", found, known)
	}
}

// TestManyRanges forbids for a hundred thousand gaps whose windows go up and down: what
// each leaves is put among those there are, which are few.
func TestManyRanges(t *testing.T) {
	const gaps = 100_000
	p := &model.Problem{}
	for i := range int64(2) {
		b := model.Buffer{ID: "ab"[i : i+1], Upper: 4 * gaps, Size: 64}
		for at := range int64(gaps) {
			from := (at * (7 + i*4)) % 8
			b.Gaps = append(b.Gaps, model.Gap{
				Lower: 4*at + i, Upper: 4*at + i + 3, Window: &model.Window{Lower: 8 * from, Upper: 8*from + 1},
			})
		}
		p.Buffers = append(p.Buffers, b)
	}
	tl := New(p)
	var bans []Forbidden
	pace.Within(t, time.Second, "windows that go up and down", func() { bans = tl.Forbid(0, 1) })
	if len(bans) != 1 || bans[0] != (Forbidden{-64, 64}) {
		t.Errorf("forbidden are %v", bans)
	}
}
