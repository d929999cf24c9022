package trace

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

const whole = `{"op":"open","format":"stowage-trace/1","capacity":67108864,"alignment":4096,"source":"gen seed=1 base=A"}
{"op":"mark","id":"m1"}
{"op":"request","id":"t7","value":12582912,"segments":[{"id":"t7.0","lower":77,"upper":82,"size":6291456},{"id":"t7.1","lower":82,"upper":84,"size":6291456}]}
{"op":"add","id":"t7.0","lower":77,"upper":82,"size":6291456,"value":12582912,"group":"g3","offset":0}
{"op":"fits","id":"t7.1","lower":82,"upper":84,"size":6291456,"expect":"no"}
{"op":"rollback","id":"m1"}
{"op":"add","id":"t3","lower":0,"upper":2,"size":10}
{"op":"resize","id":"t3","size":4096}
{"op":"retime","id":"t3","lower":4,"upper":9}
{"op":"pin","id":"t3","offset":0}
{"op":"unpin","id":"t3"}
{"op":"pin","id":"t3"}
{"op":"remove","id":"t3"}
{"op":"add","id":"t3","lower":-5,"upper":2,"size":10,"alignment":32}
{"op":"replan","reason":"oom","height":62914560}
{"op":"replan"}
{"op":"add","id":"t9","lower":2,"upper":6,"size":12,"group":"g","offset":4096,"slices":[{"lower":3,"size":4},{"lower":2,"size":8}]}
{"op":"replan","height":8192,"moved":[{"id":"t9","offset":0,"slices":[{"lower":3,"size":4},{"lower":2,"size":8}]},{"id":"t3","offset":8}]}
{"op":"replan","moved":[]}
{"op":"mark","id":"m1"}
{"op":"commit","id":"m1"}
{"op":"result","value":"oom"}
`

// TestRoundTrip reads every operation, and writes the same bytes.
func TestRoundTrip(t *testing.T) {
	tr := must.Get(Read(strings.NewReader(whole), "t.jsonl"))(t)
	var out bytes.Buffer
	if err := Write(&out, tr); err != nil || out.String() != whole {
		t.Fatalf("%v, wrote\n%s", err, out.String())
	}
	if len(tr.Ops) != strings.Count(whole, "\n")-1 || tr.Capacity != 67108864 || tr.Ops[2].Line != 4 ||
		*tr.Ops[2].Value != 12582912 {
		t.Errorf("%+v", tr)
	}
	windows := "\ufeff" + strings.ReplaceAll(whole, "\n", "\r\n")
	if again, err := Read(strings.NewReader(windows), "t.jsonl"); err != nil || !reflect.DeepEqual(again, tr) {
		t.Errorf("with a BOM and CRLF: %v", err)
	}
}

