package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// ruledExample is the document of the package comment, as Write makes it.
const ruledExample = `{
  "version": 2,
  "pools": [
    {"id": "tcm", "capacity": 65536, "alignment": 16, "reserved": [[0, 1024]]},
    {"id": "dram", "alignment": 16, "cost": 1}
  ],
  "objective": ["cost", "height"],
  "buffers": [
    {"id": "a", "lower": 0, "upper": 9, "size": 4096, "fixed": 2048, "pools": ["tcm"]},
    {"id": "b", "lower": 0, "upper": 9, "size": 64, "gaps": [{"lower": 2, "upper": 4}], "costs": {"dram": 4096},` +
	` "evictions": [{"lower": 5, "upper": 8, "cost": 3}]},
    {"id": "c", "lower": 8, "upper": 12, "size": 64},
    {"id": "d", "lower": 9, "upper": 14, "size": 64},
    {"id": "e", "lower": 13, "upper": 15, "size": 64}
  ],
  "together": [
    {"buffers": ["a", "c"], "at": [0, 64]}
  ],
  "apart": [
    ["a", "d"]
  ],
  "may_overlap": [
    ["b", "c"]
  ],
  "distances": [
    {"buffers": ["d", "e"], "distance": -16}
  ],
  "penalties": [
    {"buffers": ["b", "d"], "cost": 3}
  ],
  "plan": {
    "planner": "exact",
    "status": "feasible",
    "height": 8384,
    "lower_bound": 0,
    "offsets": [2048, 8192, 2112, 0, 64],
    "pools": ["tcm", "tcm", "tcm", "dram", "dram"],
    "parts": {
      "b": [{"lower": 0, "upper": 5, "offset": 8192, "pool": "tcm"},` +
	` {"lower": 8, "upper": 9, "offset": 0, "pool": "dram"}]
    },
    "measures": {"cost": 4224, "height": 8384},
    "bounds": {"cost": 0}
  }
}
`

func ruledProblem() (*model.Problem, *Plan) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Upper: 9, Size: 4096, Alignment: 1, Fixed: at(2048), Extra: &model.Extra{Pools: []int32{0}}},
			{
				ID: "b", Upper: 9, Size: 64, Alignment: 1, Gaps: []model.Gap{{Lower: 2, Upper: 4}},
				Extra: &model.Extra{
					Costs:     []model.PoolCost{{Pool: 1, Cost: 4096}},
					Evictions: []model.Eviction{{Lower: 5, Upper: 8, Cost: 3}},
				},
			},
			{ID: "c", Lower: 8, Upper: 12, Size: 64, Alignment: 1},
			{ID: "d", Lower: 9, Upper: 14, Size: 64, Alignment: 1},
			{ID: "e", Lower: 13, Upper: 15, Size: 64, Alignment: 1},
		},
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "tcm", Capacity: 65536, Alignment: 16, Reserved: []model.Range{{Upper: 1024}}},
				{ID: "dram", Alignment: 16, Cost: 1},
			},
			Together:   []model.Together{{Buffers: []int32{0, 2}, At: []int64{0, 64}}},
			Apart:      []model.Pair{{0, 3}},
			MayOverlap: []model.Pair{{1, 2}},
			Distances:  []model.Distance{{Buffers: model.Pair{3, 4}, Distance: -16}},
			Penalties:  []model.Penalty{{Buffers: model.Pair{1, 3}, Cost: 3}},
			Objective:  []model.Measure{model.MeasureCost, model.MeasureHeight},
		},
	}
	return p, &Plan{
		Planner: "exact", Status: model.Feasible, Height: 8384, Offsets: []int64{2048, 8192, 2112, 0, 64},
		Pools: []int32{0, 0, 0, 1, 1},
		Parts: []model.Parts{{
			Buffer: 1,
			Parts:  []model.Part{{Lower: 0, Upper: 5, Offset: 8192}, {Lower: 8, Upper: 9, Pool: 1}},
		}},
		Measures: []model.Value{{Measure: model.MeasureCost, Value: 4224}, {Measure: model.MeasureHeight, Value: 8384}},
		Bounds:   []model.Value{{Measure: model.MeasureCost}},
	}
}

func TestRulesExample(t *testing.T) {
	wantProblem, wantPlan := ruledProblem()
	p, plan := must.Two(ReadAll(strings.NewReader(ruledExample), "x.json"))(t)
	must.Same(t, wantProblem, p)
	must.Same(t, wantPlan, plan)
	var b bytes.Buffer
	must.Do(t, Write(&b, p, plan))
	must.Same(t, ruledExample, b.String())
}

