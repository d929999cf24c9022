package csv

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestClocks reads a file as OmniMalloc writes it, and writes it again.
func TestClocks(t *testing.T) {
	const text = "id,lower,upper,size,kind\r\n0,8:15:2,16:16:10,671,WORKSPACE\r\nx,8:9:2,8:12:2,117,\r\n"
	p, header, extra, err := ReadExtra(strings.NewReader(text), "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := &model.Problem{
		Buffers: []model.Buffer{{ID: "0", Size: 671, Alignment: 1}, {ID: "x", Size: 117, Alignment: 1}},
		Rules:   &model.Rules{Threads: 3},
	}
	want.Buffers[0].SetClocks([]int64{8, 15, 2}, []int64{16, 16, 10})
	want.Buffers[1].SetClocks([]int64{8, 9, 2}, []int64{8, 12, 2})
	must.Same(t, want, p)
	var b bytes.Buffer
	lines := strings.ReplaceAll(text, "\r", "")
	if err := WriteWith(&b, p, nil, WriteOptions{Header: header, Extra: extra}); err != nil || b.String() != lines {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := WriteWith(&b, p, nil, WriteOptions{Inclusive: true}); err == nil || b.Len() > 0 {
		t.Errorf("inclusive: %v %s", err, b.String())
	}
}

// TestClocksRoundTrip writes and reads problems of the generators.
func TestClocksRoundTrip(t *testing.T) {
	for _, pattern := range gen.Patterns() {
		p := must.Get(gen.Generate("clocks", gen.Options{Pattern: pattern, Threads: 5, Buffers: 40}))(t)
		p.Name = ""
		var b bytes.Buffer
		must.Do(t, Write(&b, p, nil))
		q, err := Read(&b, "x.csv")
		for i := range p.Buffers {
			p.Buffers[i].Alignment = 1
		}
		if diff := cmp.Diff(p, q); err != nil || diff != "" {
			t.Fatalf("%s: %v %s", pattern, err, diff)
		}
	}
}

// TestClocksFaults reads times that are none, and writes rules that go beyond clocks.
func TestClocksFaults(t *testing.T) {
	for text, want := range map[string][]string{
		"a,0:0,1:0:0,4\n":            {`x.csv:2: buffer a: upper "1:0:0": has 3 clocks, lower has 2`},
		"a,0:x,1:0,4\nb,0:0,1:1,4\n": {`x.csv:2: buffer a: lower "0:x": is not an integer`},
		"a,0:,1:0,4\n":               {`x.csv:2: buffer a: lower "0:": is empty: expected an integer`},
		"a,-1:0,1:0,4\n":             {`x.csv:2: buffer a: lower "-1:0": each clock must be from 0 to 1152921504606846975`},
		"a,0:0,1:0,4\nb,0:0:0,1:1:1,4\n": {
			`x.csv:2: buffer a: lower "[0 0]": start and end must have 3 clocks, as the problem has; they have 2 and 2`,
		},
		"a,0:0,1:0,4\nb,0,1,4\n": {`x.csv:3: buffer b: lower "0": must have 2 clocks, as the problem has`},
		"a,1:1,1:0,4\n":          {`x.csv:2: buffer a: `},
		"a,1:1,1:1,4\n":          {`x.csv:2: buffer a: `},
	} {
		_, err := Read(strings.NewReader("id,lower,upper,size\n"+text), "x.csv")
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%q:\ngot  %s\nwant %s", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader("id,lower,end,size\na,0:0,1:0,4\n"), "x.csv"); err == nil ||
		err.Error() != `x.csv:2: buffer a: end "1:0": has the colons of a vector clock, which cannot be inclusive: name the column upper, or write the times as numbers` {
		t.Error(err)
	}
	p := must.Get(gen.Generate("clocks", gen.Options{Buffers: 4}))(t)
	if Writable(p) != nil {
		t.Error("clocks are refused")
	}
	for name, spoil := range map[string]func(p *model.Problem){
		"apart":     func(p *model.Problem) { p.Rules.Apart = []model.Pair{{0, 1}} },
		"objective": func(p *model.Problem) { p.Rules.Objective = []model.Measure{"peak"} },
		"pools":     func(p *model.Problem) { p.Rules.Pools = []model.Pool{{ID: "x"}} },
		"period":    func(p *model.Problem) { p.Rules.Threads, p.Rules.Period = 0, 4 },
	} {
		rules := *p.Rules
		q := &model.Problem{Buffers: p.Buffers, Rules: &rules}
		spoil(q)
		if Writable(q) == nil {
			t.Errorf("%s would be dropped", name)
		}
	}
}
