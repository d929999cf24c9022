package order

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestCheck refuses what is no program, and names the operator and the value.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		want string
		p    Program
	}{
		{"value 0: size -1 is negative", Program{Sizes: []int64{-1}}},
		{"more than 2^62 bytes", Program{Sizes: []int64{math.MaxInt64}}},
		{"more than 2^62 bytes", Program{Sizes: []int64{1 << 62, 1}}},
		{"inputs: value 1 of 1", Program{Sizes: []int64{1}, Inputs: []int32{1}}},
		{"outputs: value -1 of 1", Program{Sizes: []int64{1}, Outputs: []int32{-1}}},
		{"operator 0: scratch -2 is negative", Program{Operators: []Operator{{Scratch: -2}}}},
		{"operator 0: operand 3 of 0 values", Program{Operators: []Operator{{Operands: []int32{3}}}}},
		{"operator 0: result 3 of 0 values", Program{Operators: []Operator{{Results: []int32{3}}}}},
		{"operator 0: result 0 is an input", Program{
			Sizes: []int64{1}, Inputs: []int32{0}, Operators: []Operator{{Results: []int32{0}}},
		}},
		{"operator 1: result 0 is a result of operator 0 too", Program{
			Sizes: []int64{1}, Operators: []Operator{{Results: []int32{0}}, {Results: []int32{0}}},
		}},
		{"operator 0: after operator 1 of 1", Program{Operators: []Operator{{After: []int32{1}}}}},
		{"operator 0: permit 0: value 0 is none of its results", Program{
			Sizes: []int64{1}, Operators: []Operator{{Operands: []int32{0}, Permits: []Permit{{}}}},
		}},
		{"operator 0: permit 0: value 0 is none of its operands", Program{
			Sizes: []int64{1}, Operators: []Operator{{Results: []int32{0}, Permits: []Permit{{}}}},
		}},
		{"alias: 1 entries for 2 values", Program{Sizes: []int64{1, 1}, Alias: []int32{-1}}},
		{"alias: value 0 lies in value 2 of 2", Program{Sizes: []int64{1, 1}, Alias: []int32{2, -1}}},
		{"alias: value 0 lies in itself", Program{Sizes: []int64{1, 1}, Alias: []int32{1, 0}}},
		{"operator 0: operand 1 is no input and no result, but lies in value 0", Program{
			Sizes: []int64{1, 1}, Inputs: []int32{0}, Alias: []int32{-1, 0},
			Operators: []Operator{{Operands: []int32{1}}},
		}},
		{"operator 0: it has to run before itself", Program{Operators: []Operator{{After: []int32{0}}}}},
		{"it has to run before itself", Program{
			Sizes:     []int64{1},
			Operators: []Operator{{Operands: []int32{0}}, {Results: []int32{0}, After: []int32{0}}},
		}},
	} {
		if err := tc.p.Check(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
		if _, err := Best(context.Background(), &tc.p, Options{}); err == nil {
			t.Errorf("Best takes what Check refuses: %s", tc.want)
		}
	}
	both := Program{Sizes: []int64{-1}, Outputs: []int32{7}}
	if err := both.Check(); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("%v, want two faults", err)
	}
}

// TestGivenOrder refuses orders that cannot run.
func TestGivenOrder(t *testing.T) {
	p := &Program{Sizes: []int64{1, 1}, Operators: []Operator{
		{Results: []int32{0}}, {Operands: []int32{0}, Results: []int32{1}},
	}}
	for want, given := range map[string][]int32{
		"1 operators of 2":                       {0},
		"place 1: operator 0 a second time":      {0, 0},
		"place 0: operator 2 of 2":               {2, 0},
		"operator 1 runs before operator 0":      {1, 0},
		"place 0: operator -1 of 2":              {-1, 0},
		"given order: 3 operators of 2":          {0, 1, 0},
		"given order: place 1: operator 9 of 2":  {0, 9},
		"given order: place 0: operator 1 runs ": {1, 1},
	} {
		_, err := Best(context.Background(), p, Options{Given: given})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", given, err, want)
		}
	}
}

// TestSmallest covers programs without operators.
func TestSmallest(t *testing.T) {
	for want, p := range map[int64]*Program{
		0: {},
		7: {Sizes: []int64{3, 4, 5}, Inputs: []int32{0, 1}, Outputs: []int32{1}}, // value 2 is constant
		4: {Sizes: []int64{3, 4}, Inputs: []int32{0, 1}, Outputs: []int32{1}, LateInputs: true, Operators: []Operator{
			{Operands: []int32{1}}, // nobody reads input 0
		}},
	} {
		r, err := Best(context.Background(), p, Options{})
		if err != nil || r.Peak != want || r.Given != want || r.Bound != want || r.Status != model.Optimal {
			t.Errorf("%+v, %v, want peak %d", r, err, want)
		}
	}
}