// ruledForms are files of version 2 with what the example lacks.
var ruledForms = []string{
	`{"version": 2, "buffers": [{"lower": [0, 0], "upper": [1, 0], "size": 1}, {"lower": [1, 0], "upper": [1, 2], "size": 2}],
"may_overlap": [["0", "1"]], "plan": {"status": "optimal", "offsets": [0, 0], "measures": {"height": 2}, "bounds": {"height": 2}}}`,
	`{"version": 2, "threads": 1, "buffers": [{"id": "a", "lower": [3], "upper": [5], "size": 1}]}`,
	`{"version": 2, "period": 8, "name": "turn", "buffers": [{"id": "a", "lower": 6, "upper": 10, "size": 1, "gaps": [[7, 8]]}]}`,
	`{"version": 2, "pools": [{"id": "x", "reserved": [[4, 8], [16, 20]]}], "objective": ["height:x", "peak", "penalty"],
"buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 1, "pools": ["x"], "costs": {"x": 7}}],
"plan": {"status": "feasible", "offsets": [9], "pools": ["x"], "measures": {"height:x": 10, "peak": 20, "cost": 7}}}`,
	`{"version": 2, "capacity": 9, "together": [{"buffers": ["a", "b"]}],
"buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 1, "alignment": 2}, {"id": "b", "lower": 0, "upper": 4, "size": 3, "hint": 2}],
"plan": {"status": "infeasible", "lower_bound": 10, "bounds": {"height": 10}}}`,
}

// TestRulesForms reads each form, and what Write makes of it, with the same result.
func TestRulesForms(t *testing.T) {
	for _, text := range append(ruledForms, ruledExample) {
		p, plan, err := ReadAll(strings.NewReader(text), "x.json")
		if err != nil {
			t.Errorf("%v in\n%s", err, text)
			continue
		}
		if p.Rules == nil {
			t.Errorf("no rules in\n%s", text)
		}
		roundTrip(t, p, plan)
	}
	p, _, err := ReadAll(strings.NewReader(ruledForms[0]), "")
	want := &model.Clocks{Lower: []int64{1, 0}, Upper: []int64{1, 2}}
	if err != nil || p.Rules.Threads != 2 || !cmp.Equal(p.Buffers[1].Extra.Clocks, want) || p.Buffers[1].Upper != 3 {
		t.Errorf("%v: %+v", err, p)
	}
}

// TestRulesNone: a problem without rules is of version 1, whatever version it had.
func TestRulesNone(t *testing.T) {
	p, plan, err := ReadAll(strings.NewReader(strings.Replace(example, `"version": 1`, `"version": 2`, 1)), "x.json")
	if err != nil || p.Rules != nil {
		t.Fatalf("%v, %+v", err, p)
	}
	for _, rules := range []*model.Rules{nil, {}} {
		p.Rules = rules
		var b bytes.Buffer
		if err := Write(&b, p, plan); err != nil || b.String() != example {
			t.Errorf("%v\n%s", err, cmp.Diff(example, b.String()))
		}
	}
}

// TestRulesNeedVersion spoils a file of version 1 with each new key.
func TestRulesNeedVersion(t *testing.T) {
	const plain = `{"version": 1, "buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 1, "gaps": []}]}`
	const two = `is not a known key: a problem with rules begins with "version": 2`
	for _, key := range rulesDocumentKeys[len(documentKeys):] {
		text := strings.Replace(plain, `"buffers"`, `"`+key+`": [], "buffers"`, 1)
		_, _, err := ReadAll(strings.NewReader(text), "x.json")
		if err == nil || err.Error() != "x.json:1: "+key+": "+two {
			t.Errorf("%s: %v", key, err)
		}
	}
	for from, to := range map[string][2]string{
		`"size": 1`:  {`"size": 1, "fixed": 0`, `x.json:1: buffer a: fixed: is not a known key: did you mean offset?`},
		`, "gaps"`:   {`, "costs": {}, "gaps"`, `x.json:1: buffer a: costs: ` + two},
		`[]}`:        {`[[0, 1]]}`, `x.json:1: buffer a: gaps "[0, 1]": is not an object`},
		`"lower": 0`: {`"lower": [0]`, `x.json:1: buffer a: lower "[0]": is not an integer`},
		`}]}`: {
			`}], "plan": {"status": "unknown", "pools": []}}`,
			`x.json:1: plan.pools: is not a known key: plan has status, planner, height, lower_bound, offsets`,
		},
	} {
		_, _, err := ReadAll(strings.NewReader(strings.Replace(plain, from, to[0], 1)), "x.json")
		if err == nil || err.Error() != to[1] {
			t.Errorf("%s: %v", to[0], err)
		}
	}
}

