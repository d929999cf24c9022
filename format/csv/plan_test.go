package csv

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

func pooledProblem() *model.Problem {
	return &model.Problem{
		Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 8}, {ID: "b", Upper: 4, Size: 4, Alignment: 4}},
		Rules:   &model.Rules{Pools: []model.Pool{{ID: "fast"}, {ID: "slow, large"}}},
	}
}

// TestPlanPools writes a plan of two pools, and reads it again.
func TestPlanPools(t *testing.T) {
	p := pooledProblem()
	plan := &model.Plan{Offsets: []int64{0, 4}, Pools: []int32{1, 0}, Height: 16}
	var b bytes.Buffer
	must.Do(t, WritePlan(&b, p, plan))
	want := "id,lower,upper,size,pool,alignment,offset\na,0,2,8,\"slow, large\",1,0\nb,0,4,4,fast,4,4\n"
	must.Same(t, want, b.String())
	got, err := ReadPlan(&b, "x.csv", p)
	if diff := cmp.Diff(plan, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	// An alternative that is not chosen has no place.
	p.Rules.Alternatives = [][]int32{{0, 1}}
	plan = &model.Plan{Offsets: []int64{-1, 4}, Pools: []int32{-1, 0}, Height: 8}
	must.Do(t, WritePlan(&b, p, plan))
	must.Same(t, "id,lower,upper,size,pool,alignment,offset\na,0,2,8,,1,-1\nb,0,4,4,fast,4,4\n", b.String())
	got, err = ReadPlan(&b, "x.csv", p)
	if diff := cmp.Diff(plan, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	// One pool goes without saying.
	p.Rules = &model.Rules{Threads: 2}
	p.Buffers[0].SetClocks([]int64{0, 0}, []int64{0, 2})
	p.Buffers[1].SetClocks([]int64{0, 0}, []int64{1, 2})
	b.Reset()
	want = "id,lower,upper,size,alignment,offset\na,0:0,0:2,8,1,0\nb,0:0,1:2,4,4,8\n"
	if err := WritePlan(&b, p, &model.Plan{Offsets: []int64{0, 8}}); err != nil || b.String() != want {
		t.Errorf("%v %s", err, b.String())
	}
	if got, err := ReadPlan(&b, "x.csv", p); err != nil || got.Pools != nil || got.Offsets[1] != 8 || got.Height != 12 {
		t.Errorf("%v %+v", err, got)
	}
}

// TestPlanPoolsFaults reads plans without pools that mean something, and writes what the columns have no room for.
func TestPlanPoolsFaults(t *testing.T) {
	p := pooledProblem()
	for text, want := range map[string]string{
		"id,offset\na,0\nb,4\n":                  "x.csv:1: header: the column pool is missing: the problem has several pools",
		"id,Pool,offset\na,fast,0\nb,slow,4\n":   `x.csv:3: buffer b: pool "slow": is not a pool of the problem`,
		"id,offset,pool\na,0,fast\nb,4\n":        "x.csv:3: buffer b: has 2 fields, the header has 3 columns",
		"id,offset,pool\na,0,fast\nb,,fast\n":    "x.csv:3: buffer b: offset: is missing: a plan has one for each buffer",
		"id,offset,pool\na,0,fast\na,0,fast\n\n": "x.csv:3: buffer a: id \"a\": is a duplicate: line 2 has the same\nx.csv: buffer b: has no row in the plan",
	} {
		if _, err := ReadPlan(strings.NewReader(text), "x.csv", p); err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
	sound := model.Plan{Offsets: []int64{0, 4}, Pools: []int32{1, 0}}
	for _, tc := range []struct {
		want  string
		spoil func(p *model.Problem, plan *model.Plan)
	}{
		{"csv: 1 offsets for 2 buffers", func(_ *model.Problem, plan *model.Plan) { plan.Offsets = []int64{0} }},
		{"csv: 0 pools for 2 buffers", func(_ *model.Problem, plan *model.Plan) { plan.Pools = nil }},
		{"csv: buffer b is in pool 7 of 2", func(_ *model.Problem, plan *model.Plan) { plan.Pools = []int32{1, 7} }},
		{"csv: the plan takes evictions, which are for JSON", func(_ *model.Problem, plan *model.Plan) {
			plan.Parts = []model.Parts{{}}
		}},
		{`csv: the ID "\xff" of a pool has a NUL byte or is not valid UTF-8`, func(p *model.Problem, _ *model.Plan) {
			p.Rules.Pools[1].ID = "\xff"
		}},
		{`csv: the ID "\x00" of buffer number 1 has a NUL byte or is not valid UTF-8`, func(p *model.Problem, _ *model.Plan) {
			p.Buffers[0].ID = "\x00"
		}},
	} {
		p, plan := pooledProblem(), sound
		tc.spoil(p, &plan)
		var b bytes.Buffer
		if err := WritePlan(&b, p, &plan); err == nil || err.Error() != tc.want || b.Len() > 0 {
			t.Errorf("got %v, want %s; %d bytes", err, tc.want, b.Len())
		}
	}
	var b bytes.Buffer
	rules := "csv: the problem has rules, such as pools or pairs apart, which the columns have no room for"
	for _, err := range []error{Write(&b, p, sound.Offsets), Write(&b, p, nil), Writable(p)} {
		if err == nil || err.Error() != rules || b.Len() > 0 {
			t.Errorf("a problem with rules is written: %v, %d bytes", err, b.Len())
		}
	}
	if err := WritablePlan(p); err != nil {
		t.Error(err)
	}
	p.Buffers[1].Extra = &model.Extra{Evictions: []model.Eviction{{Lower: 1, Upper: 2}}}
	if err := WritablePlan(p); err == nil ||
		err.Error() != `csv: buffer "b" has evictions, which the columns have no room for` {
		t.Error(err)
	}
}
