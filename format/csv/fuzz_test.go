package csv

import (
	"bytes"
	stdcsv "encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

var seeds = []string{
	"",
	"id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n",
	"\uFEFFid,start,end,size\r\nb1,0,2,4\r\n\r\n",
	"id,lower,upper,size,alignment,hint,gaps,offset\na,-9,9,8,4,12,-5--2 7-8@1:2,-1\n\"b,\"\"\n\",0,9,8,1,-1,,0\n",
	"\"id\",\"lower\",upper,size\n\"a\nb\",\"0\",1,1\n",
	"a\"b,c\n\"d\"e,f\n\"g",
	"a,\r\r\n\"b\r\n\"\r\n,\r",
	"x,,\n\n \n,\"\"\"\",\"\"\n",
}

// FuzzRead: Read never panics, and its error names the place. If Read accepts a text, it also reads what Write makes
// of it.
func FuzzRead(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(strings.NewReader(text), "x.csv")
		if err != nil {
			checkIssues(t, err)
			return
		}
		must.Do(t, model.Validate(p), "Read took an invalid problem")
		for _, o := range []WriteOptions{{}, {Inclusive: true}} {
			var b bytes.Buffer
			must.Do(t, WriteWith(&b, p, nil, o))
			written := b.String()
			q, err := Read(&b, "")
			if err != nil {
				t.Fatalf("%v in %q", err, written)
			}
			if diff := cmp.Diff(p, q); diff != "" {
				t.Fatalf("%s in %q", diff, written)
			}
		}
	})
}

// FuzzReadPlan holds the same of plans.
func FuzzReadPlan(f *testing.F) {
	for _, s := range []string{"id,offset\na,0\nb,4\n", "offset,id,x\n1,b,\n,a\n", "id,offset\na,-1\n"} {
		f.Add(s)
	}
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}, {ID: "b", Upper: 1, Size: 1}}}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := ReadPlan(strings.NewReader(text), "x.csv", p)
		if err != nil {
			checkIssues(t, err)
			return
		}
		var b bytes.Buffer
		must.Do(t, Write(&b, p, plan.Offsets))
		again := must.Get(ReadPlan(&b, "", p))(t)
		must.Same(t, plan, again)
	})
}

func checkIssues(t *testing.T, err error) {
	t.Helper()
	var e *model.InputError
	if !errors.As(err, &e) {
		t.Fatalf("not an input error: %v", err)
	}
	if e.Total < len(e.Issues) || len(e.Issues) != min(e.Total, model.MaxIssues) || e.Total == 0 {
		t.Fatalf("%d issues of %d", len(e.Issues), e.Total)
	}
	for k, issue := range e.Issues {
		if issue.File != "x.csv" || issue.Message == "" || strings.Contains(issue.Buffer, "\x00") {
			t.Fatalf("%#v", issue)
		}
		if k > 0 && issue.Line > 0 && issue.Line < e.Issues[k-1].Line {
			t.Fatalf("not in order of lines: %v", err)
		}
	}
}

// FuzzScan holds the scanner to encoding/csv: both refuse a text or both cut it
// into the same fields, at the same lines.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want [][]string
		var lines []int
		var wantErr error
		std := stdcsv.NewReader(strings.NewReader(text))
		std.FieldsPerRecord = -1
		for wantErr == nil {
			var record []string
			if record, wantErr = std.Read(); wantErr == nil {
				want = append(want, record)
				line, _ := std.FieldPos(0)
				lines = append(lines, line)
			}
		}
		s := scanner{text: text, sep: ',', nextLine: 1, most: len(text)}
		for k := 0; s.next(); k++ {
			if s.fault != "" {
				if wantErr == io.EOF || k != len(want) {
					t.Fatalf("record %d: %s; encoding/csv says %v after %d records", k, s.fault, wantErr, len(want))
				}
				for s.next() { // must come to an end
				}
				return
			}
			if k >= len(want) {
				t.Fatalf("record %d is one too many: %q; encoding/csv says %v", k, s.fields, wantErr)
			}
			got := make([]string, len(s.fields))
			for i, field := range s.fields {
				got[i] = field
				if field != want[k][i%len(want[k])] { // it drops the CR of a CRLF inside quotes
					got[i] = strings.ReplaceAll(field, "\r\n", "\n")
				}
			}
			if diff := cmp.Diff(want[k], got); diff != "" {
				t.Fatalf("record %d: %s", k, diff)
			}
			if s.line != lines[k] {
				t.Fatalf("record %d is at line %d, want %d", k, s.line, lines[k])
			}
			want[k] = nil
		}
		if wantErr != io.EOF {
			t.Fatalf("encoding/csv says %v", wantErr)
		}
		for k := range want {
			if want[k] != nil {
				t.Fatalf("record %d is missing: %q", k, want[k])
			}
		}
	})
}
