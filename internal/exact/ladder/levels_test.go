package ladder

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// surplus returns the free ranges of all pairs that a ladder has beyond one for each order.
func surplus(l *asked) (ranges int) {
	for at, free := range l.free {
		if l.meet[at/l.n]>>(at%l.n)&1 == 1 {
			ranges += len(free) - 1
		}
	}
	return ranges
}

// TestLevelsLeaveFewRanges compares the heights with tops, from which levels are counted without shifts.
func TestLevelsLeaveFewRanges(t *testing.T) {
	with, tops := 0, 0
	for seed := range uint64(200) {
		tl := timeline.New(meshing(seed))
		l := ladderOf(t, tl, nil)
		if l == nil {
			continue
		}
		with += surplus(l)
		l = ladderOf(t, tl, []string{"shifts"})
		tops += surplus(l)
	}
	if with != 73 || tops != 375 {
		t.Errorf("%d ranges too many, and %d from tops", with, tops)
	}
}

// TestLevelsAreTheSameForIdenticalBuffers has a pair whose heights would differ if each were moved alone.
func TestLevelsAreTheSameForIdenticalBuffers(t *testing.T) {
	twins := 0
	for seed := range uint64(300) {
		l := ladderOf(t, timeline.New(meshing(seed)), nil)
		if l == nil {
			continue
		}
		for j, i := range l.twin[:l.n] {
			if i >= 0 {
				twins++
				if l.shift[j] != l.shift[i] {
					t.Fatalf("seed %d: identical buffers count from %d and %d", seed, l.shift[j], l.shift[i])
				}
			}
		}
	}
	if twins < 10 {
		t.Error("only", twins, "identical buffers")
	}
}

// TestLevelsAreBelowZero holds what the table relies on, for all buffers on the ground.
func TestLevelsAreBelowZero(t *testing.T) {
	for seed := range uint64(300) {
		p := meshing(seed)
		l := ladderOf(t, timeline.New(p), nil)
		if l == nil {
			continue
		}
		for j, high := range l.high[:l.n] {
			if high > 0 {
				t.Fatalf("seed %d: buffer %d has level %d on the ground\n%s", seed, j, high, drawn.Describe(p))
			}
		}
	}
}

// TestExcessCountsRanges has a buffer a with a hole, and a buffer b that lies above it, in
// the hole or under it if both are level. Or the two cannot be level.
func TestExcessCountsRanges(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 12, Gaps: []model.Gap{
			{Lower: 0, Upper: 1, Window: &model.Window{Lower: 0, Upper: 3}},
			{Lower: 1, Upper: 2, Window: &model.Window{Lower: 8, Upper: 12}},
			{Lower: 2, Upper: 3},
		}},
		{ID: "b", Lower: 0, Upper: 2, Size: 2},
	}}
	tl := timeline.New(p)
	l := ladderOf(t, tl, []string{"shifts"})
	bans := [][]timeline.Forbidden{nil, tl.Forbid(1, 0), tl.Forbid(0, 1), nil}
	for j := range l.shift {
		l.shift[j] -= l.size[j] // as levels sees it
	}
	first := [ladderMost]int{0, 1}
	for height, want := range map[int64]int{-3: 2, -2: 2, -1: 0, 3: 0, 4: 1, 7: 1, 8: 0, 11: 0, 12: 2} {
		if got := l.excess(1, height, &first, bans); got != want {
			t.Errorf("%d ranges too many with b counted from %d, want %d", got, height, want)
		}
	}
}
