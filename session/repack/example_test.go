package repack_test

import (
	"context"
	"fmt"

	"github.com/stowage-go/stowage/session/repack"
)

// Example repacks two blocks, one in two slices. Neither fits below the other with less than 12288 bytes from time 4
// on.
func Example() {
	ctx := context.Background()
	r, err := repack.Repack(ctx, &repack.Call{
		Capacity: 64 << 20, Alignment: 4096,
		Blocks: []repack.Block{
			{Start: 0, End: 9, Size: 4096, Offset: 16384},
			{Start: 3, End: 5, Size: 8192, Offset: 0, Slices: []repack.Slice{{Size: 4096, Start: 3}, {Size: 4096, Start: 4}}},
		},
	}, repack.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status, r.Height, r.Better)
	// Output: optimal 12288 true
}
