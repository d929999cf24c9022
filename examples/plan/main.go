// Command plan is the program of the guide: three buffers within a capacity.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/stowage-go/stowage"
)

func main() {
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{
			{ID: "input", Lower: 0, Upper: 2, Size: 600, Alignment: 64},
			{ID: "weights", Lower: 0, Upper: 4, Size: 300, Alignment: 64},
			{ID: "output", Lower: 1, Upper: 4, Size: 500, Alignment: 64},
		},
		Capacity: 1536,
	}
	r, err := stowage.Solve(context.Background(), p, stowage.Options{Timeout: 10 * time.Second})
	if err != nil {
		log.Fatal(err) // bad input. If nothing fits, r.Status says so, and err is nil
	}
	switch r.Status {
	case stowage.Optimal, stowage.Feasible:
		fmt.Println("fits in", r.Height)
	case stowage.Infeasible:
		fmt.Println("cannot fit; no plan is lower than", r.LowerBound)
	case stowage.Unknown:
		fmt.Println("no answer in time")
	}
}
