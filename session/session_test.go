package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// weighty is a weight that depends on the buffer.
func weighty(b *model.Buffer) int64 { return int64(len(b.ID)) * b.Size % 3 }

func plainly(*model.Buffer) int64 { return 1 }

// A change is one random call, made of a session and of a naive one.
type change struct {
	what string
	edit func(n *naive) (mine []int, ok bool) // ok is false if the call must be refused
	call func(ctx context.Context, s *Session) (Answer, error)
}

// drawChange draws a call.
func drawChange(r *gen.RNG, n *naive, next *int64) change {
	id := fmt.Sprint("b", r.Below(*next+1))
	edit := func(f func(b *model.Buffer)) func(n *naive) ([]int, bool) {
		return func(n *naive) ([]int, bool) {
			i := n.find(id)
			if i < 0 {
				return nil, false
			}
			b := n.p.Buffers[i]
			f(&b)
			n.p.Buffers[i] = b
			one := model.Problem{Buffers: []model.Buffer{b}}
			return []int{i}, model.Validate(&one) == nil
		}
	}
	add := func(list []model.Buffer) func(n *naive) ([]int, bool) {
		return func(n *naive) (mine []int, ok bool) {
			for _, b := range list {
				n.p.Buffers = append(n.p.Buffers, b)
				n.at = append(n.at, away)
				mine = append(mine, len(n.at)-1)
			}
			return mine, true
		}
	}
	switch k := r.Below(12); {
	case k < 4 && len(n.at) < 6 || len(n.at) < 2:
		*next++
		b := drawn(r, *next)
		return change{"add", add([]model.Buffer{b}), func(ctx context.Context, s *Session) (Answer, error) { return s.Add(ctx, b) }}
	case k == 4 && len(n.at) < 5:
		*next += 2
		list := []model.Buffer{drawn(r, *next-1), drawn(r, *next)}
		return change{"place", add(list), func(ctx context.Context, s *Session) (Answer, error) { return s.Place(ctx, list, Fresh) }}
	case k < 7:
		size := r.Within(0, 5)
		return change{"resize", edit(func(b *model.Buffer) { b.Size = size }), func(ctx context.Context, s *Session) (Answer, error) { return s.Resize(ctx, id, size) }}
	case k < 9:
		lower := r.Below(6)
		upper := lower + r.Below(6)
		return change{"retime", edit(func(b *model.Buffer) { b.Lower, b.Upper = lower, upper }), func(ctx context.Context, s *Session) (Answer, error) {
			return s.Retime(ctx, id, lower, upper)
		}}
	case k == 9:
		at := r.Below(9)
		return change{"pin", edit(func(b *model.Buffer) { b.Fixed = &at }), func(ctx context.Context, s *Session) (Answer, error) { return s.Pin(ctx, id, at) }}
	case k == 10:
		capacity := n.p.Capacity + r.Within(-1, 1)
		if capacity < 4 || capacity > 11 {
			capacity = 8
		}
		return change{"limit", func(n *naive) ([]int, bool) {
			n.p.Capacity = capacity
			return nil, true
		}, func(ctx context.Context, s *Session) (Answer, error) { return s.Limit(ctx, capacity) }}
	}
	return change{"remove", func(n *naive) ([]int, bool) {
		i := n.find(id)
		if i < 0 {
			return nil, false
		}
		n.p.Buffers, n.at = slices.Delete(n.p.Buffers, i, i+1), slices.Delete(n.at, i, i+1)
		return nil, true
	}, func(_ context.Context, s *Session) (Answer, error) {
		return Answer{Status: model.Feasible, Step: Keep}, s.Remove(id)
	}}
}

