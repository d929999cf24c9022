package kernelscratch_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/scratchcase"
)

// TestFormulas compares every formula with the libraries' compiled size functions on random operators and four wake
// words (testdata/sizes.txt, which lab/kernels/scratch/record wrote). It has to see every set with every kind.
func TestFormulas(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/sizes.txt"))(t)
	sets := map[rune]kernelscratch.Set{}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if letter, name, ok := strings.Cut(line, " = "); ok {
			s := must.Get(kernelscratch.Parse(name))(t)
			sets[rune(letter[0])] = s
			continue
		}
		if line[0] == '#' {
			continue
		}
		text, answers, _ := strings.Cut(line, " ; ")
		op := must.Get(scratchcase.Parse(text))(t)
		if again := scratchcase.Line(op); again != text {
			t.Fatalf("%q is read as %q", text, again)
		}
		words := strings.Fields(answers)
		for i := 0; i+1 < len(words); i += 2 {
			for _, letter := range words[i+1] {
				s, ok := sets[letter]
				if !ok {
					t.Fatalf("%q has no set", letter)
				}
				if got := said(s, op); got != words[i] && (got != "?" || words[i] == "-") {
					t.Errorf("%s: %s: %s instead of %s", s, text, got, words[i])
				}
				if words[i] != "-" {
					seen[s.String()+" "+op.Kind]++
				}
			}
		}
	}
	for _, s := range kernelscratch.Sets() {
		kinds := map[distance.Library]string{
			distance.ESP: "CONV_2D DEPTHWISE_CONV_2D SOFTMAX",
			distance.MVE: "CONV_2D DEPTHWISE_CONV_2D TRANSPOSE_CONV FULLY_CONNECTED SVDF BATCH_MATMUL",
			distance.DSP: "CONV_2D DEPTHWISE_CONV_2D TRANSPOSE_CONV FULLY_CONNECTED AVERAGE_POOL_2D SVDF",
			distance.C:   "CONV_2D DEPTHWISE_CONV_2D TRANSPOSE_CONV FULLY_CONNECTED SVDF",
		}[s.Library]
		if s.Part == kernelscratch.InC {
			kinds = "SOFTMAX"
		}
		for _, kind := range strings.Fields(kinds) {
			if n := seen[s.String()+" "+kind]; n < 1 {
				t.Errorf("%s: nothing is requested by %s", s, kind)
			}
		}
	}
}

// said is what the formulas say, as the file has it.
func said(s kernelscratch.Set, op *distance.Operator) string {
	requests, answer := kernelscratch.Of(s, op)
	switch answer {
	case kernelscratch.Unknown:
		return "?"
	case kernelscratch.ByReference:
		return "-"
	}
	kept, _ := kernelscratch.KeptBy(s, op, 4)
	out := strings.ReplaceAll(strings.Trim(fmt.Sprint(requests), "[]"), " ", "+")
	if op.Kind == "FULLY_CONNECTED" && op.PerChannel && len(kept.Buffers) > 1 && op.Operands[0].Type.Name != "FLOAT32" {
		kept.Buffers = kept.Buffers[2:] // multipliers and shifts
	}
	if n := len(kept.Buffers); n > 0 && (op.Kind == "FULLY_CONNECTED" || op.Kind == "SVDF") {
		out += "|" + strconv.FormatInt(kept.Buffers[n-1], 10)
	}
	if out == "" {
		return "-"
	}
	return out
}

// set returns a set by its name.
func set(t *testing.T, name string) kernelscratch.Set {
	t.Helper()
	return must.Get(kernelscratch.Parse(name))(t)
}