// TestRulesFaults spoils the example in one place.
func TestRulesFaults(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{`"capacity": 65536`, `"capacity": "64KiB"`, `4: pools.capacity "64KiB": is not an integer: expected 65536 without quotes`},
		{`"capacity": 65536`, `"capacity": -1`, `4: pools[0].capacity "-1": pool tcm: must be from 0 to 2305843009213693951`},
		{`[[0, 1024]]`, `[[0, 1024, 3]]`, `4: pools.reserved "[0, 1024, 3]": is not a pair of integers`},
		{`"dram", "alignment"`, `"dram", "align"`, `5: pools.align: is not a known key: did you mean alignment?`},
		{`{"id": "dram"`, `{"id": "tcm"`, `10: buffer b: costs "dram": is no pool of the problem`},
		{`"capacity": 65536, "al`, `"capacity": 65536, "id": "dram", "al`, `4: pools.id: is a duplicate: the key appears twice`},
		{`"cost": 1}`, `"cost": 1}, {"id": "tcm"}`, `5: pools[2].id "tcm": pool tcm: is a duplicate: the pool at index 0 has the same`},
		{`["cost", "height"]`, `["cost", "height:drum"]`, `7: objective[1] "height:drum": "drum" is no pool of the problem`},
		{`["cost", "height"]`, `["cost", "heihgt"]`, `7: objective[1] "heihgt": must be height, max_height, peak, max_peak, cost, penalty, eviction, objects, or height: or peak: and a pool`},
		{`"pools": ["tcm"]}`, `"pools": ["tmc"]}`, `9: buffer a: pools "tmc": is no pool of the problem: did you mean tcm?`},
		{`"pools": ["tcm"]}`, `"pools": ["tcm", "tcm"]}`, `9: buffer a: pools "tcm": is a duplicate: the buffer names the pool twice`},
		{`"pools": ["tcm"]}`, `"pools": []}`, `9: buffer a: pools: is an empty list: the buffer may be in no pool
x.json:9: buffer a: offset "2048": a fixed offset needs exactly one pool; the buffer may be in 0`},
		{`"fixed": 2048`, `"fixed": 2048, "offset": 2048`, `9: buffer a: offset: the buffer has a fixed offset already: fixed and offset say the same`},
		{`{"dram": 4096}`, `{"dram": 4096, "dram": 1}`, `10: buffer b: costs "dram": is a duplicate: the buffer names the pool twice`},
		{`{"dram": 4096}`, `{"dram": "1"}`, `10: buffer b: costs "1": is not an integer: expected 1 without quotes`},
		{`"upper": 8, "cost": 3`, `"upper": 8`, `10: buffer b: evictions.cost: the key is missing`},
		{`"lower": 5, "upper": 8`, `"lower": 5, "upper": 9`, `10: buffer b: evictions "[5, 9)": must begin and end inside the lifespan [0, 9)`},
		{`"lower": 8, "upper": 12`, `"lower": [8], "upper": 12`, `11: buffer c: upper: lower and upper must have as many clocks: they have 1 and 0`},
		{`"lower": 8, "upper": 12`, `"lower": [8], "upper": [-1]`, `11: buffer c: upper "-1": each clock must be from 0 to 2305843009213693951`},
		{`["a", "c"], "at": [0, 64]`, `["a", "x"], "at": [0, 64]`, `16: together "x": is no buffer of the problem: did you mean a or b or c or d?`},
		{`"at": [0, 64]`, `"at": [0]`, `16: together[0]: has 2 buffers and 1 distances`},
		{`["a", "d"]`, `["a", "a"]`, `19: apart[0] "a": a pair has two different buffers`},
		{`["a", "d"]`, `["a"]`, `19: apart "[\"a\"]": is not a pair of buffers`},
		{`["a", "d"]`, `["a", 3]`, `19: apart "3": is not a string`},
		{`["b", "c"]`, `"b"`, `22: may_overlap "b": is not a pair of buffers, such as ["a", "b"]`},
		{`["b", "c"]`, `["b", "cc"]`, `22: may_overlap "cc": is no buffer of the problem: did you mean c?`},
		{`"distance": -16`, `"cost": 1`, `25: distances.cost: is not a known key: distances has buffers, distance
x.json:25: distances.distance: the key is missing`},
		{`["d", "e"]`, `["a", "e"]`, `25: distances[0] "a, e": the second must begin in the last slot of the first and nowhere else meet it; they live [0, 9) and [13, 15)`},
		{`["b", "d"], "cost": 3`, `["b", "d"], "cost": -3`, `28: penalties[0].cost "-3": must be from 0 to 2305843009213693951`},
		{`"pools": ["tcm", "tcm", "tcm", "dram", "dram"],`, ``, `30: plan.pools: the key is missing: the problem has several pools`},
		{`"tcm", "dram", "dram"]`, `"dram", "dram"]`, `36: plan.pools: has 4 values for 5 buffers`},
		{`"tcm", "dram", "dram"]`, `"tcm", "dram", "drum"]`, `36: plan.pools "drum": is no pool of the problem: did you mean dram?`},
		{`{"lower": 0, "upper": 5, "offset": 8192, "pool": "tcm"},`, ``, `38: plan.parts "b": has 1 parts: a buffer without a taken eviction has none, others two or more`},
		{`"upper": 5, "offset": 8192`, `"upper": 5, "offset": 8208`, `38: plan.parts "b": the first part is at 8208, the offset of the buffer is 8192`},
		{`"upper": 5, "offset"`, `"upper": 9, "offset"`, `38: plan.parts "b": parts must be in the order of time, with an eviction between`},
		{`"offset": 0, "pool": "dram"}`, `"offset": 0}`, `38: plan.parts.pool: the key is missing: the problem has several pools`},
		{`"cost": 4224`, `"cost": 4225`, `40: plan.measures.cost "4225": the plan gives 4224`},
		{`"cost": 4224`, `"price": 4224`, `40: plan.measures "price": is no measure of the problem`},
		{`"bounds": {"cost": 0}`, `"bounds": {"cost": 4225}`, `41: plan.bounds.cost "4225": is above what the plan gives, 4224`},
		{`"bounds": {"cost": 0}`, `"bounds": {"peak": 0}`, `41: plan.bounds "peak": is not in the objective`},
		{`"bounds": {"cost": 0}`, `"bounds": {"cost": 0, "cost": 1}`, `41: plan.bounds "cost": is a duplicate: the key appears twice`},
		{`"feasible"`, `"optimal"`, `41: plan.bounds.cost "0": is below what the plan gives, 4224, but the status is optimal`},
		{`"height": 8384,`, `"height": 8320,`, `33: plan.height "8320": the offsets give 8384`},
	} {
		text := strings.Replace(ruledExample, tc.from, tc.to, 1)
		if text == ruledExample {
			t.Fatalf("%s is not there", tc.from)
		}
		_, _, err := ReadAll(strings.NewReader(text), "x.json")
		if want := "x.json:" + tc.want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.to, err, want)
		}
	}
}

