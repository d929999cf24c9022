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