// TestPairs counts by hand. A result of 10 bytes at distance 3 over an operand of 8 that dies needs 11 bytes; over
// one of 20, 23. Of two operands it lies over one. What is read later is not shared.
func TestPairs(t *testing.T) {
	pair := func(result, operand int64, m Permit, outputs ...int32) int64 {
		m.Result, m.Operand = 1, 0
		p := &Program{
			Sizes: []int64{operand, result}, Inputs: []int32{0}, Outputs: append(outputs, 1),
			Operators: []Operator{{Operands: []int32{0}, Results: []int32{1}, Permits: []Permit{m}}},
		}
		profile := must.Get(p.Profile(nil))(t)
		return profile[0]
	}
	for _, tc := range []struct{ got, want int64 }{
		{pair(10, 8, Permit{Distance: 3}), 11},
		{pair(10, 8, Permit{Distance: 2}), 10},
		{pair(10, 20, Permit{Distance: 3}), 23},
		{pair(10, 8, Permit{Distance: 30}), 18},
		{pair(10, 8, Permit{Distance: -5}), 10},
		{pair(10, 8, Permit{Exactly: true}), 10},
		{pair(10, 8, Permit{Distance: 3, Exactly: true}), 11},
		{pair(10, 8, Permit{Distance: -3, Exactly: true}), 13},
		{pair(10, 8, Permit{Distance: -8, Exactly: true}), 18},
		{pair(10, 8, Permit{}, 0), 18},
		{pair(10, 8, Permit{Distance: math.MaxInt64}), 18},
	} {
		if tc.got != tc.want {
			t.Errorf("%d bytes, want %d", tc.got, tc.want)
		}
	}
	// Operands of 6 and 4 bytes where a result of 10 wants them, the second time one byte less far apart; and a split.
	join := func(at int64) *Program {
		return &Program{Sizes: []int64{10, 6, 4}, Inputs: []int32{1, 2}, Operators: []Operator{{
			Operands: []int32{1, 2}, Results: []int32{0}, Permits: []Permit{
				{Result: 0, Operand: 1, Exactly: true}, {Result: 0, Operand: 2, Distance: at, Exactly: true},
			},
		}}}
	}
	split := &Program{Sizes: []int64{10, 6, 4}, Inputs: []int32{0}, Operators: []Operator{{
		Operands: []int32{0}, Results: []int32{1, 2}, Permits: []Permit{
			{Result: 1, Operand: 0, Exactly: true}, {Result: 2, Operand: 0, Distance: -6, Exactly: true},
		},
	}}}
	for _, tc := range []struct {
		p    *Program
		want int64
	}{{join(6), 10}, {join(5), 14}, {split, 10}} {
		if profile, err := tc.p.Profile(nil); err != nil || profile[0] != tc.want {
			t.Errorf("%v bytes, want %d: %v", profile, tc.want, err)
		}
	}
	// Two results and two operands: 0 over 2 and 1 over 3 save 4 + 5, 0 over 3 and 1 over 2 save 6 + 4.
	p := &Program{Sizes: []int64{9, 5, 4, 6}, Inputs: []int32{2, 3}, Operators: []Operator{{
		Operands: []int32{2, 3}, Results: []int32{0, 1},
		Permits: []Permit{
			{Result: 0, Operand: 2}, {Result: 0, Operand: 3}, {Result: 1, Operand: 2}, {Result: 1, Operand: 3},
		},
	}}}
	if profile, _ := p.Profile(nil); !slices.Equal(profile, []int64{24 - 10}) {
		t.Errorf("%d bytes, want 14", profile)
	}
}

// TestAliases holds two operands that are written into the result of a concatenation: the copy costs nothing.
func TestAliases(t *testing.T) {
	p := &Program{
		Sizes: []int64{5, 6, 11, 1}, Outputs: []int32{3},
		Operators: []Operator{
			{Results: []int32{0}},
			{Results: []int32{1}},
			{Operands: []int32{0, 1}, Results: []int32{2}},
			{Operands: []int32{2}, Results: []int32{3}},
		},
	}
	apart, _ := p.Profile(nil)
	p.Alias = []int32{2, 2, -1, -1}
	together, _ := p.Profile(nil)
	if !slices.Equal(apart, []int64{5, 11, 22, 12}) || !slices.Equal(together, []int64{11, 11, 11, 12}) {
		t.Errorf("%d apart, %d together", apart, together)
	}
}

// TestManyOperators orders a chain that is too long for ancestors and descendants to be kept. In its middle an
// operator reads ten further values, which somebody has to make before. The lowest peak is proven all the same.
func TestManyOperators(t *testing.T) {
	const chain, short = reachMost, 10
	p := &Program{Sizes: make([]int64, chain+short), Operators: make([]Operator, chain+short)}
	for k := range p.Operators {
		p.Sizes[k] = 10
		p.Operators[k].Results = []int32{int32(k)}
		if k > 0 && k < chain {
			p.Operators[k].Operands = []int32{int32(k - 1)}
		}
	}
	given := make([]int32, 0, len(p.Operators))
	for k := range chain {
		given = append(given, int32(k))
		if k == chain/2 {
			for s := range short {
				p.Operators[k+1].Operands = append(p.Operators[k+1].Operands, int32(chain+s))
				given = append(given, int32(chain+s))
			}
		}
	}
	r, err := Best(context.Background(), p, Options{Given: given, States: 100})
	if err != nil || r.Status != model.Optimal || r.Peak != 10*(short+2) {
		t.Errorf("peak %d, bound %d, %v, %v; want %d", r.Peak, r.Bound, r.Status, err, 10*(short+2))
	}
}