// TestUnknown has what no formula can answer, and what the caller has to answer: neither gets a number.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		set, line string
		want      kernelscratch.Answer
	}{
		{"reference", "CONV_2D 1x1 1x1 same 0 - INT8:1x9x9x8 INT8!8x3x3x8 > INT8:1x9x9x8", kernelscratch.ByReference},
		{"esp-nn", "ADD 0x0 0x0 valid 0 - INT8:1x9 INT8:1x9 > INT8:1x9", kernelscratch.ByReference},
		{"cmsis-nn-mve", "PAD 0x0 0x0 valid 0 - INT8:1x9 INT32!2x2 > INT8:1x11", kernelscratch.ByReference},
		// three dimensions
		{"esp-nn", "CONV_2D 1x1 1x1 same 0 - INT8:9x9x8 INT8!8x3x3x8 > INT8:9x9x8", kernelscratch.Unknown},
		// above 16 bits
		{"esp-nn", "CONV_2D 1x1 1x1 same 0 - INT8:1x1x70000x8 INT8!8x1x1x8 > INT8:1x1x70000x8", kernelscratch.Unknown},
		// above 32 bits
		{"esp-nn", "CONV_2D 1x1 1x1 same 0 - INT8:1x60000x60000x8 INT8!8x3x3x8 > INT8:1x60000x60000x8", kernelscratch.Unknown},
		// nothing
		{"esp-nn", "CONV_2D 1x1 1x1 same 0 - INT8:1x0x9x8 INT8!8x3x3x8 > INT8:1x0x9x8", kernelscratch.Unknown},
		// no operand: the kernel refuses
		{"cmsis-nn-mve", "CONV_2D 1x1 1x1 same 0 - > INT8:1x9x9x8", kernelscratch.ByVendor},
		// the glue's stride
		{"cmsis-nn-mve", "DEPTHWISE_CONV_2D 1x1 1x1 valid 8 - INT8:1x1x9x1 INT8!1x1x3x8 > INT8:1x1x7x8", kernelscratch.Unknown},
		// which does not matter here
		{"cmsis-nn-mve", "DEPTHWISE_CONV_2D 1x1 1x1 valid 8 - INT8:1x9x9x1 INT8!1x3x3x8 > INT8:1x7x7x8", kernelscratch.ByVendor},
		// the glue reads past the shape
		{"esp-nn", "SOFTMAX 0x0 0x0 valid 0 - INT8:9 > INT8:9", kernelscratch.Unknown},
		// weights that change
		{"cmsis-nn-mve", "SVDF 0x0 0x0 valid 0 - INT8:1x9 INT8:8x9 INT16!8x3 - INT16:1x24 > INT8:1x8", kernelscratch.Unknown},
		// five dimensions
		{"cmsis-nn-mve", "BATCH_MATMUL 0x0 0x0 valid 0 - INT8:1x1x1x9x7 INT8:1x1x1x7x8 > INT8:1x1x1x9x8", kernelscratch.Unknown},
		{"cmsis-nn-mve", "BATCH_MATMUL 0x0 0x0 valid 0 - INT8:1x1x9x7 INT8:1x1x7x8 > INT8:1x1x9x8", kernelscratch.ByVendor},
		// without a state
		{"cmsis-nn-c", "UNIDIRECTIONAL_SEQUENCE_LSTM 0x0 0x0 valid 0 - INT8:2x5x3 > INT8:2x5x4", kernelscratch.Unknown},
	} {
		op := must.Get(scratchcase.Parse(c.line))(t)
		requests, answer := kernelscratch.Of(set(t, c.set), op)
		kept, same := kernelscratch.KeptBy(set(t, c.set), op, 4)
		if answer != c.want || same != c.want {
			t.Errorf("%s: %s: answers %d and %d, want %d", c.set, c.line, answer, same, c.want)
		}
		if answer != kernelscratch.ByVendor && (requests != nil || kept.Data != 0 || kept.Buffers != nil) {
			t.Errorf("%s: %s: %v and %+v", c.set, c.line, requests, kept)
		}
	}
}

// TestRows has convolutions of one row on MVE, whose two ends may have different padding. The figures are from
// CMSIS-NN's function at 99f736a6.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		line string
		want int64
	}{
		{"1x1 1x1 same 0 - INT8:1x1x20x4 INT8!6x1x3x4 > INT8:1x1x20x6", 16},
		{"1x1 1x1 same 0 - INT8:1x1x20x4 INT8!6x1x4x4 > INT8:1x1x20x6", 20},
		{"1x1 1x1 same 0 - INT8:1x1x20x4 INT8!6x1x6x4 > INT8:1x1x20x6", 32},
		{"1x2 1x1 same 0 - INT8:1x1x21x6 INT8!6x1x5x6 > INT8:1x1x11x6", 42},
		{"1x2 1x1 same 0 - INT8:1x1x20x6 INT8!6x1x5x6 > INT8:1x1x10x6", 36},
		{"1x4 1x1 same 0 - INT8:1x1x21x3 INT8!6x1x9x3 > INT8:1x1x6x3", 39},
		{"1x1 1x1 valid 0 - INT8:1x1x20x4 INT8!6x1x3x4 > INT8:1x1x18x6", 12},
		{"1x2 1x1 valid 0 - INT8:1x1x20x4 INT8!6x1x3x4 > INT8:1x1x9x6", 12},
		{"1x4 1x1 valid 0 - INT8:1x1x21x4 INT8!6x1x3x4 > INT8:1x1x5x6", 12},
		{"1x1 1x1 same 0 - INT8:1x1x3x4 INT8!6x1x7x4 > INT8:1x1x3x6", 128},
		{"1x1 2x1 same 0 - INT8:1x1x20x4 INT8!6x1x3x4 > INT8:1x1x20x6", 16},
		{"1x1 1x2 same 0 - INT8:1x1x20x4 INT8!6x1x3x4 > INT8:1x1x20x6", 64},
		{"1x1 1x1 same 0 - INT8:1x1x20x8 INT8!6x1x3x4 > INT8:1x1x20x6", 128},
		{"1x1 1x1 same 0 - INT8:1x1x20x5 INT8!6x1x3x5 > INT8:1x1x20x6", 64},
	} {
		op := must.Get(scratchcase.Parse("CONV_2D " + c.line))(t)
		if got, answer := kernelscratch.Of(set(t, "cmsis-nn-mve@99f736a6"), op); answer != kernelscratch.ByVendor ||
			!slices.Equal(got, []int64{c.want}) {
			t.Errorf("%s: %v, want %d", c.line, got, c.want)
		}
	}
}

