package json

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

const banks = `{
  "version": 3,
  "pools": [
    {"id": "x", "capacity": 8, "sizes": [[4, 1], [8, 3]], "borders": [2, 4], "granularity": 4},
    {"id": "y", "objects": true}
  ],
  "buffers": [
    {"id": "a", "lower": 0, "upper": 1, "size": 1, "alignment": 1},
    {"id": "b", "lower": 0, "upper": 1, "size": 1, "alignment": 1},
    {"id": "c", "lower": 0, "upper": 1, "size": 1, "alignment": 1},
    {"id": "v", "lower": 0, "upper": 1, "size": 1, "alignment": 1, "pools": ["x"]},
    {"id": "w", "lower": 0, "upper": 1, "size": 1, "alignment": 1, "pools": ["x"], "spans": true}
  ],
  "different_pools": [
    ["a", "b"],
    ["c", "b"]
  ],
  "same_pool": [
    ["c", "a"]
  ],
  "lockstep": [
    ["w", "v"]
  ],
  "kinds": [
    ["a"]
  ],
  "alternatives": [
    ["c", "v"]
  ],
  "groups": [
    {"pairs": [["a", "b"], ["v", "w"]], "cost": 3},
    {"pairs": [["v", "w"]], "cost": 1, "paid": "unless one coincides"}
  ]
}
`

// TestLists reads and writes lists of pools, which make version 3.
func TestLists(t *testing.T) {
	p, _, err := Read(strings.NewReader(banks), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	different, same := [][]int32{{0, 1}, {2, 1}}, [][]int32{{2, 0}}
	if !reflect.DeepEqual(p.Rules.DifferentPools, different) || !reflect.DeepEqual(p.Rules.SamePool, same) ||
		!reflect.DeepEqual(p.Rules.Lockstep, [][]int32{{4, 3}}) || !reflect.DeepEqual(p.Rules.Kinds, [][]int32{{0}}) ||
		!reflect.DeepEqual(p.Rules.Alternatives, [][]int32{{2, 3}}) ||
		!reflect.DeepEqual(p.Rules.Groups, []model.Group{
			{Pairs: []model.Pair{{0, 1}, {3, 4}}, Cost: 3}, {Pairs: []model.Pair{{3, 4}}, Cost: 1, Moved: true, All: true},
		}) {
		t.Errorf("read %v and %v", p.Rules.DifferentPools, p.Rules.SamePool)
	}
	var b bytes.Buffer
	if err := Write(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	again, _, err := Read(bytes.NewReader(b.Bytes()), "x.json")
	if err != nil || !reflect.DeepEqual(again.Rules, p.Rules) || !strings.Contains(b.String(), `"version": 3`) {
		t.Errorf("%v: written as\n%s", err, b.String())
	}
	if p.Rules.Pools[0].Objects || !p.Rules.Pools[1].Objects {
		t.Errorf("read %v", p.Rules.Pools)
	}
	x, want := &p.Rules.Pools[0], []model.Size{{Bytes: 4, Price: 1}, {Bytes: 8, Price: 3}}
	if !reflect.DeepEqual(x.Sizes, want) || !reflect.DeepEqual(x.Borders, []int64{2, 4}) || !p.Buffers[4].Extra.Spans || x.Granularity != 4 || !reflect.DeepEqual(again.Buffers, p.Buffers) {
		t.Errorf("read %v and %v", *x, p.Buffers[4].Extra)
	}
	if q, _, err := Read(strings.NewReader(strings.Replace(banks, `"capacity": 8, `, "", 1)), "x.json"); err != nil || q.Rules.Pools[0].Capacity != 8 {
		t.Errorf("without a capacity: %v", err)
	}
	p.Rules.SamePool[0][0] = 7
	if err := Write(&b, p, nil); err == nil || !strings.Contains(err.Error(), "same_pool has the buffer of index 7") {
		t.Errorf("%v", err)
	}
	p.Rules = &model.Rules{Pools: []model.Pool{{ID: "x"}}}
	b.Reset()
	if err := Write(&b, p, nil); err != nil || !strings.Contains(b.String(), `"version": 2`) {
		t.Errorf("%v: without lists\n%s", err, b.String())
	}
}

// TestListsFaults names the line, the list and what is wrong.
func TestListsFaults(t *testing.T) {
	for _, x := range []struct{ from, to, want string }{
		{`"version": 3`, `"version": 2`, `x.json:5: pools.objects: is not a known key: a problem with objects begins ` +
			`with "version": 3`},
		{
			"  \"version\": 3,\n  \"pools\": [\n    {\"id\": \"x\", \"capacity\": 8, \"sizes\": [[4, 1], [8, 3]], \"borders\": [2, 4], \"granularity\": 4},\n    {\"id\": \"y\", \"objects\": true}\n  ],", `"version": 2,`,
			`x.json:10: different_pools: is not a known key: a problem with different_pools begins with "version": 3`,
		},
		{`["c", "b"]`, `["c", "d"]`, `x.json:16: different_pools "d": is no buffer of the problem`},
		{`["c", "b"]`, `["c"]`, `x.json:16: different_pools[1]: has 1 buffers; it needs at least 2`},
		{`["c", "a"]`, `["c", "c"]`, `x.json:19: same_pool[0] "c": the list has the buffer twice`},
		{`"objects": true`, `"objects": 1`, `x.json:5: pools.objects "1": is neither true nor false`},
		{`"granularity": 4}`, `"granularity": "4KiB"}`, `x.json:4: pools.granularity "4KiB": is not an integer: expected 4096 without quotes`},
		{`["c", "a"]`, `"ca"`, `x.json:19: same_pool "ca": is not a list`},
		{`"unless one coincides"`, `"never"`, `x.json:32: groups.paid "never": must be one of: if one shares, if all share, `},
		{`[["v", "w"]]`, `[]`, `x.json:32: groups[1]: has no pair of buffers`},
		{`[["v", "w"]]`, `[["v", "u"]]`, `x.json:32: groups "u": is no buffer of the problem`},
		{`["c", "a"]`, `["c", 1]`, `x.json:19: same_pool "1": is not a string`},
	} {
		_, _, err := Read(strings.NewReader(strings.Replace(banks, x.from, x.to, 1)), "x.json")
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.to, err, x.want)
		}
	}
}

