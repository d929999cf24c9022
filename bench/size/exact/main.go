// Command exact is baseline with the exact planner alone.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
	}}
	r, err := run.Run(ctx, &exact.Planner{}, timeline.New(p), plan.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("height", r.Height)
}
