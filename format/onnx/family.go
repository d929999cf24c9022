package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/sampled"
	"github.com/stowage-go/stowage/model"
)

// Idea: dimensions with ranges make a family. The walk derives the sizes at single values of the dimensions, and
// package sampled finds the formulas. Lifespans come from the order of the nodes, so they are the same at all values; if
// not, because a branch depends on a dimension, there is no family.
//
// A buffer without bytes at some values, such as that of an empty tensor, has size 0 there.

// A Range is the values of a dimension that varies: Low, Low+Step, …, up to High.
type Range struct {
	Low  int64  // the lowest value, at least 0
	High int64  // no value is higher
	Step int64  // between values; 0 means 1
	As   string // if set, the dimension has the value of the one of this name, and no range of its own
}

// Family returns the arenas of the model for all values of the dimensions in o.Ranges, as one family. The symbols are
// named as the dimensions, and sorted by name. The notes say how the sizes were found. The error is as of Arena, and
// names the values at which it is met.
func (m *Model) Family(o Options) (*model.Family, []string, error) {
	v := variation{m: m, o: o, raw: o, reference: map[string]int{}}
	v.raw.Alignment = 1
	if err := v.symbols(); err != nil {
		return nil, nil, err
	}
	top := make([]int64, len(v.names))
	for k, s := range v.names {
		top[k] = s.High - (s.High-s.Low)%s.Step
	}
	v.raw.Ranges = nil
	o = v.raw
	o.Alignment, o.Dims = v.o.Alignment, v.dims(top)
	a, err := m.Arena(o)
	if err != nil {
		return nil, nil, err
	}
	v.top = a.Problem
	for i := range a.Problem.Buffers {
		v.reference[a.Problem.Buffers[i].ID] = i
	}
	if len(v.top.Buffers) == 0 {
		return nil, nil, model.Issue{File: m.File, Message: "the model has no tensors to plan, at any shape"}.Err()
	}
	round := o.Alignment
	if round == 0 {
		round = Alignment
	}
	symbols := make([]model.Symbol, len(v.names))
	for k, s := range v.names {
		symbols[k] = s
		if symbols[k].Name = strings.Map(inFormula, s.Name); '0' <= s.Name[0] && s.Name[0] <= '9' {
			symbols[k].Name = "_" + symbols[k].Name
		}
	}
	f, err := sampled.Of(&model.Problem{Name: v.top.Name, Buffers: slices.Clone(v.top.Buffers)}, symbols, round, v.sizes)
	if bad := (*model.InputError)(nil); errors.As(err, &bad) && bad.Issues[0].File == "" {
		bad.Issues[0].File = m.File
	}
	if err != nil {
		return nil, nil, err
	}
	return f.Family, append(a.Notes, v.note(f)), nil
}

// A variation is one run of Family.
type variation struct {
	m         *Model
	o, raw    Options        // raw has no alignment, so that sizes are those of tensors
	names     []model.Symbol // by the names of dimensions
	top       *model.Problem // at the highest values
	reference map[string]int // the buffers of top by name
}

// symbols checks the ranges.
func (v *variation) symbols() error {
	var issues model.Issues
	for _, key := range slices.Sorted(maps.Keys(v.o.Ranges)) {
		r := v.o.Ranges[key]
		if key == "" {
			continue // said of the value
		}
		say := func(value, message string) {
			issues.Add(model.Issue{File: v.m.File, Field: "dimension " + key, Value: value, Message: message})
		}
		if _, ok := v.o.Dims[key]; ok {
			say("", "has both a value and a range")
		}
		if r.As != "" {
			if of, ok := v.o.Ranges[r.As]; !ok || of.As != "" {
				say(r.As, "is no dimension with a range")
			}
			continue
		}
		if r.Low < 0 || r.High < r.Low || r.High > shape.MaxElements || r.Step < 0 {
			say(fmt.Sprintf("%d..%d/%d", r.Low, r.High, max(1, r.Step)),
				"must be a range within 0 and "+strconv.FormatInt(shape.MaxElements, 10)+", by steps of at least 1")
		}
		v.names = append(v.names, model.Symbol{Name: key, Low: r.Low, High: r.High, Step: max(1, r.Step)})
	}
	return issues.Err()
}

// inFormula replaces what the name of a symbol in a formula cannot have.
func inFormula(c rune) rune {
	if c == '.' || c == ':' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|' ' && c|' ' <= 'z' {
		return c
	}
	return '_'
}

// dims returns all dimensions at values of those that vary.
func (v *variation) dims(values []int64) map[string]int64 {
	dims := maps.Clone(v.o.Dims)
	if dims == nil {
		dims = map[string]int64{}
	}
	for k, s := range v.names {
		dims[s.Name] = values[k]
	}
	for key, r := range v.o.Ranges {
		if r.As != "" {
			dims[key] = dims[r.As]
		}
	}
	return dims
}

// steps is the hint for values that a model does not take.
const steps = "; a range with steps, as in 64..960/32, leaves out values that a model does not take"

// sizes returns the bytes of each buffer at values of the dimensions.
func (v *variation) sizes(values []int64) ([]int64, error) {
	o := v.raw
	o.Dims = v.dims(values)
	a, err := v.m.Arena(o)
	var at []string
	for k, s := range v.names {
		at = append(at, fmt.Sprintf("%s=%d", s.Name, values[k]))
	}
	where := "at " + strings.Join(at, ", ")
	if bad := (*model.InputError)(nil); errors.As(err, &bad) {
		bad.Issues[0].Message = where + ": " + bad.Issues[0].Message + steps
	}
	if err != nil {
		return nil, err
	}
	sizes := make([]int64, len(v.top.Buffers))
	for i := range a.Problem.Buffers {
		b := &a.Problem.Buffers[i]
		k, ok := v.reference[b.ID]
		if !ok || !same(b, &v.top.Buffers[k]) {
			return nil, model.Issue{
				File: v.m.File, Buffer: b.ID,
				Message: where + ": lives at other times than at the highest values, or is not there; one order cannot serve both",
			}.Err()
		}
		sizes[k] = b.Size
	}
	return sizes, nil
}

// same reports whether two buffers live at the same times.
func same(a, b *model.Buffer) bool {
	return a.Lower == b.Lower && a.Upper == b.Upper && slices.EqualFunc(a.Gaps, b.Gaps, func(x, y model.Gap) bool {
		return x.Lower == y.Lower && x.Upper == y.Upper
	})
}

// note says how the sizes were found.
func (v *variation) note(f *sampled.Family) string {
	if f.Left > 0 {
		return fmt.Sprintf("%d of %d buffers have sizes that follow no formula, so each of %d values is a scenario",
			f.Left, len(v.top.Buffers), f.Looked)
	}
	varying := 0
	for _, formula := range f.Formulas {
		if formula != nil {
			varying++
		}
	}
	return fmt.Sprintf("%d of %d buffers have sizes that vary, by formulas that hold at each of the %d values at which they were compared, of %d",
		varying, len(v.top.Buffers), f.Looked, f.Points())
}
