package dsa

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/model"
)

// sound has each key of the schema that changes a plan.
const sound = `{
  "schema_version": 1,
  "profile": "pypto_hard_v1",
  "instance": "kernel",
  "metadata": {"target": "none"},
  "problem": {
    "pools": [
      {"id": 1, "name": "Vec", "capacity": 4096, "reserved_ranges": [{"begin": 0, "end": 64}]},
      {"id": 7, "name": "Mat", "capacity": null, "reserved_ranges": [],
       "bank_geometry": {"bank_size": 4, "num_banks": 2}}
    ],
    "buffers": [
      {"id": 5, "name": "a", "size": 64, "alignment": 32, "live_intervals": [{"lower": 6, "upper": 9},
       {"lower": 0, "upper": 2}, {"lower": 1, "upper": 3}, {"lower": 3, "upper": 4}], "allowed_pools": [1]},
      {"id": 6, "name": "b", "size": 32, "alignment": 1, "live_intervals": [{"lower": 0, "upper": 1}], "allowed_pools": [1]},
      {"id": 9, "name": "c", "size": 8, "alignment": 0, "live_intervals": [{"lower": 0, "upper": 1}], "allowed_pools": [7, 1]},
      {"id": 8, "name": "d", "size": 8, "alignment": 8, "live_intervals": [{"lower": 2, "upper": 4}], "allowed_pools": [7]}
    ],
    "constraints": {
      "colocations": [{"first": 5, "second": 6}],
      "separations": [{"first": 5, "second": 8, "reasons": ["generic"]}],
      "temporal_exclusions": [{"first": 9, "second": 5}],
      "pinned_allocations": [{"buffer": 9, "pool": 1, "offset": 128, "exclusive_for_all_time": true}]
    },
    "cost_model": {"reuse_penalties": [{"first": 6, "second": 9, "cost": 3, "reason": "generic"}]},
    "pypto_structure": {"alias_classes": [], "pipeline_groups": []},
    "objective": {"aggregation": "lexicographic",
      "terms": ["capacity_overflow", "reuse_cost", "total_peak", "max_peak", "bank_cost"]}
  }
}
`

func TestRead(t *testing.T) {
	at := int64(128)
	want := &model.Problem{
		Name: "kernel",
		Buffers: []model.Buffer{
			{
				ID: "a", Upper: 9, Size: 64, Alignment: 32,
				Gaps: []model.Gap{{Lower: 4, Upper: 6}}, Extra: &model.Extra{Pools: []int32{0}},
			},
			{ID: "b", Upper: 1, Size: 64, Alignment: 1, Extra: &model.Extra{Pools: []int32{0}}}, // as large as a
			{ID: "c", Upper: 1, Size: 8, Alignment: 1, Fixed: &at, Extra: &model.Extra{Pools: []int32{0}}},
			{ID: "d", Lower: 2, Upper: 4, Size: 8, Alignment: 8, Extra: &model.Extra{Pools: []int32{1}}},
		},
		Rules: &model.Rules{
			Pools:      []model.Pool{{ID: "Vec", Capacity: 4096, Reserved: []model.Range{{Upper: 64}}}, {ID: "Mat"}},
			Together:   []model.Together{{Buffers: []int32{0, 1}}},
			Apart:      []model.Pair{{0, 3}, {2, 0}, {2, 1}}, // the pin is exclusive in Vec, where d may not be
			MayOverlap: []model.Pair{{2, 0}},
			Penalties:  []model.Penalty{{Buffers: model.Pair{1, 2}, Cost: 3}},
			Objective:  []model.Measure{model.MeasurePenalty, model.MeasurePeak, model.MeasureMaxPeak},
		},
	}
	p := must.Get(Read(strings.NewReader(sound), "x.json"))(t)
	must.Same(t, want, p)
	if !Begins([]byte(sound)) || Begins([]byte(`{"buffers": []}`)) || Begins([]byte(`["problem"`)) ||
		Begins([]byte(`{"problem`)) {
		t.Error("Begins mistakes a file")
	}
	again, err := Read(strings.NewReader(strings.Replace(sound, `"name": "b"`, `"name": "a"`, 1)), "x.json")
	if err != nil || again.Buffers[0].ID != "5" || again.Buffers[1].ID != "6" || again.Rules.Pools[0].ID != "Vec" {
		t.Errorf("%v: two buffers of one name: %+v", err, again)
	}
}

