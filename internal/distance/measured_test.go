package distance_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestMeasured compares the table with distances that were measured by tracing the libraries' own kernels
// (lab/kernels). It fails if a rule permits less than a kernel needs, or if a path that is permitted is far above.
func TestMeasured(t *testing.T) {
	file := must.Get(os.Open("testdata/measured.txt"))(t)
	defer file.Close()
	permitted := map[distance.Library]int{}
	refused := map[distance.Library]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		library, rest, _ := strings.Cut(lines.Text(), " ")
		if library == "#" || library == "" {
			continue
		}
		l := must.Get(distance.ParseLibrary(library))(t)
		at := strings.LastIndexByte(rest, ' ')
		c, err := kernelcase.Parse(rest[:at])
		if err != nil || c.String() != rest[:at] {
			t.Fatalf("%q: %q, %v", rest, c, err)
		}
		operand, result := c.Bytes()
		measured := -int64(operand) // "-": nothing is read after a write
		if rest[at+1:] != "-" {
			if measured, err = strconv.ParseInt(rest[at+1:], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		permits, why := distance.Of(l, c.Operator())
		if len(permits) == 0 {
			refused[l]++
			if why == "" {
				t.Errorf("%s, %s: refused without a reason", l, c)
			}
			continue
		}
		permitted[l]++
		for _, p := range permits {
			if p.Operand != c.Measured() {
				continue
			}
			if p.Distance < measured {
				t.Errorf("%s, %s: the table has %d, measured %d", l, c, p.Distance, measured)
			}
			if p.Distance >= int64(result) {
				t.Errorf("%s, %s: a permit of %d saves nothing, the result has %d bytes", l, c, p.Distance, result)
			}
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	for _, l := range distance.Libraries() {
		if l != distance.Reference && permitted[l] < 100 {
			t.Errorf("%s: %d cases permitted, %d refused", l, permitted[l], refused[l])
		}
	}
}

// TestCMSIS checks what differs from the reference, by the library's three kinds of cores: a distance, or part
// of the reason why nothing is permitted.
func TestCMSIS(t *testing.T) {
	for _, want := range []struct {
		c            string
		c0, dsp, mve any
	}{
		{"CONV_2D INT8 INT8 1x8x8x16 16 1x1 1x1 valid 1x1 1 -", "each pair of channels", "each pair of channels", int64(63)},
		{"CONV_2D INT8 INT4 1x8x8x16 16 1x1 1x1 valid 1x1 1 -", "each pair of channels", "each pair of channels", int64(63)},
		{"CONV_2D INT8 INT8 1x1x1x16 32 1x1 1x1 valid 1x1 1 -", int64(31), int64(31), int64(31)},
		{"CONV_2D INT8 INT8 1x8x8x16 16 1x1 2x2 valid 1x1 1 -", int64(63), int64(63), int64(63)},
		{"CONV_2D INT8 INT8 1x8x8x16 16 1x1 1x1 valid 2x1 1 -", int64(15), int64(15), int64(15)},
		{"CONV_2D INT16 INT8 1x8x8x16 16 1x1 1x1 valid 1x1 1 -", int64(30), int64(30), int64(30)},
		{"CONV_2D INT8 INT8 1x8x8x16 16 3x3 1x1 same 1x1 1 -", int64(159), int64(159), int64(159)},
		{"CONV_2D INT8 INT8 1x8x8x8 16 3x3 1x1 same 1x1 2 -", "each group", "each group", "each group"},
		{"CONV_2D INT8 INT8 1x1x32x8 8 1x3 1x1 same 1x1 1 -", int64(15), int64(15), int64(39)},
		{"CONV_2D INT8 INT8 1x1x33x8 16 1x5 1x2 same 1x1 1 -", int64(31), int64(31), "past the image"},
		{"CONV_2D INT8 INT8 1x1x6x20 13 1x7 1x2 same 1x1 1 -", int64(25), int64(25), "past its copy"},
		{"CONV_2D INT8 INT8 1x1x33x10 6 1x3 1x1 same 1x1 1 -", int64(11), int64(11), int64(11)},
		{"CONV_2D INT8 INT4 1x1x32x8 8 1x3 1x1 same 1x1 1 -", int64(15), int64(15), "not been worked out"},
		{"DEPTHWISE_CONV_2D INT8 INT8 1x6x6x124 124 3x3 1x1 same 1x1 1 -", int64(868), int64(868), int64(868)},
		{"DEPTHWISE_CONV_2D INT8 INT8 1x6x6x125 125 3x3 1x1 same 1x1 1 -", int64(875), int64(875), "each 124 of its 125"},
		{"DEPTHWISE_CONV_2D INT8 INT4 1x6x6x125 125 3x3 1x1 same 1x1 1 -", int64(875), int64(875), "each 124 of its 125"},
		{"DEPTHWISE_CONV_2D INT8 INT8 2x6x6x125 125 3x3 1x1 same 1x1 1 -", int64(875), int64(875), int64(875)},
		{"DEPTHWISE_CONV_2D INT8 INT8 1x8x8x1 5 1x1 1x1 same 1x1 5 -", int64(256), int64(256), int64(271)},
		{"FULLY_CONNECTED INT8 INT8 4x1x1x16 16 1x1 1x1 valid 1x1 1 2,0", int64(15), int64(15), int64(15)},
		{"FULLY_CONNECTED INT8 INT8 4x1x1x16 16 1x1 1x1 valid 1x1 1 3,0", "all batches", "all batches", int64(63)},
		{"FULLY_CONNECTED INT8 INT8 1x1x1x16 20 1x1 1x1 valid 1x1 1 3,0", int64(19), int64(19), int64(19)},
		{"FULLY_CONNECTED INT8 INT8 4x1x1x18 16 1x1 1x1 valid 1x1 1 3,0", int64(15), int64(15), int64(15)},
		{"MAX_POOL_2D INT8 INT8 1x8x8x16 16 2x2 2x2 valid 1x1 1 -", int64(16), int64(16), int64(0)},
		{"MAX_POOL_2D INT8 INT8 1x5x9x1 1 2x2 2x2 valid 1x1 1 -", int64(1), int64(1), int64(0)},
		{"MAX_POOL_2D INT16 INT16 1x8x8x16 16 2x2 2x2 valid 1x1 1 -", int64(32), int64(32), int64(32)},
		{"AVERAGE_POOL_2D INT8 INT8 1x8x8x16 16 2x2 2x2 valid 1x1 1 -", int64(0), int64(0), int64(0)},
		{"PAD INT8 INT8 1x4x4x5 5 1x1 1x1 valid 1x1 1 0,0,1,1,1,1,0,0", int64(85), int64(85), int64(85)},
		{"ADD INT8 INT8 1x1x1x251 251 1x1 1x1 valid 1x1 1 1", int64(0), int64(0), int64(0)},
		{"MAXIMUM INT8 INT8 1x4x4x5 5 1x1 1x1 valid 1x1 1 1", int64(0), int64(0), int64(0)},
	} {
		c := must.Get(kernelcase.Parse(want.c))(t)
		for l, want := range map[distance.Library]any{distance.C: want.c0, distance.DSP: want.dsp, distance.MVE: want.mve} {
			permits, refused := distance.Of(l, c.Operator())
			reason, refuse := want.(string)
			switch {
			case refuse && (len(permits) > 0 || !strings.Contains(refused, reason)):
				t.Errorf("%s, %s: %v, %q, want a reason with %q", l, c, permits, refused, reason)
			case !refuse && (len(permits) == 0 || permits[len(permits)-1].Distance != want):
				t.Errorf("%s, %s: %v, %q, want %d", l, c, permits, refused, want)
			}
		}
	}
}

// TestGlue checks that what the glue keeps for the reference kernels has the reference's distance, and that the
// libraries' other operators are refused.
func TestGlue(t *testing.T) {
	libraries := []distance.Library{distance.MVE, distance.DSP, distance.C, distance.ESP}
	float := distance.Tensor{Shape: []int{1, 8, 8, 16}, Type: distance.TypeOf("FLOAT32")}
	filter := distance.Tensor{Shape: []int{16, 1, 1, 16}, Type: distance.TypeOf("FLOAT32"), Constant: true}
	convolution := &distance.Operator{
		Kind: "CONV_2D", Operands: []distance.Tensor{float, filter}, Results: []distance.Tensor{float},
	}
	want, _ := distance.Of(distance.Reference, convolution)
	for _, l := range libraries {
		got, refused := distance.Of(l, convolution)
		if len(got) != 1 || len(want) != 1 || got[0] != want[0] {
			t.Errorf("%s: %v, %q, the reference's is %v", l, got, refused, want)
		}
		for _, kind := range []string{"SVDF", "TRANSPOSE_CONV", "MEAN"} {
			op := &distance.Operator{Kind: kind, Operands: []distance.Tensor{float, float}, Results: []distance.Tensor{float}}
			if permits, refused := distance.Of(l, op); len(permits) > 0 || !strings.HasPrefix(refused, kind) {
				t.Errorf("%s, %s: %v, %q", l, kind, permits, refused)
			}
		}
	}
	grouped := must.Get(kernelcase.Parse("CONV_2D INT8 INT8 1x8x8x8 16 1x1 1x1 same 1x1 2 -"))(t)
	if permits, refused := distance.Of(distance.ESP, grouped.Operator()); len(permits) > 0 ||
		!strings.Contains(refused, "groups") {
		t.Errorf("esp-nn in groups: %v, %q", permits, refused)
	}
}
