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
)

func sample() Comparison {
	return Comparison{
		Title:    "Heights & times of <two> problems",
		Problems: []Problem{{"J", 409}, {"K", 454}, {"large \"one\"", 100_000}},
		Planners: []Planner{
			{"exact", []Point{{0, 1, 0.5, true}, {1, 1, 2.5, true}}},
			{"first-fit", []Point{{0, 1.31, 1e-4, false}, {1, 1.29, 2e-4, false}, {2, 1.07, 0.3, false}}},
			{"linear", []Point{{0, 60, 0, false}, {1, 75, 1e-6, false}, {2, 900, 1e-3, false}}},
			{"none", nil},
		},
	}
}

func draw(t *testing.T, c Comparison) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	got := draw(t, sample())
	golden.File(t, "testdata/sample.svg", got)
	if again := draw(t, sample()); !bytes.Equal(got, again) {
		t.Error("the same input gives other bytes")
	}
}

// TestInside parses pictures: they are well formed, have a mark for each run in
// each panel, and nothing lies outside of the page.
func TestInside(t *testing.T) {
	crowd := Comparison{Title: "crowd"}
	for k := range 40 {
		crowd.Problems = append(crowd.Problems, Problem{"problem-" + strconv.Itoa(k), 10 + k*k*k})
		p := Planner{Name: "planner-" + strconv.Itoa(k)}
		for i := range 40 {
			p.Points = append(p.Points, Point{i, 1 + float64(k*i)/100, math.Pow(10, float64(k+i)/20-5), false})
		}
		crowd.Planners = append(crowd.Planners, p)
	}
	for _, c := range []Comparison{
		sample(), crowd,
		{Title: "empty"},
		{Title: "one", Problems: []Problem{{"p", 0}}, Planners: []Planner{{"x", []Point{{0, 1, 0, false}}}}},
	} {
		picture := draw(t, c)
		runs := 0
		for _, p := range c.Planners {
			runs += len(p.Points)
		}
		marks := 0
		d := xml.NewDecoder(bytes.NewReader(picture))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", c.Title, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range e.Attr {
				if a.Name.Local == "class" && strings.HasPrefix(a.Value, "dot ") {
					marks++
				}
				v, err := strconv.ParseFloat(a.Value, 64)
				if strings.ContainsAny(a.Name.Local, "xy") && err == nil && (math.IsNaN(v) || v < 0 || v > 3000) {
					t.Errorf("%s: %s has %s=%s", c.Title, e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
		if marks < 2*runs || marks > 2*runs+len(c.Problems) {
			t.Errorf("%s: %d marks for %d runs", c.Title, marks, runs)
		}
		if bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
			t.Errorf("%s: a coordinate is no number", c.Title)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, q := range []Point{
		{1, 1, 1, false}, {-1, 1, 1, false}, {0, math.NaN(), 1, false}, {0, 1, math.Inf(1), false}, {0, -1, 1, false},
	} {
		c := Comparison{Problems: []Problem{{"p", 1}}, Planners: []Planner{{"x", []Point{q}}}}
		if err := Write(io.Discard, c); err == nil || !strings.Contains(err.Error(), "chart: planner x: ") {
			t.Errorf("%+v: error %v", q, err)
		}
	}
}
