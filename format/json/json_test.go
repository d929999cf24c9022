package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

func at(v int64) *int64 { return &v }

// example is the document of the package comment.
const example = `{
  "version": 1,
  "name": "example",
  "capacity": 12,
  "buffers": [
    {"id": "b1", "lower": 0, "upper": 3, "size": 4},
    {"id": "b2", "lower": 3, "upper": 9, "size": 4, "alignment": 4, "gaps": [{"lower": 4, "upper": 6, "window": [0, 2]}, {"lower": 7, "upper": 8}], "hint": 8},
    {"id": "b\"3\" <é>", "lower": -1, "upper": 9, "size": 4, "offset": 4}
  ],
  "plan": {
    "planner": "exact",
    "status": "optimal",
    "height": 12,
    "lower_bound": 12,
    "offsets": [0, 8, 4]
  }
}
`

func exampleProblem() (*model.Problem, *Plan) {
	p := &model.Problem{Name: "example", Capacity: 12, Buffers: []model.Buffer{
		{ID: "b1", Upper: 3, Size: 4, Alignment: 1},
		{ID: "b2", Lower: 3, Upper: 9, Size: 4, Alignment: 4, Hint: at(8), Gaps: []model.Gap{
			{Lower: 4, Upper: 6, Window: &model.Window{Upper: 2}}, {Lower: 7, Upper: 8},
		}},
		{ID: "b\"3\" <é>", Lower: -1, Upper: 9, Size: 4, Alignment: 1, Fixed: at(4)},
	}}
	return p, &Plan{Planner: "exact", Status: model.Optimal, Height: 12, LowerBound: 12, Offsets: []int64{0, 8, 4}}
}

func TestExample(t *testing.T) {
	wantProblem, wantPlan := exampleProblem()
	p, plan := must.Two(ReadAll(strings.NewReader(example), "x.json"))(t)
	must.Same(t, wantProblem, p)
	must.Same(t, wantPlan, plan)
	var b bytes.Buffer
	must.Do(t, Write(&b, p, plan))
	must.Same(t, example, b.String())
	if !stdjson.Valid(b.Bytes()) {
		t.Error("encoding/json does not take what Write makes")
	}
}

