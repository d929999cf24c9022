package json

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
)

const listed2 = `{
  "version": 3,
  "scenarios": ["short", "long"],
  "buffers": [
    {"id": "a", "lower": 0, "upper": 2, "sizes": [64, 512]},
    {"id": "b", "lower": 1, "upper": 3, "sizes": [0, 128], "alignment": 64},
    {"id": "c", "lower": 2, "upper": 4, "sizes": [32, 32]}
  ],
  "plan": {
    "planner": "auto",
    "status": "optimal",
    "height": 640,
    "lower_bound": 640,
    "offsets": [0, 512, 0],
    "largest": "long",
    "heights": [64, 640],
    "loads": [64, 640],
    "below": [[], ["a", "c"], []]
  }
}
`

const symbols2 = `{
  "version": 3,
  "symbols": {"n": [1, 9, 2], "m": [1, 4, 1]},
  "buffers": [
    {"id": "a", "lower": 0, "upper": 2, "size": "64*n+m^2"},
    {"id": "b", "lower": 1, "upper": 3, "size": 128}
  ],
  "plan": {
    "planner": "auto",
    "status": "optimal",
    "height": 720,
    "lower_bound": 720,
    "offsets": [0, 592],
    "largest": "n=9,m=4",
    "at": [[1, 1], [9, 4]],
    "heights": [193, 720],
    "loads": [193, 720],
    "below": [[], ["a"]],
    "switch": "m",
    "from": [1, 3],
    "switched": [193, 720],
    "orders": [
      [[], ["a"]],
      [["b"], []]]
  }
}
`

// TestFamily reads families with their plans, and writes them as they were.
func TestFamily(t *testing.T) {
	for _, text := range []string{listed2, symbols2} {
		d, err := ReadDocument(strings.NewReader(text), "x.json", ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Family == nil || d.Family.Problem != d.Problem {
			t.Fatal("the family is not of the problem")
		}
		var b bytes.Buffer
		if err := WriteWith(&b, d.Problem, d.Plan, WriteOptions{Family: d.Family}); err != nil || b.String() != text {
			t.Errorf("%v: written as\n%s", err, b.String())
		}
	}
	d, _ := ReadDocument(strings.NewReader(listed2), "x.json", ReadOptions{})
	if want := [][]int32{nil, {0, 2}, nil}; !reflect.DeepEqual(d.Plan.Below, want) {
		t.Errorf("below is %v, want %v", d.Plan.Below, want)
	}
	if want := (model.Point{Point: 1, Name: "long", Height: 640, Load: 640}); d.Plan.Points[1] != want {
		t.Errorf("%+v, want %+v", d.Plan.Points[1], want)
	}
}

// TestFamilyBare: a number names scenarios, the version may be left out, and so may the list of a buffer of one size.
func TestFamilyBare(t *testing.T) {
	d, err := ReadDocument(strings.NewReader(`{"buffers": [{"lower": 0, "upper": 2, "sizes": [4, 9, 7]},
		{"lower": 0, "upper": 2, "size": 3}], "scenarios": 3}`), "x.json", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := d.Family
	if !slices.Equal(f.Scenarios, []string{"0", "1", "2"}) || !slices.Equal(f.Sizes[2], []int64{7, 3}) || f.Largest != 1 ||
		d.Problem.Buffers[0].Size != 9 {
		t.Errorf("%+v", f)
	}
}

// TestFamilyFaults names the place of each fault.
func TestFamilyFaults(t *testing.T) {
	for _, c := range []struct{ text, old, new, want string }{
		{listed2, `[64, 512]`, `[64]`, `x.json:5: buffer a: sizes: has 1 values for 2 scenarios`},
		{listed2, `[64, 512]`, `[64, -5]`, `x.json:5: buffer a: sizes "-5": must be from 0 to`},
		{listed2, `[64, 512]`, `[64, 1e3]`, `x.json:5: buffer a: sizes "1e3": is not an integer`},
		{listed2, `[64, 512]`, `[0, 0]`, `x.json:5: buffer a: size "0": must be at least 1 in one scenario`},
		{listed2, `"sizes": [64, 512]`, `"sizes": [64, 512], "size": 4`, `x.json:5: buffer a: sizes: the buffer has a size already`},
		{listed2, `, "sizes": [64, 512]`, ``, `x.json:5: buffer a: size: the key is missing`},
		{listed2, `"sizes": [64, 512]`, `"size": "64*n"`, `x.json:5: buffer a: size: is a formula, and the file has no symbols`},
		{listed2, `"sizes": [64, 512]`, `"size": -3`, `x.json:5: buffer a: size: must be from 1`},
		{listed2, `["short", "long"]`, `["long", "long"]`, `x.json:3: scenarios "long": is a duplicate`},
		{listed2, `["short", "long"]`, `5000000000`, `x.json:3: scenarios "5000000000": must be from 1 to 65536`},
		{listed2, `["short", "long"]`, `[]`, `x.json:3: scenarios: the family has no scenario`},
		{listed2, `[64, 512]`, `[2305843009213693951, 2305843009213693951]`, `makes the sum of the aligned sizes exceed`},
		{listed2, `"version": 3`, `"version": 2`, `scenarios: is not a known key: a problem with scenarios begins with "version": 3`},
		{listed2, `"heights": [64, 640]`, `"heights": [64]`, `plan.heights: has 1 values for 2 scenarios`},
		{listed2, `["a", "c"]`, `["a", "d"]`, `plan.below "d": is no buffer of the problem`},
		{listed2, `"below": [[], `, `"below": [`, `plan.below: has 2 values for 3 buffers`},
		{listed2, `"largest": "long"`, `"largest": "short"`, `plan.largest "short": must be long`},
		{symbols2, `64*n+m^2`, `64*n+k`, `x.json:5: buffer a: size "64*n+k": the symbol k has no range`},
		{symbols2, `64*n+m^2`, `64*n+`, `x.json:5: buffer a: size "64*n+": is no formula: it ends where`},
		{symbols2, `64*n+m^2`, `n-5`, `x.json:5: buffer a: size "n-5": is -4 at the lowest values`},
		{symbols2, `[1, 9, 2]`, `[1]`, `x.json:3: symbols.n "[1]": is no range: expected [lowest, highest]`},
		{symbols2, `[1, 9, 2]`, `[9, 1]`, `x.json:3: symbols "n": the range must be from low to high`},
		{symbols2, `"switch": "m"`, `"switch": "k"`, `plan.switch "k": is no symbol of the family`},
		{symbols2, `"from": [1, 3]`, `"from": [1]`, `plan.from: has 1 values for 2 orders`},
		{symbols2, `"switched": [193, 720]`, `"switched": [1]`, `plan.switched: has 1 values for 2 scenarios`},
		{symbols2, `[["b"], []]`, `[["b"], ["a"]]`, `plan.orders: buffer a lies above itself, by way of others`},
		{symbols2, `[["b"], []]`, `[["x"], []]`, `plan.orders "x": is no buffer of the problem`},
		{symbols2, `[["b"], []]`, `[[]]`, `plan.orders: there are lists for 1 of 2 buffers`},
		{symbols2, `[[1, 1], [9, 4]]`, `[[1, 1], [8, 4]]`, `plan.at: n=8 is not in its range`},
		{symbols2, `"symbols"`, `"scenarios": 2, "symbols"`, `a family has scenarios or symbols, not both`},
	} {
		if !strings.Contains(c.text, c.old) {
			t.Fatalf("%s is not in the text", c.old)
		}
		_, err := ReadDocument(strings.NewReader(strings.Replace(c.text, c.old, c.new, 1)), "x.json", ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
