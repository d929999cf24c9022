package dsa

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// drawn draws a problem with what the schema can state.
func drawn(rng *rand.Rand) *model.Problem {
	p := &model.Problem{Name: "a \"name\"\n\x01\u2028", Rules: &model.Rules{}}
	for k := range 1 + rng.IntN(3) {
		pool := model.Pool{ID: fmt.Sprint("pool ", k), Capacity: 100 * rng.Int64N(2)}
		if rng.IntN(2) == 0 {
			pool.Reserved = []model.Range{{Lower: 8, Upper: 16}}
		}
		p.Rules.Pools = append(p.Rules.Pools, pool)
	}
	n := 2 + rng.IntN(4)
	for k := range n {
		b := model.Buffer{ID: fmt.Sprint("b", k), Lower: rng.Int64N(4), Size: 8, Alignment: 1 + rng.Int64N(3)}
		b.Upper = b.Lower + 1 + rng.Int64N(6)
		if b.Upper > b.Lower+2 && rng.IntN(2) == 0 {
			b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Upper - 1}}
		}
		if len(p.Rules.Pools) > 1 && rng.IntN(2) == 0 {
			b.Extra = &model.Extra{Pools: []int32{rng.Int32N(int32(len(p.Rules.Pools)))}}
			if rng.IntN(2) == 0 {
				at := 24 * b.Alignment
				b.Fixed = &at
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	if rng.IntN(2) == 0 {
		p.Rules.Apart = []model.Pair{{1, 0}}
	} else {
		p.Rules.Together = []model.Together{{Buffers: []int32{0, 1}}}
	}
	if rng.IntN(2) == 0 {
		p.Rules.MayOverlap = []model.Pair{{0, int32(n - 1)}}
		p.Rules.Penalties = []model.Penalty{{Buffers: model.Pair{0, int32(n - 1)}, Cost: 4}}
	}
	p.Rules.Objective = []model.Measure{model.MeasurePenalty, model.MeasurePeak}
	return p
}

// TestWriteRoundTrip reads what was written, and compares it with what it was.
func TestWriteRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	written := 0
	for range 2000 {
		p := drawn(rng)
		if model.Validate(p) != nil {
			continue
		}
		var file bytes.Buffer
		must.Do(t, Write(&file, p))
		q, err := Read(bytes.NewReader(file.Bytes()), "x.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, file.Bytes())
		}
		if !Begins(file.Bytes()) {
			t.Fatal("Begins does not know the file")
		}
		must.Same(t, p, q, cmpopts.EquateEmpty())
		written++
	}
	if written < 1000 {
		t.Errorf("%d problems written", written)
	}
}

// TestWritePlain writes problems that say things in another way.
func TestWritePlain(t *testing.T) {
	p := &model.Problem{Capacity: 64, Buffers: []model.Buffer{{ID: "a", Upper: 4, Size: 8}, {ID: "b", Upper: 4, Size: 8}}}
	m := must.Get(Make(p))(t)
	q, err := Read(strings.NewReader(m.text), "x.json")
	if err != nil || q.Rules.Pools[0].ID != "memory" || q.Rules.Pools[0].Capacity != 64 || q.Name != "problem" {
		t.Fatalf("%v %+v", err, q)
	}
	if !slices.Equal(q.Objective(), []model.Measure{model.MeasurePeak}) {
		t.Error(q.Objective())
	}
	p.Capacity = 0
	p.Buffers[0].Alignment = 4
	p.Rules = &model.Rules{
		Pools:     []model.Pool{{ID: "m", Alignment: 6, Capacity: 64}},
		Objective: []model.Measure{"cost", "max_height", "height:m"},
		Apart:     []model.Pair{{0, 1}, {1, 0}},
	}
	var file bytes.Buffer
	must.Do(t, Write(&file, p))
	if q, err = Read(&file, "x.json"); err != nil {
		t.Fatal(err)
	}
	if q.Buffers[0].Alignment != 12 || q.Buffers[1].Alignment != 6 || len(q.Rules.Apart) != 1 {
		t.Errorf("%+v", q)
	}
	if !slices.Equal(q.Objective(), []model.Measure{model.MeasureMaxPeak, model.MeasurePeak}) {
		t.Error(q.Objective())
	}
}

