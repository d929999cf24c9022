package session_test

import (
	"context"
	"fmt"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// A compiler asks whether a buffer would fit, adds it, tries a larger one, and takes that back.
func Example() {
	ctx := context.Background()
	p := &model.Problem{Capacity: 16, Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 3, Upper: 9, Size: 4},
		{ID: "c", Lower: 0, Upper: 9, Size: 4},
	}}
	s, err := session.Open(ctx, p, []int64{0, 12, 4}, session.Options{})
	if err != nil {
		panic(err)
	}
	x := model.Buffer{ID: "x", Lower: 2, Upper: 6, Size: 8}
	fits, _ := s.Fits(ctx, x)
	fmt.Println("x:", fits.Status, fits.Step, "moved", fits.Moved.Bytes)
	large := x
	large.Size = 9
	no, _ := s.Fits(ctx, large)
	fmt.Println("9 bytes:", no.Status, no.Proof)

	m := s.Mark()
	added, _ := s.Add(ctx, x)
	fmt.Println("x is at", added.Offsets[0])
	grown, _ := s.Resize(ctx, "a", 5)
	fmt.Println("a grows:", grown.Status)
	if err := s.Rollback(m); err != nil {
		panic(err)
	}
	_, plan := s.Snapshot()
	fmt.Println("offsets", plan.Offsets)
	// Output:
	// x: feasible repair moved 4
	// 9 bytes: infeasible at time 2 the live buffers need 17 bytes; the capacity is 16
	// x is at 8
	// a grows: infeasible
	// offsets [0 12 4]
}

// A compiler keeps two memories. Two buffers must share no byte, a view of one comes, and the fast memory shrinks.
func ExampleSession_PlaceWith() {
	ctx := context.Background()
	p := &model.Problem{
		Rules: &model.Rules{Pools: []model.Pool{{ID: "sram", Capacity: 12}, {ID: "dram"}}},
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 8},
			{ID: "b", Lower: 4, Upper: 9, Size: 8},
			{ID: "c", Lower: 0, Upper: 9, Size: 4, Extra: &model.Extra{Pools: []int32{0}}},
		},
	}
	s, err := session.OpenPlan(ctx, p, &model.Plan{Offsets: []int64{0, 0, 8}, Pools: []int32{0, 0, 0}}, session.Options{})
	if err != nil {
		panic(err)
	}
	apart, _ := s.Bind(ctx, session.Rules{Apart: [][2]string{{"a", "b"}}})
	fmt.Println("apart:", apart.Status, apart.Step, "moved", apart.Moved.Bytes)
	view := model.Buffer{ID: "view", Lower: 2, Upper: 6, Size: 2}
	added, _ := s.PlaceWith(ctx, []model.Buffer{view}, session.Rules{
		Together: []session.Tie{{Buffers: []string{"a", "view"}, At: []int64{0, 4}}},
	}, session.None)
	fmt.Println("view:", added.Status, added.Step, "at", added.Offsets[0], "in pool", added.Pools[0], "moved",
		added.Moved.Bytes)
	less, _ := s.LimitPool(ctx, 0, 3)
	fmt.Println("3 bytes of sram:", less.Status, less.Proof)
	_, plan := s.Snapshot()
	fmt.Println("offsets", plan.Offsets, "pools", plan.Pools)
	// Output:
	// apart: feasible repair moved 8
	// view: feasible keep at 4 in pool 1 moved 0
	// 3 bytes of sram: infeasible buffer "c" of 4 has no place: in the pool "sram" it takes 4, more than the capacity of 3
	// offsets [0 0 8 4] pools [1 0 0 1]
}
