// Command library is baseline with the library: it plans, and explains what does not fit.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stowage-go/stowage"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 3},
		{ID: "b", Lower: 1, Upper: 3, Size: 4},
	}}
	r, err := stowage.Minimize(ctx, p, stowage.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("height", r.Height)
	x, err := stowage.Explain(ctx, p, stowage.Options{Capacity: 6})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("too many for 6:", len(x.Buffers))
}