func TestReadForms(t *testing.T) {
	one := []model.Buffer{{ID: "a", Upper: 1, Size: 1, Alignment: 1}}
	for _, test := range []struct {
		name, text string
		want       model.Problem
		offsets    []int64
	}{
		{"smallest", `{"version":1,"buffers":[]}`, model.Problem{Buffers: []model.Buffer{}}, nil},
		{
			"any order, escapes, byte order mark",
			"\uFEFF\r\n{\"buffers\" : [ {\"size\":1,\"upper\":1,\"\\u0069d\":\"\\u0061\",\"lower\":0,\"alignment\":0} ] ,\t\"version\":1}",
			model.Problem{Buffers: one},
			nil,
		},
		{
			"null is no key",
			`{"version":1,"name":null,"capacity":null,"plan":null,"buffers":[{"id":"a","lower":0,"upper":1,"size":1,"alignment":null,"gaps":null,"offset":null,"hint":null}]}`,
			model.Problem{Buffers: one},
			nil,
		},
		{
			"sorts gaps",
			`{"version":1,"buffers":[{"id":"a","lower":0,"upper":9,"size":1,"gaps":[{"lower":3,"upper":4},{"lower":1,"upper":2,"window":null}]}]}`,
			model.Problem{
				Buffers: []model.Buffer{
					{ID: "a", Upper: 9, Size: 1, Alignment: 1, Gaps: []model.Gap{{Lower: 1, Upper: 2}, {Lower: 3, Upper: 4}}},
				},
			},
			nil,
		},
		{
			"plan before buffers, height not stated",
			`{"plan":{"offsets":[7],"status":"feasible"},"version":1,"buffers":[{"id":"a","lower":0,"upper":1,"size":1}]}`,
			model.Problem{Buffers: one},
			[]int64{7},
		},
		{
			"a plan of nothing",
			`{"version":1,"buffers":[],"plan":{"offsets":[],"status":"optimal","height":0}}`,
			model.Problem{Buffers: []model.Buffer{}},
			[]int64{},
		},
		{
			"an outcome without a plan",
			`{"version":1,"buffers":[{"id":"a","lower":0,"upper":1,"size":1}],"plan":{"status":"infeasible","lower_bound":9}}`,
			model.Problem{Buffers: one},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, offsets := must.Two(Read(strings.NewReader(test.text), "x.json"))(t)
			must.Same(t, &test.want, p)
			must.Same(t, test.offsets, offsets)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	// with puts lines into a list of buffers that starts at line 2.
	with := func(lines ...string) string {
		return "{\"version\": 1, \"buffers\": [\n" + strings.Join(lines, ",\n") + "]}"
	}
	// planned puts a plan at line 3 of a file with one buffer.
	planned := func(plan string) string {
		return "{\"version\": 1, \"buffers\": [\n{\"id\": \"a\", \"lower\": 0, \"upper\": 1, \"size\": 4}],\n\"plan\": " +
			plan + "}"
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", " \n", `x.json:1: is empty: expected a JSON object or a list of buffers`},
		{"binary", "{\x00}", `x.json:1: "\x00": is not text: UTF-16 and binary files cannot be read`},
		{"invalid UTF-8", "{\n\"\xff\"}", `x.json:2: "\xff": is not valid UTF-8`},
		{"cut off", "{\"version\": 1,\n\"buffers\": [\n", `x.json:2: the JSON text is cut off`},
		{"cut off in a string", "{\"version\": 1,\n\"buf", `x.json:2: the JSON text is cut off`},
		{"trailing", "{\"version\": 1, \"buffers\": []}\n\n{}", `x.json:3: is not JSON: there is more than one value; a list of buffers stands in [ ], with commas between them`},
		{"not JSON", "{\"version\": 1,\n\"buffers\": [,]}", `x.json:2: is not JSON: invalid character ',' looking for beginning of value`},
		{"a comma too many", "[{\"lower\": 0, \"upper\": 5, \"size\": 1},\n]", `x.json:2: is not JSON: there is a comma before ]`},
		{"a comma too many in an object", "{\"buffers\": [], }", `x.json:1: is not JSON: there is a comma before }`},
		{"single quotes", "{'buffers': []}", `x.json:1: is not JSON: a text stands in double quotes, not in single ones`},
		{"CSV", "\nid,lower,upper,size\n", `x.json:2: is not JSON: it begins as CSV does, and such a file is named .csv`},
		{"CSV with semicolons", "\"id\";lower", `x.json:1: is not JSON: it begins as CSV does, and such a file is named .csv`},
		{"CSV without a header", "0,2,3\n", `x.json:1: is not JSON: it begins as CSV does, and such a file is named .csv`},
		{"a word", "nonsense", `x.json:1: is not JSON: invalid character 'o' in literal null (expecting 'u')`},
		{"a comment", "// by hand\n[]", `x.json:1: is not JSON: it has no comments`},
		{"no comma between buffers", "[{}\n{}]", `x.json:2: is not JSON: a comma is missing`},
		{"no comma between keys", "[{\"lower\": 0 \"upper\": 5}]", `x.json:1: is not JSON: a comma is missing`},
		{"a buffer a line", "{\"lower\": 0}\n{\"lower\": 0}\n", `x.json:2: is not JSON: there is more than one value; a list of buffers stands in [ ], with commas between them`},
		{"not an object", "[1]", `x.json:1: buffer 0: "1": is not an object`},
		{"version", "{\"buffers\": 3, \"foo\": 1,\n\"version\": 4}", `x.json:2: version "4": is not known: this program reads versions 1, 2 and 3`},
		{"no buffers", "{\"version\": 1}", `x.json:1: buffers: the key is missing`},
		{"version of another type", "{\"version\": \"1\", \"buffers\": []}", `x.json:1: version "1": is not an integer: expected 1 without quotes`},
		{
			"document", "{\n\"Version\": 1,\n\"name\": 7,\n\"capacity\": 1.0,\n\"buffers\": null,\n\"name\": [{\"}\": 1}],\n\"plan\": []}",
			`x.json:2: Version: is not a known key: did you mean version?
x.json:3: name "7": is not a string
x.json:4: capacity "1.0": is not an integer: expected 1
x.json:5: buffers "null": is not a list
x.json:6: name: is a duplicate: the key appears twice
x.json:7: plan "[]": is not an object`,
		},
		{
			"capacity", "{\"version\": 1, \"buffers\": [{\"id\": \"a\", \"lower\": 0, \"upper\": 0, \"size\": 4}],\n\"capacity\": -3}",
			`x.json:1: buffer a: upper "0": the lifespan is empty: lower is also 0
x.json:2: capacity "-3": must be from 1 to 2305843009213693951, or 0 for none`,
		},
		{
			"buffers", with(
				`7`, `{"id": 1, "lower": "x", "upper": 1e3, "size": {"a": [1, "]"]}}`,
				`{"id": "c", "Lower": 1}`, `{"id": "d", "lower": 0, "upper": 9223372036854775808, "size": true, "lower": 0}`,
				`{"id": "e", "lower": 0, "upper": 1, "size": 1, "alignment": "8", "hint": -1.5, "offset": [], "gaps": {}}`,
			),
			`x.json:2: buffer 0: "7": is not an object
x.json:3: id "1": is not a string
x.json:3: lower "x": is not an integer
x.json:3: size "{\"a\": [1, \"]\"]}": is not an integer
x.json:4: buffer c: Lower: is not a known key: did you mean lower?
x.json:4: buffer c: lower: the key is missing
x.json:4: buffer c: upper: the key is missing
x.json:4: buffer c: size: the key is missing
x.json:5: buffer d: upper "9223372036854775808": does not fit into 64 bits
x.json:5: buffer d: size "true": is not an integer
x.json:5: buffer d: lower: is a duplicate: the key appears twice
x.json:6: buffer e: alignment "8": is not an integer: expected 8 without quotes
x.json:6: buffer e: hint "-1.5": is not an integer
x.json:6: buffer e: offset "[]": is not an integer
x.json:6: buffer e: gaps "{}": is not a list`,
		},
		{
			"gaps", with(`{"id": "a", "lower": 0, "upper": 9, "size": 4, "gaps": [1, {"lower": 1, "uper": 2},
{"lower": 1, "upper": 2, "window": [1]}, {"lower": 1, "upper": 2, "window": {}}, {"lower": "1", "upper": 2, "window": [1, "2"]}]}`),
			`x.json:2: buffer a: gaps "1": is not an object
x.json:2: buffer a: gaps.uper: is not a known key: did you mean upper?
x.json:2: buffer a: gaps.upper: the key is missing
x.json:3: buffer a: gaps.window "[1]": is not a pair of integers
x.json:3: buffer a: gaps.window "{}": is not a list
x.json:3: buffer a: gaps.lower "1": is not an integer: expected 1 without quotes
x.json:3: buffer a: gaps.window "2": is not an integer: expected 2 without quotes`,
		},
		{
			"sense", with(
				`{"id": "a", "lower": 0, "upper": 9, "size": 4, "gaps": [{"lower": 8, "upper": 10}]}`,
				`{"id": "", "lower": 0, "upper": 9, "size": 0}`, `{"id": "c", "lower": 0, "upper": "x", "size": 0}`,
				`{"id": "c", "lower": 9, "upper": 8, "size": 1, "offset": -1, "hint": -1, "alignment": -1}`,
			),
			`x.json:2: buffer a: gaps "8-10": lies outside the lifespan [0, 9)
x.json:3: id: is empty
x.json:3: size "0": must be from 1 to 2305843009213693951
x.json:4: buffer c: upper "x": is not an integer
x.json:5: buffer c: id "c": is a duplicate: line 4 has the same
x.json:5: buffer c: upper "8": the lifespan ends before it starts: lower is 9
x.json:5: buffer c: alignment "-1": must be from 0 to 2305843009213693951
x.json:5: buffer c: offset "-1": must be from 0 to 2305843009213693951
x.json:5: buffer c: hint "-1": must be from 0 to 2305843009213693951`,
		},
		{
			"plan", planned("{\"planer\": 1, \"planner\": 2, \"status\": \"best\", \"height\": -1,\n\"lower_bound\": \"z\", \"offsets\": [\n1,\n-4, null]}"),
			`x.json:3: plan.planer: is not a known key: did you mean planner?
x.json:3: plan.planner "2": is not a string
x.json:3: plan.status "best": is not a status: expected unknown, feasible, optimal or infeasible
x.json:3: plan.height "-1": must be from 0 to 2305843009213693951
x.json:4: plan.lower_bound "z": is not an integer
x.json:6: plan.offsets "-4": must be from 0 to 2305843009213693951
x.json:6: plan.offsets "null": is not an integer`,
		},
		{"plan without status", planned(`{"offsets": [0]}`), `x.json:3: plan.status: the key is missing: expected optimal, feasible, infeasible or unknown`},
		{"status of another type", planned(`{"status": 3}`), `x.json:3: plan.status "3": is not a string`},
		{"plan without offsets", planned(`{"status": "feasible"}`), `x.json:3: plan.offsets: the key is missing: the status is feasible`},
		{"offsets without a plan", planned(`{"status": "unknown", "offsets": [0]}`), `x.json:3: plan.offsets: must be absent: the status is unknown`},
		{"height without a plan", planned(`{"status": "unknown", "height": 4}`), `x.json:3: plan.height "4": the plan has a height but no offsets`},
		{"too many offsets", planned(`{"status": "feasible", "offsets": [0, 1]}`), `x.json:3: plan.offsets: has 2 values for 1 buffers`},
		{
			"optimal above its bound", planned(`{"status": "optimal", "offsets": [3],
"height": 7, "lower_bound": 6}`),
			`x.json:4: plan.lower_bound "6": is below the height that the offsets give, 7, but the status is optimal`,
		},
		{
			"infeasible within the capacity",
			`{"version":1,"capacity":9,"buffers":[{"id":"a","lower":0,"upper":1,"size":1}],
"plan":{"status":"infeasible","lower_bound":9}}`,
			`x.json:2: plan.lower_bound "9": is within the capacity 9, but the status is infeasible`,
		},
		{
			"height", planned(`{"status": "feasible", "offsets": [3], "height": 4, "lower_bound": 8}`),
			`x.json:3: plan.height "4": the offsets give 7
x.json:3: plan.lower_bound "8": is above the height that the offsets give, 7`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, offsets, err := Read(strings.NewReader(test.text), "x.json")
			var input *model.InputError
			if p != nil || offsets != nil || !errors.As(err, &input) {
				t.Fatalf("got %v, %v, %v; want an *InputError", p, offsets, err)
			}
			must.Same(t, test.want, err.Error())
		})
	}
}

// Every prefix of a file is cut off somewhere; none may be taken for whole.
func TestReadRefusesPrefixes(t *testing.T) {
	whole := strings.TrimSpace(example)
	for n := range len(whole) {
		if _, _, err := Read(strings.NewReader(whole[:n]), "x.json"); err == nil {
			t.Errorf("the first %d bytes are taken for the whole", n)
		}
	}
}

func TestReadKeepsTheFirstIssues(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\"version\": 1, \"buffers\": [")
	for i := range 40 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "\n{\"id\": \"b%d\", \"lower\": 0, \"upper\": 1, \"size\": %s}", i, [2]string{"[]", "0"}[i%2])
	}
	text.WriteString("]}")
	_, _, err := Read(strings.NewReader(text.String()), "")
	golden.Issues(t, err, 40, 2)
}

