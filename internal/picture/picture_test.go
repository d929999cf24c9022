package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// one parses a figure and returns how many marks it has in each of its two forms. All that
// has a place lies within its picture.
func one(t *testing.T, name, text string) (marks int) {
	t.Helper()
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("%s: a coordinate is no number", name)
	}
	forms := 0
	for _, picture := range regexp.MustCompile(`(?s)<svg class="(?:wide|narrow)-picture".*?</svg>`).FindAllString(text,
		-1) {
		forms++
		var width, height float64
		for d := xml.NewDecoder(strings.NewReader(picture)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range e.Attr {
				switch v, err := strconv.ParseFloat(a.Value, 64); a.Name.Local {
				case "viewBox":
					box := strings.Fields(a.Value)
					width, _ = strconv.ParseFloat(box[2], 64)
					height, _ = strconv.ParseFloat(box[3], 64)
				case "x", "x1", "x2":
					if err != nil || v < 0 || v > width {
						t.Errorf("%s: %s %s=%s of %g", name, e.Name.Local, a.Name.Local, a.Value, width)
					}
				case "y", "y1", "y2":
					if err != nil || v < 0 || v > height {
						t.Errorf("%s: %s %s=%s of %g", name, e.Name.Local, a.Name.Local, a.Value, height)
					}
				case "transform":
					marks++
				}
			}
		}
	}
	if forms != 2 {
		t.Errorf("%s: %d forms", name, forms)
	}
	return marks / 2
}

func TestLines(t *testing.T) {
	points := [][2]float64{{1e-5, 0.1}, {1e-3, 0.5}, {10, 1}, {0, 0.3}, {math.NaN(), 1}, {1, math.Inf(1)}}
	for _, log := range []bool{false, true} {
		l := &Lines{
			Title: `shares & "times" of <two>`, X: Axis{Title: "time", Log: log, Text: Seconds},
			Y: Axis{Title: "solved", Text: Percent, Least: 0, Most: 1},
			Series: []Series{
				{Name: "a", Points: points, Line: true},
				{Name: "b", Points: points, Step: true, Bare: true},
				{Name: "paper", Points: points[:2], Hollow: true, As: 1},
				{Name: "none"},
			},
		}
		want := 3 + 2 // of a, and of the paper's
		if !log {
			want = 4 + 2 // 0 has a place on a plain axis
		}
		if got := one(t, "lines", l.HTML()); got != want {
			t.Errorf("log %v: %d marks, want %d", log, got, want)
		}
	}
	for _, l := range []*Lines{
		{Title: "empty"},
		{Title: "one", Series: []Series{{Name: "a", Points: [][2]float64{{3, 3}}}}},
		{Title: "same", Diagonal: true, X: Axis{Log: true}, Y: Axis{Log: true}, Series: []Series{
			{Name: "a", Points: [][2]float64{{1000, 20000}, {1500, 3}}},
		}},
		{Title: "large", Series: []Series{{Name: "a", Line: true, Points: [][2]float64{{1e12, -1e15}, {2e12, 1e15}}}}},
	} {
		one(t, l.Title, l.HTML())
	}
}

