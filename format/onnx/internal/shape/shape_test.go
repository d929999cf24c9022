package shape

import (
	"math"
	"slices"
	"testing"
)

// TestBroadcast checks shapes of element-wise results. An open dimension stays open, unless
// another operand says what it must be.
func TestBroadcast(t *testing.T) {
	for _, c := range []struct {
		a, b, want []int64
		ok         bool
	}{
		{[]int64{2, 3}, []int64{3}, []int64{2, 3}, true},
		{[]int64{2, 1}, []int64{1, 4}, []int64{2, 4}, true},
		{[]int64{}, []int64{5}, []int64{5}, true},
		{[]int64{0}, []int64{1}, []int64{0}, true},
		{[]int64{-1}, []int64{4}, []int64{4}, true},
		{[]int64{-1}, []int64{1}, []int64{-1}, true},
		{[]int64{-1}, []int64{-1}, []int64{-1}, true},
		{[]int64{2}, []int64{3}, nil, false},
		{nil, []int64{3}, nil, true},
	} {
		for range 2 {
			if got, ok := Broadcast(c.a, c.b); ok != c.ok || !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
				t.Errorf("Broadcast(%v, %v) = %v, %v", c.a, c.b, got, ok)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestArithmetic checks that what is open, or too large for a tensor, is open.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct{ a, b, times, sum int64 }{
		{3, 4, 12, 7},
		{0, 5, 0, 5},
		{-1, 5, -1, -1},
		{0, -1, -1, -1},
		{MaxElements, 1, MaxElements, -1},
		{MaxElements, 0, 0, MaxElements},
		{1 << 30, 1 << 30, -1, 1 << 31},
		{math.MaxInt64, 2, -1, -1},
	} {
		if got := Times(c.a, c.b); got != c.times {
			t.Errorf("Times(%d, %d) = %d", c.a, c.b, got)
		}
		if got := Sum(c.a, c.b); c.a <= MaxElements && got != c.sum {
			t.Errorf("Sum(%d, %d) = %d", c.a, c.b, got)
		}
	}
	if a, ok := Axis(-1, 3); a != 2 || !ok {
		t.Error("the last axis")
	}
	for _, a := range []int64{3, -4, math.MinInt64, math.MaxInt64} {
		if _, ok := Axis(a, 3); ok {
			t.Errorf("%d is an axis of three", a)
		}
	}
}

// TestBytes checks sizes. Elements of fewer than eight bits are packed.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		elem Type
		dims []int64
		want int64
	}{
		{TypeFloat, []int64{2, 3}, 24},
		{TypeFloat, []int64{}, 4},
		{TypeFloat, []int64{0, -1}, 0},
		{TypeFloat, []int64{-1}, -1},
		{TypeFloat, nil, -1},
		{22, []int64{3}, 2}, // INT4
		{TypeString, []int64{3}, -1},
		{-5, []int64{3}, -1},
		{TypeFloat, []int64{1 << 40, 1 << 40}, -1},
	} {
		if got := BytesOf(c.elem, c.dims); got != c.want {
			t.Errorf("%v %s takes %d bytes, not %d", c.elem, Text(c.dims), got, c.want)
		}
	}
	list := Result{
		Kind: KindSequence, Counted: true,
		Items: []Result{{Elem: TypeBool, Dims: []int64{5}}, {Elem: TypeInt64, Dims: []int64{2}}},
	}
	if list.Bytes() != 21 {
		t.Errorf("the sequence takes %d bytes", list.Bytes())
	}
	if list.Items[1].Dims[0] = -1; list.Bytes() != -1 {
		t.Errorf("the open sequence takes %d bytes", list.Bytes())
	}
}

// TestEither checks what is known of a value that is one of two: what both agree on, and room for the larger.
func TestEither(t *testing.T) {
	a := Result{Elem: TypeInt64, Dims: []int64{2, 3}}
	b := Result{Elem: TypeInt64, Dims: []int64{2, 5}}
	if got := Either(a, b, false); !slices.Equal(got.Dims, []int64{2, -1}) || got.Bytes() != 80 {
		t.Errorf("%+v", got)
	}
	b = Result{Elem: TypeFloat, Dims: []int64{2, 3}}
	if got := Either(a, b, false); got.Dims != nil || got.Bytes() != 48 {
		t.Errorf("of two types: %+v", got)
	}
	a.Dims, a.Data = []int64{1}, &Data{Ints: []int64{7}}
	if got := Either(a, a, false); got.Data == nil {
		t.Error("two that are alike are known")
	}
	b = a
	b.Data = &Data{Ints: []int64{8}}
	if got := Either(a, b, false); got.Data != nil {
		t.Error("two that differ are not known")
	}
	if got := Meet(a.Dims, []int64{1, 1}); got != nil {
		t.Errorf("two ranks have %v in common", got)
	}
}

// TestData checks which numbers a type has, and which tensors are small.
func TestData(t *testing.T) {
	for elem, list := range map[Type][2]int64{
		TypeBool: {0, 1}, TypeUint8: {0, 255}, TypeInt8: {-128, 127}, TypeUint16: {0, 65535}, TypeInt16: {
			-32768,
			32767,
		},
		TypeInt32: {math.MinInt32, math.MaxInt32}, TypeUint32: {0, math.MaxUint32},
	} {
		for k, inside := range map[int64]bool{list[0]: true, list[1]: true, list[0] - 1: false, list[1] + 1: false} {
			if (&Data{Ints: []int64{k}}).Fits(elem) != inside {
				t.Errorf("%d as %v", k, elem)
			}
		}
	}
	if (&Data{Ints: []int64{-1}}).Fits(TypeUint64) || !(&Data{Ints: []int64{-1}}).Fits(TypeInt64) {
		t.Error("numbers of 64 bits")
	}
	if !Foldable(TypeInt64, []int64{MaxFold}) || Foldable(TypeInt64, []int64{MaxFold + 1}) ||
		Foldable(TypeFloat, []int64{MaxFoldFloat + 1}) ||
		Foldable(TypeString, []int64{1}) || Foldable(TypeInt64, []int64{-1}) {
		t.Error("which tensors are small")
	}
	if d := (&Data{Floats: []float64{1, 2, 3}}).Pick([]int{2, 0}); !slices.Equal(d.Floats, []float64{3, 1}) ||
		d.Ints != nil {
		t.Errorf("picked %+v", d)
	}
}
