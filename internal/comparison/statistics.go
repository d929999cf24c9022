package comparison

import (
	"math"
	"slices"
)

// Median returns the middle of the values, or the mean of the two in the middle. There must be one at least.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// Quantile returns the value below which the share q of the values lies, from 0 for the least to 1 for the greatest;
// between two it goes in proportion. There must be one at least.
func Quantile(values []float64, q float64) float64 {
	v := slices.Sorted(slices.Values(values))
	at := q * float64(len(v)-1)
	k := min(int(at), len(v)-2)
	if k < 0 {
		return v[0]
	}
	if part := at - float64(k); part > 0 {
		return v[k]*(1-part) + v[k+1]*part
	}
	return v[k] // rather than 0 times what may be infinite
}

// GeometricMean returns the geometric mean of positive values, 1 for none.
func GeometricMean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(max(len(values), 1)))
}
