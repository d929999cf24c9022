package arena_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/arena"
	format "github.com/stowage-go/stowage/format/arena"
)

// A trace of two equal steps becomes a plan.
func Example() {
	const recorded = `stowage-arena-trace 1
b 1 0 -
a 600 64 0 0
a 300 64 0 0
f 0 0
a 500 64 0 0
f 1 0
f 2 0
e 1 0
b 1 0 -
a 600 64 0 0
a 300 64 0 0
f 3 0
a 500 64 0 0
f 4 0
f 5 0
e 1 0
end 17 -
`
	t, err := format.ReadTrace(strings.NewReader(recorded), "steps.trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	plans, err := arena.Make(context.Background(), t, arena.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plans[0].Height, plans[0].Status)
	for _, a := range plans[0].Lanes[0].Allocations {
		fmt.Println(a.Size, "at", a.Offset)
	}
	reports, err := arena.Verify(plans)
	fmt.Println(reports[0].OK(), err)
	// Output:
	// 920 optimal
	// 600 at 320
	// 300 at 0
	// 500 at 320
	// true <nil>
}
