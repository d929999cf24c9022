package viewdata

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// decode reads columns back as data.js does, whole numbers of either sign as they are.
func decode(t *rapid.T, text, packed []byte) (m meta, columns map[string][]int64, ids []string) {
	must.Do(t, json.Unmarshal(text, &m))
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil || len(raw) != m.Bytes {
		t.Fatalf("%d bytes of %d: %v", len(raw), m.Bytes, err)
	}
	columns = map[string][]int64{}
	signed := map[string]bool{"lower": true, "offsets": true, "step": true}
	for _, c := range m.Columns {
		if c.Name == "ids" {
			units := utf16.Encode([]rune(string(raw[:c.Count])))
			for _, n := range columns["idLengths"] {
				ids = append(ids, string(utf16.Decode(units[:n])))
				units = units[n:]
			}
			raw = raw[c.Count:]
			continue
		}
		for range c.Count {
			u, n := binary.Uvarint(raw)
			v := int64(u)
			if signed[c.Name] {
				v, n = binary.Varint(raw)
			}
			columns[c.Name] = append(columns[c.Name], v)
			raw = raw[n:]
		}
	}
	if ids == nil { // all are empty
		ids = make([]string, m.Buffers)
	}
	if len(raw) > 0 {
		t.Fatalf("%d bytes are nobody's", len(raw))
	}
	return m, columns, ids
}

// TestEncode draws documents and demands all of them back.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &model.Problem{Name: rapid.String().Draw(t, "name")}
		d := &Doc{Problem: p}
		n := rapid.IntRange(0, 8).Draw(t, "n")
		number := rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, model.MaxSum))
		var offsets []int64
		for range n {
			b := model.Buffer{
				ID: rapid.StringN(0, 5, -1).Draw(t, "id"), Lower: rapid.Int64().Draw(t, "lower") / 4,
				Size: 1 + number.Draw(t, "size"),
			}
			b.Upper = b.Lower + 20 + number.Draw(t, "life")/2
			b.Alignment = rapid.SampledFrom([]int64{0, 1, 1, 64}).Draw(t, "alignment")
			if rapid.Bool().Draw(t, "gap") {
				b.Gaps = append(b.Gaps, model.Gap{Lower: b.Lower + 3, Upper: b.Lower + 5},
					model.Gap{Lower: b.Lower + 7, Upper: b.Lower + 9, Window: &model.Window{Lower: 0, Upper: b.Size}})
			}
			if rapid.Bool().Draw(t, "fixed") {
				at := int64(0)
				b.Fixed = &at
			}
			p.Buffers = append(p.Buffers, b)
			offsets = append(offsets, number.Draw(t, "offset"))
		}
		if rapid.Bool().Draw(t, "planned") {
			d.Offsets = offsets
			d.Steps = []Step{
				{Height: 9, Elapsed: time.Second},
				{Height: 8, Offsets: offsets},
				{Height: 7},
				{Height: 5, Offsets: make([]int64, n)},
			}
		}
		for n > 0 && rapid.Bool().Draw(t, "moves") && len(d.Moves) < 20 {
			d.MovesTold = 77
			d.Moves = append(d.Moves, plan.Move{
				Kind:   plan.MoveKind(rapid.IntRange(0, 4).Draw(t, "kind")),
				Buffer: rapid.IntRange(0, n-1).Draw(t, "buffer"), Offset: number.Draw(t, "at"),
			})
		}
		text, packed := must.Two(d.Encode())(t)
		m, columns, ids := decode(t, text, packed)
		var lower, gaps int64
		for i := range p.Buffers {
			b := &p.Buffers[i]
			lower += columns["lower"][i]
			upper := lower + columns["duration"][i]
			if b.Lower != lower || b.Upper != upper || b.Size != columns["size"][i] ||
				strings.ToValidUTF8(b.ID, "\uFFFD") != ids[i] {
				t.Fatalf("buffer %d: [%d, %d) of %d named %q, want %+v", i, lower, upper, columns["size"][i], ids[i], b)
			}
			if a := columns["alignment"]; a != nil && a[i] != b.Align() || a == nil && b.Align() != 1 {
				t.Fatalf("buffer %d has the alignment %v, want %d", i, a, b.Align())
			}
			for _, g := range b.Gaps {
				six := columns["gaps"][6*gaps : 6*gaps+6]
				want := []int64{int64(i), g.Lower - b.Lower, g.Upper - g.Lower, 0, 0, 0}
				if g.Window != nil {
					want[3], want[4], want[5] = 1, g.Window.Lower, g.Window.Upper
				}
				must.Same(t, want, six)
				gaps++
			}
		}
		if len(columns["moves"]) != 3*len(d.Moves) || m.MovesTold != d.MovesTold {
			t.Fatalf("%d numbers for %d moves of %d", len(columns["moves"]), len(d.Moves), m.MovesTold)
		}
		for k, move := range d.Moves {
			if diff := cmp.Diff([]int64{int64(move.Kind), int64(move.Buffer), move.Offset},
				columns["moves"][3*k:3*k+3]); diff != "" {
				t.Fatal(diff)
			}
		}
		if d.Offsets == nil || n == 0 {
			return
		}
		must.Same(t, offsets, columns["offsets"])
		// The last step is the difference to the one before.
		for i, by := range columns["step"][n:] {
			if columns["step"][i]+by != 0 || columns["step"][i] != offsets[i] {
				t.Fatalf("step %v", columns["step"])
			}
		}
		if len(m.Steps) != 4 || m.Steps[0].Plan || !m.Steps[3].Plan {
			t.Fatalf("%+v", m.Steps)
		}
	})
}

