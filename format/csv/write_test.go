package csv

import (
	"bytes"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

func TestWrite(t *testing.T) {
	plain := &model.Problem{Buffers: []model.Buffer{
		{ID: "b1", Upper: 3, Size: 4},
		{ID: "b2", Lower: 3, Upper: 9, Size: 5, Alignment: 1},
	}}
	full := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: -9, Upper: 9, Size: 8, Alignment: 4, Hint: at(12), Gaps: []model.Gap{
			{Lower: -5, Upper: -2}, {Lower: 7, Upper: 8, Window: &model.Window{Lower: 1, Upper: 2}},
		}},
		{ID: "b,\"\n", Upper: 9, Size: 8, Fixed: at(0)},
	}}
	for _, test := range []struct {
		name    string
		p       *model.Problem
		offsets []int64
		o       WriteOptions
		want    string
	}{
		{"problem", plain, nil, WriteOptions{}, "id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n"},
		{"plan", plain, []int64{8, 0}, WriteOptions{}, "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,5,0\n"},
		{"inclusive", plain, nil, WriteOptions{Inclusive: true}, "id,start,end,size\nb1,0,2,4\nb2,3,8,5\n"},
		{
			"everything", full, nil,
			WriteOptions{},
			"id,lower,upper,size,alignment,hint,gaps,offset\na,-9,9,8,4,12,-5--2 7-8@1:2,-1\n\"b,\"\"\n\",0,9,8,1,-1,,0\n",
		},
		{
			"everything, inclusive, with a plan", full,
			[]int64{-1, 16},
			WriteOptions{Inclusive: true},
			"id,start,end,size,alignment,hint,gaps,offset\na,-9,8,8,4,12,-5--3 7-7@1:2,-1\n\"b,\"\"\n\",0,8,8,1,-1,,16\n",
		},
		{
			"as it came, with what is new at the end", plain,
			[]int64{8, 0},
			WriteOptions{Header: Header{"size", "END", "Buffer_ID", "hint", "begin"}},
			"size,END,Buffer_ID,hint,begin,offset\n4,2,b1,-1,0,8\n5,8,b2,-1,3,0\n",
		},
		{
			"the offset in its place", full,
			[]int64{-1, 16},
			WriteOptions{Header: Header{"offset", "id"}, Inclusive: true},
			"offset,id,lower,upper,size,alignment,hint,gaps\n-1,a,-9,9,8,4,12,-5--2 7-8@1:2\n16,\"b,\"\"\n\",0,9,8,1,-1,\n",
		},
		{"nothing", &model.Problem{}, nil, WriteOptions{}, "id,lower,upper,size\n"},
		{"an empty plan", &model.Problem{}, []int64{}, WriteOptions{}, "id,lower,upper,size,offset\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			must.Do(t, WriteWith(&b, test.p, test.offsets, test.o))
			must.Same(t, test.want, b.String())
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, test := range []struct {
		p       *model.Problem
		offsets []int64
		want    string
	}{
		{&model.Problem{Buffers: make([]model.Buffer, 2)}, []int64{1}, "csv: 1 offsets for 2 buffers"},
		{
			&model.Problem{Buffers: []model.Buffer{{ID: "a\x00"}, {ID: "b"}, {ID: "\xff"}}}, nil,
			"csv: the ID \"a\\x00\" of buffer number 1 has a NUL byte or is not valid UTF-8\ncsv: the ID \"\\xff\" of buffer number 3 has a NUL byte or is not valid UTF-8",
		},
	} {
		golden.Refused(t, test.want, func(w io.Writer) error { return Write(w, test.p, test.offsets) })
	}
}

func TestWriteFails(t *testing.T) {
	golden.Full(t, func(w io.Writer) error { return Write(w, grid(20000), nil) })
}

func TestWriteRefusesHeader(t *testing.T) {
	for want, h := range map[string]Header{
		`there is no column "speed"`:           {"id", "speed"},
		`the header has the column "id" twice`: {"id", "buffer"},
	} {
		var b bytes.Buffer
		err := WriteWith(&b, grid(4), nil, WriteOptions{Header: h})
		if err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%v: %v with %d bytes written, want %q", h, err, b.Len(), want)
		}
	}
}

// TestHeaderRoundTrip writes problems under headers of any words and order, and demands header and problem back.
func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		var h Header
		for _, names := range rapid.Permutation(columnNames[:]).Draw(t, "columns") {
			h = append(h, rapid.SampledFrom(names).Draw(t, "name"))
		}
		var b bytes.Buffer
		must.Do(t, WriteWith(&b, p, nil, WriteOptions{Header: h}))
		text := b.String()
		got, header, err := ReadHeader(&b, "x.csv")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(p, got) + cmp.Diff(h, header); diff != "" {
			t.Fatalf("%s in\n%s", diff, text)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		o := WriteOptions{Inclusive: rapid.Bool().Draw(t, "inclusive")}
		var b bytes.Buffer
		must.Do(t, WriteWith(&b, p, nil, o))
		text := b.String()
		got, err := Read(&b, "x.csv")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatalf("%s in\n%s", diff, text)
		}
	})
}

func TestRoundTripPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		offsets := make([]int64, len(p.Buffers))
		for i := range offsets {
			offsets[i] = rapid.Int64Range(0, model.MaxSum).Draw(t, "offset")
		}
		var b bytes.Buffer
		must.Do(t, Write(&b, p, offsets))
		got := must.Get(ReadPlan(&b, "x.csv", p))(t)
		must.Same(t, offsets, got.Offsets)
	})
}

// drawProblem draws a valid problem, as Read gives it.
func drawProblem(t *rapid.T) *model.Problem {
	id := rapid.OneOf(
		rapid.StringMatching(`[a-c ,"\r\n\t;]{1,6}`),
		rapid.StringN(1, 8, -1).Filter(func(s string) bool { return strings.IndexByte(s, 0) < 0 }),
	)
	some := func(name string, max int64) *int64 {
		if rapid.Bool().Draw(t, "has "+name) {
			return at(rapid.Int64Range(0, max).Draw(t, name))
		}
		return nil
	}
	p := &model.Problem{Buffers: []model.Buffer{}}
	for _, name := range rapid.SliceOfNDistinct(id, 0, 6, rapid.ID[string]).Draw(t, "ids") {
		b := model.Buffer{
			ID:        name,
			Lower:     rapid.Int64Range(-1000, 1000).Draw(t, "lower"),
			Size:      rapid.Int64Range(1, 1<<40).Draw(t, "size"),
			Alignment: rapid.Int64Range(1, 8).Draw(t, "alignment"),
			Hint:      some("hint", model.MaxSum),
			Fixed:     some("offset", 1<<40),
		}
		if b.Fixed != nil {
			*b.Fixed *= b.Alignment
		}
		b.Upper = b.Lower + rapid.Int64Range(0, 3).Draw(t, "lead")
		for range rapid.IntRange(0, 3).Draw(t, "gaps") {
			g := model.Gap{Lower: b.Upper, Upper: b.Upper + rapid.Int64Range(1, 5).Draw(t, "gap")}
			if rapid.Bool().Draw(t, "windowed") {
				w := model.Window{Lower: rapid.Int64Range(0, b.Size-1).Draw(t, "lo")}
				w.Upper = rapid.Int64Range(w.Lower+1, b.Size).Draw(t, "hi")
				g.Window = &w
			}
			b.Gaps = append(b.Gaps, g)
			b.Upper = g.Upper + rapid.Int64Range(0, 3).Draw(t, "space")
		}
		b.Upper += rapid.Int64Range(1, 5).Draw(t, "tail")
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// grid makes a problem of n plain buffers.
func grid(n int) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, n)}
	for i := range p.Buffers {
		lower := int64(i) * 37 % 100000
		p.Buffers[i] = model.Buffer{
			ID: strconv.Itoa(i), Lower: lower, Upper: lower + 100, Size: 4096 + int64(i), Alignment: 1,
		}
	}
	return p
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	must.Do(b, Write(&text, grid(1e6), nil))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Read(bytes.NewReader(text.Bytes()), ""))(b)
	}
}

func BenchmarkWrite(b *testing.B) {
	p := grid(1e6)
	offsets := make([]int64, len(p.Buffers))
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, Write(io.Discard, p, offsets))
	}
}

// TestWriteTakesLittle: what a small plan takes of memory follows its size, for commands that write thousands.
func TestWriteTakesLittle(t *testing.T) {
	for _, n := range []int{1, 60, 600} {
		p, offsets := grid(n), make([]int64, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const calls = 100
		for range calls {
			must.Do(t, Write(io.Discard, p, offsets))
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / calls; took > uint64(4096+100*n) {
			t.Errorf("%d buffers: %d bytes a call", n, took)
		}
	}
}

// TestExpressible: a byte that is no text is found wherever it stands in a name.
func TestExpressible(t *testing.T) {
	for length := range 27 {
		for at := range length {
			for c := range 256 {
				name := []byte(strings.Repeat("~", length))
				name[at] = byte(c)
				if got, want := expressible(string(name)), c != 0 && utf8.Valid(name); got != want {
					t.Fatalf("%q: %v, want %v", name, got, want)
				}
			}
			name := []byte(strings.Repeat("\x01", length))
			name = append(name[:at], "é\x01\x01"...)
			if !expressible(string(name)) || expressible(string(append(name, 0))) {
				t.Fatalf("%q is text, and with a NUL byte it is not", name)
			}
		}
	}
}
