package command

import (
	"math"
	"slices"
	"testing"
)

// TestBands: of two problems one fits 2048 and one 4096 bytes. The first is known to need 1024 only.
func TestBands(t *testing.T) {
	c := &curve{problems: make([]sized, 2)}
	b := c.bands([]float64{4096, 1024}, []float64{4096, 2048}, nil)
	if want := []float64{1024, 1024, 2048, 2048, 4096, 4096}; !slices.Equal(b.At[1:7], want) || len(b.At) != 8 {
		t.Fatalf("places %v", b.At)
	}
	if b.At[0] >= 1024 || b.At[7] <= 4096 {
		t.Errorf("no room beside %v", b.At)
	}
	for k, want := range [][]float64{
		{0, 0, 0, 0, 0.5, 0.5, 1, 1},
		{0, 0, 0.5, 0.5, 0, 0, 0, 0},
		{1, 1, 0.5, 0.5, 0.5, 0.5, 0, 0},
	} {
		if got := b.Layers[k].Values; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", b.Layers[k].Name, got, want)
		}
	}
	s := c.stairs("auto", []float64{4096, 2048})
	if want := [][2]float64{{2048, 0}, {2048, 0.5}, {4096, 1}}; !slices.Equal(s.Points, want) {
		t.Errorf("stairs %v, want %v", s.Points, want)
	}
	for _, known := range [][]float64{nil, {1}, {1, math.Exp2(61)}} {
		for k, v := range c.bands(known, known, nil).At {
			if !(v > 0) || math.IsInf(v, 0) {
				t.Errorf("of %v: place %d is %v", known, k, v)
			}
		}
	}
}
