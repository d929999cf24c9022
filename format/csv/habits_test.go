package csv

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestHabits reads what people write, and writes it again with a plan, under its own
// header, with its own columns and separator.
func TestHabits(t *testing.T) {
	const plain = "id,lower,upper,size,alignment,offset\n#1,0,3,1572864,64,-1\nb,1,5,4096,1,65536\n"
	want := must.Get(Read(strings.NewReader(plain), "x.csv"))(t)
	for name, test := range map[string]struct{ text, out string }{
		"units": {
			"id,lower,upper,size,alignment,offset\n#1,0,3,1.5MiB,64B,-1\nb,1,5,4 kib,,64K\n",
			"id,lower,upper,size,alignment,offset\n\"#1\",0,3,1572864,64,0\nb,1,5,4096,1,65536\n",
		},
		"tabs": {
			"id\tlower\tupper\tsize\talignment\toffset\n#1\t0\t3\t1572864\t64\t\nb\t1\t5\t4096\t1\t65536\n",
			"id\tlower\tupper\tsize\talignment\toffset\n\"#1\"\t0\t3\t1572864\t64\t0\nb\t1\t5\t4096\t1\t65536\n",
		},
		"semicolons, comments": {
			"# made by hand\n\n  \n#\nid;lower;upper;size;alignment;offset\n# the first, \"large\"\n#1;0;3;1572864;64;-1\n#; and then\nb;1;5;4096;1;65536\n# the end",
			"id;lower;upper;size;alignment;offset\n\"#1\";0;3;1572864;64;0\nb;1;5;4096;1;65536\n",
		},
		"sheets": { // separators told, sizes as Excel has them, what was deleted
			"\"sep=;\"\r\n\r\nid;lower;upper;size;alignment;offset;;\r\n;;;;;;;\r\n#1;0;3;1.572864E+06;64.0;;;\r\n ; ;;;;;;\r\nb;1;5;4096;1;65536;;\r\n;\r\n",
			"id;lower;upper;size;alignment;offset\n\"#1\";0;3;1572864;64;0\nb;1;5;4096;1;65536\n",
		},
		"frames": { // columns with holes are of floats
			"id,lower,upper,size,alignment,offset\n#1,0.0,3.0,1572864.0,64.0,-1.0\nb,1,5,4.096e3,,65536.0\n",
			"id,lower,upper,size,alignment,offset\n\"#1\",0,3,1572864,64,0\nb,1,5,4096,1,65536\n",
		},
		"old Macs": {
			"id,lower,upper,size,alignment,offset\r#1,0,3,1572864,64,\r\rb,1,5,4096,1,65536\r",
			"id,lower,upper,size,alignment,offset\n\"#1\",0,3,1572864,64,0\nb,1,5,4096,1,65536\n",
		},
		"a comma told": {
			"SEP=,\nid,lower,upper,size,alignment,offset\n#1,0,3,1572864,64,\nb,1,5,4096,1,65536\n",
			"id,lower,upper,size,alignment,offset\n\"#1\",0,3,1572864,64,0\nb,1,5,4096,1,65536\n",
		},
		"other columns": {
			"Op,id,lower,upper,\"a,b\",size,alignment,offset\r\nConv,#1,0,3,,1572864,64,\r\n\"x, \"\"y\"\"\",b,1,5, z,4096,1,65536\r\n",
			"Op,id,lower,upper,\"a,b\",size,alignment,offset\nConv,#1,0,3,,1572864,64,0\n\"x, \"\"y\"\"\",b,1,5,\" z\",4096,1,65536\n",
		},
	} {
		p, h, extra, err := ReadExtra(strings.NewReader(test.text), "x.csv")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var b bytes.Buffer
		if err := WriteWith(&b, p, []int64{0, 65536}, WriteOptions{Header: h, Extra: extra}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.out, b.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		plan, err := ReadPlan(&b, "x.csv", p)
		if diff := cmp.Diff(&model.Plan{Offsets: []int64{0, 65536}, Height: model.HeightOf(p, []int64{0, 65536})},
			plan); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
	}
}

// TestExtraRoundTrip writes drawn problems with foreign columns, under each separator, and reads all of it back.
func TestExtraRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		h := Header{"op", "id", "lower", "upper", "size", "x;y\t,z"}
		field := rapid.StringMatching("[a-c ,\"\t;#\r\n]{0,5}")
		extra := &Extra{
			Separator: rapid.SampledFrom([]byte{',', ';', '\t'}).Draw(t, "separator"), Columns: [][]string{{}, {}},
		}
		for range p.Buffers {
			for c := range extra.Columns {
				extra.Columns[c] = append(extra.Columns[c], field.Draw(t, "field"))
			}
		}
		if len(p.Buffers) == 0 {
			extra.Columns = [][]string{nil, nil}
		}
		var b bytes.Buffer
		must.Do(t, WriteWith(&b, p, nil, WriteOptions{Header: h, Extra: extra}))
		text := b.String()
		got, names, again, err := ReadExtra(&b, "x.csv")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(p, got) + cmp.Diff(extra, again) + cmp.Diff(h, names[:len(h)]); diff != "" {
			t.Fatalf("%s in\n%s", diff, text)
		}
	})
}

// TestExtraRefuses: foreign columns are refused if they are for other buffers, or have no fields.
func TestExtraRefuses(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}}}
	h := Header{"id", "lower", "upper", "size", "op"}
	for _, extra := range []*Extra{nil, {}, {Columns: [][]string{{}}}} {
		var b bytes.Buffer
		if err := WriteWith(&b, p, nil, WriteOptions{Header: h, Extra: extra}); err == nil || b.Len() > 0 {
			t.Errorf("%+v: %v, %q", extra, err, b.String())
		}
	}
	if diff := cmp.Diff([]string{"op"}, h.Others()) + cmp.Diff(h[:4], h.Known()); diff != "" {
		t.Error(diff)
	}
}