// TestAlternativesPlan reads and writes a plan without the buffers that it does not choose, and refuses one without
// others.
func TestAlternativesPlan(t *testing.T) {
	const file = `{
  "version": 3,
  "pools": [{"id": "x"}, {"id": "y"}],
  "buffers": [
    {"id": "a", "lower": 0, "upper": 1, "size": 2},
    {"id": "b", "lower": 0, "upper": 1, "size": 3},
    {"id": "c", "lower": 0, "upper": 1, "size": 4}
  ],
  "alternatives": [["b", "c"]],
  "plan": {"status": "feasible", "height": 6, "offsets": [4, null, 0], "pools": ["y", null, "y"]}
}`
	p, plan, err := ReadAll(strings.NewReader(file), "x.json")
	if err != nil || !reflect.DeepEqual(plan.Offsets, []int64{4, -1, 0}) || !reflect.DeepEqual(plan.Pools, []int32{1, -1, 1}) {
		t.Fatalf("%+v, %v", plan, err)
	}
	var b bytes.Buffer
	if err := Write(&b, p, plan); err != nil || !strings.Contains(b.String(), `"offsets": [4, null, 0]`) ||
		!strings.Contains(b.String(), `"pools": ["y", null, "y"]`) {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, x := range []struct{ from, to, want string }{
		{"[4, null, 0]", "[4, -1, 0]", ""},
		{"[4, null, 0]", "[null, 4, 0]", `plan.offsets "a": has no offset, but is in no list of alternatives`},
		{`"y", null`, `"y", "x"`, `plan.pools "b": has a pool, but no offset`},
		{"[4, null, 0]", "[4, 0, 0]", `x.json:10: plan.pools "b": has an offset, but no pool`},
		{"[4, null, 0]", "[4, -2, 0]", "plan.offsets \"-2\""},
	} {
		_, _, err := ReadAll(strings.NewReader(strings.Replace(file, x.from, x.to, 1)), "x.json")
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.to, err, x.want)
		}
	}
}

// TestExtents reads and writes sizes of several dimensions, and says what is wrong with them.
func TestExtents(t *testing.T) {
	const file = `{
  "version": 3,
  "pools": [
    {"id": "textures", "objects": true},
    {"id": "heap"}
  ],
  "buffers": [
    {"id": "a", "lower": 0, "upper": 2, "size": [8, 2]},
    {"id": "b", "lower": 1, "upper": 3, "size": [4, 4]},
    {"id": "c", "lower": 1, "upper": 3, "size": 16, "pools": ["heap"]}
  ]
}
`
	p, _, err := Read(strings.NewReader(file), "x.json")
	if err != nil || p.Buffers[0].Size != 16 || !reflect.DeepEqual(p.Buffers[1].Extra.Extents, []int64{4, 4}) {
		t.Fatalf("%+v, %v", p, err)
	}
	var b bytes.Buffer
	if err := Write(&b, p, nil); err != nil || b.String() != file {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, x := range []struct{ from, to, want string }{
		{"[8, 2]", "[8]", `x.json:8: buffer a: size "[8]": has 1 dimensions; it must have 2 or 3`},
		{"[8, 2]", "[8, 2, 1, 1]", `x.json:8: buffer a: size "[8, 2, 1, 1]": has 4 dimensions`},
		{"[8, 2]", "[8, 0]", `x.json:8: buffer a: size "[8, 0]": each dimension must be at least 1, and their product at most`},
		{"[8, 2]", "[4294967296, 4294967296]", `x.json:8: buffer a: size "[4294967296, 4294967296]": each dimension`},
		{"[8, 2]", "[1073741824, 1073741824]", `x.json:4: pools[0]: pool textures: an object that holds the largest`},
		{`[8, 2]`, `[8, "2"]`, `x.json:8: buffer a: size "2": is not an integer`},
		{"[8, 2]", "[8, 2, 1]", `x.json:9: buffer b: size "16": has 2 dimensions, but buffer a, which may be in the same pool of objects textures, has 3`},
		{`, "pools": ["heap"]`, "", `x.json:10: buffer c: size "16": has 1 dimensions`},
		{`"version": 3`, `"version": 2`, `x.json:8: buffer a: size`},
	} {
		_, _, err := Read(strings.NewReader(strings.Replace(file, x.from, x.to, 1)), "x.json")
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.to, err, x.want)
		}
	}
}
