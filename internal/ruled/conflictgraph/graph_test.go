package conflictgraph

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// TestFirstFit: a buffer goes into the lowest gap that is just as long, at its alignment; a gap a byte shorter is
// passed over.
func TestFirstFit(t *testing.T) {
	for _, x := range []struct {
		size, align, above int64 // of c, and where b begins; a ends at 2
		want               int64
	}{{3, 1, 5, 2}, {4, 1, 5, 7}, {3, 4, 7, 4}, {3, 4, 6, 8}} {
		zero, above := int64(0), x.above
		g := &Graph{Words: 1, Edges: []uint64{0b110, 0b101, 0b011}, Buffers: []model.Buffer{
			{ID: "a", Size: 2, Fixed: &zero}, {ID: "b", Size: 2, Fixed: &above}, {ID: "c", Size: x.size, Alignment: x.align},
		}}
		watch := run.NewWatch(context.Background())
		defer watch.Close()
		s := New(g, 0, 1)
		s.Orders(watch)
		if want := []int64{0, x.above, x.want}; !slices.Equal(s.Offsets, want) {
			t.Errorf("%d at multiples of %d between 2 and %d: %v, want %v", x.size, x.align, x.above, s.Offsets, want)
		}
	}
}
