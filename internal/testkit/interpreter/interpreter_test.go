package interpreter

import (
	"errors"
	"strings"
	"testing"
)

// TestSmallest asks for the smallest arena with right and wrong expectations: it is the same each time, 16 bytes less
// are refused, and the outputs in it are those of a large arena.
func TestSmallest(t *testing.T) {
	p, err := Start(Python())
	if errors.Is(err, ErrMissing) {
		t.Skip(t.Name() + " needs the Python package tflite-micro; set STOWAGE_PYTHON to an interpreter that has it")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ask := func(r Request) *Answer {
		r.Model = "../../../examples/tiny.tflite"
		a, err := p.Run(r)
		if err != nil || a.Error != "" {
			t.Fatal(err, a)
		}
		return a
	}
	const arena = 1 << 16
	right := ask(Request{Arena: arena, Smallest: true, Runs: 2, Seeds: 3})
	if right.Smallest <= 0 || right.Smallest%16 != 0 || right.Below != "refused" ||
		right.SmallestOutputs != right.Outputs {
		t.Errorf("%+v", right)
	}
	for _, expected := range []int64{right.Smallest, right.Smallest - 16, right.Smallest + 16, 16, arena - 16, 2 * arena} {
		if a := ask(Request{Arena: arena, Smallest: true, Expected: expected}); a.Smallest != right.Smallest ||
			a.Below != "refused" {
			t.Errorf("expected %d: smallest arena %d, below %q; want %d", expected, a.Smallest, a.Below, right.Smallest)
		}
	}
	// Each seed has an interpreter of its own, so the digests do not depend on the other seeds.
	digests := strings.Fields(right.Outputs)
	if len(digests) != 3 || digests[0] == digests[1] {
		t.Fatalf("%d digests: %q", len(digests), digests)
	}
	if a := ask(Request{Arena: arena, Runs: 2, Seed: 1}); a.Outputs != digests[1] {
		t.Errorf("seed 1 alone: %s, after seed 0 %s", a.Outputs, digests[1])
	}
}