// TestFaults has a line for each fault, with the message.
func TestFaults(t *testing.T) {
	const open = `{"op":"open","format":"stowage-trace/1"}` + "\n"
	const add = open + `{"op":"add","id":"a","lower":0,"upper":2,"size":1}` + "\n"
	for text, want := range map[string]string{
		"":                             `t.jsonl: the file is empty: it has no line with the operation open`,
		`{"op":"mark","id":"m"}`:       `t.jsonl:1: op "mark": must be open in the first line`,
		`{"op":"open","format":"x/1"}`: `t.jsonl:1: format "x/1": must be stowage-trace/1`,
		`{"op":"open"}`:                `t.jsonl:1: format: is missing`,
		open + `{"op":"add","id":"x","lower":0,"upper":2,"size":3,"slices":[{"lower":0,"size":1}]}`:                      `t.jsonl:2: slices "[{\"lower\":0,\"size\":1}]": must add up to the size and start within the lifespan, one of them with it`,
		open + `{"op":"add","id":"x","lower":0,"upper":2,"size":2,"slices":[{"lower":1,"size":1},{"lower":1,"size":1}]}`: `t.jsonl:2: slices "[{\"lower\":1,\"size\":1},{\"lower\":1,\"size\":…": must add up to the size and start within the lifespan, one of them with it`,
		open + `{"op":"add","id":"x","lower":0,"upper":2,"size":2,"slices":[{"lower":0}]}`:                               `t.jsonl:2: slices "{\"lower\":0}": must have size in each of its objects`,
		open + `{"op":"add","id":"x","lower":0,"upper":2,"size":2,"slices":{}}`:                                          `t.jsonl:2: slices "{}": must be a list`,
		add + `{"op":"replan","moved":[{"id":"b","offset":0}]}`:                                                          `t.jsonl:3: moved "b": is not there`,
		add + `{"op":"replan","moved":[{"id":"a","offset":0,"size":3}]}`:                                                 `t.jsonl:3: size "3": is no key in moved`,
		`[1]`:                                                                    `t.jsonl:1: must be an object in JSON`,
		open + `{"op":"grow"}`:                                                   `t.jsonl:2: op "grow": is no operation`,
		open + open:                                                              `t.jsonl:2: op "open": is only for the first line`,
		open + `{"op":"mark"`:                                                    `t.jsonl:2: is no JSON: the object has no end`,
		open + `{"op":"mark","id":"m"} 7`:                                        `t.jsonl:2: must be one object and nothing else`,
		open + `{"op":"mark","id":"m","id":1}`:                                   `t.jsonl:2: id "1": stands twice`,
		open + `{"op":"mark","id":""}`:                                           `t.jsonl:2: id "\"\"": is empty`,
		open + `{"op":"mark","id":7}`:                                            `t.jsonl:2: id "7": must be a text`,
		open + `{"op":"mark","id":"m","x":1}`:                                    `t.jsonl:2: x "1": is no key of the operation mark`,
		open + `{"op":"rollback","id":"m"}`:                                      `t.jsonl:2: id "m": is no mark`,
		open + `{"op":"remove","id":"a"}`:                                        `t.jsonl:2: id "a": is not there`,
		add + `{"op":"add","id":"a","lower":0,"upper":2,"size":1}`:               `t.jsonl:3: id "a": is there already`,
		add + `{"op":"resize","id":"a","size":0}`:                                `t.jsonl:3: size "0": must be a whole number from 1 to 2305843009213693951`,
		add + `{"op":"resize","id":"a","size":1.5}`:                              `t.jsonl:3: size "1.5": must be a whole number from 1 to 2305843009213693951`,
		add + `{"op":"retime","id":"a","lower":3,"upper":3}`:                     `t.jsonl:3: upper "3": must be above lower, which is 3`,
		add + `{"op":"retime","id":"a","lower":3}`:                               `t.jsonl:3: upper: is missing`,
		add + `{"op":"fits","id":"b","lower":0,"upper":2,"size":1,"expect":"?"}`: `t.jsonl:3: expect "\"?\"": must be yes or no`,
		add + `{"op":"request","id":"b","segments":7}`:                           `t.jsonl:3: segments "7": must be a list`,
		add + `{"op":"request","id":"b","segments":[{"id":"b","y":2}]}`:          `t.jsonl:3: y "2": is no key of a segment`,
		add + `{"op":"request","id":"b","segments":[{"id":"b"}]}`:                `t.jsonl:3: segments "{\"id\":\"b\"}": must have an id, a lower below its upper, and a size`,
		add + `{"op":"mark","id":"m"}` + "\n" + `{"op":"mark","id":"m"}`:         `t.jsonl:4: id "m": is a mark already`,
	} {
		if _, err := Read(strings.NewReader(text), "t.jsonl"); err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
	// All faults come at once.
	if _, err := Read(strings.NewReader(open+`{"op":"grow"}`+"\n"+`{"op":"remove","id":"a"}`),
		"t.jsonl"); strings.Count(err.Error(), "\n") != 1 {
		t.Error(err)
	}
}

// FuzzRead reads anything. A trace that can be read is written, and reading that gives the same trace.
func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add(ruledTrace)
	f.Add(clockedTrace)
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		var out bytes.Buffer
		must.Do(t, Write(&out, tr))
		again, err := Read(bytes.NewReader(out.Bytes()), "f")
		if err != nil {
			t.Fatalf("%v, of\n%s", err, out.String())
		}
		var twice bytes.Buffer
		if err := Write(&twice, again); err != nil || !bytes.Equal(out.Bytes(), twice.Bytes()) {
			t.Fatalf("%s\nthen\n%s", out.String(), twice.String())
		}
	})
}
