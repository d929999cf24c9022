package plantest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Moves runs a planner twice, with a follower of its moves and without. Both runs must be alike, the moves must make
// sense, and for a capacity the last moves must leave each buffer where the plan has it. If apart is set, no
// placement may overlap a present one. Moves returns how many moves of each kind there were.
func Moves(t testing.TB, planner run.Planner, p *model.Problem, o plan.Options, apart bool) (told [5]int) {
	t.Helper()
	tl := timeline.New(p)
	bare, err := run.Run(context.Background(), planner, tl, o)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{
		tl: tl, apart: apart, problem: p, part: slices.Repeat([]int{-1}, len(p.Buffers)),
		at: slices.Repeat([]int64{-1}, len(p.Buffers)),
	}
	for k := range tl.Partitions {
		for _, i := range tl.Partitions[k].Buffers {
			f.part[i] = k
		}
	}
	o.Moves = func(m plan.Move) {
		told[m.Kind]++
		if err := f.follow(m); err != nil {
			t.Fatalf("move %d, %+v: %v", told, m, err)
		}
	}
	r, err := run.Run(context.Background(), planner, tl, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != bare.Status || r.Stats.Nodes != bare.Stats.Nodes || r.LowerBound != bare.LowerBound ||
		!slices.Equal(r.Offsets, bare.Offsets) {
		t.Fatalf("%v with somebody who looks on, %v without", r, bare)
	}
	if !r.Status.HasPlan() || o.Minimizing() || told[plan.MoveBegin] == 0 {
		return told
	}
	for i, at := range r.Offsets {
		if first, last := tl.Extent(i); f.at[i] != at && first < last {
			t.Fatalf("buffer %d is at %d in the plan, and at %d when all moves are made", i, at, f.at[i])
		}
	}
	return told
}

// follower makes the moves that it is told of.
type follower struct {
	tl      *timeline.Timeline
	apart   bool
	problem *model.Problem
	part    []int // by buffer; -1 for one that is never active
	at      []int64
	stack   []int // what is placed, of all parts
	now     int   // the part that is searched
}

func (f *follower) follow(m plan.Move) error {
	if m.Buffer < 0 || m.Buffer >= len(f.at) {
		return fmt.Errorf("there is no such buffer")
	}
	if m.Kind == plan.MoveBegin {
		f.now = f.part[m.Buffer]
		f.stack = slices.DeleteFunc(f.stack, func(i int) bool {
			if f.part[i] == f.now {
				f.at[i] = -1
			}
			return f.part[i] == f.now
		})
	}
	if f.part[m.Buffer] != f.now {
		return fmt.Errorf("the buffer is not of the part that is searched")
	}
	switch m.Kind {
	case plan.MovePlace:
		b := &f.problem.Buffers[m.Buffer]
		if m.Offset < 0 || m.Offset%b.Align() != 0 || b.Fixed != nil && *b.Fixed != m.Offset {
			return fmt.Errorf("the offset cannot be")
		}
		for _, i := range f.stack {
			if f.apart && f.part[i] == f.now && i != m.Buffer {
				for _, ban := range f.tl.Forbid(i, m.Buffer) {
					if d := m.Offset - f.at[i]; ban.Above < d && d < ban.Below {
						return fmt.Errorf("it overlaps buffer %d at %d", i, f.at[i])
					}
				}
			}
		}
		if f.at[m.Buffer] < 0 {
			f.stack = append(f.stack, m.Buffer)
		} else if f.at[m.Buffer] == m.Offset {
			return fmt.Errorf("it is there already")
		}
		f.at[m.Buffer] = m.Offset
	case plan.MoveBack:
		at := slices.Index(f.stack, m.Buffer)
		if at < 0 {
			return fmt.Errorf("it is not placed")
		}
		for _, i := range f.stack[at:] {
			if f.part[i] != f.now {
				return fmt.Errorf("it takes back what is of another part")
			}
			f.at[i] = -1
		}
		f.stack = f.stack[:at]
	case plan.MovePlan:
		height := int64(0)
		for i, part := range f.part {
			if part != f.now {
				continue
			}
			if f.at[i] < 0 {
				return fmt.Errorf("there is a plan, but %d is not placed", i)
			}
			height = max(height, f.at[i]+f.problem.Buffers[i].Size)
		}
		if height != m.Offset {
			return fmt.Errorf("the height is %d", height)
		}
	}
	return nil
}