// TestRulesContradict names the chain of ties and the line of the list.
func TestRulesContradict(t *testing.T) {
	text := `{"version": 2, "buffers": [{"lower": 0, "upper": 1, "size": 1}, {"lower": 0, "upper": 1, "size": 1}],
"together": [{"buffers": ["0", "1"]},
{"buffers": ["0", "1"], "at": [0, 1]}]}`
	_, _, err := ReadAll(strings.NewReader(text), "x.json")
	if want := `x.json:2: together: list 1 puts 1 at 1 from 0, but the chain 0 – 1 puts it at 0`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestWriteRulesRefuses(t *testing.T) {
	for want, spoil := range map[string]func(p *model.Problem, plan *Plan){
		"json: apart has the buffer of index 5; there are 5": func(p *model.Problem, _ *Plan) {
			p.Rules.Apart[0][1] = 5
		},
		"json: buffer a has the pool of index -1; there are 2": func(p *model.Problem, _ *Plan) {
			p.Buffers[0].Extra.Pools[0] = -1
		},
		"json: the plan has the pool of index 2; there are 2": func(_ *model.Problem, plan *Plan) {
			plan.Pools[4] = 2
		},
		"json: the plan has the buffer of index 9; there are 5": func(_ *model.Problem, plan *Plan) {
			plan.Parts[0].Buffer = 9
		},
		"json: the plan has 4 pools for 5 buffers": func(_ *model.Problem, plan *Plan) {
			plan.Pools = plan.Pools[1:]
		},
		"json: the ID \"\\xff\" of pool number 1 is not valid UTF-8": func(p *model.Problem, _ *Plan) {
			p.Rules.Pools[0].ID = "\xff"
		},
		"json: the measure \"\\xff\" is not valid UTF-8": func(p *model.Problem, _ *Plan) { p.Rules.Objective[0] = "\xff" },
	} {
		p, plan := ruledProblem()
		spoil(p, plan)
		var b bytes.Buffer
		if err := Write(&b, p, plan); err == nil || err.Error() != want || b.Len() > 0 {
			t.Errorf("got %v and %d bytes, want %s", err, b.Len(), want)
		}
	}
}

// A tinyCase is a problem of rules/tiny.json with its optimum.
type tinyCase struct {
	Name      string
	Problem   stdjson.RawMessage
	Objective []model.Measure
	Optimum   any // a vector, or "infeasible" or "error"
	Plan      map[string][2]any
}

// tinyCases returns the public tiny problems with rules.
func tinyCases(t *testing.T) []tinyCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(public.Dir(), "rules", "tiny.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("rules/tiny.json is not among the public instances here")
	} else if err != nil {
		t.Fatal(err)
	}
	var all struct{ Hand, Pairs []tinyCase }
	if err := stdjson.Unmarshal(text, &all); err != nil || len(all.Hand) < 40 || len(all.Pairs) < 50 {
		t.Fatalf("%v: %d and %d problems", err, len(all.Hand), len(all.Pairs))
	}
	return append(all.Hand, all.Pairs...)
}

