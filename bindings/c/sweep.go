package main

// #include "solver.h"
import "C"

import (
	"bytes"
	encoding "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/digest"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// Idea: a sweep over many problems needs problems to try, the load that its capacities are
// shares of, and a name for each problem that is the same in all languages and on all machines.

// A size is a number of bytes, or a text with a unit.
type size int64

// UnmarshalJSON reads both forms.
func (n *size) UnmarshalJSON(text []byte) error {
	var word string
	if encoding.Unmarshal(text, &word) != nil {
		word = string(text)
	}
	v, err := units.Any(word)
	if err != nil {
		return errors.New(`must be a whole number or a text such as "2KiB"; it is ` + string(text))
	}
	*n = size(v)
	return nil
}

// made are the options of a generator, named as the flags of `stowage gen`.
type made struct {
	Kind      string  `json:"kind"`
	Buffers   size    `json:"buffers"`
	Seed      uint64  `json:"seed"`
	Capacity  size    `json:"capacity"`
	Horizon   size    `json:"horizon"`
	MinSize   size    `json:"min-size"`
	MaxSize   size    `json:"max-size"`
	MinLife   size    `json:"min-life"`
	MaxLife   size    `json:"max-life"`
	Alignment size    `json:"alignment"`
	Gaps      float64 `json:"gaps"`
	Windows   float64 `json:"windows"`
	Holes     float64 `json:"holes"`
}

//export stowageGenerate
func stowageGenerate(s *C.stowage_solver, text *C.char, length C.size_t) (code C.int) {
	defer guard(s, &code)
	var o made
	d := encoding.NewDecoder(bytes.NewReader(bytesOf(text, length)))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return fail(s, inputError("generator: "+err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fail(s, inputError("generator: there is more than one JSON object"))
	}
	if int64(o.Buffers) != int64(int(o.Buffers)) {
		return fail(s, inputError("generator: buffers: "+strconv.FormatInt(int64(o.Buffers), 10)+" is too large"))
	}
	problem, err := gen.Generate(o.Kind, gen.Options{
		Buffers: int(o.Buffers), Seed: o.Seed, Capacity: int64(o.Capacity), Horizon: int64(o.Horizon),
		MinSize: int64(o.MinSize), MaxSize: int64(o.MaxSize), MinLife: int64(o.MinLife), MaxLife: int64(o.MaxLife),
		Alignment: int64(o.Alignment), Gaps: o.Gaps, Windows: o.Windows, Holes: o.Holes,
	})
	if err != nil {
		return fail(s, inputError(err.Error()))
	}
	take(s, problem)
	return C.STOWAGE_OK
}

//export stowageLoad
func stowageLoad(s *C.stowage_solver) (load C.int64_t) {
	defer guard(s, &load)
	problem := peerOf(s).fill(s)
	if err := model.Validate(problem); err != nil {
		return C.int64_t(fail(s, err))
	}
	if problem.Ruled() {
		return C.int64_t(fail(s, fmt.Errorf("%w: a problem with rules has no load: its pools and clocks have no "+
			"bytes in common", stowage.ErrUnsupported)))
	}
	return C.int64_t(profile.New(problem).Peak)
}

//export stowageDigest
func stowageDigest(s *C.stowage_solver) (code C.int) {
	defer guard(s, &code)
	problem := peerOf(s).fill(s)
	if problem.Ruled() {
		return fail(s, fmt.Errorf("%w: a problem with rules has no digest: files of runs have none", stowage.ErrUnsupported))
	}
	put(s.digest[:], digest.Of(problem))
	return C.STOWAGE_OK
}