func TestReadFails(t *testing.T) {
	want := errors.New("disk on fire")
	if _, _, err := Read(iotest.ErrReader(want), "x.json"); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func TestReadPlan(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "b2"}, {ID: "b1"}, {ID: "b\"3\" <é>"}}}
	got, err := ReadPlan(strings.NewReader(example), "x.json", p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{8, 0, 4}, got.Offsets); diff != "" {
		t.Error(diff)
	}
	p.Buffers[2].ID = "b4"
	_, err = ReadPlan(strings.NewReader(example), "x.json", p)
	want := "x.json: buffer b\"3\" <é>: id \"b\\\"3\\\" <é>\": is not a buffer of the problem\nx.json: buffer b4: is not in the plan"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = ReadPlan(strings.NewReader(`{"version":1,"buffers":[]}`), "x.json", p)
	if want := "x.json: plan: the file has no plan with offsets"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err = ReadPlan(strings.NewReader(`{`), "x.json", p); err == nil {
		t.Error("no error for half a file")
	}
}

func TestWriteRefuses(t *testing.T) {
	two := &model.Problem{Buffers: make([]model.Buffer, 2)}
	for _, test := range []struct {
		p    *model.Problem
		plan *Plan
		want string
	}{
		{two, &Plan{Status: model.Feasible, Offsets: []int64{1}}, "json: 1 offsets for 2 buffers"},
		{two, &Plan{Status: model.Feasible}, "json: the status feasible does not match the offsets of the plan"},
		{two, &Plan{Offsets: []int64{1, 2}}, "json: the status unknown does not match the offsets of the plan"},
		{two, &Plan{Planner: "\xff"}, `json: the planner's name "\xff" is not valid UTF-8`},
		{&model.Problem{Name: "\xff"}, nil, `json: the name "\xff" is not valid UTF-8`},
		{&model.Problem{Buffers: []model.Buffer{{ID: "\xff"}, {}, {ID: "a\xc0"}}}, nil, "json: the ID \"\\xff\" of buffer number 1 is not valid UTF-8\njson: the ID \"a\\xc0\" of buffer number 3 is not valid UTF-8"},
	} {
		golden.Refused(t, test.want, func(w io.Writer) error { return Write(w, test.p, test.plan) })
	}
}

