package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
)

// A convolution whose writing is up to 112 bytes ahead of its reading, and an activation that
// reads each element before it writes it.
func Example() {
	g := &graph.Graph{
		Values: []graph.Value{
			{Name: "image", Size: 4096, Alignment: 16},
			{Name: "features", Size: 3072, Alignment: 16},
			{Name: "active", Size: 3072, Alignment: 16},
		},
		Operators: []graph.Operator{
			{
				Name: "conv", Operands: []int{0}, Results: []int{1},
				Permits: []graph.Permit{{Result: 1, Operand: 0, Distance: 112}},
			},
			{Name: "relu", Operands: []int{1}, Results: []int{2}, Permits: []graph.Permit{{Result: 2, Operand: 1}}},
		},
		Inputs: []int{0}, Outputs: []int{2},
	}
	p, err := graph.Make(context.Background(), g, graph.Options{Solve: stowage.Solve})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Status, p.Height, "bytes; saved", p.Saved.InPlace, "in place,", p.Saved.Distance, "by distances")
	for _, o := range p.Overlaps {
		fmt.Println(g.Values[o.Result].Name, "lies over", g.Values[o.Operand].Name, "at the distance", o.Distance)
	}
	// Output:
	// optimal 4208 bytes; saved 0 in place, 2960 by distances
	// features lies over image at the distance 112
	// active lies over features at the distance 0
}
