// Command exact is baseline with the exact planner alone.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stowage-go/stowage/internal/canonical"
	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/plan"
	"github.com/stowage-go/stowage/internal/timeline"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
	}}
	r, err := plan.Run(ctx, canonical.Planner{}, timeline.New(p), plan.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("height", r.Height)
}
