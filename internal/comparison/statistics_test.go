package comparison

import (
	"math"
	"testing"
)

func TestStatistics(t *testing.T) {
	if got := Median([]float64{5, 1, 9}); got != 5 {
		t.Errorf("odd median %g", got)
	}
	if got := Median([]float64{4, 1, 9, 2}); got != 3 {
		t.Errorf("even median %g", got)
	}
	if got := Median([]float64{7}); got != 7 {
		t.Errorf("median of one %g", got)
	}
	if got := Median([]float64{1, 2, math.Inf(1)}); got != 2 {
		t.Errorf("median below an infinite value %g", got)
	}
	for q, want := range map[float64]float64{0: 10, 0.25: 20, 0.5: 30, 0.9: 46, 1: 50} {
		if got := Quantile([]float64{50, 10, 40, 20, 30}, q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if got := GeometricMean([]float64{2, 8}); math.Abs(got-4) > 1e-12 {
		t.Errorf("geometric mean %g", got)
	}
	if got := GeometricMean(nil); got != 1 {
		t.Errorf("the mean of nothing is %g", got)
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1.0k", 999_949: "999.9k", 999_950: "1.0M", 5_400_000_000: "5.4G",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0.00123: "1.23", 0.0456: "45.6", 0.1: "100", 3.6507: "3,651"} {
		if got := Milliseconds(s); got != want {
			t.Errorf("Milliseconds(%g) = %s, want %s", s, got, want)
		}
	}
	for x, want := range map[float64]string{1: "1.00", 9.96: "10.0", 99.4: "99.4", 1234.5: "1,235"} {
		if got := Ratio(x); got != want {
			t.Errorf("Ratio(%g) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{1: "1.000", 1.0001: ">1.000", 1.0005: "1.000", 1.25: "1.250"} {
		if got := overLoad(x); got != want {
			t.Errorf("overLoad(%g) = %s, want %s", x, got, want)
		}
	}
}

// TestMarkdown compares the table with go-pretty's, which files of comparisons have.
func TestMarkdown(t *testing.T) {
	got := NewTable([]string{"planner", "a|b"}, [][]string{{"first-fit", "1.000*"}, {"two\nlines", ""}}).Markdown()
	want := "| planner | a\\|b |\n| --- | ---:|\n| first-fit | 1.000* |\n| two<br/>lines |  |\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
