package tflm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
)

// Idea: every figure of an arena holds for one set of kernels, because the kernels decide the scratch and the tail.
// kernels.go has the table of the reference kernels. A vendor's library replaces some of them, and
// internal/kernelscratch says what the replaced kernels request and keep. All others are the reference kernels.
//
// Invariant: Scratch is a lower bound of the scratch of the kernels. It is exact if UnknownScratch is empty.
//
// Complexity: O(operators).

// A Set is the kernels that a firmware is built with: a library at a version. The zero Set is the reference kernels.
type Set struct{ of kernelscratch.Set }

// ReferenceSet is TensorFlow Lite Micro's own kernels.
var ReferenceSet = Set{}

// ParseSet returns the set of a name with or without a version, such as esp-nn or esp-nn@27d1f4a. Without one it is the
// version that the name stands for (DefaultSets). The error lists what is known.
func ParseSet(text string) (Set, error) {
	if name, version, ok := strings.Cut(text, "@"); ok && strings.EqualFold(name, string(ReferenceKernels)) {
		if version == ReferenceSet.Version() {
			return ReferenceSet, nil
		}
		return Set{}, fmt.Errorf("version %q of %s is not known: there is %s", version, name, ReferenceSet.Version())
	}
	of, err := kernelscratch.Parse(text)
	return setOf(of), err
}

func setOf(of kernelscratch.Set) Set {
	if of.Library == distance.Reference {
		return ReferenceSet
	}
	return Set{of}
}

// KnownSets returns every library at every version that is known, the reference kernels first.
func KnownSets() (all []Set) {
	for _, of := range kernelscratch.Sets() {
		all = append(all, setOf(of))
	}
	return all
}

// DefaultSets returns each library at the version that its name alone stands for.
func DefaultSets() (all []Set) {
	for _, s := range KnownSets() {
		if !slices.ContainsFunc(all, func(t Set) bool { return t.Name() == s.Name() }) {
			all = append(all, s)
		}
	}
	return all
}

// Name returns the name of the library, as ParseSet takes it.
func (s Set) Name() string {
	if s == ReferenceSet {
		return string(ReferenceKernels)
	}
	return s.of.Name()
}

// Version returns the release or the short revision of the library.
func (s Set) Version() string {
	if s == ReferenceSet {
		return ReferenceKernels.Revision()
	}
	return s.of.Version
}

// String returns name and version, such as "esp-nn 27d1f4a".
func (s Set) String() string { return s.Name() + " " + s.Version() }

// Order returns the library whose order of reading and writing these kernels have, so that results may lie over
// operands. ok is false if their order is not known, as for ESP-NN's kernels in assembly.
func (s Set) Order() (lib Kernels, ok bool) {
	if s == ReferenceSet {
		return ReferenceKernels, true
	}
	of, ok := s.of.Order()
	return Kernels(of), ok
}

// SetFor returns the default set whose kernels have the order of a library.
func SetFor(lib Kernels) Set {
	for _, s := range KnownSets() {
		if of, ok := s.Order(); ok && of == lib {
			return s
		}
	}
	return ReferenceSet
}

// scratchOperands is how many operands a rule of scratch looks at: an LSTM has 24.
const scratchOperands = 32

// asks returns the scratch that a vendor's kernel requests. answer says whether the vendor has a kernel for the
// operator.
func (s Set) asks(m *tflite.Model, o *tflite.Operator) (requests []int64, answer kernelscratch.Answer) {
	if s == ReferenceSet || o.Custom != "" {
		return nil, kernelscratch.ByReference
	}
	d, ok := described.First(m, o, scratchOperands)
	if requests, answer = kernelscratch.Of(s.of, d); answer == kernelscratch.ByVendor && !ok {
		answer = kernelscratch.Unknown // the options cannot be read
	}
	return requests, answer
}

// Scratch returns the scratch that the kernels request, in the order of the requests.
func (s Set) Scratch(m *tflite.Model) []tflite.Scratch {
	var out []tflite.Scratch
	for i := range m.Operators {
		o := &m.Operators[i]
		requests, answer := s.asks(m, o)
		if answer != kernelscratch.ByVendor {
			if k := kernels()[o.Name()]; k.scratch != nil {
				requests = k.scratch(call{m, o, &Interpreter})
			}
		}
		for _, n := range requests {
			out = append(out, tflite.Scratch{Operator: i, Bytes: n})
		}
	}
	return out
}

// UnknownScratch returns the operators of a model whose scratch is not known with these kernels, each once, in order.
func (s Set) UnknownScratch(m *tflite.Model) (out []string) {
	for i := range m.Operators {
		o := &m.Operators[i]
		if _, answer := s.asks(m, o); answer == kernelscratch.Unknown && !slices.Contains(out, o.Name()) {
			out = append(out, o.Name())
		}
	}
	return out
}

// kernel returns the data that the set's kernel of an operator keeps on a target, and the tensors that it looks at.
func (s Set) kernel(m *tflite.Model, o *tflite.Operator, t *Target) kernel {
	k := kernels()[o.Name()]
	if _, answer := s.asks(m, o); answer != kernelscratch.ByVendor {
		return k
	}
	d, _ := described.First(m, o, scratchOperands)
	kept, answer := kernelscratch.KeptBy(s.of, d, t.word)
	if answer != kernelscratch.ByVendor {
		return k
	}
	k.data, k.temporaries = same(kept.Data), kept.Temporaries
	k.kept = func(call) []int64 { return kept.Buffers }
	return k
}
