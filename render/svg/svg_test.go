package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
)

// element is what the tests look at in a picture.
type element struct {
	name  string
	attrs map[string]string
	title string
	text  string
}

// parse reads a picture with encoding/xml, which refuses what is not well formed, and returns its elements.
func parse(t *testing.T, picture []byte) []element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(picture))
	var all []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) == 0 {
				continue
			}
			if e := &all[open[len(open)-1]]; e.name == "title" {
				all[open[len(open)-2]].title += string(token)
			} else {
				e.text += string(token)
			}
		}
	}
}

func draws(t *testing.T, p *model.Problem, offsets []int64, o Options) []byte {
	t.Helper()
	return golden.Written(t, func(w io.Writer) error { return Write(w, p, offsets, o) })
}

func TestMedium(t *testing.T) {
	sample.Medium{
		Name: "svg", Width: 1200, Height: 720, Most: 3 << 20, Write: Write, WriteProfile: WriteProfile,
	}.Test(t)
}

func TestGolden(t *testing.T) {
	paper, gapped, random := sample.Paper(), sample.Gapped(), sample.Random(60, 1)
	golden.File(t, "testdata/paper.svg", draws(t, paper, []int64{8, 8, 4, 4, 0}, Options{}))
	golden.File(t, "testdata/gapped.svg", draws(t, gapped, sample.FirstFit(gapped), Options{LowerBound: 250000}))
	golden.File(t, "testdata/random60.svg", draws(t, random, sample.FirstFit(random), Options{Width: 800, Height: 500}))
	for name, capacity := range map[string]int64{"fits": 1 << 20, "over": 100 << 10} {
		var b bytes.Buffer
		must.Do(t, WriteProfile(&b, random, Options{Capacity: capacity}))
		golden.File(t, "testdata/profile-"+name+".svg", b.Bytes())
	}
}

func TestHeader(t *testing.T) {
	all := parse(t, draws(t, sample.Paper(), []int64{8, 8, 4, 4, 0}, Options{Width: 640, Height: 400}))
	root := all[0]
	for name, want := range map[string]string{
		"viewBox": "0 0 640 400", "role": "img",
		"aria-label": "running example: 5 buffers, height 12, lower bound 12 (peak load), gap 0 %, capacity 12 (0 % free)",
	} {
		if root.attrs[name] != want {
			t.Errorf("%s = %q, want %q", name, root.attrs[name], want)
		}
	}
	for _, e := range all {
		for name, value := range e.attrs {
			if name == "href" || name == "src" || strings.Contains(value, "url(") {
				t.Errorf("<%s> refers to something outside: %s=%q", e.name, name, value)
			}
		}
	}
}

// TestTips checks that every buffer of a plan of moderate size has its tip.
func TestTips(t *testing.T) {
	p := sample.Random(500, 3)
	tips := map[string]bool{}
	for _, e := range parse(t, draws(t, p, sample.FirstFit(p), Options{})) {
		if id, _, ok := strings.Cut(e.title, ": time ["); ok {
			tips[id] = true
		}
	}
	for i := range p.Buffers {
		if !tips[p.Buffers[i].ID] {
			t.Errorf("buffer %s has no tip", p.Buffers[i].ID)
		}
	}
	want := "b4: time [9, 21), size 4, offset 4, end 8"
	if got := string(draws(t, sample.Paper(), []int64{8, 8, 4, 4, 0}, Options{})); !strings.Contains(got, want) {
		t.Errorf("no tip %q", want)
	}
}

