package csv

import (
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: sizes that vary have a column for each scenario, size:NAME. A buffer of one size has its fields empty, and its
// size in the column size. These columns are kept with those that have no meaning, so a plan that is written has them as
// they were, and the largest size of each buffer in the column size.

// scenarioPrefix begins the name of a column of sizes in a scenario.
const scenarioPrefix = "size:"

// A scenario is a column of sizes.
type scenario struct {
	name string
	at   int // index of the field in a row
}

// scenariosOf returns the columns of sizes among those without another meaning.
func (h *header) scenariosOf() (list []scenario) {
	for _, k := range h.extra {
		if name, ok := cutScenario(h.names[k]); ok {
			list = append(list, scenario{name, k})
		}
	}
	return list
}

// cutScenario returns the name of the scenario whose sizes a column has.
func cutScenario(column string) (name string, ok bool) {
	if len(column) < len(scenarioPrefix) || !strings.EqualFold(column[:len(scenarioPrefix)], scenarioPrefix) {
		return "", false
	}
	name = strings.TrimSpace(column[len(scenarioPrefix):])
	return name, name != ""
}

// varied reads the sizes of the current row by scenario; nil if the buffer has one size.
func (t *table) varied() (sizes []int64, ok bool) {
	ok = true
	empty := 0
	for _, s := range t.head.scenarios {
		field := ""
		if s.at < len(t.scan.fields) {
			field = t.scan.fields[s.at]
		}
		if trim(field) == "" {
			empty++
			continue
		}
		v, fault := parseSize(field)
		if fault == "" && v > model.MaxSum {
			fault = "is too large"
		}
		if fault != "" {
			t.refuseScenario(s, field, fault)
			ok = false
		}
		sizes = append(sizes, v)
	}
	if len(sizes) > 0 && empty > 0 {
		t.issues.Add(model.Issue{
			File: t.file, Line: t.scan.line, Buffer: source.Clip(t.field(id)), Field: scenarioPrefix,
			Message: "has a size in some scenarios only: fill all of them, or none and the column size",
		})
		return nil, false
	}
	if !t.pay(size, 8*len(sizes)) {
		return nil, false
	}
	return sizes, ok
}

func (t *table) refuseScenario(s scenario, value, message string) {
	t.issues.Add(model.Issue{
		File: t.file, Line: t.scan.line, Buffer: source.Clip(t.field(id)),
		Field: source.Clip(scenarioPrefix + s.name), Value: source.Clip(value), Message: message,
	})
}

// family returns the family of a problem with the sizes of its buffers by scenario; nil for a buffer of one size.
func (t *table) family(p *model.Problem, sizes [][]int64) *model.Family {
	f := &model.Family{Problem: p}
	for k, s := range t.head.scenarios {
		f.Scenarios = append(f.Scenarios, s.name)
		column := make([]int64, len(sizes))
		for i, list := range sizes {
			if column[i] = p.Buffers[i].Size; list != nil {
				column[i] = list[k]
			}
		}
		f.Sizes = append(f.Sizes, column)
	}
	return f
}
