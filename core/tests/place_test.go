package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/placed"
	"github.com/stowage-go/stowage/model"
)

// TestPlace holds stowage_place against Order.Place on drawn orders: alignments that are powers of two and others,
// fixed offsets, and sizes that are too large for these. It also damages words: stowage_order_valid must refuse what is
// no order, and the sanitizers must have nothing to say.
func TestPlace(t *testing.T) {
	need(t, "cc")
	program := filepath.Join(t.TempDir(), "place")
	must.Do(t, built.Run(nil, "cc", "-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wall",
		"-Wextra", "-Wpedantic", "-Werror", "-I..", "-o", program, "testdata/place.c", "../stowage_place.c"))
	rng := rand.New(rand.NewPCG(46, 4))
	var input strings.Builder
	var want []string
	feed := func(words []uint32, sizes []int64) {
		fmt.Fprintf(&input, "%d %d %s %s\n", len(words), len(sizes), spaced(words), spaced(sizes))
	}
	for range 500 {
		n := rng.IntN(40)
		p, below, order := &model.Problem{Buffers: make([]model.Buffer, n)}, make([][]int32, n), rng.Perm(n)
		sizes, offsets := make([]int64, n), make([]int64, n)
		for k, i := range order {
			sizes[i] = rng.Int64N(1 << (1 + rng.IntN(40)))
			b := &p.Buffers[i]
			b.Alignment = []int64{1, 1, 64, 4096, 12, 1 << 33}[rng.IntN(6)]
			if rng.IntN(12) == 0 {
				b.Fixed = new(rng.Int64N(1<<20) * b.Alignment)
			}
			for _, j := range order[:k] {
				if rng.IntN(4) == 0 {
					below[i] = append(below[i], int32(j))
				}
			}
		}
		o := must.Get(model.NewOrder(p, below, nil))(t)
		height, err := o.Place(sizes, offsets)
		line := fmt.Sprint(height, " ", spaced(offsets))
		if err != nil {
			line = "-1"
		}
		feed(o.Words(), sizes)
		want = append(want, strings.TrimSpace(line))
		if words := slices.Clone(o.Words()); n > 0 && rng.IntN(2) == 0 { // cut, or with an index that is none
			if words[2] |= 1 << 31; rng.IntN(2) == 0 {
				words = o.Words()[:2+rng.IntN(len(words)-2)]
			}
			feed(words, sizes)
			want = append(want, "invalid")
		}
	}
	for _, c := range placed.Cases(t) { // those of Python and JavaScript
		for _, row := range c.Rows {
			feed(c.Words, row.Sizes)
			feed(c.Words, row.OtherSizes)
			want = append(want, fmt.Sprint(row.OffsetsHeight, " ", spaced(row.Offsets)), fmt.Sprint(row.OthersHeight, " ", spaced(row.Others)))
		}
	}
	for _, words := range [][]uint32{ // the second buffer would lie beyond 64 bits: alignments, and a fixed offset
		{model.OrderMagic, 2, 0, 62, 1<<32 - 1, 1<<31 - 1, 1, 1<<8 | 62, 1<<32 - 1, 1<<31 - 1, 0},
		{model.OrderMagic, 3, 0, 0, 1, 1<<8 | 61, 0, 2, 2<<8 | 62, 0, 3 << 29, 0, 1},
		{model.OrderMagic, 2, 0, 63, 1<<32 - 1, 1<<31 - 1, 1, 1 << 8, 0},
	} {
		feed(words, make([]int64, words[1]))
		want = append(want, "invalid")
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(input.String())
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(want) {
		t.Fatalf("%v: %d lines, want %d: %.500s", err, len(lines), len(want), out)
	}
	for k := range want {
		if lines[k] != want[k] {
			t.Errorf("case %d: %s, want %s", k, lines[k], want[k])
		}
	}
}

func spaced[V any](list []V) string { return strings.Trim(fmt.Sprint(list), "[]") }

// TestWriteOrder compiles the header of an order, with warnings as errors, in C and C++, and places sizes with it.
func TestWriteOrder(t *testing.T) {
	need(t, "cc", "c++")
	dir := t.TempDir()
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a */ b", Alignment: 12}, {ID: "c", Fixed: new(int64(1 << 40))}}}
	var text bytes.Buffer
	must.Do(t, cheader.WriteOrder(&text, &cheader.OrderPlan{
		Name: "my model", Buffers: []string{"a */ b", "c"}, Order: must.Get(model.NewOrder(p, [][]int32{{}, {0}}, nil))(t), Arena: 1<<40 + 7,
		Alignment: 16, Largest: "n=9",
	}))
	must.Do(t, os.WriteFile(filepath.Join(dir, "order.h"), text.Bytes(), 0o600))
	const use = `#include "order.h"
#include "stowage_place.h"
int main(void) {
	int64_t sizes[MY_MODEL_BUFFERS] = {5, 7}, offsets[MY_MODEL_BUFFERS];
	return !(stowage_place(my_model_order, sizes, offsets) == MY_MODEL_ARENA && offsets[0] == 0);
}
`
	for _, c := range []struct{ tool, standard, name string }{{"cc", "-std=c99", "use.c"}, {"c++", "-std=c++11", "use.cc"}} {
		must.Do(t, os.WriteFile(filepath.Join(dir, c.name), []byte(use), 0o600))
		object, program := filepath.Join(dir, "place.o"), filepath.Join(dir, "use")
		must.Do(t, built.Run(nil, "cc", "-std=c99", "-c", "../stowage_place.c", "-o", object))
		must.Do(t, built.Run(nil, c.tool, c.standard, "-Wall", "-Wextra", "-Werror", "-I"+dir, "-I..", "-o", program,
			filepath.Join(dir, c.name), object))
		must.Do(t, exec.Command(program).Run())
	}
}
