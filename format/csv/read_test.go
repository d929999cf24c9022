package csv

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

func at(v int64) *int64 { return &v }

func TestReadDialects(t *testing.T) {
	plain := []model.Buffer{
		{ID: "b1", Lower: 0, Upper: 3, Size: 4, Alignment: 1},
		{ID: "b2", Lower: 3, Upper: 9, Size: 5, Alignment: 1},
	}
	for _, test := range []struct {
		name, text string
		want       []model.Buffer
	}{
		{"plain", "id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n", plain},
		{"no newline at the end", "id,lower,upper,size\nb1,0,3,4\nb2,3,9,5", plain},
		{"CRLF", "id,lower,upper,size\r\nb1,0,3,4\r\nb2,3,9,5\r\n", plain},
		{"byte order mark", "\uFEFFid,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n", plain},
		{"blank lines", "\n\r\nid,lower,upper,size\n\nb1,0,3,4\n  \t\nb2,3,9,5\n\n\n", plain},
		{"any order, case and spaces", " SIZE , Upper,ID,lower\n4,3,b1,0\n5 ,\t9,b2, +3\n", plain},
		{"buffer, start", "buffer,start,upper,size\nb1,0,3,4\nb2,3,9,5\n", plain},
		{"buffer_id, begin", "buffer_id,begin,upper,size\nb1,0,3,4\nb2,3,9,5\n", plain},
		{"inclusive end", "id,start,end,size\nb1,0,2,4\nb2,3,8,5\n", plain},
		{"quoted", "\"id\",lower,upper,\"size\"\n\"b1\",0,\"3\",4\n\"b2\",3,9,\"5\"\r\n", plain},
		{"empty options", "id,lower,upper,size,alignment,gaps,hint,offset\nb1,0,3,4,,,,\nb2,3,9,5,1,,-1,-1\n", plain},
		{"alignment 0", "id,lower,upper,size,alignment\nb1,0,3,4,0\nb2,3,9,5, \n", plain},
		{"no rows", "id,lower,upper,size\n", []model.Buffer{}},
		{
			"IDs as they are", "id,lower,upper,size\n\"a,\"\"b\"\"\nc\",0,1,1\n d ,0,1,1\n\"e\r\nf\",0,1,1\n",
			[]model.Buffer{
				{ID: "a,\"b\"\nc", Upper: 1, Size: 1, Alignment: 1},
				{ID: " d ", Upper: 1, Size: 1, Alignment: 1},
				{ID: "e\r\nf", Upper: 1, Size: 1, Alignment: 1},
			},
		},
		{
			"everything", "id,lower,upper,size,alignment,hint,gaps,offset\n" +
				"a,-9,9,8,4,12,7-8@1:2  -5--2 0-3@0:8,16\nb,0,9,8,1,0,,0\n",
			[]model.Buffer{
				{
					ID: "a", Lower: -9, Upper: 9, Size: 8, Alignment: 4, Hint: at(12), Fixed: at(16),
					Gaps: []model.Gap{
						{Lower: -5, Upper: -2},
						{Lower: 0, Upper: 3, Window: &model.Window{Upper: 8}},
						{Lower: 7, Upper: 8, Window: &model.Window{Lower: 1, Upper: 2}},
					},
				},
				{ID: "b", Upper: 9, Size: 8, Alignment: 1, Hint: at(0), Fixed: at(0)},
			},
		},
		{
			"inclusive gaps", "id,begin,end,size,gaps\na,-9,8,8,-5--3 7-7@1:2\n",
			[]model.Buffer{{ID: "a", Lower: -9, Upper: 9, Size: 8, Alignment: 1, Gaps: []model.Gap{
				{Lower: -5, Upper: -2}, {Lower: 7, Upper: 8, Window: &model.Window{Lower: 1, Upper: 2}},
			}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := must.Get(Read(strings.NewReader(test.text), "x.csv"))(t)
			must.Same(t, &model.Problem{Buffers: test.want}, p)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	const head = "id,lower,upper,size\n"
	const full = "id,lower,upper,size,alignment,gaps,hint,offset\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", `x.csv:1: is empty: expected a header such as id,lower,upper,size`},
		{"blank", "\n \n", `x.csv:1: is empty: expected a header such as id,lower,upper,size`},
		{"JSON", "\n[{\"lower\": 0}]\n", `x.csv:2: is JSON, and such a file is named .json`},
		{"NUL", head + "a,0,1,1\nb\x00,0,1,1\n", `x.csv:3: "\x00": is not text: UTF-16 and binary files cannot be read`},
		{"UTF-16", "i\x00d\x00", `x.csv:1: "\x00": is not text: UTF-16 and binary files cannot be read`},
		{"invalid UTF-8", head + "a\xff,0,1,1\n", `x.csv:2: "\xff": is not valid UTF-8`},
		{"no header", "a,0,1,1\n", `x.csv:1: header "a,0,1,1": has no known column: expected a header such as id,lower,upper,size; start, end and bytes are read, too`},
		{"bars", "id|lower|upper|size\na|0|1|1\n", `x.csv:1: header "id|lower|upper|size": has no known column: expected a header such as id,lower,upper,size; start, end and bytes are read, too`},
		{"a slip", "id,lower,upper,size,aligment\na,0,1,1,64\n", `x.csv:1: header "aligment": is not a known column: did you mean alignment?`},
		{"words of three letters and fewer", "ids,lower,ends,siz,gap,hin\na,0,1,1,,\n", `x.csv:1: header "ids": is not a known column: did you mean id?
x.csv:1: header "ends": is not a known column: did you mean end?
x.csv:1: header "siz": is not a known column: did you mean size?
x.csv:1: header "gap": is not a known column: did you mean gaps?
x.csv:1: header "hin": is not a known column: did you mean hint?
x.csv:1: header: the column upper or end is missing
x.csv:1: header: the column size is missing`},
		{"names from elsewhere", "id,lower,upper,size,Align,fixed\na,0,1,1,64,0\n", `x.csv:1: header "Align": is not a known column: did you mean alignment?
x.csv:1: header "fixed": is not a known column: did you mean offset?`},
		{"other words", "Tensor,First,Stop [us],Size (bytes)\n", `x.csv:1: header "Tensor,First,Stop [us],Size (bytes)": has no known column: expected a header such as id,lower,upper,size; start, end and bytes are read, too`},
		{"first and last use", "id,first_use,last_use,size\na,0,1,4\n", `x.csv:1: header: the column lower or start or begin is missing: rename "first_use" if it is that
x.csv:1: header: the column upper or end is missing: rename "last_use" if it is that`},
		{"other words for columns", "id,alloc,end_ms,Size (bytes),owner\na,0,1,4,x\n", `x.csv:1: header: the column lower or start or begin is missing: rename "alloc" if it is that
x.csv:1: header: the column upper or end is missing: rename "end_ms" if it is that
x.csv:1: header: the column size is missing: rename "Size (bytes)" if it is that`},
		{"no words for columns", "id,bending,startle,kb\na,0,1,4\n", `x.csv:1: header: the column lower or start or begin is missing
x.csv:1: header: the column upper or end is missing
x.csv:1: header: the column size is missing: "kb" seems to be in kB: write size in bytes, 1000 times it`},
		{"numbers of a spreadsheet", "id;lower;upper;size\na;0,5;1;4,096\nb;0ms;10 ms;4'096\nc;0;1;1,048,576\nd;0;1;4,0,9\n", `x.csv:2: buffer a: lower "0,5": is not an integer: leave out a comma between thousands, and begin a fraction with a point
x.csv:2: buffer a: size "4,096": is not an integer: leave out a comma between thousands, and begin a fraction with a point
x.csv:3: buffer b: lower "0ms": is not an integer: times have no unit
x.csv:3: buffer b: upper "10 ms": is not an integer: times have no unit
x.csv:3: buffer b: size "4'096": is not an integer: leave out what separates thousands
x.csv:4: buffer c: size "1,048,576": is not an integer: leave out what separates thousands
x.csv:5: buffer d: size "4,0,9": is not an integer`},
		{"a hint of no separator", "sep=|\nid|lower|upper|size\n", `x.csv:1: header "sep=|": has no known column: expected a header such as id,lower,upper,size; start, end and bytes are read, too`},
		{"another separator", "a;b;c\n", `x.csv:1: header "a;b;c": has no known column: expected a header such as id,lower,upper,size; start, end and bytes are read, too`},
		{"a value without a name", "id,lower,upper,size,,\na,0,1,1,,\nb,0,1,1,,x\n", `x.csv:3: buffer b: "x": is in column 6, which has no name`},
		{"another column twice", "id,lower,upper,size,op,op\na,0,1,1,,\n", `x.csv:1: header "op": appears twice`},
		{"a unit of nothing", "id,lower,upper,size\na,0,1,MiB\n", `x.csv:2: buffer a: size "MiB": is not an integer`},
		{"half a byte", "id,lower,upper,size\na,0,1,1.0001kB\n", `x.csv:2: buffer a: size "1.0001kB": must be a whole number of bytes`},
		{"a time with a unit", "id,lower,upper,size\na,0,1k,1\n", `x.csv:2: buffer a: upper "1k": is not an integer: times have no unit`},
		{"a comment that is a row", "id,lower,upper,size\n# a, b, c, d\n", `x.csv:2: buffer # a: lower " b": is not an integer
x.csv:2: buffer # a: upper " c": is not an integer
x.csv:2: buffer # a: size " d": is not an integer`},
		{
			"header", "\nID,lower,Start,foo,,upper,END\na,0,0,0,0,1,1\n",
			`x.csv:2: header "start": is a duplicate: column 2 is "lower"
x.csv:2: header: column 5 has no name
x.csv:2: header "end": is a duplicate: column 6 is "upper"
x.csv:2: header: the column size is missing`,
		},
		{
			"two columns missing", "lower,size\n1,x\n",
			`x.csv:1: header: the column upper or end is missing
x.csv:2: size "x": is not an integer`,
		},
		{"header not closed", "id,\"lower,upper,size\na,0,1,1\n", `x.csv:1: "\"lower,upper,size\na,0,1,1\n": the quoted field is not closed`},
		{
			"ragged", head + "a,0,1\nb,0,1,1,\nc\n",
			`x.csv:2: buffer a: has 3 fields, the header has 4 columns
x.csv:3: buffer b: has 5 fields, the header has 4 columns
x.csv:4: buffer c: has 1 field, the header has 4 columns`,
		},
		{
			"quotes", head + "a\"b,0,1,1\n\"c\"d,0,1,1\ne,0,1,\"1\nf,0,1,1\n",
			`x.csv:2: "a\"b": has a quote inside an unquoted field
x.csv:3: "\"c\"d": has text after its closing quote
x.csv:4: "\"1\nf,0,1,1\n": the quoted field is not closed`,
		},
		{
			"lines after quoted newlines", head + "\"a\nb\",0,1,1\n\"c\n\n\"d,0,1,1\ne,0,1,x\n",
			`x.csv:4: "\"c\n\n\"d": has text after its closing quote
x.csv:7: buffer e: size "x": is not an integer`,
		},
		{
			"not integers", full + "a,x,1.5,1.5,0x4,1-2,z,q\nb,,9223372036854775808,-9223372036854775809,1,,1_0,- 1\n",
			`x.csv:2: buffer a: lower "x": is not an integer
x.csv:2: buffer a: size "1.5": must be a whole number of bytes
x.csv:2: buffer a: alignment "0x4": is not an integer
x.csv:2: buffer a: hint "z": is not an integer
x.csv:2: buffer a: offset "q": is not an integer
x.csv:3: buffer b: lower: is empty: expected an integer
x.csv:3: buffer b: upper "9223372036854775808": does not fit into 64 bits
x.csv:3: buffer b: size "-9223372036854775809": does not fit into 64 bits
x.csv:3: buffer b: hint "1_0": is not an integer
x.csv:3: buffer b: offset "- 1": is not an integer`,
		},
		{"no room for an inclusive end", "id,start,end,size,gaps\na,0,9223372036854775807,1,0-9223372036854775807\n", `x.csv:2: buffer a: end "9223372036854775807": does not fit into 64 bits
x.csv:2: buffer a: gaps "0-9223372036854775807": holds a number that does not fit into 64 bits`},
		{
			"not gaps", full + "a,0,9,4,,5 3- -3 1-2-3 1-2@ 1-2@3 1-2@3: x-y @1:2 1-2@0:99999999999999999999,,\n",
			`x.csv:2: buffer a: gaps "5": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "3-": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "-3": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "1-2-3": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "1-2@": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "1-2@3": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "1-2@3:": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "x-y": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "@1:2": is not a gap: expected a-b or a-b@lo:hi, each a plain number
x.csv:2: buffer a: gaps "1-2@0:99999999999999999999": holds a number that does not fit into 64 bits`,
		},
		{
			"negative hint and offset", full + "a,0,1,1,,,-2,-3\n",
			`x.csv:2: buffer a: hint "-2": must be at least 0, or -1 for none
x.csv:2: buffer a: offset "-3": must be at least 0, or -1 for none`,
		},
		{
			"semantics in order with syntax",
			full + "a,3,3,1,,,,\nb,0,1,0,,,,\n,0,1,1,,,,\nc,0,1,?,,,,\na,0,1,1,-4,,,\nd,0,1,1,8,,,9\ne,0,x,1,8,,,9\n",
			`x.csv:2: buffer a: upper "3": the lifespan is empty: lower is also 3
x.csv:3: buffer b: size "0": must be from 1 to 2305843009213693951
x.csv:4: id: is empty
x.csv:5: buffer c: size "?": is not an integer
x.csv:6: buffer a: id "a": is a duplicate: line 2 has the same
x.csv:6: buffer a: alignment "-4": must be from 0 to 2305843009213693951
x.csv:7: buffer d: offset "9": is not a multiple of the alignment 8
x.csv:8: buffer e: upper "x": is not an integer`,
		},
		{
			"a bad row keeps its ID", head + "a,0,x,1\na,0,1,1\n",
			`x.csv:2: buffer a: upper "x": is not an integer
x.csv:3: buffer a: id "a": is a duplicate: line 2 has the same`,
		},
		{
			"names of the file", "buffer_id,begin,upper,size\na,5,3,1\na,0,1,1\n",
			`x.csv:2: buffer a: upper "3": the lifespan ends before it starts: begin is 5
x.csv:3: buffer a: buffer_id "a": is a duplicate: line 2 has the same`,
		},
		{
			"inclusive terms", "id,start,end,size,gaps\na,5,4,1,\nb,0,9,4,2-5 4-6 8-10 7-6\nc,0,9223372036854775806,1,\n",
			`x.csv:2: buffer a: end "4": the lifespan ends before it starts: start is 5
x.csv:3: buffer b: gaps "4-6": must start at or after the end of the gap 2-5 before it
x.csv:3: buffer b: gaps "7-6": is empty or ends before it starts
x.csv:3: buffer b: gaps "8-10": lies outside the lifespan [0, 9]
x.csv:4: buffer c: end "9223372036854775806": must be at most 2305843009213693950`,
		},
		{"sum", head + "a,0,1,2305843009213693951\nb,0,1,1\n", `x.csv:3: buffer b: size "1": makes the sum of the aligned sizes exceed 2305843009213693951`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read(strings.NewReader(test.text), "x.csv")
			var input *model.InputError
			if p != nil || !errors.As(err, &input) {
				t.Fatalf("got %v, %v; want an *InputError", p, err)
			}
			must.Same(t, test.want, err.Error())
		})
	}
}

func TestReadKeepsTheFirstIssues(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,lower,upper,size\n")
	for i := range 40 { // faults of syntax and of sense take turns
		fmt.Fprintf(&text, "b%d,0,1,%s\n", i, [2]string{"x", "0"}[i%2])
	}
	_, err := Read(strings.NewReader(text.String()), "")
	golden.Issues(t, err, 40, 2)
}

func TestReadFails(t *testing.T) {
	want := errors.New("disk on fire")
	_, err := Read(iotest.ErrReader(want), "x.csv")
	if !errors.Is(err, want) || err.Error() != "x.csv: disk on fire" {
		t.Errorf("got %v", err)
	}
}

func TestReadPlan(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a"}, {ID: "b"}, {ID: "c"}}}
	for _, test := range []struct {
		name, text string
		want       []int64
		err        string
	}{
		{"plain", "id,offset\nc,3\na,1\nb,0\n", []int64{1, 0, 3}, ""},
		{"other columns", "offset,what,buffer,lower,\n1,x,a,y,\n2,,b,,\n3,,c,,\n", []int64{1, 2, 3}, ""},
		{"no column", "id,size\na,1\n", nil, "x.csv:1: header: the column offset is missing"},
		{"two columns", "id,offset,offset\na,1,1\n", nil, `x.csv:1: header "offset": is a duplicate: column 2 is "offset"`},
		{"empty", "", nil, `x.csv:1: is empty: expected a header such as id,lower,upper,size`},
		{
			"rows", "id,offset\na,-1\nb,x\nb,1\nd,1\n,5\n", nil,
			`x.csv:2: buffer a: offset "-1": is missing: a plan has one for each buffer
x.csv:3: buffer b: offset "x": is not an integer
x.csv:4: buffer b: id "b": is a duplicate: line 3 has the same
x.csv:5: buffer d: id "d": is not a buffer of the problem
x.csv:6: id: is empty
x.csv: buffer c: has no row in the plan`,
		},
		{
			"offsets", "id,offset\na,\nb,-2\nc,2305843009213693952\n", nil,
			`x.csv:2: buffer a: offset: is missing: a plan has one for each buffer
x.csv:3: buffer b: offset "-2": must be at least 0, or -1 for none
x.csv:4: buffer c: offset "2305843009213693952": must be at most 2305843009213693951`,
		},
		{"ragged, ID known", "id,offset\na,1\nb\nc,3\n", nil, `x.csv:3: buffer b: has 1 field, the header has 2 columns`},
		{"ragged, ID unknown", "offset,id\n1,a\n2\n3,c\n", nil, `x.csv:3: has 1 field, the header has 2 columns`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadPlan(strings.NewReader(test.text), "x.csv", p)
			if text := fmt.Sprint(err); (err != nil || test.err != "") && text != test.err {
				t.Errorf("got the error\n%s\nwant\n%s", text, test.err)
			}
			var offsets []int64
			if got != nil {
				offsets = got.Offsets
			}
			must.Same(t, test.want, offsets)
		})
	}
}

// TestBracket: a header may begin as JSON does.
func TestBracket(t *testing.T) {
	p, err := Read(strings.NewReader("[op],lower,upper,size\nx,0,1,1\n"), "x.csv")
	if err != nil || len(p.Buffers) != 1 {
		t.Errorf("%v, %v", p, err)
	}
}
