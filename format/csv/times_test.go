package csv

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestEnds reads lifespans under each name of their ends, and with each thing that a user may say of them.
func TestEnds(t *testing.T) {
	const ambiguous = `x.csv:1: header "to": could mean two things: --ends half-open if it has the first time slot after the lifespan, ` +
		`--ends inclusive if it has the last one in it; the names upper and end say the same`
	for _, c := range []struct {
		name string
		says times.Ends
		want int64 // the end of [0, 2]
		gap  int64 // the end of 0-1
		read times.Read
		err  string
	}{
		{name: "upper", want: 2, gap: 1},
		{name: "Upper", says: times.HalfOpen, want: 2, gap: 1},
		{name: "upper", says: times.Inclusive, err: `x.csv:1: header "upper": is half-open, and --ends inclusive says otherwise: name it end if it has the last time slot of the lifespan`},
		{name: "End", want: 3, gap: 2, read: times.Read{Name: "End", Ends: times.Inclusive}},
		{name: "end", says: times.Inclusive, want: 3, gap: 2, read: times.Read{Name: "end", Ends: times.Inclusive, Said: true}},
		{name: "end", says: times.HalfOpen, want: 2, gap: 1, read: times.Read{Name: "end", Ends: times.HalfOpen, Said: true}},
		{name: "to", err: ambiguous},
		{name: "to", says: times.Inclusive, want: 3, gap: 2, read: times.Read{Name: "to", Ends: times.Inclusive, Said: true}},
		{name: "to", says: times.HalfOpen, want: 2, gap: 1, read: times.Read{Name: "to", Ends: times.HalfOpen, Said: true}},
	} {
		text := "id,start," + c.name + ",size,gaps,offset\na,0,2,600,0-1,0\nb,7,9,600,,0\n"
		p, h, extra, err := ReadWith(strings.NewReader(text), "x.csv", ReadOptions{Ends: c.says})
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s, %q: %v", c.name, c.says, err)
			}
			continue
		}
		if p.Buffers[0].Upper != c.want || p.Buffers[0].Gaps[0].Upper != c.gap || extra.Times != c.read {
			t.Errorf("%s, %q: %+v, %+v", c.name, c.says, p.Buffers[0], extra.Times)
		}
		var out bytes.Buffer
		must.Do(t, WriteWith(&out, p, nil, WriteOptions{Header: h, Extra: extra}))
		want := text
		if c.name == "end" && c.says == times.HalfOpen { // who reads the plan may not know what was said
			want = strings.Replace(text, "end", "upper", 1)
		}
		if strings.ReplaceAll(out.String(), ",alignment", "") != want {
			t.Errorf("%s, %q: written as\n%s", c.name, c.says, out.String())
		}
	}
	// A name that is read only if something is said of it cannot be written without.
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}}}
	if err := WriteWith(&bytes.Buffer{}, p, nil, WriteOptions{Header: Header{"id", "start", "stop", "size"}}); err == nil {
		t.Error("stop is written, whatever it means")
	}
}

// TestPoint finds what tells that ends are inclusive.
func TestPoint(t *testing.T) {
	_, _, extra, err := ReadWith(strings.NewReader("id,start,end,size\na,0,2,6\nb,4,4,6\nc,5,5,6\n"), "x.csv",
		ReadOptions{})
	if err != nil || extra.Times.Point != "b" || !extra.Times.Sure() ||
		!strings.Contains(extra.Times.EndsNote(), "can be nothing else: buffer b starts and ends in one time slot") {
		t.Errorf("%+v, %v", extra, err)
	}
}