// TestReadFaults spoils the sound file in one place.
func TestReadFaults(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{`"schema_version": 1`, `"schema_version": 2`, `1: schema_version: must be 1`},
		{`"capacity": 4096`, `"capacity": 0`, `8: pools.capacity "0": must be at least 1, or null for none`},
		{`"capacity": 4096`, `"capacity": 32`, `8: pools.reserved "[0, 64)": pool Vec: ends above the capacity of 32`},
		{`"id": 7`, `"id": 1`, `9: pools.id "1": is a duplicate`},
		{`"size": 32`, `"size": 0`, `15: `}, // raised to 64 by the class: no fault
		{`"size": 8, "alignment": 8`, `"size": 0, "alignment": 8`, `17: buffer d: size "0": must be from 1 to 2305843009213693951`},
		{`"size": 8, "alignment": 8`, `"alignment": 8`, `17: buffer d: size: the key is missing`},
		{`{"lower": 2, "upper": 4}`, ``, `17: buffer d: live_intervals: the buffer is never live`},
		{
			`{"lower": 2, "upper": 4}`, `{"lower": 4, "upper": 4}`,
			`17: buffer d: live_intervals: needs lower and upper, and lower below upper`,
		},
		{`"allowed_pools": [7]`, `"allowed_pools": [3]`, `17: allowed_pools "3": there is none with this id`},
		{`"allowed_pools": [7]`, `"allowed_pools": []`, `17: buffer d: allowed_pools: the buffer may be in no pool`},
		{`"first": 5, "second": 8`, `"first": 5, "second": 4`, `21: separations.second "4": there is none with this id`},
		{`"first": 5, "second": 8`, `"first": 5, "second": 6`, `21: separations "a, b": together ties the two to the same bytes`},
		{`"first": 5, "second": 8`, `"first": 5`, `21: separations.second: the key is missing`},
		{`"cost": 3`, `"cost": -3`, `25: reuse_penalties.cost "-3": must be from 0 to 2305843009213693951`},
		{`"offset": 128`, `"offset": -128`, `16: buffer c: pinned_allocations.offset "-128": must be from 0 to 2305843009213693951`},
		{`"buffer": 9, "pool": 1`, `"buffer": 8, "pool": 1`, `23: pinned_allocations.pool "Vec": is not among the allowed pools of the buffer`},
		{`"max_peak"`, `"min_peak"`, `27: objective.terms "min_peak": is not known`},
		{`"lexicographic"`, `"weighted"`, `27: objective.aggregation "weighted": must be lexicographic`},
		{`"constraints": {`, `"constraint": {`, `19: constraint: is not a known key of dsa-problem-v1`},
		{`"pypto_structure"`, `"cost_model"`, `26: cost_model: is a duplicate: the key appears twice`},
		{`[{"first": 5, "second": 6}]`, `{}`, `20: colocations: is not a list`},
		{`"objective": {`, `"objective": {,`, `27: is not JSON: invalid character ',' looking for beginning of object key string`},
	} {
		text := strings.Replace(sound, tc.from, tc.to, 1)
		if text == sound {
			t.Fatalf("%s is not there", tc.from)
		}
		_, err := Read(strings.NewReader(text), "x.json")
		if tc.want == "15: " && err == nil {
			continue
		}
		if want := "x.json:" + tc.want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.to, err, want)
		}
	}
	_, err := Read(strings.NewReader(sound[:len(sound)-9]), "x.json")
	if err == nil || !strings.HasSuffix(err.Error(), "the JSON text is cut off") {
		t.Errorf("half a file: %v", err)
	}
	for to, want := range map[string]string{
		`"d", "size": "8"`:             `x.json:17: size "string": is not an integer of 64 bits`,
		`"d", "extra": 1, "size": 8`:   `x.json:17: unknown field "extra"`,
		`"d", "size": 8, "size": 1e99`: `x.json:17: size "number 1e99": is not an integer of 64 bits`,
	} {
		text := strings.Replace(sound, `"d", "size": 8`, to, 1)
		if _, err := Read(strings.NewReader(text), "x.json"); err == nil || err.Error() != want {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// TestPublic reads every public problem, and counts their features.
func TestPublic(t *testing.T) {
	type counts struct{ Files, Pools, Reserved, Apart, Penalty, Peak int }
	got := map[string]counts{}
	for _, pattern := range []string{"pypto/*.json", "dsa-rp/*.json"} {
		files, err := filepath.Glob(filepath.Join(public.Dir(), filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Skip(pattern + " is not among the public instances here")
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil || !Begins(text) {
				t.Fatalf("%s: %v", file, err)
			}
			p, err := Read(bytes.NewReader(text), filepath.Base(file))
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			class := "base"
			if p.Objective()[0] != model.MeasurePeak { // the variants of PyPTO's problems
				class = "hard and soft"
			}
			if strings.HasPrefix(pattern, "dsa-rp") {
				class = "lift"
			}
			c, r := got[class], p.Rules
			add := func(to *int, is bool) {
				if is {
					*to++
				}
			}
			reserved := false
			for _, pool := range r.Pools {
				reserved = reserved || len(pool.Reserved) > 0
			}
			add(&c.Files, true)
			add(&c.Pools, len(r.Pools) > 1)
			add(&c.Reserved, reserved)
			add(&c.Apart, len(r.Apart) > 0)
			add(&c.Penalty, len(r.Penalties) > 0)
			add(&c.Peak, p.Objective()[0] == model.MeasurePeak)
			got[class] = c
		}
	}
	// Counted by a script apart from this reader, which made the table of best known results.
	want := map[string]counts{
		"base":          {Files: 111, Pools: 40, Reserved: 11, Apart: 84, Penalty: 21, Peak: 111},
		"hard and soft": {Files: 98, Pools: 36, Reserved: 12, Apart: 89, Penalty: 53},
		"lift":          {Files: 11, Penalty: 11},
	}
	must.Same(t, want, got)
}

// TestMutated damages the sound file: bytes of a long name, mostly, and values that take the place of others.
func TestMutated(t *testing.T) {
	read := func(data []byte) error {
		p, err := Read(bytes.NewReader(data), "x.json")
		if err == nil {
			return model.Validate(p)
		}
		var e *model.InputError
		if !errors.As(err, &e) || e.Total == 0 || e.Issues[0].File != "x.json" {
			t.Fatalf("%v", err)
		}
		return err
	}
	long := strings.Replace(sound, `"kernel"`, `"`+strings.Repeat("kernel ", 1000)+`"`, 1)
	mutate.Read(t, 2000, [][]byte{[]byte(long)}, read)
	value := regexp.MustCompile(`"[a-z_]*"|-?[0-9]+|\{[^{}]*\}`)
	rng := rand.New(rand.NewPCG(5, 6))
	good := 0
	for range mutate.Times(t, 2000) {
		text := sound
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
