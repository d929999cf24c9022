package timeline

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	caught := func(f func()) (what string) { // plantest.Caught imports this package
		defer func() { what, _ = recover().(string) }()
		f()
		return ""
	}
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 2, Upper: 6, Size: 1},
		{ID: "c", Lower: 4, Upper: 6, Size: 2},
		{ID: "d", Lower: 7, Upper: 9, Size: 2},
	}}
	for _, tc := range []struct {
		says    string
		corrupt func(tl *Timeline)
	}{
		{"not before its end", func(tl *Timeline) { tl.Ends[0] = tl.Starts[0] }},
		{"before the end of the one before", func(tl *Timeline) { tl.Starts[1] = tl.Ends[0] - 1 }},
		{"load of section", func(tl *Timeline) { tl.Load[1]-- }},
		{"extent of buffer 1", func(tl *Timeline) { tl.extent[1][1]-- }},
		{"is partition 1", func(tl *Timeline) { tl.Partitions[1].First++ }},
		{"outside its partition", func(tl *Timeline) { tl.Partitions[0].Buffers[2] = 3 }},
		{"out of order", func(tl *Timeline) {
			b := tl.Partitions[0].Buffers
			b[0], b[2] = b[2], b[0]
		}},
		{"number of sections", func(tl *Timeline) { tl.Partitions = tl.Partitions[:1] }},
		{"number of partitions", func(tl *Timeline) { tl.Partitions[0].Buffers = tl.Partitions[0].Buffers[:2] }},
		{"peak", func(tl *Timeline) { tl.MaxLoad++ }},
		{"is the bound", func(tl *Timeline) { tl.LowerBound = tl.MaxLoad - 1 }},
	} {
		tl := New(p)
		if tl.Sections() != 3 || len(tl.Partitions) != 2 {
			t.Fatalf("%d sections and %d partitions, want 3 and 2", tl.Sections(), len(tl.Partitions))
		}
		tc.corrupt(tl)
		if what := caught(tl.check); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}