func TestHostileIDs(t *testing.T) {
	ids := []string{
		"<script>alert(1)</script>", "a&b", `"quoted"`, "'single'", "]]>", "tab\tnew\nline\x00\x1f\x7f",
		"bad\xff\xfeutf8", "\ufffe\uffff", "right\u202eleft", "日本語", "𝔘𝔫𝔦", "--><!--",
		strings.Repeat("&", 500), " ",
	}
	p := &model.Problem{Name: "<&\"'\x01\xff>"}
	offsets := make([]int64, len(ids))
	for i, id := range ids {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: int64(i % 2), Upper: int64(i%2) + 1, Size: 8})
		offsets[i] = int64(i/2) * 8
	}
	all := parse(t, draws(t, p, offsets, Options{}))
	seen := map[string]bool{}
	for _, e := range all {
		if e.name == "script" {
			t.Error("an ID became an element")
		}
		if e.name == "text" {
			seen[e.text] = true
		}
	}
	for _, want := range []string{
		"<script>alert(1)</script>", "a&b", `"quoted"`, "]]>", "日本語", "𝔘𝔫𝔦", "right\ufffdleft",
		"tab\ufffdnew\ufffdline\ufffd\ufffd\ufffd",
	} {
		if !seen[want] {
			t.Errorf("no label %q", want)
		}
	}
	var b bytes.Buffer
	must.Do(t, WriteProfile(&b, p, Options{}))
	parse(t, b.Bytes())
}

func TestSizeStaysBounded(t *testing.T) {
	p := sample.Random(20000, 5)
	for i := range p.Buffers {
		p.Buffers[i].ID += strings.Repeat("/a&b", 50)
	}
	offsets := sample.FirstFit(p)
	parse(t, draws(t, p, offsets, Options{}))
	// On top of one another in time, all of them are under a pixel high.
	for i := range p.Buffers {
		p.Buffers[i].Lower, p.Buffers[i].Upper, p.Buffers[i].Size = 0, 10, 3
		offsets[i] = int64(i) * 3
	}
	if picture := draws(t, p, offsets, Options{}); len(picture) > 3<<20 || len(picture) < 10000 {
		t.Errorf("20,000 stacked buffers take %d bytes", len(picture))
	}
}

func TestHideLabels(t *testing.T) {
	p := sample.Paper()
	offsets := []int64{8, 8, 4, 4, 0}
	labels := func(o Options) (n int) {
		for _, e := range parse(t, draws(t, p, offsets, o)) {
			if e.name == "text" && slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.ID == e.text }) {
				n++
			}
		}
		return n
	}
	if n := labels(Options{}); n != 5 {
		t.Errorf("%d labels, want 5", n)
	}
	if n := labels(Options{HideLabels: true}); n != 0 {
		t.Errorf("%d labels, want none", n)
	}
}

// TestLargeFile: a picture of many buffers has those that set the peak, with
// their tips, and stays within a few megabytes.
func TestLargeFile(t *testing.T) {
	p := sample.Random(60000, 2)
	for k := range 40 {
		at := int64(20000 + k%2)
		p.Buffers = append(p.Buffers, model.Buffer{ID: "spike" + strconv.Itoa(k), Lower: at, Upper: at + 1, Size: 1 << 20})
	}
	offsets := make([]int64, len(p.Buffers))
	for i := range offsets {
		offsets[i] = int64(i) << 10 // overlaps nowhere
	}
	for k := range 40 {
		offsets[60000+k] = 60000<<10 + int64(k)<<20
	}
	picture := draws(t, p, offsets, Options{})
	if len(picture) > 3<<20 {
		t.Errorf("%d bytes", len(picture))
	}
	tips := map[string]bool{}
	for _, e := range parse(t, picture) {
		if id, _, ok := strings.Cut(e.title, ": time ["); ok {
			tips[id] = true
		}
	}
	for k := range 40 {
		if !tips["spike"+strconv.Itoa(k)] {
			t.Errorf("spike%d is left out", k)
		}
	}
}

func TestInvalid(t *testing.T) {
	p := sample.Paper()
	golden.File(t, "testdata/invalid.svg", draws(t, p, []int64{6, 8, 4, 4, 0}, Options{}))
	valid := draws(t, p, []int64{8, 8, 4, 4, 0}, Options{})
	if bytes.Contains(valid, []byte("INVALID")) || bytes.Contains(valid, []byte(`class="clash`)) {
		t.Error("a valid plan is marked")
	}
}