// TestAgainstBruteForce makes random calls of sessions and of naive ones. Brute force knows each answer, and the least
// movement.
func TestAgainstBruteForce(t *testing.T) {
	ctx := context.Background()
	seen := map[string]int{}
	for seed := range plantest.Share(uint64(20000), 300) {
		r := gen.NewRNG(seed, "session")
		weight := plainly
		if seed%3 == 0 {
			weight = weighty
		}
		n := &naive{p: model.Problem{Capacity: 8}}
		o := Options{Weight: weight}
		limited := seed%4 == 1 // by nodes, looks at the context, or the effort
		if limited {
			o.NodeLimit, o.Effort = r.Within(1, 3), Step(r.Within(int64(Keep), int64(Fresh)))
			o.Without = [][]Step{nil, {Repair}, {Keep, Window}, {Repair, Window}}[r.Below(4)]
		}
		s, err := Open(ctx, &n.p, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		next := int64(0)
		for range 20 {
			c := drawChange(r, n, &next)
			m := n.clone()
			mine, ok := c.edit(m)
			before := s.state()
			within := ctx
			if limited && r.Chance(0.3) {
				within = run.EndAtLook(ctx, r.Below(30))
			}
			a, err := c.call(within, s)
			if !ok || err != nil {
				if input, bad := errors.AsType[*model.InputError](err); ok || !bad || len(input.Issues) == 0 {
					t.Fatalf("seed %d, %s: %v, but the call is good: %v", seed, c.what, err, ok)
				}
				if s.state() != before {
					t.Fatalf("seed %d, %s: refused, and changed something", seed, c.what)
				}
				seen["refused"]++
				continue
			}
			isMine := make([]bool, len(m.at))
			for _, i := range mine {
				isMine[i] = true
			}
			least, exists := leastMovement(&m.p, m.at, isMine, weight)
			switch a.Status {
			case model.Unknown:
				if !limited || s.state() != before {
					t.Fatalf("seed %d, %s: unknown, of %v", seed, c.what, m.p.Buffers)
				}
				seen["unknown"]++
				continue
			case model.Infeasible:
				if exists || a.Proof == nil || a.Proof.String() == "" {
					t.Fatalf("seed %d, %s: infeasible (%v), but a plan exists: %v", seed, c.what, a.Proof, exists)
				}
				if s.state() != before {
					t.Fatalf("seed %d, %s: infeasible, and changed something", seed, c.what)
				}
				seen["no by "+string(a.Proof.Why)]++
				continue
			}
			if !exists {
				t.Fatalf("seed %d, %s: a plan that brute force does not find", seed, c.what)
			}
			p, plan := s.Snapshot()
			if !same(p, &m.p) {
				t.Fatalf("seed %d, %s: the session has\n%v\nnot\n%v", seed, c.what, p, m.p)
			}
			if report := verify.CheckHeight(p, plan.Offsets, p.Capacity, plan.Height); !report.OK() {
				t.Fatalf("seed %d, %s: %v", seed, c.what, report.Violations)
			}
			old := slices.Clone(m.at)
			m.at = plan.Offsets
			if got := movedBetween(&m.p, old, m.at, isMine, weight); got != a.Moved {
				t.Fatalf("seed %d, %s: moved %v, and says %v", seed, c.what, got, a.Moved)
			}
			if minimal := a.Moved.Cost == least.Cost && a.Moved.Buffers == least.Buffers; c.what != "remove" && (a.Least && !minimal || !a.Least && !limited) {
				t.Fatalf("seed %d, %s by %v: moved %v (least: %v), but %v is enough\n%v\n%v", seed, c.what, a.Step, a.Moved, a.Least, least, m.p.Buffers, old)
			}
			for k, i := range mine {
				if a.Offsets[k] != m.at[i] {
					t.Fatalf("seed %d, %s: the answer has offset %d, the plan %d", seed, c.what, a.Offsets[k], m.at[i])
				}
			}
			if bytes, _ := s.Peak(); bytes > p.Capacity || s.Height() != plan.Height {
				t.Fatalf("seed %d, %s: peak %d", seed, c.what, bytes)
			}
			seen[a.Step.String()]++
			n = m
		}
	}
	for _, must := range []string{"keep", "fit", "repair", "window", "hints", "refused", "unknown", "no by load", "no by collision", "no by pin", "no by search"} {
		if seen[must] < 5 {
			t.Errorf("%s came %d times: %v", must, seen[must], seen)
		}
	}
}

// TestFits holds that Fits changes nothing, and that Add then says the same.
func TestFits(t *testing.T) {
	ctx := context.Background()
	seen := map[model.Status]int{}
	for seed := range plantest.Share(uint64(4000), 100) {
		r := gen.NewRNG(seed, "fits")
		s, err := Open(ctx, &model.Problem{Capacity: 9}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range int64(15) {
			b := drawn(r, k)
			before := s.state()
			fits, err := s.Fits(ctx, b)
			if err != nil || s.state() != before {
				t.Fatalf("seed %d: %v, or Fits changed something", seed, err)
			}
			added, err := s.Add(ctx, b)
			if err != nil || fmt.Sprint(fits, fits.Proof) != fmt.Sprint(added, added.Proof) && fits.Proof == nil {
				t.Fatalf("seed %d: Fits says %v, Add %v, %v", seed, fits, added, err)
			}
			seen[fits.Status]++
		}
	}
	if seen[model.Feasible] < 100 || seen[model.Infeasible] < 100 || seen[model.Unknown] > 0 {
		t.Error(seen)
	}
}

// TestRollback holds that Rollback restores every field, and that Commit keeps what earlier marks undo.
func TestRollback(t *testing.T) {
	ctx := context.Background()
	for seed := range plantest.Share(uint64(4000), 200) {
		r := gen.NewRNG(seed, "rollback")
		n := &naive{p: model.Problem{Capacity: 10}}
		s, err := Open(ctx, &n.p, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		type saved struct {
			mark  Mark
			state string
		}
		var marks []saved
		next := int64(0)
		for range 60 {
			switch k := r.Below(8); {
			case k == 0:
				state := s.state()
				marks = append(marks, saved{s.Mark(), state})
			case k == 1 && len(marks) > 0:
				at := int(r.Below(int64(len(marks))))
				if err := s.Rollback(marks[at].mark); err != nil {
					t.Fatal(err)
				}
				if state := s.state(); state != marks[at].state {
					t.Fatalf("seed %d: after rollback\n%s\nbefore\n%s", seed, state, marks[at].state)
				}
				if s.Rollback(marks[at].mark) == nil {
					t.Fatalf("seed %d: a mark that is gone", seed)
				}
				marks = marks[:at]
			case k == 2 && len(marks) > 0 && r.Chance(0.3):
				at := int(r.Below(int64(len(marks))))
				if err := s.Commit(marks[at].mark); err != nil || s.Commit(marks[at].mark) == nil {
					t.Fatalf("seed %d: %v, or a mark that is gone", seed, err)
				}
				if marks = marks[:at]; at == 0 && len(s.journal) > 0 {
					t.Fatalf("seed %d: %d entries are left", seed, len(s.journal))
				}
			case k == 3:
				i, ok := s.index[fmt.Sprint("b", r.Below(next+1))]
				if ok {
					if err := s.Unpin(s.p.Buffers[i].ID); err != nil {
						t.Fatal(err)
					}
				}
			default:
				_, plan := s.Snapshot()
				n.at = plan.Offsets
				c := drawChange(r, n, &next)
				if _, err := c.call(ctx, s); err != nil && isInvalid(err) {
					t.Fatal(err)
				}
			}
		}
	}
}

// draw makes a session of buffers that just fit, for calls that need every step.
func draw(t testing.TB, seed uint64, n int, o Options) *Session {
	t.Helper()
	r := gen.NewRNG(seed, "draw")
	p := &model.Problem{}
	for k := range n {
		b := model.Buffer{ID: fmt.Sprint("d", k), Lower: r.Below(30), Size: r.Within(1, 40)}
		b.Upper = b.Lower + r.Within(1, 15)
		p.Buffers = append(p.Buffers, b)
	}
	s, err := Open(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Limit(context.Background(), s.Height()); err != nil {
		t.Fatal(err)
	}
	return s
}

// wide removes some buffers, and returns one that uses all bytes which are free throughout its life. Its size is 0 if
// there are none.
func wide(s *Session, seed uint64) model.Buffer {
	r := gen.NewRNG(seed, "wide")
	for range 4 {
		if err := s.Remove(s.p.Buffers[r.Below(int64(s.Len()))].ID); err != nil {
			panic(err)
		}
	}
	b := model.Buffer{ID: "new", Lower: r.Below(20)}
	b.Upper = b.Lower + r.Within(3, 20)
	b.Size = s.Capacity()
	for time := b.Lower; time < b.Upper; time++ {
		free := s.Capacity()
		for i, l := range s.life {
			if l.lower <= time && time < l.upper {
				free -= s.p.Buffers[i].Size
			}
		}
		b.Size = min(b.Size, free)
	}
	return b
}

// TestCancel ends the context at each look of each step. A call that ends early changes nothing.
func TestCancel(t *testing.T) {
	steps := map[Step]int{}
	for seed := range plantest.Share(uint64(60), 8) {
		for last := Fit; last < Fresh; last++ { // the steps up to last are left out, all but fit
			for n := int64(0); n < 400; n += 1 + n/3 {
				s := draw(t, seed, 24, Options{NodeLimit: 2000})
				for step := Repair; step <= last; step++ {
					s.skip[step] = true
				}
				b := wide(s, seed)
				if b.Size == 0 {
					break
				}
				before := s.state()
				a, err := s.Add(run.EndAtLook(context.Background(), n), b)
				if err != nil {
					t.Fatal(err)
				}
				if !a.Status.HasPlan() {
					if s.state() != before {
						t.Fatalf("seed %d, look %d: %v, and changed something", seed, n, a)
					}
					continue
				}
				p, plan := s.Snapshot()
				if report := verify.Check(p, plan.Offsets, p.Capacity); !report.OK() {
					t.Fatalf("seed %d, look %d: %v", seed, n, report.Violations)
				}
				steps[a.Step]++
			}
		}
	}
	for step := Fit; step <= Fresh; step++ {
		if steps[step] == 0 {
			t.Errorf("no call ended with %v: %v", step, steps)
		}
	}
	over, end := context.WithCancel(context.Background())
	end()
	s := draw(t, 1, 24, Options{})
	before := s.state()
	if a, err := s.Add(over, model.Buffer{ID: "new", Upper: 1, Size: 1}); err != nil || a.Status != model.Unknown || s.state() != before {
		t.Error("a call whose context has ended:", a, err)
	}
}

// TestDeterminism makes the same calls twice.
func TestDeterminism(t *testing.T) {
	for seed := range plantest.Share(uint64(40), 6) {
		var states [2]string
		for k := range states {
			s := draw(t, seed, 40, Options{Seed: seed, NodeLimit: 500})
			r := gen.NewRNG(seed, "twice")
			for j := range 40 {
				i := r.Below(int64(s.Len()))
				a, err := s.Resize(context.Background(), s.p.Buffers[i].ID, r.Within(1, 50))
				if err != nil {
					t.Fatal(err)
				}
				states[k] += fmt.Sprint(j, a.Status, a.Step, a.Moved, a.Nodes, s.at)
			}
		}
		if states[0] != states[1] {
			t.Fatalf("seed %d: two answers", seed)
		}
	}
}

// TestReplan holds that Replan never raises the plan, and that the lowest one is at the load where brute force says so.
func TestReplan(t *testing.T) {
	ctx := context.Background()
	lower := 0
	for seed := range plantest.Share(uint64(500), 60) {
		r := gen.NewRNG(seed, "replan")
		s, err := Open(ctx, &model.Problem{}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range int64(6) {
			b := drawn(r, k)
			b.Fixed = nil
			if _, err := s.Add(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		for s.Len() > 4 {
			if err := s.Remove(s.p.Buffers[r.Below(int64(s.Len()))].ID); err != nil {
				t.Fatal(err)
			}
		}
		before := s.Height()
		if a, err := s.Replan(ctx, 0, Fresh); err != nil || a.Status != model.Feasible || s.Height() > before {
			t.Fatalf("seed %d: %v, %v", seed, a, err)
		}
		p, plan := s.Snapshot()
		if report := verify.Check(p, plan.Offsets, 0); !report.OK() || s.Capacity() != 0 {
			t.Fatal(report.Violations)
		}
		q := *p
		q.Capacity = plan.Height - 1
		if _, exists := leastMovement(&q, plan.Offsets, make([]bool, len(q.Buffers)), plainly); exists {
			t.Fatalf("seed %d: height %d is not the lowest", seed, plan.Height)
		}
		if plan.Height < before {
			lower++
		}
		if a, err := s.Replan(ctx, plan.Height-1, Fresh); err != nil || plan.Height > 1 && a.Status != model.Infeasible {
			t.Fatalf("seed %d: %v, %v", seed, a, err)
		}
	}
	if lower < 5 {
		t.Errorf("only %d plans became lower", lower)
	}
}
