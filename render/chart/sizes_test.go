package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/render/internal/layout"
)

func sizesSample() Sizes {
	return Sizes{
		Title: "Capacity for <5> problems",
		Problems: []Size{
			{"a", 300 << 10, 300 << 10},
			{"b", 512 << 10, 600 << 10},
			{"c", 800 << 10, 800 << 10},
			{"no plan", 1 << 20, math.Inf(1)},
			{"never", math.Inf(1), math.Inf(1)},
		},
		Planners: []SizePlanner{
			{"auto", []float64{300 << 10, 600 << 10, 800 << 10}},
			{"first-fit & co", []float64{340 << 10, 700 << 10, 1200 << 10}},
			{"none", nil},
		},
	}
}

func drawSizes(t *testing.T, d Sizes) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, WriteSizes(&b, d))
	return b.Bytes()
}

func TestSizesGolden(t *testing.T) {
	got := drawSizes(t, sizesSample())
	golden.File(t, "testdata/sizes.svg", got)
	if again := drawSizes(t, sizesSample()); !bytes.Equal(got, again) {
		t.Error("the same input gives other bytes")
	}
}

// TestSizesInside parses pictures of extremes: they are well formed and within the page.
func TestSizesInside(t *testing.T) {
	crowd := Sizes{Title: "crowd", Relative: true}
	for k := range 50 {
		crowd.Problems = append(crowd.Problems, Size{strconv.Itoa(k), 1, 1 + float64(k)/40})
		crowd.Planners = append(crowd.Planners, SizePlanner{"p" + strconv.Itoa(k), []float64{1, 1.5, float64(k)}})
	}
	one := Sizes{Title: "one", Problems: []Size{{"p", 1400, 1400}}}
	none := Sizes{Title: "none", Problems: []Size{{"p", math.Inf(1), math.Inf(1)}}}
	zero := Sizes{Title: "no buffers", Problems: []Size{{"p", 0, 0}}}
	large := Sizes{Title: "large", Problems: []Size{{"p", 1, 1 << 61}, {"q", 1 << 60, 1 << 61}}}
	for _, d := range []Sizes{sizesSample(), crowd, one, none, zero, large, {Title: "empty"}} {
		picture := drawSizes(t, d)
		labels := 0
		dec := xml.NewDecoder(bytes.NewReader(picture))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", d.Title, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range e.Attr {
				if a.Name.Local == "text-anchor" && a.Value == "middle" {
					labels++
				}
				for _, text := range strings.FieldsFunc(a.Value, func(r rune) bool { return r == ' ' || r == ',' }) {
					v, err := strconv.ParseFloat(text, 64)
					if strings.Contains("x y x1 y1 x2 y2 points", a.Name.Local) && err == nil && !(v >= 0 && v <= 1000) {
						t.Errorf("%s: %s has %s=%s", d.Title, e.Name.Local, a.Name.Local, text)
					}
				}
			}
		}
		if labels < 1 || labels > 12 {
			t.Errorf("%s: %d labels below the axis", d.Title, labels)
		}
		if bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
			t.Errorf("%s: a coordinate is no number", d.Title)
		}
	}
}

// TestSizesBands reads the corners of the curves of two problems.
func TestSizesBands(t *testing.T) {
	picture := string(drawSizes(t, Sizes{Problems: []Size{{"a", 1024, 2048}, {"b", 4096, 4096}}}))
	s := (&Sizes{Problems: []Size{{"a", 1024, 2048}, {"b", 4096, 4096}}}).scale()
	at := func(capacity float64, count int) string {
		var b bytes.Buffer
		p := pen{layout.NewPrinter(&b)}
		p.N(s.x(capacity)).S(",").N(s.y(count))
		must.Do(t, p.Flush())
		return b.String()
	}
	for class, corners := range map[string][]string{
		"step":  {at(2048, 0), at(2048, 1), at(4096, 1), at(4096, 2)},
		"limit": {at(1024, 0), at(1024, 1), at(4096, 1), at(4096, 2)},
	} {
		if line := `<polyline class="` + class + `" points="70,434 ` + strings.Join(corners,
			" "); !strings.Contains(picture, line) {
			t.Errorf("%s: no %s", class, line)
		}
	}
}

func TestSizesRefusals(t *testing.T) {
	for _, d := range []Sizes{
		{Problems: []Size{{"p", math.NaN(), 1}}},
		{Problems: []Size{{"p", 1, -1}}},
		{Planners: []SizePlanner{{"p", []float64{math.Inf(1)}}}},
	} {
		if err := WriteSizes(io.Discard, d); err == nil || !strings.Contains(err.Error(), " p: ") {
			t.Errorf("%+v: error %v", d, err)
		}
	}
}
