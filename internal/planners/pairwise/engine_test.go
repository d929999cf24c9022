package pairwise

import (
	"context"
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// watch never ends.
var watch = run.NewWatch(context.Background())

func stacked(tb testing.TB, n int) *Engine {
	p := must.Get(gen.Generate("full-overlap", gen.Options{Buffers: n}))(tb)
	tl := timeline.New(p)
	e := must.Get(New(watch, tl, &tl.Partitions[0], DefaultMaxPairs))(tb)
	if !e.Reset(tl.LowerBound) {
		tb.Fatal("the load does not fit itself")
	}
	return e
}

// BenchmarkFullOverlap places N buffers that all overlap, from the ground up, and takes them back.
func BenchmarkFullOverlap(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := stacked(b, n)
			for b.Loop() {
				for j := range int32(n) {
					lo, _ := e.Range(j)
					e.Place(j, lo)
				}
				e.PopTo(0)
			}
		})
	}
}

// ExampleEngine places two of three buffers and asks where the third may go.
func ExampleEngine() {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 4},
		{ID: "b", Lower: 0, Upper: 1, Size: 4},
		{ID: "c", Lower: 1, Upper: 2, Size: 6},
	}}
	tl := timeline.New(p)
	e, err := New(watch, tl, &tl.Partitions[0], DefaultMaxPairs)
	if err != nil {
		panic(err)
	}
	fmt.Println("the root holds:", e.Reset(14))
	fmt.Println("a at 6:", e.Place(0, 6))
	fmt.Println("c may be at", e.Free(nil, 2))
	fmt.Println("c at 4:", e.Place(2, 4), "because of levels", e.Conflict(nil))
	// Output:
	// the root holds: true
	// a at 6: true
	// c may be at [{0 0}]
	// c at 4: false because of levels [1 2]
}
