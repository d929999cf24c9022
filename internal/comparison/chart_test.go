package comparison

import (
	"math"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/testkit/golden"
)

func chartSample() *Chart {
	return &Chart{
		Title:    "Heights & times of <two> problems",
		Problems: []ChartProblem{{"J", 454}, {"K", 409}, {"large \"one\"", 100_000}},
		Planners: []ChartPlanner{
			{"exact", []ChartPoint{{0, 1, 0.5, true}, {1, 1, 2.5, true}}},
			{"first-fit", []ChartPoint{{0, 1.31, 1e-4, false}, {1, 1.29, 2e-4, false}, {2, 1.07, 0.3, false}}},
			{"linear", []ChartPoint{{0, 60, 0, false}, {1, 75, 1e-6, false}, {2, 900, 1e-3, false}}},
			{"none", nil},
		},
	}
}

// TestChart: a row has the heights of a planner, those far above the load at the edge, with their geometric mean; a
// curve has its times by the number of buffers.
func TestChart(t *testing.T) {
	c := chartSample()
	heights, times := c.Figures()
	for k, want := range []string{"1.000", "1.218", "159.399", "no plan"} {
		if row := heights.Rows[k]; row.Name != c.Planners[k].Name || !strings.HasPrefix(row.Note, want) {
			t.Errorf("row %d of %s has the note %q, want %q", k, row.Name, row.Note, want)
		}
	}
	exact, linear := heights.Rows[0], heights.Rows[2]
	if exact.Values[0] != 1 || !math.IsNaN(exact.Values[2]) || exact.Hollow[0] || !linear.Hollow[0] {
		t.Errorf("the marks of exact are at %v, hollow %v; linear %v", exact.Values, exact.Hollow, linear.Hollow)
	}
	if linear.Values[0] != mostRatio || linear.Mean != mostRatio || !strings.Contains(linear.Tips[0], "60 of the load") {
		t.Errorf("a plan of 60 times the load is at %v, with the tip %q", linear.Values[0], linear.Tips[0])
	}
	if p := times.Series[0].Points; p[0] != [2]float64{409, 2.5} || p[1] != [2]float64{454, 0.5} {
		t.Errorf("the curve of exact is %v", p)
	}
	if p := times.Series[2].Points; p[0][1] != quickest {
		t.Errorf("a time of a microsecond is drawn as %v", p[0][1])
	}
	golden.File(t, "testdata/chart.svg", []byte(picture.SVG(c.Title, heights, times)))
}
