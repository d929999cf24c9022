// Package simplex solves linear programs whose variables lie from 0 to 1, and goes on after a row is added.
package simplex

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Idea: the linear program with variables x from 0 to 1
//
//	least  sum of cost(j) · x(j)   so that   sum of a(i, j) · x(j) <= b(i)   for each row i
//
// by the dual simplex method. Each row has a slack. Since every x has both bounds, the start is easy: x(j) is 1 if
// its cost is negative, else 0, which is dual feasible. If some basic variable is outside its bounds, it leaves the
// basis and goes to its bound. The variable with the least ratio of reduced cost to entry comes in. Variables with
// smaller ratios are passed: they go to their other bound instead, as long as the row's excess allows it. A row that
// is added later keeps the basis dual feasible, so the method goes on.
//
//	x(basic i) = value(i) at the present bounds;  d x(basic i) = - sum over columns j of table(i, j) · d x(j)
//
// Invariant: no proof depends on the floating point of this file: whoever uses its prices computes a bound from them in whole
// numbers.
//
// Complexity: O(rows · columns) for a pivot, in a dense table.
//
// Source: Lemke (1954); bounds that are passed: Wagner (1958).

// Outside is by how much a variable may miss its bounds.
const Outside = 1e-7

const tiny = 1e-9

// A Program is a linear program and a basis. It is of use to one goroutine.
type Program struct {
	table  [][]float64 // of each row, by column
	value  []float64   // of each row's basic variable
	basic  []int32     // of each row; below count an x, else a slack
	column []int32     // of each column, its variable
	upper  []bool      // of each column, whether the variable is at its upper bound
	fixed  []int8      // of each x, then of each row's slack, the bound that it must keep, or -1
	price  []float64   // of each column, its reduced cost: at least 0 at the lower bound, at most 0 at the upper
	count  int         // variables x
	rows   int         // added so far, dropped rows included
	Cost   float64     // of the present x
	Effort int         // how many numbers it may still change
	ratios []ratio
}

type ratio struct {
	column int32
	value  float64
	entry  float64
}

// New returns a program without rows. Each x has a cost. Once effort numbers of the table have changed, it gives up.
func New(cost []float64, effort int) *Program {
	s := &Program{count: len(cost), price: slices.Clone(cost), Effort: effort}
	s.column, s.upper = make([]int32, len(cost)), make([]bool, len(cost))
	for j, x := range cost {
		s.column[j], s.upper[j] = int32(j), x < 0
		s.fixed = append(s.fixed, -1)
		s.Cost += min(0, x)
	}
	return s
}

// most is the upper bound of a variable.
func (s *Program) most(variable int32) float64 {
	switch {
	case s.fixed[variable] == 0:
		return 0
	case int(variable) >= s.count:
		return math.Inf(1)
	}
	return 1
}

// least is the lower bound of a variable.
func (s *Program) least(variable int32) float64 {
	if s.fixed[variable] == 1 {
		return 1
	}
	return 0
}

// Fix fixes an x to 0 or 1.
func (s *Program) Fix(x int32, to int8) {
	s.fixed[x] = to
	if j := slices.Index(s.column, x); j >= 0 && s.upper[j] != (to == 1) {
		s.flip(j)
	}
}

// Tighten makes a row an equation. Its price may be negative from now on; Prices does not tell such a price.
func (s *Program) Tighten(row int) { s.fixed[s.count+row] = 0 }

// Count is the number of variables x.
func (s *Program) Count() int { return s.count }

// Rows is the number of rows that were added, with those that were dropped. Rows are numbered in this order.
func (s *Program) Rows() int { return s.rows }

// Len is the number of rows that are there.
func (s *Program) Len() int { return len(s.table) }

// Clone returns an independent copy.
func (s *Program) Clone() *Program {
	c := *s
	c.table = make([][]float64, len(s.table))
	for i := range s.table {
		c.table[i] = slices.Clone(s.table[i])
	}
	c.value, c.basic, c.column = slices.Clone(s.value), slices.Clone(s.basic), slices.Clone(s.column)
	c.upper, c.fixed, c.price, c.ratios = slices.Clone(s.upper), slices.Clone(s.fixed), slices.Clone(s.price), nil
	return &c
}

// Values returns x.
func (s *Program) Values() []float64 {
	x := make([]float64, s.count)
	for j, v := range s.column {
		if int(v) < s.count && s.upper[j] {
			x[v] = 1
		}
	}
	for i, v := range s.basic {
		if int(v) < s.count {
			x[v] = min(1, max(0, s.value[i]))
		}
	}
	return x
}

