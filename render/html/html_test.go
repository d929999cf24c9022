package html

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
)

var (
	metas = regexp.MustCompile(`<script type="application/json" class="stowage-meta">(.*)</script>`)
	datas = regexp.MustCompile(`<script type="text/plain" class="stowage-data">(.*)</script>`)
)

// TestPage demands that a page has all that it is given, and the same twice.
func TestPage(t *testing.T) {
	o := Options{
		Title: "T", LowerBound: 12, Facts: []Fact{{"status", "optimal"}, {"height", "12"}},
		Steps: []Step{{Height: 20, Elapsed: time.Second}, {Height: 12, Offsets: []int64{8, 8, 4, 4, 0}}},
	}
	var pages [2]bytes.Buffer
	for k := range pages {
		must.Do(t, Write(&pages[k], sample.Paper(), []int64{8, 8, 4, 4, 0}, o))
	}
	page := pages[0].String()
	if page != pages[1].String() {
		t.Error("the same plan makes two pages")
	}
	for _, want := range []string{
		"<title>T</title>", `<h1 id="title">T</h1>`, "<tr><th>status</th><td>optimal</td></tr>", "<svg ",
		`<p class="warning" id="warning" hidden></p>`,
		"const $app = (() => {", "default-src 'none'",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if strings.Contains(page, "{{") {
		t.Error("the skeleton has a place that nothing fills")
	}
	if m := regexp.MustCompile(`(?:src|href)="https?:|@import|url\(`).FindString(page); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
	text, bytes := parts2(t, page)
	var meta struct {
		Buffers int
		Bytes   int
		Steps   []struct {
			Plan    bool
			Seconds float64
		}
	}
	must.Do(t, json.Unmarshal([]byte(text), &meta))
	if meta.Buffers != 5 || meta.Bytes != len(bytes) || len(meta.Steps) != 2 || meta.Steps[0].Plan ||
		!meta.Steps[1].Plan || meta.Steps[0].Seconds != 1 {
		t.Errorf("%+v with %d bytes", meta, len(bytes))
	}
}

// parts2 returns the two parts of a page's only document.
func parts2(t *testing.T, page string) (meta string, data []byte) {
	t.Helper()
	m, d := metas.FindAllStringSubmatch(page, -1), datas.FindAllStringSubmatch(page, -1)
	if len(m) != 1 || len(d) != 1 {
		t.Fatalf("%d and %d parts", len(m), len(d))
	}
	packed := must.Get(base64.StdEncoding.DecodeString(d[0][1]))(t)
	data = must.Get(io.ReadAll(flate.NewReader(bytes.NewReader(packed))))(t)
	return m[0][1], data
}

// TestInvalid demands that a plan that breaks a rule is marked, whoever draws it.
func TestInvalid(t *testing.T) {
	p := &model.Problem{
		Buffers: []model.Buffer{{ID: "a", Upper: 2, Size: 4}, {ID: "b", Upper: 2, Size: 4}, {ID: "c", Upper: 2, Size: 4}},
	}
	d := dataOf(&Document{Problem: p, Offsets: []int64{0, 4, 6}})
	if !strings.Contains(d.Warning, "both use bytes [6, 8)") || len(d.Broken) != 2 || d.Broken[0] != 1 {
		t.Errorf("%q, %v", d.Warning, d.Broken)
	}
	if d := dataOf(&Document{Problem: p, Offsets: []int64{0, 4, 8}}); d.Warning != "" || d.Broken != nil {
		t.Errorf("%q, %v for a valid plan", d.Warning, d.Broken)
	}
}

// TestHostile demands that names, warnings and facts cannot add markup.
func TestHostile(t *testing.T) {
	const hostile = `<script>"&'</script>`
	p := &model.Problem{Name: hostile, Buffers: []model.Buffer{{ID: hostile, Upper: 1, Size: 1}}}
	for _, offsets := range [][]int64{nil, {0}} {
		var b bytes.Buffer
		o := Options{Warning: hostile, Facts: []Fact{{hostile, hostile}}}
		var err error
		if offsets == nil {
			err = WriteProfile(&b, p, o)
		} else {
			err = Write(&b, p, offsets, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if strings.Contains(page, "<script>") {
			t.Errorf("markup got through:\n%s", page)
		}
		if n := strings.Count(page, "</script>"); n != 3 {
			t.Errorf("%d scripts end, not 3", n)
		}
		const escaped = "&lt;script&gt;"
		for _, in := range []string{
			`<h1 id="title">` + escaped, "<title>" + escaped, `<p class="warning" id="warning">` + escaped, "<th>" + escaped,
			"<td>" + escaped,
		} {
			if !strings.Contains(page, in) {
				t.Errorf("no %s in\n%s", in, page)
			}
		}
	}
}

// TestNothingBroken demands that a page that cannot be drawn is not begun, and that the writer's error comes back.
func TestNothingBroken(t *testing.T) {
	var b bytes.Buffer
	for name, err := range map[string]error{
		"one offset for five buffers": Write(&b, sample.Paper(), []int64{1}, Options{}),
		"no offset for five buffers":  Write(&b, sample.Paper(), nil, Options{}),
		"an offset below 0":           Write(&b, sample.Paper(), []int64{0, 0, 0, 0, -1}, Options{}),
		"a capacity below 0":          WriteProfile(&b, sample.Paper(), Options{Capacity: -1}),
		"a step of another problem":   WriteProfile(&b, sample.Paper(), Options{Steps: []Step{{Offsets: []int64{1}}}}),
		"no problem":                  WriteProfile(&b, nil, Options{}),
		"no documents":                WriteAll(&b, nil),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "html: ") || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
	if err := WriteProfile(new(golden.Room), sample.Paper(), Options{}); !errors.Is(err, golden.ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestBundle demands that the script has each module once, after what it imports, and nothing left of a module.
func TestBundle(t *testing.T) {
	code := must.Get(script())(t)
	files := must.Get(assets.ReadDir(folder))(t)
	began := map[string]int{}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".js")
		if !ok {
			continue
		}
		at := strings.Index(code, "const $"+name+" = (() => {")
		if at < 0 || strings.Count(code, "const $"+name+" = (() => {") != 1 {
			t.Errorf("%s is not there once", name)
		}
		began[name] = at
	}
	for _, m := range regexp.MustCompile(`= \$(\w+);`).FindAllStringSubmatchIndex(code, -1) {
		name := code[m[2]:m[3]]
		if at, ok := began[name]; !ok || at > m[0] {
			t.Errorf("%s is used before it is there", name)
		}
	}
	if m := regexp.MustCompile(`(?m)^\s*(?:import|export)\s.*$|</script|\r`).FindString(code); m != "" {
		t.Errorf("the script has %q in it", m)
	}
}