func TestWriteFails(t *testing.T) {
	golden.Full(t, func(w io.Writer) error { return Write(w, grid(20000), nil) })
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &model.Problem{
			Buffers: []model.Buffer{}, Name: rapid.String().Draw(t, "name"),
			Capacity: rapid.Int64Range(0, 1).Draw(t, "limited") * model.MaxSum,
		}
		for _, id := range rapid.SliceOfDistinct(rapid.StringN(1, 8, -1), rapid.ID[string]).Draw(t, "ids") {
			b := model.Buffer{
				ID:        id,
				Lower:     rapid.Int64Range(-1000, 1000).Draw(t, "lower"),
				Size:      rapid.Int64Range(1, 1<<40).Draw(t, "size"),
				Alignment: rapid.Int64Range(1, 8).Draw(t, "alignment"),
			}
			b.Upper = b.Lower + rapid.Int64Range(4, 9).Draw(t, "length")
			if rapid.Bool().Draw(t, "is fixed") {
				b.Fixed = at(b.Alignment * rapid.Int64Range(0, 1<<40).Draw(t, "offset"))
			}
			if rapid.Bool().Draw(t, "has a hint") {
				b.Hint = at(rapid.Int64Range(0, model.MaxSum).Draw(t, "hint"))
			}
			if rapid.Bool().Draw(t, "has gaps") {
				b.Gaps = []model.Gap{
					{Lower: b.Lower, Upper: b.Lower + 1}, {Lower: b.Lower + 2, Upper: b.Upper, Window: &model.Window{Upper: b.Size}},
				}
			}
			p.Buffers = append(p.Buffers, b)
		}
		var plan *Plan
		if rapid.Bool().Draw(t, "has a plan") {
			plan = &Plan{
				Planner: rapid.String().Draw(t, "planner"), Status: model.Status(rapid.IntRange(0, 3).Draw(t, "status")),
			}
			if plan.Status.HasPlan() {
				plan.Offsets = []int64{}
				for range p.Buffers {
					plan.Offsets = append(plan.Offsets, rapid.Int64Range(0, 1<<41).Draw(t, "offset"))
				}
				plan.Height = model.HeightOf(p, plan.Offsets)
			}
			plan.LowerBound = plan.Height
		}
		roundTrip(t, p, plan)
	})
}