// TestFractions reads times with fractions, and writes them as they were.
func TestFractions(t *testing.T) {
	text := "# seconds\nid,start,end,size,gaps\n# the first\na,0.5,1.25,600,0.75-1@0:8\n\nb,-1e-3,2,600,\nc,3.0,1E1,600,\n# the end\n"
	p, h, extra, err := ReadExtra(strings.NewReader(text), "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Buffer{
		{ID: "a", Lower: 500, Upper: 1251, Size: 600, Alignment: 1, Gaps: []model.Gap{
			{Lower: 750, Upper: 1001, Window: &model.Window{Upper: 8}},
		}},
		{ID: "b", Lower: -1, Upper: 2001, Size: 600, Alignment: 1},
		{ID: "c", Lower: 3000, Upper: 10001, Size: 600, Alignment: 1},
	}
	if diff := cmp.Diff(want, p.Buffers); diff != "" || extra.Times.Scale() != 1000 {
		t.Errorf("%d: %s", extra.Times.Scale(), diff)
	}
	var out bytes.Buffer
	if err := WriteWith(&out, p, []int64{0, 600, 1200},
		WriteOptions{Header: h, Extra: extra, Comments: true}); err != nil {
		t.Fatal(err)
	}
	const plan = "# seconds\nid,start,end,size,gaps,offset\n# the first\na,0.5,1.25,600,0.75-1@0:8,0\nb,-0.001,2,600,,600\nc,3,10,600,,1200\n# the end\n"
	must.Same(t, plan, out.String())
	again, _, _, err := ReadExtra(&out, "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Buffers {
		again.Buffers[i].Fixed = nil
	}
	must.Same(t, p.Buffers, again.Buffers)
}

// TestFractionsRefused has times that cannot be scaled, and points that may mean thousands.
func TestFractionsRefused(t *testing.T) {
	const head = "id,lower,upper,size\n"
	for rows, want := range map[string]string{
		"a,0,1.500,1\n":                 `x.csv:2: buffer a: upper "1.500": may mean thousands: write it without the point, or as 1.5000 if it is a fraction`,
		"a,0,3.000,1\n":                 `x.csv:2: buffer a: upper "3.000": may mean thousands: write it without the point, or as 3.0000 if it is a fraction`,
		"a,0,3.000,1\nb,0.000,1,1\n":    "1: [0 3] [0 1]",
		"a,0.000,1.500,1\n":             "10: [0 15]",
		"a,1.125,3.000,1\nb,0,0.5,1\n":  "1000: [1125 3000] [0 500]",
		"a,0,1,1\nb,0.25,1,1.5\n":       `x.csv:3: buffer b: size "1.5": must be a whole number of bytes`,
		"a,0,0.1234567890123456789,1\n": `x.csv:2: buffer a: upper "0.1234567890123456789": does not fit into 64 bits, or has more than 18 decimal places: round it`,
		"a,0,1e-10,1\nb,0,1e10,1\n":     `x.csv:3: buffer b: upper "1e10": does not fit into 64 bits if it is multiplied by 10000000000, as the fractions of the times ask for: round them`,
		"a,0,1e-9,1\nb,0,3e9,1\n":       `x.csv:3: buffer b: upper "3000000000": must be at most 2305843009.213693951`,
		"a,1.5,0.25,1\n":                `x.csv:2: buffer a: upper "0.25": the lifespan ends before it starts: lower is 1.5`,
		"a,0,nan,1\n":                   `x.csv:2: buffer a: upper "nan": is not an integer`,
		"a,0,inf,1\n":                   `x.csv:2: buffer a: upper "inf": is not an integer`,
		"a,0,1.,1\n":                    `x.csv:2: buffer a: upper "1.": is not an integer`,
	} {
		got := ""
		p, _, extra, err := ReadExtra(strings.NewReader(head+rows), "x.csv")
		if err != nil {
			got = err.Error()
		} else {
			got = string(times.Append(nil, extra.Times.Scale(), 0)) + ":"
			for i := range p.Buffers {
				got += " [" + string(times.Append(nil, p.Buffers[i].Lower, 0)) + " " +
					string(times.Append(nil, p.Buffers[i].Upper, 0)) + "]"
			}
		}
		if got != want {
			t.Errorf("%q:\n%s\nwant\n%s", rows, got, want)
		}
	}
}