// TestTiny reads the tiny problems, and writes and reads them with a plan. The measures of the
// plan are those of the file.
func TestTiny(t *testing.T) {
	for _, c := range tinyCases(t) {
		p, _, err := ReadAll(bytes.NewReader(c.Problem), c.Name)
		if c.Name == "choice+fixed" { // written before a fixed offset needed exactly one pool
			if err == nil || !strings.Contains(err.Error(), "a fixed offset needs exactly one pool") {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		if fails := c.Optimum == "error"; fails || err != nil {
			if fails != (err != nil) {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		optimum, _ := c.Optimum.([]any)
		if optimum == nil {
			roundTrip(t, p, nil)
			continue
		}
		plan := &Plan{Status: model.Feasible, Offsets: make([]int64, len(p.Buffers))}
		if len(p.AllPools()) > 1 {
			plan.Pools = make([]int32, len(p.Buffers))
		}
		for i := range p.Buffers {
			place := c.Plan[p.Buffers[i].ID]
			plan.Offsets[i] = int64(place[1].(float64))
			for k, pool := range p.AllPools() {
				if pool.ID == place[0] && plan.Pools != nil {
					plan.Pools[i] = int32(k)
				}
			}
		}
		given := model.MeasuresOf(p, &model.Plan{Offsets: plan.Offsets, Pools: plan.Pools})
		for k, m := range c.Objective {
			if is := model.ValueOf(given, m); is != int64(optimum[k].(float64)) {
				t.Errorf("%s: the %s is %d, want %v", c.Name, m, is, optimum[k])
			}
		}
		plan.Height = model.ValueOf(given, model.MeasureHeight)
		if says(p) {
			plan.Measures = given
		}
		roundTrip(t, p, plan)
	}
}

// TestRulesMutated damages files of version 2: bytes of them, mostly in a long name, so that some still read, and
// values that take the place of others.
func TestRulesMutated(t *testing.T) {
	read := func(data []byte) error {
		p, plan, err := ReadAll(bytes.NewReader(data), "x.json")
		if err == nil {
			roundTrip(t, p, plan)
		}
		return err
	}
	var seeds [][]byte
	for _, text := range append(ruledForms, ruledExample) {
		text = strings.Replace(strings.Replace(text, `"turn"`, "null", 1), `"version"`,
			`"name": "`+strings.Repeat("name ", 500)+`", "version"`, 1)
		seeds = append(seeds, []byte(strings.Replace(text, `"name": null, `, "", 1)))
	}
	mutate.Read(t, 3000, seeds, read)

	value := regexp.MustCompile(`"[a-z:_]*"|-?[0-9]+|\[[^][{}]*\]`)
	rng := rand.New(rand.NewPCG(3, 4))
	good := 0
	for range mutate.Times(t, 3000) {
		text := append(ruledForms, ruledExample)[rng.IntN(len(ruledForms)+1)]
		for range 1 + rng.IntN(2) {
			all := value.FindAllStringIndex(text, -1)
			from, to := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
			text = text[:to[0]] + text[from[0]:from[1]] + text[to[1]:]
		}
		if mutate.Hold(t, []byte(text), read) == nil {
			good++
		}
	}
	if good < 20 {
		t.Errorf("%d files read", good)
	}
}
