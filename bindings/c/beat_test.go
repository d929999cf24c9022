//go:build cgo

package main

import (
	"testing"
	"time"

	"github.com/stowage-go/stowage"
)

// TestBeat: the callback gets offsets only with a new height, and only once. It gets them also
// if the planner repeats the plan, and if it reports the plan before the next call is due.
func TestBeat(t *testing.T) {
	type call struct{ height, offset int64 } // -1 for no offsets
	var got []call
	b := &beat{call: func(q stowage.Progress) bool {
		c := call{q.Height, -1}
		if q.Offsets != nil {
			c.offset = q.Offsets[0]
		}
		got = append(got, c)
		return len(got) == 7
	}, cancel: func() {}}
	later := func() { b.said = time.Now().Add(-pause) }
	for _, q := range []stowage.Progress{
		{},
		{Height: 9, Offsets: []int64{1}},
		{Height: 9, Offsets: []int64{1}},
		{Height: 9},
		{Height: 8},
		{Height: 7, Offsets: []int64{2}},
	} {
		later()
		b.tell(q)
	}
	b.tell(stowage.Progress{Height: 6, Offsets: []int64{3}}) // not due
	b.tell(stowage.Progress{Height: 6, LowerBound: 5})
	later()
	b.tell(stowage.Progress{Height: 6, LowerBound: 6})
	want := []call{{0, -1}, {9, 1}, {9, -1}, {9, -1}, {8, -1}, {7, 2}, {6, 3}}
	if len(got) != len(want) {
		t.Fatalf("calls %v, want %v", got, want)
	}
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("calls %v, want %v", got, want)
		}
	}
	later()
	b.tell(stowage.Progress{Height: 5, Offsets: []int64{4}})
	if len(got) != len(want) {
		t.Error("it is called after it has ended the run")
	}
}