// TestNoIDs numbers buffers that have no ID, and writes them with one.
func TestNoIDs(t *testing.T) {
	const text = "lower,upper,size,op\n0,3,4,conv\n# a comment\n\n1,5,6,add\n"
	p, h, extra, err := ReadExtra(strings.NewReader(text), "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Buffer{
		{ID: "0", Upper: 3, Size: 4, Alignment: 1}, {ID: "1", Lower: 1, Upper: 5, Size: 6, Alignment: 1},
	}
	must.Same(t, want, p.Buffers)
	var b bytes.Buffer
	must.Do(t, WriteWith(&b, p, []int64{0, 4}, WriteOptions{Header: h, Extra: extra}))
	must.Same(t, "id,lower,upper,size,op,offset\n0,0,3,4,conv,0\n1,1,5,6,add,4\n", b.String())
	for _, plan := range []string{b.String(), "offset\n0\n4\n", "id,offset\n1,4\n0,0\n"} {
		if got, err := ReadPlan(strings.NewReader(plan), "x.csv", p); err != nil || len(got.Offsets) != 2 ||
			got.Offsets[1] != 4 {
			t.Errorf("%q: %v, %v", plan, got, err)
		}
	}
	for plan, says := range map[string]string{
		"offset\n0\n": "buffer 1: has no row in the plan", "offset\n0\n4\n8\n": `id "2": is not a buffer of the problem`,
	} {
		if _, err := ReadPlan(strings.NewReader(plan), "x.csv", p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", plan, err)
		}
	}
}

// TestSecondNames reads the names of columns that other tools have, if no other column has
// what they mean, and writes them again.
func TestSecondNames(t *testing.T) {
	const text = "Name,start,Bytes,upper\na,0,1KiB,3\n"
	p, h, extra, err := ReadExtra(strings.NewReader(text), "x.csv")
	if err != nil || len(p.Buffers) != 1 || p.Buffers[0].ID != "a" || p.Buffers[0].Size != 1024 {
		t.Fatalf("%v, %v", p, err)
	}
	var b bytes.Buffer
	if err := WriteWith(&b, p, []int64{8}, WriteOptions{Header: h, Extra: extra}); err != nil ||
		b.String() != "Name,start,Bytes,upper,offset\na,0,1024,3,8\n" {
		t.Errorf("%v: %s", err, &b)
	}
	if diff := cmp.Diff(h, h.Known()); diff != "" || len(h.Others()) > 0 {
		t.Errorf("%s, %v", diff, h.Others())
	}
	// Beside an id and a size they are columns of somebody's.
	_, h, extra, err = ReadExtra(strings.NewReader("bytes,name,id,lower,upper,size\n7,x,a,0,3,4\n"), "x.csv")
	if diff := cmp.Diff([]string{"bytes", "name"}, h.Others()); err != nil || diff != "" || extra.Columns[0][0] != "7" {
		t.Errorf("%v, %s", err, diff)
	}
	// What does not say whether it is inclusive is not guessed.
	for header, says := range map[string]string{
		"name,start,stop,bytes":      `x.csv:1: header "stop": could mean two things: --ends half-open if it has the first time slot after the lifespan, --ends inclusive if it has the last one in it; the names upper and end say the same`,
		"name,name,lower,upper,size": `x.csv:1: header "name": appears twice`,
	} {
		if _, err := Read(strings.NewReader(header+"\n"), "x.csv"); err == nil || err.Error() != says {
			t.Errorf("%s: %v", header, err)
		}
	}
	if _, h, err := ReadHeader(strings.NewReader("id,lower,upper,size,stop\na,0,3,4,9\n"), "x.csv"); err != nil ||
		len(h.Others()) != 1 {
		t.Errorf("stop beside upper: %v", err)
	}
}

// TestNamesThatMeanNothing keeps foreign columns, and columns that only look like id and end if the file has both.
func TestNamesThatMeanNothing(t *testing.T) {
	const text = "id,lower,upper,size,offset,fixed,idx,ids,uid,send,op,name,kind\na,0,1,1,0,yes,0,0,0,1,conv,x,y\n"
	_, h, _, err := ReadExtra(strings.NewReader(text), "x.csv")
	if diff := cmp.Diff([]string{"fixed", "idx", "ids", "uid", "send", "op", "name", "kind"}, h.Others()); err != nil ||
		diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

// TestThousands: a point that may separate thousands is refused in every number: 12.000 is 12 to some and 12000 to
// others.
func TestThousands(t *testing.T) {
	for number, refused := range map[string]bool{
		"12.000": true, "1.000": true, "+120.000": true, "12.0": false, "12.00": false, "12.0000": false,
		"1200.0": false, "12.000e0": false, "12": false,
	} {
		for _, row := range []string{"a;0;" + number + ";4", "a;0;1300;" + number} {
			_, err := Read(strings.NewReader("id;lower;upper;size\n"+row+"\n"), "")
			if refused != (err != nil && strings.Contains(err.Error(), "may mean thousands")) || !refused && err != nil {
				t.Errorf("%s: %v", row, err)
			}
		}
	}
	if p, err := Read(strings.NewReader("id,lower,upper,size\na,0.000,5,4\n"), ""); err != nil || p.Buffers[0].Lower != 0 {
		t.Errorf("0.000: %v", err)
	}
}