// TestBands: each layer lies upon those below it, and the last reaches their sum; a layer
// without a value is not drawn; values that are no numbers are nothing.
func TestBands(t *testing.T) {
	b := &Bands{
		Title: "what <fits>", X: Axis{Title: "capacity", Text: Percent, Tight: true},
		Y:  Axis{Text: Percent, Least: 0, Most: 1},
		At: []float64{1, 1.1, 1.3},
		Layers: []Layer{
			{Name: "fits & more", Values: []float64{0.25, 0.5, 1}},
			{Name: "undecided", Values: []float64{0.25, 0.25, math.NaN()}, Plain: true},
			{Name: "refuted", Values: []float64{0.5, 0.25}, Look: 1, Pale: true},
			{Name: "nothing", Values: []float64{0, -1, math.Inf(1)}},
		},
	}
	text := b.HTML()
	one(t, "bands", text)
	bands := regexp.MustCompile(`class="(band[^"]*)" d="M([^"]*)Z"`).FindAllStringSubmatch(text, -1)
	if len(bands) != 2*3 {
		t.Fatalf("%d bands in two forms:\n%s", len(bands), text)
	}
	for k, band := range bands[:3] {
		if want := []string{"band p0", "band p0 plain", "band p1 pale"}[k]; band[1] != want {
			t.Errorf("band %d: class %q, want %q", k, band[1], want)
		}
		corners := strings.Split(band[2], "L")
		if len(corners) != 6 {
			t.Fatalf("band %d: corners %q", k, corners)
		}
		if k > 0 { // its lower edge, from the right, is the upper one of the band below
			below := strings.Split(bands[k-1][2], "L")
			for i := range 3 {
				if corners[5-i] != below[i] {
					t.Errorf("band %d does not lie on the one below: %q over %q", k, corners, below)
				}
			}
		}
	}
	// 340 high, and the axis has no title: it goes from 294, for 0, to 12, for 1.
	top := strings.Split(bands[2][2], "L")
	for _, corner := range top[:3] {
		if !strings.HasSuffix(corner, ",12") {
			t.Errorf("the bands do not reach the whole: %q", top)
		}
	}
	if !strings.Contains(text, "<title>fits &amp; more. 100%: 25%, 110%: 50%, 130%: 100%</title>") {
		t.Errorf("no tip with the shares:\n%s", text)
	}
	for _, b := range []*Bands{
		{Title: "empty"},
		{Title: "no place", Layers: b.Layers},
		{Title: "one place", At: []float64{7}, Layers: b.Layers},
		{Title: "logarithmic", X: Axis{Log: true}, At: []float64{0, 10, 1e9}, Layers: b.Layers},
	} {
		one(t, b.Title, b.HTML())
	}
	b.Small = true
	if text := b.HTML(); strings.Count(text, "small-picture") != 1 || strings.Contains(text, "legend") {
		t.Errorf("a small picture has other forms, or a legend:\n%s", text)
	}
}

// TestFaint: faint curves are drawn first, without marks, and share a line of the legend.
func TestFaint(t *testing.T) {
	points := [][2]float64{{1, 2}, {2, 3}}
	l := &Lines{Title: "many", Series: []Series{
		{Name: "first", Points: points, Line: true},
		{Name: "second", Points: points, Line: true, Faint: true},
		{Name: "third", Points: points, Line: true, Faint: true},
	}}
	text := l.HTML()
	if got := one(t, "many", text); got != 2 {
		t.Errorf("%d marks, want 2", got)
	}
	if strings.Count(text, ">2 more</li>") != 1 || strings.Contains(text, ">second</li>") {
		t.Errorf("the legend has faint series by name:\n%s", text)
	}
	if strings.Contains(text, "stroke-width:") {
		t.Error("a curve is widened for a faint one above it")
	}
	if strings.Index(text, "<title>third</title>") > strings.Index(text, "<title>first</title>") {
		t.Error("a faint curve lies over one that is not")
	}
}

func TestRows(t *testing.T) {
	r := &Rows{
		Title: "times", X: Axis{Title: "time", Log: true, Text: Seconds}, Series: []string{"a", "b", "paper"},
		Hollow: []bool{false, false, true}, As: []int{0, 0, 1},
		Rows: []Row{
			{Name: "short", Values: []float64{1e-3, math.NaN(), 2}},
			{Name: strings.Repeat("a very long name ", 8), Values: []float64{1, 60, 0}, Over: []bool{false, true}},
		},
	}
	if got := one(t, "rows", r.HTML()); got != 4 {
		t.Errorf("%d marks", got)
	}
	if text := r.HTML(); !strings.Contains(text, "&gt; 60 s") {
		t.Error("a limit that was reached is not marked as one")
	}
	one(t, "bars", (&Rows{
		Title: "bars", Bars: true, Series: []string{"x"},
		Rows: []Row{
			{Name: "a", Values: []float64{-0.1}}, {Name: "b", Values: []float64{3}}, {Name: "c", Values: []float64{math.NaN()}},
		},
	}).HTML())
	one(t, "none", (&Rows{Title: "none"}).HTML())
	one(t, "one value", (&Rows{Title: "one value", Series: []string{"x"}, Rows: []Row{{Name: "a", Values: []float64{7}}}}).HTML())
}

