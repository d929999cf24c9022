package models

import (
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// The kinds of files that only a model with a runtime has.
const (
	Array        = "cc"       // the model as a C array
	Selftest     = "selftest" // C++ that tests the plan on the target, in a file whose name ends in this word
	PlannerClass = "hpp"      // the planner of a plan in memories, as a class in C++
)

// Arrays are the extensions of a C array.
var Arrays = []string{Array, "cpp", "cxx"}

// FileKind returns the kind of a file with an extension.
func FileKind(path, extension string) string {
	switch stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)); {
	case !slices.Contains(Arrays, extension):
		return extension
	case strings.HasSuffix(strings.ToLower(stem), Selftest):
		return Selftest
	}
	return Array
}

// untestable says why a self-test of a plan would compare a model with itself, or with nothing; empty if a test makes
// sense. The written model has to end with the given one.
func untestable(m *tflite.Model, made *tflm.Plan) string {
	switch {
	case m.Offline != nil:
		return "the model has a plan already, so there is no model without one to test against: give the original model"
	case !made.Worth():
		return "no plan is lower than the runtime's own, so the model stays as it is, and there is nothing to test"
	case made.Order != nil:
		return "--reorder moves operators, so the file does not end with the model in its own order to test " +
			"against: leave --reorder out"
	}
	return ""
}

// writeSelftest writes a program that runs a model with and without its plan and compares. The planned model ends
// with the original.
func (r *planReport) writeSelftest(w io.Writer, name string, original *tflite.Model, planned []byte) error {
	s := &cheader.Selftest{
		Model: int64(len(planned)), Hash: cheader.HashOf(planned), Original: int64(len(planned) - len(original.Bytes())),
		Resources: original.Resources(), Note: r.comment(), AtLeast: r.atLeast(),
	}
	s.Arenas = tflm.Runtime(planned, r.selftestSizes(), "").Arenas
	return cheader.WriteSelftest(w, name, s)
}

// selftestSizes returns the arenas that a self-test needs in firmware of 32 and of 64 bit: room for
// the model with its plan and for the one without.
func (r *planReport) selftestSizes() (sizes []int64) {
	for i := range r.Arenas[:2] {
		bytes, _ := r.Arenas[i].needed(r)
		sizes = append(sizes, max(bytes, r.Arenas[i].Before, r.Arenas[i].MeasuredBefore))
	}
	return sizes
}

// atLeast reports whether the arenas of firmware are only lower bounds.
func (r *planReport) atLeast() bool {
	_, exact := r.Arenas[0].needed(r)
	return !exact
}

// tellCopied says that the plan is in the file, or why the model there is unchanged.
func (r *planReport) tellCopied(made *tflm.Plan, file string) {
	switch r.Written = made.Worth(); {
	case r.Written:
	case made.Offsets == nil:
		r.copied = file
	case made.Kept:
		r.copied = "the one that is in the model is kept; " + file
	case made.Model.Offline != nil:
		r.copied = "the one that is in the model is as low; " + file
	default:
		r.copied = "the runtime's own is as low; " + file
	}
}

// runtime returns the sizes of the runtime's arena for the model that is written.
func (r *planReport) runtime(model []byte) *cheader.Runtime {
	var sizes []int64
	atLeast := false
	for i := range r.Arenas {
		bytes, exact := r.Arenas[i].needed(r)
		atLeast = atLeast || !exact
		sizes = append(sizes, bytes)
	}
	// If the target has reported its tail, the tail's size is exact. For another target the size may be only a bound.
	if atLeast && r.Tail > 0 && !r.ScratchUnknown && len(r.CannotRun) == 0 {
		atLeast, sizes = false, sizes[:2]
	}
	out := tflm.Runtime(model, sizes, r.comment())
	out.AtLeast = atLeast
	return out
}

// comment says in the files for C what the sizes hold for.
func (r *planReport) comment() string {
	note := tflm.KernelsNote(r.set)
	switch {
	case r.ScratchUnknown:
		note += " The scratch of some is not known."
	case r.ScratchFrom == "none":
		note += " They count with no scratch."
	case r.ScratchFrom == "declared":
		note += " They count with the scratch that was given."
	}
	if r.Tail > 0 {
		note += " They count with the tail of " + strconv.FormatInt(r.Tail, 10) + " bytes that the target reported."
	}
	for _, x := range r.CannotRun {
		note += " The model does not run as it is: " + x.Why + "."
	}
	if r.elsewhere != "" {
		note += " W" + r.elsewhere[1:] + "."
	}
	if r.Split != nil {
		for _, line := range r.Split.resolver() {
			note += " F" + line[1:] + "."
		}
	}
	return strings.TrimSpace(note + " " + r.assumed())
}

// needed returns the smallest arena that works with the model that is written. exact reports
// whether it is known, and not only a lower bound.
func (x *arenaReport) needed(r *planReport) (bytes int64, exact bool) {
	bytes = x.Planned
	if bytes == 0 {
		bytes = x.Before
	}
	runs := !r.ScratchUnknown && len(r.CannotRun) == 0
	if x.MeasuredBefore > 0 {
		bytes = x.MeasuredPlanned
		if bytes == 0 {
			bytes = x.MeasuredBefore
		}
		return bytes, runs
	}
	return bytes, runs && len(r.Unknown) == 0
}