// TestWriteRefuses adds to a sound problem what the schema cannot state.
func TestWriteRefuses(t *testing.T) {
	for _, tc := range []struct {
		spoil func(p *model.Problem)
		want  string
	}{
		{func(p *model.Problem) { p.Buffers = nil }, "has no problems without buffers"},
		{func(p *model.Problem) { p.Rules.Threads = 2 }, "has no clocks (threads)"},
		{func(p *model.Problem) { p.Rules.Period = 9 }, "has no period"},
		{func(p *model.Problem) { p.Rules.Distances = []model.Distance{{}} }, "has no distances"},
		{func(p *model.Problem) {
			p.Buffers[0].Gaps = []model.Gap{{Lower: 1, Upper: 2, Window: &model.Window{Upper: 4}}}
		}, "has no windows of gaps: buffer a has one"},
		{func(p *model.Problem) {
			p.Buffers[1].Extra = &model.Extra{Evictions: []model.Eviction{{Lower: 1, Upper: 2}}}
		}, "has no evictions: buffer b has some"},
		{func(p *model.Problem) {
			p.Buffers[0].Gaps = []model.Gap{{Upper: 4}}
		}, "has no buffers that are never live: buffer a has a gap for all of its lifespan"},
		{func(p *model.Problem) {
			p.Rules.Pools[0].Alignment = 2
		}, "has no alignment of pools: that of buffer a is 2 in one pool and 1 in another"},
		{func(p *model.Problem) {
			p.Rules.Together = []model.Together{{Buffers: []int32{0, 1}, At: []int64{0, 8}}}
		}, "ties buffers at one byte only: a and b lie 8 bytes apart"},
		{func(p *model.Problem) {
			p.Rules.Together, p.Buffers[1].Size = []model.Together{{Buffers: []int32{0, 1}}}, 4
		}, "gives tied buffers one size: a has 8 bytes, b has 4"},
		{func(p *model.Problem) {
			p.Rules.Objective = []model.Measure{"height"} // pool x has reserved bytes
		}, "has no term for the measure height of this problem"},
		{func(p *model.Problem) {
			p.Rules.Objective = []model.Measure{"peak:x"}
		}, "has no term for the measure peak:x of this problem"},
		{func(p *model.Problem) {
			p.Rules.Objective, p.Rules.Pools[1].Cost = []model.Measure{"cost"}, 1
		}, "has no term for the measure cost of this problem"},
		{func(p *model.Problem) { p.Buffers[0].ID = "\xff" }, `has only names of valid UTF-8: that of a buffer is "\xff"`},
		{func(p *model.Problem) {
			p.Rules.Pools[0].Alignment, p.Buffers[0].Alignment = 1<<60, 3
		}, "has no alignment for buffer a: no 61 bits hold the common multiple of 3 and that of pool x"},
	} {
		p := &model.Problem{
			Buffers: []model.Buffer{{ID: "a", Upper: 4, Size: 8}, {ID: "b", Upper: 4, Size: 8}},
			Rules: &model.Rules{
				Pools:     []model.Pool{{ID: "x", Reserved: []model.Range{{Lower: 1, Upper: 2}}}, {ID: "y"}},
				Objective: []model.Measure{model.MeasurePeak},
			},
		}
		var file bytes.Buffer
		must.Do(t, Write(&file, p))
		file.Reset()
		tc.spoil(p)
		if err := Write(&file, p); err == nil || !strings.HasPrefix(err.Error(), "dsa-problem-v1 "+tc.want) ||
			file.Len() > 0 {
			t.Errorf("got  %v, %d bytes\nwant %s", err, file.Len(), tc.want)
		}
	}
}

