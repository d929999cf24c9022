// Package sampled makes a family of problems out of sizes that are known at single values of symbols: a model whose
// shapes were derived, or a program that was recorded, at some of them.
//
//	sampled.go  the family as a whole, and the values at which sizes are looked at
//	line.go     the size of a buffer while one symbol varies
//	grid.go     formulas in several symbols
package sampled

import (
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: sizes are products of dimensions, and a dimension is a symbol, or a symbol divided by the stride of a window and
// rounded. So a size is a polynomial of low degree in the symbols, or in such quotients. One symbol is varied at a time
// to find quotient and degree; a grid of as many values as the polynomial has coefficients gives these. Then each
// formula is checked at values that it was not made from: at all there are, up to a limit.
//
// Invariant: a family never states a size that differs from one that was looked at. If a buffer has no formula, the sizes
// at all points become scenarios, and if there are too many points for that, there is no family.
//
// Complexity: at most lineMost values for each symbol, a grid for each set of quotients, and mostChecked points.

// A Table returns the size of each buffer at values of the symbols, in bytes.
type Table func(values []int64) ([]int64, error)

// Limits of what is looked at. The first is a variable for tests.
var mostChecked int64 = 2048 // points at which formulas are checked; all points, if there are no more

const lineMost = 512 // values of a symbol while the others stand still

// A Family is a family with what is known of its sizes.
type Family struct {
	*model.Family
	Looked int64 // at how many points sizes were compared
	Left   int   // how many buffers have no formula; then each point is a scenario
}

// Of returns the family of a problem whose sizes the table gives. Sizes are rounded up to multiples of round; the table
// has them as they are. The family is complete. It keeps p, and sets its sizes.
func Of(p *model.Problem, symbols []model.Symbol, round int64, table Table) (*Family, error) {
	f := &model.Family{Problem: p, Symbols: symbols, Formulas: make([]*model.Formula, len(p.Buffers))}
	if err := f.Complete(); err != nil { // sizes that do not vary: this checks the symbols
		return nil, err
	}
	s := &sampler{family: f, table: table, round: max(1, round), known: map[string][]int64{}}
	if err := s.formulas(); err != nil {
		return nil, err
	}
	points := f.Spread(mostChecked)
	if f.Points() <= mostChecked {
		points = points[:0]
		for k := range f.Points() {
			points = append(points, k)
		}
	}
	left, err := s.check(points)
	if err != nil {
		return nil, err
	}
	out := &Family{Family: f, Looked: int64(len(points)), Left: len(left)}
	if len(left) > 0 {
		if f.Points() > mostChecked {
			return nil, model.Issue{Buffer: p.Buffers[left[0]].ID, Field: "size", Message: fmt.Sprintf(
				"follows no formula that was tried, and %d values are too many to look at each; give shorter ranges, or steps as "+
					"in 16..512/16, so that there are at most %d", f.Points(), mostChecked)}.Err()
		}
		s.scenarios(points)
	}
	return out, f.Complete()
}

// A sampler is one run of Of.
type sampler struct {
	family *model.Family
	table  Table
	round  int64
	known  map[string][]int64 // sizes by the values of the symbols
}

// at returns the sizes at values, as the table has them.
func (s *sampler) at(values []int64) ([]int64, error) {
	key := fmt.Sprint(values)
	if sizes, ok := s.known[key]; ok {
		return sizes, nil
	}
	sizes, err := s.table(values)
	if err != nil {
		return nil, err
	}
	if n := len(s.family.Problem.Buffers); len(sizes) != n {
		return nil, fmt.Errorf("there are %d sizes for %d buffers", len(sizes), n)
	}
	s.known[key] = sizes
	return sizes, nil
}

// check returns the buffers whose formulas differ from the table at some of the points. Their formulas are removed.
func (s *sampler) check(points []int64) (left []int, err error) {
	f := s.family
	wrong := make([]bool, len(f.Formulas))
	for _, point := range points {
		sizes, err := s.at(f.Values(point))
		if err != nil {
			return nil, err
		}
		for i, stated := range f.SizesAt(point) { // 0 for a formula that cannot be computed
			wrong[i] = wrong[i] || stated != s.rounded(sizes[i])
		}
	}
	for i := range wrong {
		if wrong[i] {
			f.Formulas[i] = nil
			left = append(left, i)
		}
	}
	return left, nil
}

// rounded returns a size as buffers have it.
func (s *sampler) rounded(size int64) int64 { return (size + s.round - 1) / s.round * s.round }

// scenarios makes a scenario of each point. The points must be all that there are, and checked.
func (s *sampler) scenarios(points []int64) {
	f := s.family
	for _, point := range points {
		sizes := append([]int64(nil), s.known[fmt.Sprint(f.Values(point))]...)
		for i := range sizes {
			sizes[i] = s.rounded(sizes[i])
		}
		f.Scenarios = append(f.Scenarios, f.Name(point))
		f.Sizes = append(f.Sizes, sizes)
	}
	f.Symbols, f.Formulas = nil, nil
}

// Range reads LOW..HIGH or LOW..HIGH/STEP as the range of a symbol. ok is false if the text has another form.
func Range(name, text string, number func(string) (int64, error)) (s model.Symbol, ok bool, err error) {
	low, rest, ok := strings.Cut(text, "..")
	if !ok {
		return s, false, nil
	}
	high, step, stepped := strings.Cut(rest, "/")
	s = model.Symbol{Name: name, Step: 1}
	if s.Low, err = number(low); err == nil {
		s.High, err = number(high)
	}
	if err == nil && stepped {
		s.Step, err = number(step)
	}
	if err == nil && (s.Low < 0 || s.High < s.Low || s.Step < 1) {
		err = fmt.Errorf("a range is LOW..HIGH or LOW..HIGH/STEP, from at least 0 upwards, by steps of at least 1")
	}
	return s, true, err
}
