package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// Idea: each technique is asked by itself about calls that no cheaper step decides. If it is off, it finds too few
// plans. If it is too strong, a plan is not valid, a pin moves, or a "no" is wrong.

// begun begins a call that the steps keep and fit cannot make, with some buffers pinned. The call is nil if none is
// found.
func begun(t *testing.T, s *Session, kind string, seed uint64) (c *call, done func()) {
	t.Helper()
	for i := 0; i < s.Len(); i += 9 {
		must.Get(s.Pin(context.Background(), s.p.Buffers[i].ID, s.at[i]))(t)
	}
	if kind == "plain" {
		_, c, done = stuck(s, seed)
		return c, done
	}
	for b := fullest(s, seed); b.Size < 80; b.Size += 3 {
		b.Extra = &model.Extra{Pools: []int32{int32(seed) % 2}}
		c, done = s.begin(context.Background(), []int32{s.insert(b)})
		if c.keep(); !c.fit() && c.ground.hopeless() == nil {
			return c, done
		}
		done()
		s.undo(len(s.journal) - 1)
	}
	return nil, nil
}

// TestTechniques asks each technique of the list by itself.
func TestTechniques(t *testing.T) {
	plans := map[string]int{}
	for _, kind := range kinds {
		for seed := range plantest.Share(uint64(120), 30) {
			open := full[kind].open(t, seed, 6+int(seed%4)*9)
			says := map[bool]string{} // who says that there is a plan, and that there is none
			for k, x := range techniques {
				late := k == 7 && seed%8 > 0 // late walks that fail take a tenth of a second
				if x.needs == rules && kind == "plain" || x.needs == noRules && kind == "rules" || late {
					continue
				}
				s := must.Get(open(Options{NodeLimit: 1000}))(t)
				c, done := begun(t, s, kind, seed)
				if c == nil {
					break
				}
				name := fmt.Sprintf("%s %02d %v", kind, k, x.step)
				a, p, err := x.find(c)
				done()
				if err != nil {
					t.Fatal(err)
				}
				if a.Status == model.Infeasible {
					says[false] = name
				}
				if p.at == nil {
					continue
				}
				plans[name]++
				says[true] = name
				if wrong := s.wrong(Fresh, p, nil); wrong != "" {
					t.Errorf("%s, seed %d: %s", name, seed, wrong)
				}
			}
			if len(says) > 1 {
				t.Errorf("%s, seed %d: there is a plan, by %s, and none, by %s", kind, seed, says[true], says[false])
			}
		}
	}
	for k, x := range techniques {
		for _, kind := range kinds {
			name := fmt.Sprintf("%s %02d %v", kind, k, x.step)
			if least, asked := fewest[name]; asked && plans[name] < least {
				t.Errorf("%s found %d plans: %v", name, plans[name], plans)
			}
		}
	}
}

// fewest has the least number of plans that each technique finds. The other techniques only adopt plans of others, or
// prove.
var fewest = map[string]int{
	"plain 00 repair": 4, "plain 02 repair": 7, "plain 03 repair": 8, "plain 06 window": 3, "plain 07 window": 2,
	"plain 09 hints": 8, "plain 10 fresh": 8, "plain 12 fresh": 7,
	"rules 04 repair": 4, "rules 06 window": 1, "rules 08 hints": 2, "rules 09 hints": 4, "rules 10 fresh": 4,
}

// TestHeldNew: a new buffer that lies at its hint stays there while a window is planned around it.
func TestHeldNew(t *testing.T) {
	for _, rules := range []*model.Rules{nil, {}, {Pools: []model.Pool{{ID: "x", Capacity: 16}, {ID: "y", Capacity: 1}}}} {
		p := &model.Problem{Rules: rules}
		if rules == nil || rules.Pools == nil {
			p.Capacity = 16
		}
		s := must.Get(Open(t.Context(), p, nil, Options{}))(t)
		hint := int64(8)
		come := []model.Buffer{{ID: "a", Upper: 4, Size: 4, Hint: &hint}, {ID: "b", Upper: 4, Size: 4}}
		c, done := s.begin(t.Context(), []int32{s.insert(come[0]), s.insert(come[1])})
		defer done()
		if c.keep(); c.at[0] != hint || len(c.homeless) != 1 {
			t.Fatal(c.at)
		}
		r, err := c.question(c.alone, s.windows, 1000, []bool{true, false}, nil)
		if err != nil || r.plan.at == nil || r.plan.at[0] != hint {
			t.Errorf("%v: %v, %v", rules, r, err)
		}
	}
}

// TestStepNames: each step has a name that gives the step back. Unknown steps show as numbers, and "none" is no step.
func TestStepNames(t *testing.T) {
	for step := Keep; step <= Fresh; step++ {
		if got, ok := StepOf(step.String()); got != step || !ok {
			t.Errorf("%v leads to %v", step, got)
		}
	}
	if _, ok := StepOf(None.String()); ok || (Fresh+1).String() != "step(7)" {
		t.Errorf("none is a step, or there is one behind the last: %v", Fresh+1)
	}
}

// TestReplanAtFloor: a plan at the load is not planned again.
func TestReplanAtFloor(t *testing.T) {
	p := &model.Problem{Capacity: 16, Buffers: []model.Buffer{{ID: "a", Upper: 4, Size: 8}}}
	s, err := Open(t.Context(), p, []int64{0}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.Replan(t.Context(), 0, Fresh); err != nil || a.Step != Keep || !a.Least || a.Nodes != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
