package tflm

import (
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestSets: each set is that of its name and version, and each part's kernels are known.
func TestSets(t *testing.T) {
	for _, s := range KnownSets() {
		text := s.Name() + "@" + s.Version()
		if got, err := ParseSet(text); err != nil || got != s {
			t.Errorf("ParseSet(%q) = %v, %v", text, got, err)
		}
	}
	for _, s := range DefaultSets() {
		if got, err := ParseSet(s.Name()); err != nil || got != s {
			t.Errorf("ParseSet(%q) = %v, %v", s.Name(), got, err)
		}
	}
	for _, text := range []string{"", "esp", "esp-nn@", "esp-nn@0", "reference@0", "esp-nn 27d1f4a"} {
		if s, err := ParseSet(text); err == nil {
			t.Errorf("ParseSet(%q) = %v", text, s)
		}
	}
	for _, m := range Maps() {
		if _, err := ParseSet(m.Kernels); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		mve, dsp := strings.Contains(m.Part, "M55"), strings.Contains(m.Part, "M7") || strings.Contains(m.Part, "M33")
		if mve != (m.Kernels == "cmsis-nn-mve") || dsp != (m.Kernels == "cmsis-nn-dsp") {
			t.Errorf("%s has the kernels %s", m.Part, m.Kernels)
		}
	}
	for _, lib := range KernelLibraries() {
		if of, ok := SetFor(lib).Order(); !ok || of != lib {
			t.Errorf("the order of %s is that of %s", SetFor(lib), of)
		}
	}
}

// TestSetScratch: scratch is in the order of the operators, and what it adds to a model is in the arena's head.
func TestSetScratch(t *testing.T) {
	m := parse(t, tflitemade.Bytes(134, 10))
	if got := ReferenceSet.Scratch(m); len(got) > 0 {
		t.Errorf("the reference kernels ask for %v", got)
	}
	l := must.Get(m.Lifetimes())(t)
	more := 0
	for _, s := range DefaultSets() {
		scratch := s.Scratch(m)
		if !slices.IsSortedFunc(scratch, func(a, b tflite.Scratch) int { return a.Operator - b.Operator }) {
			t.Errorf("%s: %v", s, scratch)
		}
		a := must.Get(m.Arena(l, scratch))(t)
		head := must.Get(Head(t.Context(), m, scratch))(t)
		f := s.Predict(m, a, nil, head, &Firmware32)
		if f.Smallest < head+f.Tail {
			t.Errorf("%s: an arena of %d for a head of %d and a tail of %d", s, f.Smallest, head, f.Tail)
		}
		if len(scratch) > 0 {
			more++
		}
	}
	if more < 2 {
		t.Errorf("%d libraries ask for scratch", more)
	}
}
