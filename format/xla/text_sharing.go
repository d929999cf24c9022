package xla

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: this file finds the values that XLA put into the same bytes on purpose. They are united: they become one buffer.
// Two values of one heap with the same offset are united
//
//	if both are live at some moment: NAME-live-range.txt says when a value is live; or
//	if both are the same part of a tuple: the results of a conditional's branches are, though never live together.
//
// Invariant: all values that are united have the same offset.
//
// Complexity: O(bytes), and O(n log n) for the n values.

// live reads the live ranges: "    tanh.1{}:4-8", the end included.
func (t *texts) live(s *section) error {
	in := false
	for at, line := range s.text.From(s.at) {
		if !in {
			in = line == "  BufferLiveRange:"
			continue
		}
		rest, ok := strings.CutPrefix(line, "    ")
		if !ok {
			break
		}
		if err := t.liveRange(s.text, at, rest); err != nil {
			return err
		}
	}
	for k := range t.heap {
		for i := range t.heap[k].values {
			if v := &t.heap[k].values[i]; v.upper < 0 {
				return t.assignment.Refuse(t.heap[k].lines[i], source.Clip(v.name), "has no live range in "+s.text.File)
			}
		}
	}
	return nil
}

// liveRange reads one of them.
func (t *texts) liveRange(text *source.Text, at int, line string) error {
	colon := strings.LastIndexByte(line, ':')
	if colon < 0 {
		return text.Refuse(at, source.Clip(line), "is no live range: expected NAME{INDEX}:START-END")
	}
	name, span := line[:colon], line[colon+1:]
	p, ok := t.byName[name]
	if !ok {
		return nil
	}
	v := &t.heap[p.heap].values[p.value]
	if v.upper >= 0 {
		return text.Refuse(at, source.Clip(name), "has another live range, too")
	}
	start, end, _ := strings.Cut(span, "-")
	var err error
	if v.lower, err = number(text, at, "start", start, model.MaxSum); err != nil {
		return err
	}
	if v.upper, err = number(text, at, "end", end, model.MaxSum); err != nil {
		return err
	}
	if v.upper < v.lower {
		return text.Refuse(at, span, "ends before it starts")
	}
	v.upper++
	return nil
}

// overlaps unites the values at one offset that are live at once.
func (t *texts) overlaps() {
	for k := range t.heap {
		values := t.heap[k].values
		order := make([]int32, len(values))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(a, b int32) int {
			x, y := &values[a], &values[b]
			return cmp.Or(cmp.Compare(x.offset, y.offset), cmp.Compare(x.lower, y.lower), cmp.Compare(a, b))
		})
		for i, until := 1, 0; i < len(order); i++ {
			// until is the value before i at its offset that ends last.
			a, b := order[until], order[i]
			if values[a].offset == values[b].offset && values[b].lower < values[a].upper {
				unite(values, a, b)
			}
			if values[a].offset != values[b].offset || values[b].upper > values[a].upper {
				until = i
			}
		}
	}
}

// positions reads the values' positions in tuples, and unites values in the same part of tuples at one offset.
func (t *texts) positions(s *section) error {
	type part struct {
		class int32
		index string
	}
	first := map[part]place{}
	var current place
	known, in := false, false
	for at, line := range s.text.From(s.at) {
		switch {
		case strings.HasPrefix(line, "<"):
			id, _, _ := strings.Cut(line[1:], " ")
			n, err := strconv.ParseInt(id, 10, 64)
			current, known = t.byID[n]
			known, in = known && err == nil, false
		case line == " positions:":
			in = known
		case in && strings.HasPrefix(line, "  "):
			// "  tuple.3 {0,1}": part 1 of the tuple that is part 0 of tuple.3.
			name, index, ok := strings.Cut(line[2:], " {")
			if !ok {
				continue
			}
			index = strings.TrimSuffix(index, "}")
			above := ""
			if comma := strings.LastIndexByte(index, ','); comma >= 0 {
				above, index = index[:comma], index[comma+1:]
			}
			class, ok := t.tuples[name+"{"+above+"}"]
			if !ok {
				continue
			}
			one, ok := first[part{class, index}]
			if !ok {
				if err := t.spend(s.text, at, 100); err != nil {
					return err
				}
				first[part{class, index}] = current
			} else if h := &t.heap[one.heap]; one.heap == current.heap &&
				h.values[one.value].offset == h.values[current.value].offset {
				unite(h.values, one.value, current.value)
			}
		default:
			in = false
		}
	}
	return nil
}