// Add adds the row sum of a[n] · x(of[n]) <= b.
func (s *Program) Add(of []int32, a []float64, b float64) {
	dense := make([]float64, s.count)
	for n, j := range of {
		dense[j] += a[n]
	}
	row, value := make([]float64, s.count), b
	for j, v := range s.column {
		if int(v) < s.count {
			row[j] = dense[v]
			if s.upper[j] {
				value -= dense[v]
			}
		}
	}
	for i, v := range s.basic {
		if int(v) < s.count && dense[v] != 0 {
			value -= dense[v] * s.value[i]
			for j, x := range s.table[i] {
				row[j] -= dense[v] * x
			}
			s.Effort -= s.count
		}
	}
	s.table, s.value = append(s.table, row), append(s.value, value)
	s.basic, s.fixed = append(s.basic, int32(s.count+s.rows)), append(s.fixed, -1)
	s.rows++
}

// Loose drops the rows whose slack is basic and more than this, and calls dropped for each.
func (s *Program) Loose(slack float64, dropped func(row int)) {
	left := 0
	for i, v := range s.basic {
		if int(v) >= s.count && s.value[i] > slack {
			dropped(int(v) - s.count)
			continue
		}
		s.table[left], s.value[left], s.basic[left] = s.table[i], s.value[i], v
		left++
	}
	s.table, s.value, s.basic = s.table[:left], s.value[:left], s.basic[:left]
}

// Prices calls do for each row whose slack is not basic, with its price.
func (s *Program) Prices(do func(row int, price float64)) {
	for j, v := range s.column {
		if int(v) >= s.count && s.price[j] > 0 {
			do(int(v)-s.count, s.price[j])
		}
	}
}

// Solve goes on to the best x. It returns false if a limit came first, or the rows have no solution.
func (s *Program) Solve(ctx context.Context) bool {
	for n := 0; ; n++ {
		row, worst, to := -1, Outside, 0.0
		for i, x := range s.value {
			if least := s.least(s.basic[i]); least-x > worst {
				row, worst, to = i, least-x, least
			}
			if most := s.most(s.basic[i]); x-most > worst {
				row, worst, to = i, x-most, most
			}
		}
		if row < 0 {
			return true
		}
		if s.Effort < 0 || n%64 == 63 && ctx.Err() != nil || !s.leave(row, to) {
			return false
		}
	}
}

// leave takes the basic variable of a row out of the basis, to one of its bounds.
func (s *Program) leave(row int, to float64) bool {
	sign := 1.0 // of the entries of columns that may rise from their lower bound
	if s.value[row] < to {
		sign = -1
	}
	s.ratios = s.ratios[:0]
	for j, x := range s.table[row] {
		if s.fixed[s.column[j]] >= 0 {
			continue
		}
		x *= sign
		if s.upper[j] {
			x = -x
		}
		if x > tiny {
			s.ratios = append(s.ratios, ratio{int32(j), math.Abs(s.price[j]) / x, x})
		}
	}
	slices.SortFunc(s.ratios, func(a, b ratio) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(b.entry, a.entry), cmp.Compare(a.column, b.column))
	})
	left := math.Abs(s.value[row] - to)
	for _, x := range s.ratios {
		j := int(x.column)
		// whole numbers often make it 0: then the last variable comes in, too
		if left -= x.entry * s.most(s.column[j]); left <= Outside {
			s.pivot(row, j, to)
			return true
		}
		s.flip(j)
	}
	return false
}

// flip moves the variable of a column to its other bound.
func (s *Program) flip(j int) {
	change := 1.0
	if s.upper[j] {
		change = -1
	}
	s.upper[j] = !s.upper[j]
	s.Cost += s.price[j] * change
	for i := range s.value {
		s.value[i] -= s.table[i][j] * change
	}
	s.Effort -= len(s.value)
}

// pivot puts the variable of a column in the place of the basic one of a row, which goes to a bound.
func (s *Program) pivot(row, j int, to float64) {
	mine := s.table[row]
	by := mine[j]
	change := (s.value[row] - to) / by
	s.Cost += s.price[j] * change
	entering := change
	if s.upper[j] {
		entering++
	}
	for i := range s.value {
		s.value[i] -= s.table[i][j] * change
	}
	for k := range mine {
		mine[k] /= by
	}
	mine[j] = 1 / by
	for i, other := range s.table {
		f := other[j]
		if i == row || f == 0 {
			continue
		}
		s.Effort -= len(mine)
		for k, x := range mine {
			other[k] -= f * x
		}
		other[j] = -f / by
	}
	f := s.price[j]
	for k, x := range mine {
		s.price[k] -= f * x
	}
	s.price[j] = -f / by
	s.basic[row], s.column[j] = s.column[j], s.basic[row]
	s.value[row], s.upper[j] = entering, to > 0
	s.Effort -= 3 * len(mine)
}
