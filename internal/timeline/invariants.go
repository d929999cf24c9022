package timeline

import (
	"cmp"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants each timeline is computed anew from the problem's pieces, in
// another way than the sweep does. A difference is a panic.

// check checks the sections, loads, extents, partitions and bounds.
func (t *Timeline) check() {
	for s := range t.Starts {
		invariants.Must(t.Starts[s] < t.Ends[s], "not before its end starts section", s)
		invariants.Must(s == 0 || t.Ends[s-1] <= t.Starts[s], "before the end of the one before starts section", s)
	}
	t.checkLoads()
	t.checkExtents()
	t.checkPartitions()
	peak := int64(0)
	for _, load := range t.Load {
		peak = max(peak, load)
	}
	invariants.Equal(t.MaxLoad, peak, "peak of the load")
	invariants.Must(t.LowerBound >= peak, "below the load is the bound")
}

// checkLoads checks Load: at the start of a section, the pieces in use are those that have
// started, less those that have ended.
func (t *Timeline) checkLoads() {
	type event struct{ time, bytes int64 }
	var events []event
	for i := range t.Problem.Buffers {
		t.Problem.Buffers[i].Pieces(func(x model.Piece) bool {
			events = append(events, event{x.Lower, x.To - x.From}, event{x.Upper, x.From - x.To})
			return true
		})
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	load := int64(0)
	for s, start := range t.Starts {
		for ; len(events) > 0 && events[0].time <= start; events = events[1:] {
			load += events[0].bytes
		}
		invariants.Equal(t.Load[s], load, "load of section", s)
	}
}

// checkExtents checks that buffer i reaches from the first section that starts at or after
// its first piece to the last section that starts before its last piece ends.
func (t *Timeline) checkExtents() {
	from := func(time int64) int32 {
		return int32(sort.Search(len(t.Starts), func(s int) bool { return t.Starts[s] >= time }))
	}
	for i := range t.Problem.Buffers {
		var got, want [2]int32
		got[0], got[1] = t.Extent(i)
		active := false
		t.Problem.Buffers[i].Pieces(func(x model.Piece) bool {
			if !active {
				active, want[0] = true, from(x.Lower)
			}
			want[1] = from(x.Upper)
			return true
		})
		invariants.Equal(got, want, "extent of buffer", i)
	}
}

// checkPartitions checks that the partitions tile the sections, and that each buffer that is
// ever active is in one partition, inside the sections of that partition.
func (t *Timeline) checkPartitions() {
	in := make([]int, len(t.Problem.Buffers))
	end := int32(0)
	for k, p := range t.Partitions {
		invariants.Must(p.First == end && p.Last > end, "not after the one before is partition", k)
		end = p.Last
		begun := p.First
		for _, i := range p.Buffers {
			in[i]++
			first, last := t.Extent(int(i))
			invariants.Must(p.First <= first && last <= p.Last, "outside its partition is buffer", int(i))
			invariants.Must(begun <= first, "out of order are the buffers of partition", k)
			begun = first
		}
	}
	invariants.Equal(int(end), t.Sections(), "number of sections in partitions")
	for i, count := range in {
		want := 0
		if first, last := t.Extent(i); first < last {
			want = 1
		}
		invariants.Equal(count, want, "number of partitions of buffer", i)
	}
}
