package distance_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/operators"
)

// TestLines compares the lines with the loops that are written out: the elements read before an element is written
// are in the lines that its line is computed from, and the outermost of these lines are read.
func TestLines(t *testing.T) {
	// A STRIDED_SLICE is never drawn with one batch.
	whole := strings.Fields(`FULLY_CONNECTED PACK UNPACK SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND EXPAND_DIMS SQUEEZE RESHAPE
		STRIDED_SLICE`)
	for _, kind := range operators.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(23, 2))
			known := 0
			for range 1000 {
				op := operators.Draw(r, kind)
				for operand := range op.Operands {
					for axis := 1; axis <= 2; axis++ {
						lines, ok := distance.Lines(op, operand, axis)
						if !ok || op.Operands[operand].Constant {
							continue
						}
						known++
						if why := strays(op, operand, axis, lines); why != "" {
							t.Fatalf("%s\noperand %d, axis %d: %v\n%+v", why, operand, axis, lines, op)
						}
					}
				}
			}
			if none := slices.Contains(whole, kind); none != (known == 0) {
				t.Errorf("%d operands have lines", known)
			}
		})
	}
}

// strays says what is wrong with the lines of an operand.
func strays(op *distance.Operator, operand, axis int, lines []distance.Range) string {
	m := newTrace(op)
	line := func(shape []int, at int) int { // shapes have five dimensions
		for d := 4; d > axis+1; d-- {
			at /= shape[d]
		}
		return at % shape[axis+1]
	}
	if len(lines) != m.shapes[1][0][axis+1] {
		return "there is not a range for each line"
	}
	seen := make([]distance.Range, len(lines))
	for j := range seen {
		seen[j] = distance.Range{First: 1 << 30, Last: -1}
	}
	var read []int
	why := ""
	m.follow = func(x, result, at int) {
		switch {
		case x == operand:
			read = append(read, line(m.shapes[0][x], at))
		case result >= 0:
			j := line(m.shapes[1][result], at)
			for _, i := range read {
				if i < lines[j].First || i > lines[j].Last {
					why = "another line is read"
				}
				seen[j] = distance.Range{First: min(seen[j].First, i), Last: max(seen[j].Last, i)}
			}
			read = read[:0]
		}
	}
	run(m)
	exact := slices.Contains(strings.Fields(`CONV_2D DEPTHWISE_CONV_2D MAX_POOL_2D AVERAGE_POOL_2D L2_POOL_2D PAD PADV2
		MIRROR_PAD SLICE STRIDED_SLICE CONCATENATION DEPTH_TO_SPACE`), op.Kind)
	for j := range seen {
		// If nothing is seen, the windows lie outside of the image in the other direction.
		if exact && seen[j].Last >= 0 && seen[j] != lines[j] {
			why = "a line too many"
		}
	}
	return why
}

// numbers is a constant operand.
func numbers(data ...int64) distance.Tensor {
	t := weights("INT32", len(data))
	t.Data = data
	return t
}

// TestLinesByHand has what the loops of the tests do not run.
func TestLinesByHand(t *testing.T) {
	i8 := func(shape ...int) distance.Tensor { return tensor("INT8", shape...) }
	for _, tc := range []struct {
		op   *distance.Operator
		at   int
		want []distance.Range
	}{
		{ // windows of 3 rows, 2 apart, over the result: rows 0 to 2, 2 to 4, 4 to 6 of which 6 is cut
			&distance.Operator{
				Kind:     "TRANSPOSE_CONV",
				Operands: []distance.Tensor{weights("INT32", 4), weights("INT8", 1, 3, 3, 1), i8(1, 3, 3, 1)},
				Results:  []distance.Tensor{i8(1, 6, 6, 1)}, Stride: [2]int{2, 2}, Padding: distance.Same,
			}, 2, []distance.Range{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}},
		},
		{
			&distance.Operator{
				Kind: "MEAN", Operands: []distance.Tensor{i8(1, 5, 3, 2), weights("INT32", 2)},
				Results: []distance.Tensor{i8(1, 1, 1, 2)},
			}, 0,
			[]distance.Range{{0, 4}},
		},
		{
			&distance.Operator{
				Kind: "MUL", Operands: []distance.Tensor{i8(1, 3, 3, 2), i8(1, 1, 1, 2)},
				Results: []distance.Tensor{i8(1, 3, 3, 2)},
			}, 1,
			[]distance.Range{{0, 0}, {0, 0}, {0, 0}},
		},
		{ // rows 4, 2, 0 of six
			&distance.Operator{
				Kind:     "STRIDED_SLICE",
				Operands: []distance.Tensor{i8(1, 6, 2, 1), numbers(0, 4, 0, 0), numbers(1, -7, 2, 1), numbers(1, -2, 1, 1)},
				Results:  []distance.Tensor{i8(1, 3, 2, 1)},
			}, 0, []distance.Range{{First: 4, Last: 4}, {First: 2, Last: 2}, {First: 0, Last: 0}},
		},
		{simple("RELU", i8(2, 3, 3, 2), i8(2, 3, 3, 2)), 0, nil},
		{simple("RELU", i8(3, 3, 2), i8(3, 3, 2)), 0, nil},
		{simple("NOBODY", i8(1, 3, 3, 2), i8(1, 3, 3, 2)), 0, nil},
	} {
		got, ok := distance.Lines(tc.op, tc.at, 1)
		if !slices.Equal(got, tc.want) || ok != (tc.want != nil) {
			t.Errorf("%s: %v, %v, want %v", tc.op.Kind, got, ok, tc.want)
		}
	}
}
