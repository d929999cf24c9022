package json

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// TestEnds reads lifespans under each name of their ends, and with each thing that a user may say of them.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		text string
		says times.Ends
		want int64 // the end of the second buffer
		read times.Read
		err  string
	}{
		{text: `[{"lower": 0, "upper": 2, "size": 600}, {"begin": 2, "upper": 4, "size": 600}]`, want: 4},
		{text: `[{"lower": 0, "upper": 2, "size": 600}, {"start": 2, "upper": 4, "size": 600}]`, says: times.HalfOpen, want: 4},
		{text: `[{"start": 0, "end": 2, "size": 600}, {"start": 2, "end": 4, "size": 600}]`, want: 5, read: times.Read{
			Name: "end", Ends: times.Inclusive,
		}},
		{text: `[{"start": 0, "end": 2, "size": 600}, {"start": 4, "end": 4, "size": 600}]`, want: 5, read: times.Read{
			Name: "end", Ends: times.Inclusive, Point: "1",
		}},
		{text: `[{"start": 0, "end": 2, "size": 600}, {"start": 2, "end": 4, "size": 600}]`, says: times.HalfOpen, want: 4, read: times.Read{Name: "end", Ends: times.HalfOpen, Said: true}},
		{text: `[{"start": 0, "to": 2, "size": 600}, {"start": 2, "to": 4, "size": 600}]`, says: times.HalfOpen, want: 4, read: times.Read{Name: "to", Ends: times.HalfOpen, Said: true}},
		{
			text: `[{"lower": 0, "upper": 2, "size": 600}, {"lower": 2, "upper": 4, "size": 600}]`, says: times.Inclusive,
			err: `x.json:1: buffer 0: upper: is half-open, and --ends inclusive says otherwise: name it end if it has the last time slot of the lifespan`,
		},
		{text: `[{"lower": 0, "end": 2, "size": 600}, {"start": 2, "end": 1, "size": 600}]`, err: `x.json:1: buffer 1: end "1": the lifespan ends before it starts: start is 2`},
		{text: `[{"lower": 0, "end": 2, "upper": 3, "size": 600}]`, err: `x.json:1: buffer 0: upper: is a duplicate: the key appears twice`},
		{text: `[{"lower": 0, "end": 9223372036854775807, "size": 600}]`, err: `x.json:1: buffer 0: end "9223372036854775807": is too large`},
	} {
		p, _, read, err := ReadWith(strings.NewReader(c.text), "x.json", ReadOptions{Ends: c.says})
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if p.Buffers[1].Upper != c.want || read != c.read {
			t.Errorf("%s, %q: %+v, %+v", c.text, c.says, p.Buffers[1], read)
		}
	}
}

// TestFractions reads times with fractions, and writes them as they were.
func TestFractions(t *testing.T) {
	const text = `{"version": 2, "period": 12.5, "pools": [{"id": "p"}], "buffers": [
	{"id": "a", "lower": 0.5, "end": 1.25, "size": 600, "gaps": [{"lower": 0.75, "end": 1, "window": [0, 8]}]},
	{"id": "b", "lower": 1e-3, "upper": 9.0, "size": 600, "gaps": [[0.5, 1]], "evictions": [{"lower": 2.5, "upper": 3, "cost": 1}]}
]}`
	p, _, read, err := ReadWith(strings.NewReader(text), "x.json", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Buffer{
		{ID: "a", Lower: 500, Upper: 1251, Size: 600, Alignment: 1, Gaps: []model.Gap{
			{Lower: 750, Upper: 1001, Window: &model.Window{Upper: 8}},
		}},
		{
			ID: "b", Lower: 1, Upper: 9000, Size: 600, Alignment: 1, Gaps: []model.Gap{{Lower: 500, Upper: 1000}},
			Extra: &model.Extra{Evictions: []model.Eviction{{Lower: 2500, Upper: 3000, Cost: 1}}},
		},
	}
	if diff := cmp.Diff(want, p.Buffers); diff != "" || read.Places != 3 || p.Rules.Period != 12500 {
		t.Errorf("%+v, %d: %s", read, p.Rules.Period, diff)
	}
	var out bytes.Buffer
	if err := WriteWith(&out, p, nil, WriteOptions{Places: read.Places}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"period": 12.5,`, `"lower": 0.5, "upper": 1.251`, `{"lower": 0.75, "upper": 1.001, "window": [0, 8]}`,
		`"lower": 0.001, "upper": 9,`, `{"lower": 2.5, "upper": 3, "cost": 1}`,
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s is not in\n%s", part, out.String())
		}
	}
	again, _, _, err := ReadWith(&out, "x.json", ReadOptions{})
	if diff := cmp.Diff(p, again); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

// TestFractionsRefused has fractions where there can be none.
func TestFractionsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[{"lower": 0, "upper": 0.5, "size": 1.5}]`:                                         `x.json:1: buffer 0: size "1.5": is not an integer`,
		`[{"lower": 0, "upper": 1e-20, "size": 1}]`:                                         `x.json:1: buffer 0: upper "1e-20": does not fit into 64 bits, or has more than 18 decimal places: round it`,
		`[{"lower": 0, "upper": 1e-10, "size": 1}, {"lower": 0, "upper": 1e10, "size": 1}]`: `x.json:1: buffer 1: upper "1e10": does not fit into 64 bits if it is multiplied by 10000000000, as the fractions of the times ask for: round them`,
		`[{"lower": 0.5, "upper": 0.25, "size": 1}]`:                                        `x.json:1: buffer 0: upper "0.25": the lifespan ends before it starts: lower is 0.5`,
		`{"version": 2, "buffers": [{"id": "a", "lower": 0, "upper": 0.5, "size": 1}, {"id": "b", "lower": 0, "upper": 1, "size": 1}], "distances": [{"buffers": ["a", "b"], "distance": 1}]}`: `x.json:1: distances: counts time slots, so the times of the file must be whole numbers`,
	} {
		if _, _, _, err := ReadWith(strings.NewReader(text), "x.json", ReadOptions{}); err == nil || err.Error() != want {
			t.Errorf("%s:\n%v", text, err)
		}
	}
}