// TestEncodeRefuses demands an error for plans of another problem.
func TestEncodeRefuses(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}}}
	for _, d := range []*Doc{
		{},
		{Problem: p, Offsets: []int64{1, 2}},
		{Problem: p, Steps: []Step{{Offsets: []int64{1, 2}}}},
		{Problem: p, Moves: []plan.Move{{Buffer: 1}}},
		{Problem: p, Moves: []plan.Move{{Offset: -1}}},
	} {
		if _, _, err := d.Encode(); err == nil {
			t.Errorf("%+v passes", d)
		}
	}
}

// TestRecorder follows a search: only better plans are kept, and their offsets are copied. If there are too many
// plans, the first and the last stay.
func TestRecorder(t *testing.T) {
	r := &Recorder{Room: 20}
	offsets := make([]int64, 4)
	for height := int64(100); height > 80; height-- {
		offsets[0] = height
		r.See(plan.Progress{Height: height, LowerBound: 10, Offsets: offsets})
		r.See(plan.Progress{Height: height, LowerBound: 10, Nodes: 7, Offsets: offsets})
	}
	r.See(plan.Progress{Height: 81, LowerBound: 30})
	result := &plan.Result{Status: model.Optimal, LowerBound: 80}
	result.Height, result.Offsets = 80, []int64{80, 0, 0, 0}
	steps := r.Finish(result)
	if len(steps) != 22 {
		t.Fatalf("%d steps", len(steps))
	}
	kept := 0
	for k, s := range steps {
		if s.Offsets != nil {
			if kept++; s.Offsets[0] != s.Height {
				t.Errorf("step %d of height %d has the offsets of %d", k, s.Height, s.Offsets[0])
			}
		}
	}
	if kept > 5 || kept < 3 || steps[0].Offsets == nil || steps[21].Offsets == nil || steps[20].LowerBound != 30 ||
		steps[20].Offsets != nil {
		t.Errorf("%d plans kept: %+v", kept, steps)
	}
}

// TestRecorderMoves keeps the first moves, counts all, and says when plans came.
func TestRecorderMoves(t *testing.T) {
	r := &Recorder{Most: 3}
	for k := range 5 {
		r.Move(plan.Move{Kind: plan.MovePlace, Offset: int64(k)})
		if k == 1 {
			r.See(plan.Progress{Height: 9, LowerBound: 1, Offsets: []int64{1}})
		}
	}
	kept, told := r.Moves()
	if len(kept) != 3 || kept[2].Offset != 2 || told != 5 {
		t.Errorf("%v of %d", kept, told)
	}
	if steps := r.Finish(&plan.Result{Status: model.Unknown, LowerBound: 2}); len(steps) != 2 || steps[0].Move != 2 ||
		steps[1].Move != 5 {
		t.Errorf("%+v", steps)
	}
}

// TestRounded: a document is called rounded if a number of the plan is too large for JavaScript. The unlimited
// capacity of a recorded search does not count.
func TestRounded(t *testing.T) {
	for size, want := range map[int64]bool{12: false, 1<<53 + 1: true} {
		d := Doc{
			Problem: &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: size}}},
			Offsets: []int64{0},
			Moves:   []plan.Move{{Kind: plan.MoveBegin, Offset: math.MaxInt64}, {Kind: plan.MovePlace}},
		}
		text, _ := must.Two(d.Encode())(t)
		var m meta
		must.Do(t, json.Unmarshal(text, &m))
		if m.Rounded != want {
			t.Errorf("of a buffer of %d bytes, rounded is %t", size, m.Rounded)
		}
	}
}
