package public

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stowage-go/stowage/model"
)

// A RuledCase is a tiny problem with rules whose answer is known: found by brute force, and again by an
// independent model of constraints.
type RuledCase struct {
	Name string
	// Problem has Rules, whose Objective is set.
	Problem *model.Problem
	// Optimum has the best values of Problem.Objective, in its order; nil if there is no plan.
	Optimum []int64
	// Refused says that model.Validate must refuse the problem: its rules contradict each other, or a buffer with a fixed
	// offset has a choice of pools. The file allows the latter, so Optimum is set then.
	Refused bool
}

// RuledCases reads rules/tiny.json within Dir. The error is fs.ErrNotExist if the file is not there. The
// reader is for this file alone: it knows no lines and trusts the file.
func RuledCases() ([]RuledCase, error) {
	data, err := os.ReadFile(filepath.Join(Dir(), "rules", "tiny.json"))
	if err != nil {
		return nil, err
	}
	type one struct {
		Name      string
		Problem   ruledProblem
		Objective []model.Measure
		Optimum   json.RawMessage
	}
	var file struct{ Hand, Pairs []one }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var cases []RuledCase
	for _, x := range append(file.Hand, file.Pairs...) {
		p, err := x.Problem.read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Name, err)
		}
		p.Name, p.Rules.Objective = x.Name, x.Objective
		c := RuledCase{Name: x.Name, Problem: p}
		switch string(x.Optimum) {
		case `"error"`:
			c.Refused = true
		case `"infeasible"`:
		default:
			if err := json.Unmarshal(x.Optimum, &c.Optimum); err != nil {
				return nil, fmt.Errorf("%s: %w", x.Name, err)
			}
		}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			c.Refused = c.Refused || b.Fixed != nil && len(p.Rules.Pools) > 1 && (b.Extra == nil || len(b.Extra.Pools) != 1)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// ruledProblem is a problem as the file has it.
type ruledProblem struct {
	Pools []struct {
		ID                        string
		Capacity, Alignment, Cost int64
		Reserved                  [][2]int64
	}
	Buffers []struct {
		ID              string
		Size, Alignment int64
		Lower, Upper    times
		Gaps            [][2]int64
		Pools           []string
		Costs           map[string]int64
		Fixed           *int64
	}
	Together []struct {
		Buffers []string
		At      []int64
	}
	Apart      [][2]string
	MayOverlap [][2]string `json:"may_overlap"`
	Penalties  []struct {
		Buffers [2]string
		Cost    int64
	}
}

// times is one time, or one for each clock.
type times struct {
	clocked bool
	at      []int64
}

// UnmarshalJSON reads a number or a list.
func (t *times) UnmarshalJSON(text []byte) error {
	t.clocked = json.Unmarshal(text, &t.at) == nil
	if t.clocked {
		return nil
	}
	t.at = make([]int64, 1)
	return json.Unmarshal(text, &t.at[0])
}

func (f *ruledProblem) read() (*model.Problem, error) {
	r := &model.Rules{}
	p := &model.Problem{Rules: r}
	pools, buffers := map[string]int32{}, map[string]int32{}
	for k, q := range f.Pools {
		pools[q.ID] = int32(k)
		pool := model.Pool{ID: q.ID, Capacity: q.Capacity, Alignment: q.Alignment, Cost: q.Cost}
		for _, x := range q.Reserved {
			pool.Reserved = append(pool.Reserved, model.Range{Lower: x[0], Upper: x[1]})
		}
		r.Pools = append(r.Pools, pool)
	}
	for k, x := range f.Buffers {
		buffers[x.ID] = int32(k)
		b := model.Buffer{ID: x.ID, Size: x.Size, Alignment: x.Alignment, Fixed: x.Fixed}
		if x.Lower.clocked {
			r.Threads = len(x.Lower.at)
			b.SetClocks(x.Lower.at, x.Upper.at)
		} else {
			b.Lower, b.Upper = x.Lower.at[0], x.Upper.at[0]
		}
		for _, g := range x.Gaps {
			b.Gaps = append(b.Gaps, model.Gap{Lower: g[0], Upper: g[1]})
		}
		if (x.Pools != nil || x.Costs != nil) && b.Extra == nil {
			b.Extra = &model.Extra{}
		}
		for _, id := range x.Pools {
			pool, known := pools[id]
			if !known {
				return nil, fmt.Errorf("buffer %s: no pool %s", x.ID, id)
			}
			b.Extra.Pools = append(b.Extra.Pools, pool)
		}
		for k := range r.Pools {
			if cost, has := x.Costs[r.Pools[k].ID]; has {
				b.Extra.Costs = append(b.Extra.Costs, model.PoolCost{Pool: int32(k), Cost: cost})
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	pair := func(x [2]string) model.Pair { return model.Pair{buffers[x[0]], buffers[x[1]]} }
	for _, x := range f.Together {
		t := model.Together{At: x.At}
		for _, id := range x.Buffers {
			t.Buffers = append(t.Buffers, buffers[id])
		}
		r.Together = append(r.Together, t)
	}
	for _, x := range f.Apart {
		r.Apart = append(r.Apart, pair(x))
	}
	for _, x := range f.MayOverlap {
		r.MayOverlap = append(r.MayOverlap, pair(x))
	}
	for _, x := range f.Penalties {
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: pair(x.Buffers), Cost: x.Cost})
	}
	return p, nil
}