// TestSolution writes a plan of a file with numbers of its own.
func TestSolution(t *testing.T) {
	d := must.Get(ReadDocument(strings.NewReader(sound), "x.json"))(t)
	plan := &model.Plan{Offsets: []int64{64, 64, 128, 8}, Pools: []int32{0, 0, 0, 1}}
	var file bytes.Buffer
	must.Do(t, d.WriteSolution(&file, plan, map[string]string{"planner": "none"}))
	var got struct {
		Profile, Instance string
		Fingerprint       string `json:"problem_fingerprint"`
		Metadata          map[string]string
		Placements        [][]int64
	}
	text := file.Bytes()
	for _, key := range []string{"buffer", "offset", "pool"} { // a placement as a list
		text = bytes.ReplaceAll(text, []byte(`"`+key+`": `), nil)
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("    {"), []byte("[")), []byte("    }"), []byte("]"))
	if err := stdjson.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := [][]int64{{5, 64, 1}, {6, 64, 1}, {8, 8, 7}, {9, 128, 1}} // by numbers: buffer, offset, pool
	must.Same(t, want, got.Placements)
	if got.Profile != "pypto_hard_v1" || got.Instance != "kernel" || len(got.Metadata) != 1 {
		t.Errorf("%+v", got)
	}
	print, err := d.Fingerprint()
	if err != nil || print != got.Fingerprint || len(print) != 16 {
		t.Errorf("%v: %s and %s", err, print, got.Fingerprint)
	}
	// Keys in another order, and an empty list of reasons, mean the same. A problem without the reason is another.
	of := func(from, to string, more ...string) string {
		text := strings.NewReplacer(append(more, from, to)...).Replace(sound)
		again, err := ReadDocument(strings.NewReader(text), "x.json")
		if err != nil || text == sound {
			t.Fatalf("%s: %v", from, err)
		}
		print, _ := again.Fingerprint()
		return print
	}
	none := of(`, "reasons": ["generic"]`, ``)
	if of(`"schema_version": 1,`, ``, `"problem": {`, `"schema_version": 1, "problem": {`) != print {
		t.Error("another order of keys has another fingerprint")
	}
	if none == print || of(`["generic"]`, `[]`) != none {
		t.Error("the reason is no part of the fingerprint, or an empty list of reasons is")
	}
	for _, bad := range []*model.Plan{
		{Offsets: plan.Offsets},
		{Offsets: plan.Offsets[:3], Pools: plan.Pools},
		{Offsets: plan.Offsets, Pools: plan.Pools[:3]},
		{Offsets: plan.Offsets, Pools: plan.Pools, Parts: make([]model.Parts, 1)},
	} {
		file.Reset()
		if err := d.WriteSolution(&file, bad, nil); err == nil || file.Len() > 0 {
			t.Errorf("%+v is written: %v", bad, err)
		}
	}
}

// TestPublicFingerprints compares fingerprints with those of the public files, which dsa-solver wrote: the hash of all
// bytes.
func TestPublicFingerprints(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(public.Dir(), "pypto", "*.json"))
	lifts, _ := filepath.Glob(filepath.Join(public.Dir(), "dsa-rp", "*.json"))
	if len(files) == 0 {
		t.Skip("pypto is not among the public instances here")
	}
	for _, file := range append(files, lifts...) {
		text := must.Get(os.ReadFile(file))(t)
		d := must.Get(ReadDocument(bytes.NewReader(text), file))(t)
		sum := fnv.New64a()
		sum.Write(text)
		fixture := strings.Contains(file, "unit-tests") // written by hand, in another layout
		if got, err := d.Fingerprint(); err != nil || !fixture && got != fmt.Sprintf("%016x", sum.Sum64()) {
			t.Errorf("%s: %s, %v", file, got, err)
		}
		// Written by us it is the same problem.
		var again bytes.Buffer
		if err := Write(&again, d.Problem); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		q, err := Read(&again, file)
		if diff := cmp.Diff(d.Problem, q, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v %s", file, err, diff)
		}
	}
}