// TestKept has what the glue keeps, computed by hand from its structures.
func TestKept(t *testing.T) {
	const (
		convolution = "CONV_2D 1x1 1x1 same 0 - INT8:1x9x9x8 INT8!6x3x3x8 INT32!6 > INT8:1x9x9x6"
		connected   = "FULLY_CONNECTED 0x0 0x0 valid 0 - INT8:1x9 INT8!6x9 INT32!6 > INT8:1x6"
	)
	lstm := "UNIDIRECTIONAL_SEQUENCE_LSTM 0x0 0x0 valid 0 - %s:2x5x3" + strings.Repeat(" INT8!4x3", 17) +
		" INT8:2x4 INT16:2x7 - - - - > %[1]s:2x5x4"
	for _, c := range []struct {
		set, line string
		word      int64
		want      kernelscratch.Kept
	}{
		{"esp-nn", convolution, 4, kernelscratch.Kept{Data: 60, Temporaries: "o01012o", Buffers: []int64{24, 24}}},
		{"esp-nn", convolution, 8, kernelscratch.Kept{Data: 80, Temporaries: "o01012o", Buffers: []int64{24, 24}}},
		{"cmsis-nn-c", convolution, 4, kernelscratch.Kept{Data: 60, Temporaries: "01o012o", Buffers: []int64{24, 24}}},
		{"cmsis-nn-c", connected, 4, kernelscratch.Kept{Data: 72, Temporaries: "012o"}},
		{"cmsis-nn-mve", connected, 8, kernelscratch.Kept{Data: 96, Temporaries: "012o", Buffers: []int64{24}}},
		{"cmsis-nn-mve", strings.Replace(connected, "0 - I", "0 p I",
			1), 4, kernelscratch.Kept{Data: 72, Temporaries: "012o", Buffers: []int64{24, 24, 24}}},
		{"cmsis-nn-mve", strings.Replace(connected, "INT32!6", "INT32:6",
			1), 4, kernelscratch.Kept{Data: 72, Temporaries: "012o"}},
		{
			"esp-nn", "SOFTMAX 0x0 0x0 valid 0 - INT16:1x9 > INT16:1x9", 4,
			kernelscratch.Kept{Data: 64, Temporaries: "0o", Buffers: []int64{1026, 1026}},
		},
		{"cmsis-nn-c", fmt.Sprintf(lstm,
			"INT8"), 4, kernelscratch.Kept{Data: 912, Temporaries: "*o", Buffers: slices.Repeat([]int64{16}, 8)}},
		{"cmsis-nn-c", fmt.Sprintf(lstm,
			"INT16"), 8, kernelscratch.Kept{Data: 1008, Temporaries: "*o", Buffers: slices.Repeat([]int64{32}, 8)}},
		{
			"cmsis-nn-c", "BATCH_MATMUL 0x0 0x0 valid 0 x INT8:7x3x5 INT8:7x3x4 > INT8:7x5x4", 8,
			kernelscratch.Kept{Data: 56, Temporaries: "01o", Buffers: []int64{24, 16, 105, 24, 16, 84, 16, 28}},
		},
		{
			"cmsis-nn-c", "BATCH_MATMUL 0x0 0x0 valid 0 y FLOAT32:7x5x3 FLOAT32:7x4x3 > FLOAT32:7x5x4", 4,
			kernelscratch.Kept{Data: 36, Temporaries: "01o", Buffers: []int64{16}},
		},
	} {
		op := must.Get(scratchcase.Parse(c.line))(t)
		got, answer := kernelscratch.KeptBy(set(t, c.set), op, c.word)
		if answer != kernelscratch.ByVendor || got.Data != c.want.Data || got.Temporaries != c.want.Temporaries ||
			!slices.Equal(got.Buffers, c.want.Buffers) {
			t.Errorf("%s: %s: %+v, want %+v", c.set, c.line, got, c.want)
		}
	}
	for cell, want := range map[string][]int64{"INT8": {16, 16, 16}, "INT16": {16, 16, 16}, "FLOAT32": {32, 32, 32, 32}} {
		line := fmt.Sprintf(lstm, cell)
		if cell == "FLOAT32" {
			line = strings.Replace(line, "INT16:2x7", "FLOAT32:2x7", 1)
		}
		op := must.Get(scratchcase.Parse(line))(t)
		if requests, _ := kernelscratch.Of(set(t, "cmsis-nn-c"), op); !slices.Equal(requests, want) {
			t.Errorf("an LSTM of %s requests %v", cell, requests)
		}
	}
}
