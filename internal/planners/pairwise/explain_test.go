package pairwise

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestConflictIsSmall places a buffer that has nothing to do with a failure, before those that
// cause it. Conflict names the causes alone.
func TestConflictIsSmall(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "long", Upper: 4, Size: 1},
		{ID: "far", Lower: 2, Upper: 4, Size: 2},
		{ID: "low", Upper: 1, Size: 4},
		{ID: "high", Upper: 1, Size: 4},
		{ID: "last", Upper: 1, Size: 5},
	}}
	tl := timeline.New(p)
	e := must.Get(New(watch, tl, &tl.Partitions[0], DefaultMaxPairs))(t)
	number := map[string]int32{}
	for j := range int32(e.Len()) {
		number[p.Buffers[e.ID(j)].ID] = j
	}
	if !e.Reset(20) || !e.Place(number["far"], 9) {
		t.Fatal("the root fails")
	}
	if !e.Place(number["low"], 4) || !e.Place(number["long"], 19) {
		t.Fatal("three buffers fail")
	}
	// Below low are 4 bytes, between low and high 3, and above high the rest up to long: 4.
	if e.Place(number["high"], 11) {
		t.Fatal("last has room")
	}
	if got := e.Conflict(nil); !slices.Equal(got, []int32{2, 3, 4}) {
		t.Errorf("the conflict is %v", got)
	}
	// Without low there is room under high.
	e.PopTo(1)
	if !e.Place(number["long"], 19) || !e.Place(number["high"], 11) {
		t.Error("two of the causes fail")
	}
}
