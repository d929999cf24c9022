package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimplex: x keeps to all rows, and the prices prove that no other x is cheaper. Rows come one by one, and those
// that have room are dropped and come back.
func TestSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 3))
	parts := 0
	for range 400 {
		n := 2 + r.IntN(20)
		cost := make([]float64, n)
		for j := range cost {
			cost[j] = float64(r.IntN(41) - 30)
		}
		s := New(cost, 100_000_000)
		type row struct {
			a  []float64
			b  float64
			in bool
		}
		var rows []*row
		all := make([]int32, n)
		for j := range all {
			all[j] = int32(j)
		}
		var numbers []*row // of the rows that have been added
		for range 1 + r.IntN(12) {
			x := &row{a: make([]float64, n), b: float64(1 + r.IntN(40)), in: true}
			for j := range x.a {
				x.a[j] = float64(max(0, r.IntN(30)-10))
			}
			rows = append(rows, x)
			s.Add(all, x.a, x.b)
			numbers = append(numbers, x)
			if !s.Solve(context.Background()) {
				t.Fatal("no solution")
			}
			if r.IntN(3) == 0 {
				s.Loose(0.01, func(k int) { numbers[k].in = false })
				for _, y := range rows {
					if !y.in && r.IntN(2) == 0 {
						s.Add(all, y.a, y.b)
						numbers, y.in = append(numbers, y), true
					}
				}
				s.Solve(context.Background())
			}
		}
		x, value := s.Values(), 0.0
		for j := range x {
			value += cost[j] * x[j]
			if x[j] > 1e-6 && x[j] < 1-1e-6 {
				parts++
			}
		}
		bound, reduced := 0.0, append([]float64(nil), cost...)
		s.Prices(func(k int, price float64) {
			bound -= price * numbers[k].b
			for j, a := range numbers[k].a {
				reduced[j] += price * a
			}
		})
		for _, d := range reduced {
			bound += math.Min(0, d)
		}
		for _, y := range rows {
			sum := -y.b
			for j := range x {
				sum += y.a[j] * x[j]
			}
			if y.in && sum > 1e-5 {
				t.Fatalf("a row is exceeded by %g", sum)
			}
		}
		if math.Abs(bound-value) > 1e-5 || math.Abs(s.Cost-value) > 1e-5 {
			t.Fatalf("x costs %g, the prices prove %g, said %g", value, bound, s.Cost)
		}
	}
	if parts < 400 {
		t.Errorf("%d bodies in part", parts)
	}
}
