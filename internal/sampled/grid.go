package sampled

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: with a quotient and a degree for each symbol, a size is a sum of products of powers of the quotients. It has as
// many coefficients as a grid has points that takes degree+1 values of each symbol. Interpolating along one axis after
// the other gives them, exactly, in fractions. A common denominator is divided by in the end; the division leaves no
// rest.
//
// A family wants to know that a size only rises with the symbols. A formula without minus shows that. So if a
// coefficient is negative, the quotients count from their lowest values, where polynomials that rise rarely have one.
//
// Complexity: product of degree+1 over the symbols, for each set of quotients.

// formulas finds a formula for each buffer. Those that have none are found by check.
func (s *sampler) formulas() error {
	f := s.family
	n := len(f.Problem.Buffers)
	top := f.Values(f.Points() - 1)
	quotients := make([][]quotient, n) // nil if there is none
	for i := range quotients {
		quotients[i] = make([]quotient, len(f.Symbols))
	}
	for k := range f.Symbols {
		values, all := lineOf(f.Symbols[k])
		sizes := make([][]int64, n)
		for _, v := range values {
			at := append([]int64(nil), top...)
			at[k] = v
			all, err := s.at(at)
			if err != nil {
				return err
			}
			for i, size := range all {
				sizes[i] = append(sizes[i], size)
			}
		}
		type found struct {
			quotient
			ok bool
		}
		seen := map[string]found{} // many buffers have the same sizes
		for i := range sizes {
			key := fmt.Sprint(sizes[i])
			x, there := seen[key]
			if !there {
				x.quotient, x.ok = quotientOf(values, sizes[i], all)
				seen[key] = x
			}
			if !x.ok {
				quotients[i] = nil
			} else if quotients[i] != nil {
				quotients[i][k] = x.quotient
			}
		}
	}
	for i, q := range quotients {
		last, err := s.at(top)
		if err != nil {
			return err
		}
		f.Problem.Buffers[i].Size = s.rounded(last[i])
		if q == nil {
			continue
		}
		if f.Formulas[i], err = s.formula(i, q); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns the values of a symbol at which sizes are looked at: all if they are few, otherwise the first, the last
// and some between. all says which.
func lineOf(s model.Symbol) (values []int64, all bool) {
	step := max(1, s.Step)
	count := (s.High-s.Low)/step + 1
	if count <= lineMost {
		for k := range count {
			values = append(values, s.Low+k*step)
		}
		return values, true
	}
	const first, between, last = lineMost / 2, lineMost / 4, lineMost / 4
	for k := range int64(lineMost) {
		at := k
		switch {
		case k >= first+between:
			at = count - lineMost + k
		case k >= first:
			at = first + (count-first-last)/between*(k-first)
		}
		values = append(values, s.Low+at*step)
	}
	return values, false
}

// formula returns the size of buffer i, given its quotients; nil if it does not vary, or by too large numbers.
func (s *sampler) formula(i int, q []quotient) (*model.Formula, error) {
	f := s.family
	places := make([][]int64, len(q)) // of each symbol, values on the grid
	lows := make([]int64, len(q))
	cells, varies := 1, false
	for k := range q {
		values, _ := lineOf(f.Symbols[k])
		distinct := values[:1:1]
		for _, v := range values[1:] {
			if q[k].of(v) > q[k].of(distinct[len(distinct)-1]) {
				distinct = append(distinct, v)
			}
		}
		lows[k] = q[k].of(values[0])
		for j := range q[k].degree + 1 {
			places[k] = append(places[k], distinct[j*int64(len(distinct)-1)/max(1, q[k].degree)])
		}
		cells *= len(places[k])
		varies = varies || q[k].degree > 0
	}
	if !varies {
		return nil, nil
	}
	grid := make([]*big.Rat, cells)
	for c := range grid {
		values, rest := make([]int64, len(q)), c
		for k := len(q) - 1; k >= 0; k-- {
			values[k] = places[k][rest%len(places[k])]
			rest /= len(places[k])
		}
		sizes, err := s.at(values)
		if err != nil {
			return nil, err
		}
		grid[c] = big.NewRat(sizes[i], 1)
	}
	for _, bases := range [][]int64{make([]int64, len(q)), lows} {
		text, rising := s.text(polynomial(grid, places, q, bases), q, places, bases)
		formula, err := model.ParseFormula(text)
		if err != nil {
			return nil, nil // a number is too large for a formula
		}
		if rising || &bases[0] == &lows[0] {
			return formula, nil
		}
	}
	return nil, nil
}

// polynomial returns the coefficients of the values on a grid, in quotients less bases. The last exponent varies fastest.
func polynomial(grid []*big.Rat, places [][]int64, q []quotient, bases []int64) []*big.Rat {
	out := append([]*big.Rat(nil), grid...)
	stride := 1
	for k := len(q) - 1; k >= 0; k-- {
		n := len(places[k])
		x := make([]*big.Rat, n)
		for j, v := range places[k] {
			x[j] = big.NewRat(q[k].of(v)-bases[k], 1)
		}
		for c := range out {
			if c/stride%n > 0 {
				continue
			}
			y := make([]*big.Rat, n)
			for j := range y {
				y[j] = out[c+j*stride]
			}
			for j, a := range interpolated(x, y) {
				out[c+j*stride] = a
			}
		}
		stride *= n
	}
	return out
}

// text returns a polynomial as a formula, rounded up. rising says that no coefficient but the constant is negative.
func (s *sampler) text(coefficients []*big.Rat, q []quotient, places [][]int64, bases []int64) (text string, rising bool) {
	denominator := big.NewInt(1)
	for _, a := range coefficients {
		gcd := new(big.Int).GCD(nil, nil, denominator, a.Denom())
		denominator.Mul(denominator, new(big.Int).Quo(a.Denom(), gcd))
	}
	round := big.NewInt(s.round)
	multiple := denominator.IsInt64() && denominator.Int64() == 1
	var plus, minus []string
	rising = true
	for c := len(coefficients) - 1; c >= 0; c-- {
		a := coefficients[c]
		if a.Sign() == 0 {
			continue
		}
		number := new(big.Int).Mul(a.Num(), new(big.Int).Quo(denominator, a.Denom()))
		multiple = multiple && new(big.Int).Rem(number, round).Sign() == 0
		var factors []string
		rest := c
		for k := len(q) - 1; k >= 0; k-- {
			e := rest % len(places[k])
			rest /= len(places[k])
			if e == 0 {
				continue
			}
			factor := q[k].text(s.family.Symbols[k].Name, bases[k])
			if e > 1 {
				factor += "^" + strconv.Itoa(e)
			}
			factors = append([]string{factor}, factors...)
		}
		size := new(big.Int).Abs(number)
		if len(factors) == 0 || !size.IsInt64() || size.Int64() != 1 {
			factors = append([]string{size.String()}, factors...)
		}
		if a.Sign() > 0 {
			plus = append(plus, strings.Join(factors, "*"))
		} else {
			minus = append(minus, strings.Join(factors, "*"))
			rising = rising && c == 0
		}
	}
	if len(plus) == 0 {
		plus = []string{"0"}
	}
	text = strings.Join(append([]string{strings.Join(plus, "+")}, minus...), "-")
	if denominator.Cmp(big.NewInt(1)) != 0 {
		text = "floor((" + text + ")/" + denominator.String() + ")"
	}
	if !multiple && s.round > 1 {
		text = round.String() + "*ceil((" + text + ")/" + round.String() + ")"
	}
	return text, rising
}