// TestTicks: a logarithmic axis has ticks wherever it is, and at powers of two if it is of bytes.
func TestTicks(t *testing.T) {
	for _, values := range [][]float64{{820, 960}, {1, 2}, {101, 102}, {3e-5, 3.1e-5}, {1, 1e12}, {7, 7}} {
		s := newScale(&Axis{Log: true}, values, 0, 600, 70)
		if len(s.ticks) < 2 || len(s.ticks) > 10 {
			t.Errorf("%g: ticks %g", values, s.ticks)
		}
		for _, tick := range s.ticks {
			if at, ok := s.at(tick); !ok || at < -0.1 || at > 600.1 {
				t.Errorf("%g: tick %g at %g", values, tick, at)
			}
		}
	}
	s := newScale(&Axis{Log: true, Double: true}, []float64{1000, 70_000}, 0, 600, 70)
	if want := []float64{1024, 2048, 4096, 8192, 16384, 32768, 65536}; !slices.Equal(s.ticks, want) {
		t.Errorf("bytes: ticks %g, want %g", s.ticks, want)
	}
	if s = newScale(&Axis{Log: true, Double: true}, []float64{1, 1 << 40}, 0, 600, 70); len(s.ticks) < 4 ||
		len(s.ticks) > 9 {
		t.Errorf("bytes: ticks %g", s.ticks)
	}
}

func TestText(t *testing.T) {
	for v, want := range map[float64]string{
		1e-6: "1 µs", 0.001: "1 ms", 0.25: "250 ms", 1: "1 s", 90: "90 s", 1000: "1000 s", 36000: "10 h",
	} {
		if got := Seconds(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}

// TestFile: a file has each figure below the one before, names and legends within the page, colours in place of
// variables, and at most so many entries in a legend.
func TestFile(t *testing.T) {
	flat := &Rows{Title: "heights", X: Axis{Least: 1, Most: 1.05}, Flat: true}
	one := Row{Name: "a <planner>\x1b", Mean: 1.5, Note: "1.500", Tips: []string{"the first"}, Hollow: []bool{true}}
	for k := range 50 {
		flat.Series = append(flat.Series, "problem "+strconv.Itoa(k))
		one.Values = append(one.Values, 1+float64(k%9)/10)
	}
	flat.Rows = []Row{one, {Name: "none", Note: "no plan"}}
	named := &Lines{Title: "times", Named: true, X: Axis{Log: true}, Y: Axis{Log: true, Text: Seconds}}
	for k := range 40 {
		named.Series = append(named.Series, Series{
			Name: "curve " + strconv.Itoa(k), Line: true, Tips: []string{"tip of " + strconv.Itoa(k)},
			Points: [][2]float64{{10, 1e-3}, {1e4, 1 + float64(k)/100}},
		})
	}
	under := &Bands{At: []float64{100, 1024, 1024, 4096}, Layers: []Layer{{Name: "fits", Values: []float64{0, 0, 1, 1}}}}
	steps := &Lines{
		Title: "capacity", X: Axis{Log: true, Double: true}, Y: Axis{Text: Percent}, Under: under,
		Series: []Series{{Name: "auto", Step: true, Points: [][2]float64{{1024, 0}, {1024, 1}}}},
	}
	text := SVG("a & b", flat, named, steps)
	if text != SVG("a & b", flat, named, steps) {
		t.Error("the same figures give other bytes")
	}
	marks, names := 0, 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				v, err := strconv.ParseFloat(a.Value, 64)
				if strings.Contains("x y x1 x2 y1 y2", a.Name.Local) && (err != nil || v < 0 || v > 1500) {
					t.Errorf("%s has %s=%s", e.Name.Local, a.Name.Local, a.Value)
				}
				if a.Name.Local == "d" {
					marks++
				}
				if strings.Contains(a.Value, "named") {
					names++
				}
			}
		}
	}
	// Values, the legend of 40, both ends of curves and these, the step with its mark, and the band.
	if want := 50 + mostEntries + 3*40 + 2 + 1 + 1 + 1; marks != want || names != 40 {
		t.Errorf("%d paths, want %d; %d names of curves", marks, want, names)
	}
	for _, want := range []string{
		`aria-label="a &amp; b"`, `>a &lt;planner&gt;\x1b</text>`, "<title>the first</title>", "<title>tip of 7</title>",
		">and 10 more</text>", ">curve 39</text>", ">no plan</text>", `class="mean"`, "color: #0b62a8",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file has no %s", want)
		}
	}
	if strings.Contains(text, "var(") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("the file has a variable, or a coordinate that is no number")
	}
	corners := regexp.MustCompile(`class="band p0" d="M[0-9.]+,[0-9.]+L([0-9.]+),[0-9.]+L([0-9.]+),`).FindStringSubmatch(text)
	if corners == nil || corners[1] != corners[2] {
		t.Errorf("a place that stands twice is no step: %q", corners)
	}
}
