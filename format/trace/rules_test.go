package trace

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// ruledTrace has each key of rules, in each operation that takes it.
const ruledTrace = `{"op":"open","format":"stowage-trace/1","alignment":2,"period":16,"pools":[{"id":"sram","capacity":64,"alignment":4,"reserved":[[0,8]]},{"id":"dram"}],"together":[{"buffers":["a","b"],"at":[0,8]}],"apart":[["a","c"]],"may_overlap":[["c","b"]],"distances":[{"buffers":["a","d"],"distance":-2}]}
{"op":"add","id":"a","lower":0,"upper":4,"size":8,"offset":8,"pool":"sram"}
{"op":"add","id":"b","lower":0,"upper":4,"size":8,"offset":16,"pool":"sram"}
{"op":"add","id":"c","lower":2,"upper":6,"size":8,"gaps":[{"lower":3,"upper":4,"window":[0,4]}],"fixed":32,"hint":32,"pools":["dram"],"offset":32,"pool":"dram"}
{"op":"add","id":"d","lower":3,"upper":6,"size":8,"pools":["dram","sram"],"offset":24,"pool":"sram","apart":[["d","c"]]}
{"op":"mark","id":"m"}
{"op":"place","buffers":[{"id":"e","lower":3,"upper":9,"size":4,"pools":["sram"]},{"id":"f","lower":5,"upper":9,"size":4,"alignment":8,"fixed":40,"pools":["dram"]}],"together":[{"buffers":["e","a"]}],"apart":[["e","f"]]}
{"op":"fits","id":"g","lower":3,"upper":5,"size":4,"pools":["dram"],"expect":"yes","distances":[{"buffers":["a","g"],"distance":3}]}
{"op":"bind","may_overlap":[["e","b"],["f","d"]]}
{"op":"unbind","together":[{"buffers":["b"]}],"apart":[["c","a"]]}
{"op":"pin","id":"c","offset":40,"pool":"dram"}
{"op":"limit","capacity":48,"pool":"sram"}
{"op":"limit","capacity":0,"pool":"dram"}
{"op":"rollback","id":"m"}
{"op":"add","id":"g","lower":3,"upper":5,"size":4}
`

// clockedTrace has lifespans by clocks.
const clockedTrace = `{"op":"open","format":"stowage-trace/1","capacity":64,"threads":2}
{"op":"add","id":"a","lower":[0,0],"upper":[1,2],"size":8,"offset":0}
{"op":"add","id":"b","lower":[1,2],"upper":[3,2],"size":8}
{"op":"retime","id":"a","lower":[0,1],"upper":[1,3]}
{"op":"bind","apart":[["a","b"]]}
{"op":"place","buffers":[{"id":"c","lower":[0,0],"upper":[0,2],"size":4}]}
{"op":"limit","capacity":32}
`

// TestRulesRoundTrip reads every key of rules, and writes the same bytes.
func TestRulesRoundTrip(t *testing.T) {
	for _, text := range []string{ruledTrace, clockedTrace} {
		tr := must.Get(Read(strings.NewReader(text), "t.jsonl"))(t)
		var out bytes.Buffer
		if err := Write(&out, tr); err != nil || out.String() != text {
			t.Fatalf("%v, wrote\n%s", err, out.String())
		}
		if !tr.Ruled() {
			t.Error("a trace with rules is not Ruled")
		}
	}
	tr := must.Get(Read(strings.NewReader(ruledTrace), "t.jsonl"))(t)
	want := Rules{
		Together: []Tie{{Buffers: []string{"a", "b"}, At: []int64{0, 8}}}, Apart: [][2]string{{"a", "c"}},
		MayOverlap: [][2]string{{"c", "b"}}, Distances: []Distance{{"a", "d", -2}},
	}
	if !reflect.DeepEqual(tr.Rules, want) || tr.Period != 16 || len(tr.Pools) != 2 || tr.Pools[0].Reserved[0].Upper != 8 {
		t.Errorf("%+v", tr)
	}
	if c := tr.Ops[2].Buffer(); *c.Fixed != 32 || c.Gaps[0].Window.Upper != 4 ||
		!reflect.DeepEqual(tr.Ops[3].Extra.Pools, []int32{1, 0}) || *tr.Ops[2].Pool != 1 {
		t.Errorf("%+v", c)
	}
	if e := tr.Ops[5]; len(e.Buffers) != 2 || e.Buffers[0].ID != "e" || len(e.Rules.Names()) != 3 {
		t.Errorf("%+v", e)
	}
	tr = must.Get(Read(strings.NewReader(clockedTrace), "t.jsonl"))(t)
	if a := tr.Ops[2]; a.Extra.Clocks.Upper[1] != 3 || a.Upper != 4 || tr.Threads != 2 {
		t.Errorf("%+v", a)
	}
}