// roundTrip holds that Read gives back what Write makes.
func roundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *model.Problem, plan *Plan,
) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p, plan); err != nil {
		t.Fatalf("%v", err)
	}
	text := b.String()
	q, again, err := ReadAll(&b, "")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(p, q); diff != "" {
		t.Fatalf("%s in\n%s", diff, text)
	}
	if diff := cmp.Diff(plan, again); diff != "" {
		t.Fatalf("%s in\n%s", diff, text)
	}
}

// FuzzRead: Read never panics, accepts no more than JSON, and names the place in its errors. If it accepts a text, it
// also reads what Write makes of it.
func FuzzRead(f *testing.F) {
	f.Add(example)
	f.Add(`{"version":1,"buffers":[]}`)
	f.Add("{\"version\":1,\n\"buffers\":[{\"id\":\"\\ud800\\n\",\"lower\":-0,\"upper\":1,\"size\":1,\"gaps\":[]}],\"plan\":{\"status\":\"unknown\"}}")
	f.Add(`{"version":1,"buffers":[7,{"id":[1,{"}":"\\\""}]}],"plan":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, plan, err := ReadAll(strings.NewReader(text), "x.json")
		if err == nil {
			if !stdjson.Valid([]byte(strings.TrimPrefix(text, "\uFEFF"))) {
				t.Fatal("took what is not JSON")
			}
			roundTrip(t, p, plan)
			return
		}
		var e *model.InputError
		if !errors.As(err, &e) {
			t.Fatalf("not an input error: %v", err)
		}
		if len(e.Issues) != min(e.Total, model.MaxIssues) || e.Total == 0 {
			t.Fatalf("%d issues of %d", len(e.Issues), e.Total)
		}
		for k, issue := range e.Issues {
			if issue.File != "x.json" || issue.Message == "" {
				t.Fatalf("%#v", issue)
			}
			if k > 0 && issue.Line < e.Issues[k-1].Line {
				t.Fatalf("not in order of lines: %v", err)
			}
		}
	})
}

// grid makes a problem of n plain buffers.
func grid(n int) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	for i := range p.Buffers {
		lower := int64(i) * 37 % 100000
		p.Buffers[i] = model.Buffer{ID: fmt.Sprint(i), Lower: lower, Upper: lower + 100, Size: 4096 + int64(i), Alignment: 1}
	}
	return p
}

func BenchmarkRead(b *testing.B) {
	p := grid(1e6)
	plan := &Plan{Status: model.Feasible, Offsets: make([]int64, len(p.Buffers))}
	plan.Height = model.HeightOf(p, plan.Offsets)
	var text bytes.Buffer
	must.Do(b, Write(&text, p, plan))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Read(bytes.NewReader(text.Bytes()), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	p := grid(1e6)
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, Write(io.Discard, p, nil))
	}
}

// TestBare reads what people write by hand: buffers without an ID, no version, the list alone.
func TestBare(t *testing.T) {
	want := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "0", Upper: 5, Size: 10, Alignment: 1},
			{ID: "b", Lower: 2, Upper: 4, Size: 3, Alignment: 1},
			{ID: "2", Lower: 2, Upper: 4, Size: 3, Alignment: 1},
		},
	}
	const list = `[{"lower": 0, "upper": 5, "size": 10}, {"id": "b", "lower": 2, "upper": 4, "size": 3}, {"id": null, "lower": 2, "upper": 4, "size": 3}]`
	for _, text := range []string{
		list, " \n" + list + "\n", `{"buffers": ` + list + `}`, `{"buffers": ` + list + `, "version": 1}`,
	} {
		p, plan, err := ReadAll(strings.NewReader(text), "x.json")
		if diff := cmp.Diff(want, p); err != nil || plan != nil || diff != "" {
			t.Errorf("%s: %v, %s", text, err, diff)
		}
	}
	const ambiguous = `x.json:1: buffer a: stop: could mean two things: --ends half-open if it has the first time slot after the lifespan, ` +
		`--ends inclusive if it has the last one in it; the names upper and end say the same`
	for text, says := range map[string]string{
		`[{"name": "a", "lower": 0, "upper": 5, "size": 1}]`: `x.json:1: buffer 0: name: is not a known key: did you mean id?`,
		`[{"id": "a", "lower": 0, "stop": 5, "upper": 5, "size": 1}]`: ambiguous +
			"\nx.json:1: buffer a: upper: is a duplicate: the key appears twice",
		`[{"id": "1", "lower": 0, "upper": 5, "size": 1}, {"lower": 0, "upper": 5, "size": 1}]`:   `x.json:1: buffer 1: id "1": is a duplicate: the buffer at index 0 has the same`,
		`[{"id": "", "lower": 0, "upper": 5, "size": 1}]`:                                         `x.json:1: id: is empty`,
		`[{"lower": 0, "upper": 5, "size": 1}, {"lower": 0, "uper": 5, "size": 1}]`:               "x.json:1: buffer 1: uper: is not a known key: did you mean upper?\nx.json:1: buffer 1: upper: the key is missing",
		`[{"lower": 0, "upper": 5, "size": 1}, {"lower": "x", "upper": 5, "size": 1, "id": "b"}]`: `x.json:1: buffer b: lower "x": is not an integer`,
		`[{"lower": 0, "upper": 5, "size": "4KiB"}]`:                                              `x.json:1: buffer 0: size "4KiB": is not an integer: expected 4096 without quotes`,
		`[{"lower": 0, "upper": 5, "size": "0.3KiB"}]`:                                            `x.json:1: buffer 0: size "0.3KiB": is not an integer`,
		`[{"lower": 0, "upper": "4KiB", "size": 1}]`:                                              `x.json:1: buffer 0: upper "4KiB": is not an integer`,
		`{"buffers": [], "capacity": "1MiB"}`:                                                     `x.json:1: capacity "1MiB": is not an integer: expected 1048576 without quotes`,
		`[{"lower": 0, "upper": 5, "size": 3.0}]`:                                                 `x.json:1: buffer 0: size "3.0": is not an integer: expected 3`,
		`[{"lower": 0, "upper": 5, "size": 1, "op": 7}]`:                                          `x.json:1: buffer 0: op: is not a known key: a buffer has lower, upper, size, id, alignment, gaps, offset, hint`,
		`{"apart": [["a", "b"]], "buffers": [{"id": "a", "lower": 0, "upper": 5, "size": 1, "costs": {}}]}`: "x.json:1: apart: is not a known key: a problem with rules begins with \"version\": 2\n" +
			"x.json:1: buffer a: costs: is not a known key: a problem with rules begins with \"version\": 2",
		`[[]]`: `x.json:1: buffer 0: "[]": is not an object`,
	} {
		if _, _, err := ReadAll(strings.NewReader(text), "x.json"); err == nil || err.Error() != says {
			t.Errorf("%s: %v", text, err)
		}
	}
}
