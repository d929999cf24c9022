package record

import (
	"fmt"
	"math"
	"slices"
)

// Median returns the middle of the values, or the mean of the two in the
// middle. There must be one at least.
func Median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}

// GeometricMean returns the geometric mean of positive values, 1 for none.
func GeometricMean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += math.Log(v)
	}
	if len(values) == 0 {
		return 1
	}
	return math.Exp(sum / float64(len(values)))
}

// Count writes a number in at most three digits and a suffix: 618, 3.4k, 12.0M.
func Count(n int64) string {
	switch x := float64(n); {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", x/1e3)
	case n < 999_950_000:
		return fmt.Sprintf("%.1fM", x/1e6)
	default:
		return fmt.Sprintf("%.1fG", x/1e9)
	}
}

// Milliseconds writes a time with three significant digits at most.
func Milliseconds(seconds float64) string {
	switch ms := seconds * 1e3; {
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	default:
		return Grouped(int64(ms + 0.5))
	}
}

// Ratio writes a ratio with about two significant digits.
func Ratio(x float64) string {
	switch {
	case x < 9.95:
		return fmt.Sprintf("%.2f", x)
	case x < 99.5:
		return fmt.Sprintf("%.1f", x)
	default:
		return Grouped(int64(x + 0.5))
	}
}

// Grouped writes a number that is not negative with a comma between thousands.
func Grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