// TestRulesFaults has a line for each fault of rules, with the message: file, line, key and value.
func TestRulesFaults(t *testing.T) {
	const open = `{"op":"open","format":"stowage-trace/1"}` + "\n"
	const pools = `{"op":"open","format":"stowage-trace/1","pools":[{"id":"sram","capacity":8},{"id":"dram"}]}` + "\n"
	const two = `{"op":"add","id":"alpha","lower":0,"upper":2,"size":1}` + "\n" +
		`{"op":"add","id":"b","lower":0,"upper":2,"size":1}` + "\n"
	for text, want := range map[string]string{
		`{"op":"open","format":"stowage-trace/1","capacity":9,"pools":[{"id":"x"}]}`: `t.jsonl:1: capacity "9": is for one pool without a name; here each pool has its own`,
		`{"op":"open","format":"stowage-trace/1","pools":[{"id":"x"},{"id":"x"}]}`:   `t.jsonl:1: pools[1].id "x": pool x: is a duplicate: the pool at index 0 has the same`,
		`{"op":"open","format":"stowage-trace/1","pools":[{"id":"x","size":3}]}`:     `t.jsonl:1: pools.size: is not a known key: pools has id, capacity, alignment, cost, reserved`,
		`{"op":"open","format":"stowage-trace/1","penalties":[]}`:                    `t.jsonl:1: penalties "[]": is no key of the operation open`,
		`{"op":"open","format":"stowage-trace/1","apart":[["a","b"]]}` + "\n" +
			two: "t.jsonl:1: apart \"a\": is not there\nt.jsonl:1: apart \"b\": is not there",

		open + two + `{"op":"bind"}`:                                                      `t.jsonl:4: op "\"bind\"": has no rules: it needs one of together, apart, may_overlap, distances`,
		open + two + `{"op":"bind","apart":[["b","alpha","b"]]}`:                          `t.jsonl:4: apart "[\"b\",\"alpha\",\"b\"]": is not a pair of buffers`,
		open + two + `{"op":"bind","apart":[["b","b"]]}`:                                  `t.jsonl:4: apart[0] "b": a pair has two different buffers`,
		open + two + `{"op":"bind","apart":[["b",7]]}`:                                    `t.jsonl:4: apart "7": is not a string`,
		open + two + `{"op":"bind","together":[{"buffers":["alpha","b"],"at":[1]}]}`:      `t.jsonl:4: together[0]: has 2 buffers and 1 distances`,
		open + two + `{"op":"bind","distances":[{"buffers":["alpha","b"],"distance":0}]}`: `t.jsonl:4: distances[0] "alpha, b": the second must begin in the last slot of the first and nowhere else meet it; they live [0, 2) and [0, 2)`,
		open + two + `{"op":"unbind","apart":[["alpha","z"]]}`:                            `t.jsonl:4: apart "z": is not there`,
		open + two + `{"op":"place","buffers":[]}`:                                        `t.jsonl:4: buffers "[]": must be a list of buffers`,
		open + two + `{"op":"place","buffers":[{"lower":0,"upper":1,"size":1}]}`:          `t.jsonl:4: buffers "{\"lower\":0,\"upper\":1,\"size\":1}": must have an id in each of its objects`,
		open + two + `{"op":"place","buffers":[{"id":"c","lower":1,"upper":1,"size":1}]}`: `t.jsonl:4: buffer c: upper "1": the lifespan is empty: lower is also 1`,
		open + two + `{"op":"place","buffers":[{"id":"b","lower":0,"upper":1,"size":1}]}`: `t.jsonl:4: id "b": is there already`,
		open + two + `{"op":"pin","id":"b","offset":0,"pool":"sram"}`:                     `t.jsonl:4: pool "\"sram\"": is no pool of the first line, which has none`,
		pools + two + `{"op":"pin","id":"b","offset":0,"pool":"scram"}`:                   `t.jsonl:4: pool "\"scram\"": is no pool of the first line, which has sram, dram`,
		pools + two + `{"op":"pin","id":"b","pool":"sram"}`:                               `t.jsonl:4: offset: is missing: a pool alone is no place`,
		pools + two + `{"op":"limit","capacity":8}`:                                       `t.jsonl:4: pool: is missing: each of several pools has a capacity of its own`,
		pools + `{"op":"add","id":"a","lower":0,"upper":2,"size":1,"offset":0}`:           `t.jsonl:2: pool: is missing: there are several`,
		pools + `{"op":"add","id":"a","lower":0,"upper":2,"size":1,"pools":["dra"]}`:      `t.jsonl:2: buffer a: pools "dra": is no pool of the first line: did you mean dram?`,
		open + `{"op":"add","id":"a","lower":[0],"upper":[0],"size":1}`:                   `t.jsonl:2: buffer a: upper "[0]": the lifespan is empty: start and end are the same in each clock`,
		open + two + `{"op":"limit","capacity":-1}`:                                       `t.jsonl:4: capacity "-1": must be a whole number from 0 to 2305843009213693951`,
		open + two + `{"op":"limit"}`:                                                     `t.jsonl:4: capacity: is missing`,
		open + two + `{"op":"remove","id":"b","apart":[["b","alpha"]]}`:                   `t.jsonl:4: apart "[[\"b\",\"alpha\"]]": is no key of the operation remove`,
		open + two + `{"op":"bind","apart":[["b","alhpa"]]}`:                              `t.jsonl:4: apart "alhpa": is not there`,
		open + two + `{"op":"remove","id":"b"}` + "\n" +
			`{"op":"bind","apart":[["b","alpha"]]}`: `t.jsonl:5: apart "b": is not there`,
	} {
		if _, err := Read(strings.NewReader(text), "t.jsonl"); err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// TestRulesOfMark: a rollback restores the buffers that rules may name, with their lifespans.
func TestRulesOfMark(t *testing.T) {
	const text = `{"op":"open","format":"stowage-trace/1"}
{"op":"add","id":"a","lower":0,"upper":2,"size":1}
{"op":"add","id":"b","lower":1,"upper":3,"size":1}
{"op":"mark","id":"m"}
{"op":"retime","id":"b","lower":5,"upper":6}
{"op":"remove","id":"a"}
{"op":"rollback","id":"m"}
{"op":"bind","distances":[{"buffers":["a","b"],"distance":1}]}
`
	if _, err := Read(strings.NewReader(text), "t.jsonl"); err != nil {
		t.Error(err)
	}
	without := strings.Replace(text, `{"op":"rollback","id":"m"}`, `{"op":"add","id":"a","lower":0,"upper":2,"size":1}`, 1)
	if _, err := Read(strings.NewReader(without), "t.jsonl"); err == nil ||
		!strings.Contains(err.Error(), "they live [0, 2) and [5, 6)") {
		t.Error(err)
	}
}

// TestWriteRefuses has traces that no file can hold.
func TestWriteRefuses(t *testing.T) {
	three := int32(3)
	for want, op := range map[string]Op{
		"operation 1, limit : there is no pool of the index 3; there are 0": {Kind: Limit, Pool: &three},
		"operation 1, add a: json: buffer a has the pool of index 3; there are 0": {
			Kind: Add, ID: "a", Upper: 1, Size: 1, Extra: &model.Extra{Pools: []int32{3}},
		},
		`operation 1, bind : json: the ID "\xff" of buffer number 1 is not valid UTF-8`: {
			Kind: Bind, Rules: Rules{Apart: [][2]string{{"\xff", "a"}}},
		},
	} {
		if err := Write(&bytes.Buffer{}, &Trace{Ops: []Op{op}}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
