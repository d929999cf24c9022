package xla

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: three texts together have the facts of the trace. The assignment says where each value is, and the live ranges
// say when it is live; both have its name. The heap is the allocation that is marked preallocated-temp. Two of its
// values share a place if they are at one offset and live at once.
//
// The values that the branches of a conditional return share a place without being live at once. The third text, the
// list of values, shows this: for each value it names the tuples that hold the value, and the position in each. The
// tuples of the branches and of the conditional itself are at one offset, and no other tuple is there. So two values
// share a place if they have the same position in two tuples at one offset. Tuples are in no trace, and are left out of the heap here, too.
//
// Older versions have all three as sections of one text, so each section is looked for in
// the first file and, if it is not there, in the one beside it.
//
// Complexity: O(bytes), and O(n log n) for the n values.
//
// Source: BufferAssignment::ToString, BufferAllocation::ToString and
// HloLiveRange::ToString of openxla/xla 0e06ac8; dumps of jaxlib 0.10.2.

// The suffixes of the texts.
const (
	AssignmentSuffix = "-buffer-assignment.txt"
	ranges           = "-live-range.txt"
	positions        = "-buffer-assignment-values.txt"
)

const (
	assignmentHead = "BufferAssignment:"
	rangesHead     = "HloLiveRange "
	valuesHead     = "Used values:"
	reportHead     = "Memory Space: "
)

// IsText reports whether head, the beginning of a file, is that of one of XLA's texts.
func IsText(head []byte) bool {
	for _, s := range []string{assignmentHead, rangesHead, valuesHead, reportHead} {
		if n := min(len(head), len(s)); n >= 12 && string(head[:n]) == s[:n] {
			return true
		}
	}
	return false
}

// ReadText reads NAME-buffer-assignment.txt from r; file is its name in messages. beside opens another text of the same
// NAME, given its suffix, and returns its name in messages; it is nil if there are no other texts. The error is r's,
// that of beside, or a *model.InputError.
func ReadText(r io.Reader, file string, beside func(suffix string) (io.ReadCloser, string, error)) (*Dump, error) {
	main, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	t := texts{d: &Dump{File: file}, assignment: main, budget: main.Budget}
	if !strings.HasPrefix(main.Text, assignmentHead) {
		return nil, main.Refuse(0, source.Clip(firstLine(main.Text)),
			"is not a buffer assignment: XLA writes that to NAME"+AssignmentSuffix+
				", and its live ranges to the file beside it")
	}
	if err := t.allocations(); err != nil {
		return nil, err
	}
	live, err := t.section(rangesHead, ranges, beside)
	if err != nil {
		return nil, err
	}
	if live == nil {
		return nil, main.Refuse(0, "", "has no live ranges: XLA writes them to NAME"+ranges+" beside it")
	}
	if err := t.live(live); err != nil {
		return nil, err
	}
	t.overlaps()
	if len(t.tuples) > 0 {
		used, err := t.section(valuesHead, positions, beside)
		if err != nil {
			return nil, err
		}
		if used == nil {
			t.d.Notes = append(t.d.Notes,
				"the values' positions, NAME"+positions+
					", are missing: results of the branches of a conditional may share a place, but count as different values")
		} else {
			if err := t.positions(used); err != nil {
				return nil, err
			}
		}
	}
	return t.heaps()
}

// texts is a dump as it is read.
type texts struct {
	d          *Dump
	assignment *source.Text
	heap       []textHeap
	byName     map[string]place // values of heaps
	byID       map[int64]place
	budget     source.Budget    // of all texts
	tuples     map[string]int32 // the class of the tuple at this position
	classes    map[where]int32
}

// spend takes n from the budget.
func (t *texts) spend(s *source.Text, at, n int) error {
	if !t.budget.Spend(n) {
		return s.Refuse(at, source.Clip(firstLine(s.Text[at:])), t.budget.Excess())
	}
	return nil
}

// A place in the heaps: a value of a heap.
type place struct{ heap, value int32 }

// where is an offset of a heap.
type where struct {
	heap   int32
	offset int64
}

// A textHeap is an allocation that is a heap.
type textHeap struct {
	allocation, color int64
	at                int // in the text
	values            []value
	lines             []int // where each value is, in the text
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// section returns the section of this head, in the text that has it; nil if there is none.
func (t *texts) section(head, suffix string, beside func(string) (io.ReadCloser, string, error)) (*section, error) {
	if at := strings.Index(t.assignment.Text, "\n"+head); at >= 0 {
		return &section{t.assignment, at + 1}, nil
	}
	if beside == nil {
		return nil, nil
	}
	r, name, err := beside(suffix)
	if errors.Is(err, fs.ErrNotExist) || r == nil && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := source.Read(r, name)
	if err != nil {
		return nil, err
	}
	t.budget.Grow(text.Budget)
	at := strings.Index(text.Text, head)
	if at < 0 || at > 0 && text.Text[at-1] != '\n' {
		return nil, text.Refuse(0, source.Clip(firstLine(text.Text)),
			"has no line that begins with "+strings.TrimSuffix(head, " "))
	}
	return &section{text, at}, nil
}

// A section begins at a byte of a text.
type section struct {
	text *source.Text
	at   int
}

// allocations reads the allocations that are heaps, and their values.
func (t *texts) allocations() error {
	counts := t.count()
	all := 0
	for _, n := range counts {
		all += n
	}
	if t.budget.Most(all, valueBytes) < all {
		return t.assignment.Refuse(0, source.Clip(firstLine(t.assignment.Text)), t.budget.Excess())
	}
	t.byName, t.byID = make(map[string]place, all), make(map[int64]place, all)
	t.tuples, t.classes = map[string]int32{}, map[where]int32{}
	for at, line := range t.heapLines() {
		if isValue(line) {
			if err := t.value(at, line); err != nil {
				return err
			}
			continue
		}
		if err := t.allocation(at, line); err != nil {
			return err
		}
		k := len(t.heap) - 1
		t.heap[k].values, t.heap[k].lines = make([]value, 0, counts[k]), make([]int, 0, counts[k])
	}
	if len(t.heap) == 0 {
		return t.assignment.Refuse(0, "",
			"has no allocation that is preallocated-temp: XLA places no temporaries in this module")
	}
	return nil
}

// count returns how many values each heap has, so that nothing grows as they are read.
func (t *texts) count() (counts []int) {
	for _, line := range t.heapLines() {
		if isValue(line) {
			counts[len(counts)-1]++
		} else {
			counts = append(counts, 0)
		}
	}
	return counts
}

// heapLines goes through the lines of the assignment that begin a heap, and the lines of its values.
func (t *texts) heapLines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		inHeap := false
		for at, line := range t.assignment.From(0) {
			allocation := strings.HasPrefix(line, "allocation ")
			if allocation {
				inHeap = isHeap(line)
			}
			if inHeap && (allocation || isValue(line)) {
				if !yield(at, line) {
					return
				}
			} else if at > 0 && line != "" && line[0] != ' ' && !allocation {
				return // the next section
			}
		}
	}
}

// isHeap reports whether a line begins an allocation that is a heap.
func isHeap(line string) bool { return strings.HasSuffix(line, ", preallocated-temp:") }

// isValue reports whether a line is of a value of an allocation.
func isValue(line string) bool { return strings.HasPrefix(line, " value: ") }

// allocation reads "allocation 7: size 64, color 1, preallocated-temp:".
func (t *texts) allocation(at int, line string) error {
	h := textHeap{at: at}
	number, rest, _ := strings.Cut(strings.TrimPrefix(line, "allocation "), ": size ")
	var err error
	if h.allocation, err = t.number(at, "allocation", number, math.MaxInt64); err != nil {
		return err
	}
	if _, color, ok := strings.Cut(rest, ", color "); ok {
		color, _, _ = strings.Cut(color, ",")
		if h.color, err = t.number(at, "color", color, math.MaxInt64); err != nil {
			return err
		}
	}
	t.heap = append(t.heap, h)
	return nil
}

// value reads " value: <29 tanh.1{0} (phi) @0> (size=64,offset=128): f32[16]{0}".
func (t *texts) value(at int, line string) error {
	who, what, ok := strings.Cut(strings.TrimPrefix(line, " value: <"), "> (size=")
	id, name, ok2 := strings.Cut(who, " ")
	size, rest, ok3 := strings.Cut(what, ",offset=")
	offset, shape, ok4 := strings.Cut(rest, "): ")
	end := strings.LastIndex(name, " @")
	if !ok || !ok2 || !ok3 || !ok4 || end < 0 {
		return t.assignment.Refuse(at, source.Clip(line),
			"is no value: expected <ID NAME @COLOR> (size=SIZE,offset=OFFSET): SHAPE")
	}
	name = strings.TrimSuffix(name[:end], " (phi)")
	heap := int32(len(t.heap) - 1)
	h := &t.heap[heap]
	var v value
	var err error
	if v.id, err = t.number(at, "id", id, math.MaxInt64); err != nil {
		return err
	}
	if v.size, err = t.number(at, "size", size, model.MaxSum); err != nil {
		return err
	}
	if v.offset, err = t.number(at, "offset", offset, model.MaxSum); err != nil {
		return err
	}
	if err := t.spend(t.assignment, at, valueBytes); err != nil {
		return err
	}
	if strings.HasPrefix(shape, "(") {
		key := where{heap, v.offset}
		class, ok := t.classes[key]
		if !ok {
			class = int32(len(t.classes))
			t.classes[key] = class
		}
		t.tuples[full(name)] = class
		return nil
	}
	if v.size == 0 {
		return nil
	}
	v.name, v.placed, v.lower, v.upper = strings.TrimSuffix(name, "{}"), true, -1, -1
	v.leader = int32(len(h.values))
	at2 := place{heap, v.leader}
	if _, ok := t.byID[v.id]; ok {
		return t.assignment.Refuse(at, id, "is the number of another value, too")
	}
	if _, ok := t.byName[full(name)]; ok {
		return t.assignment.Refuse(at, source.Clip(name), "is the name of another value, too")
	}
	t.byID[v.id], t.byName[full(name)] = at2, at2
	h.values, h.lines = append(h.values, v), append(h.lines, at)
	return nil
}

// valueBytes is the memory of a value: itself, its names, its pieces and its buffer.
const valueBytes = 450

// full returns a name with the index of its part, {} for the whole.
func full(name string) string {
	if strings.HasSuffix(name, "}") {
		return name
	}
	return name + "{}"
}

func (t *texts) number(at int, field, s string, most int64) (int64, error) {
	return number(t.assignment, at, field, s, most)
}

func number(t *source.Text, at int, field, s string, most int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n >= 0 && n <= most {
		return n, nil
	}
	return 0, model.Issue{
		File: t.File, Line: t.Line(at), Field: field, Value: source.Clip(s),
		Message: "must be a number from 0 to " + strconv.FormatInt(most, 10),
	}.Err()
}

// heaps makes heaps from the texts.
func (t *texts) heaps() (*Dump, error) {
	for k := range t.heap {
		h := &t.heap[k]
		if len(h.values) == 0 {
			continue
		}
		// The order of the ids is that of the trace's reader.
		joined := join(sorted(h.values), Alignment)
		joined.Allocation, joined.Color = h.allocation, h.color
		where := model.Issue{File: t.assignment.File, Line: t.assignment.Line(h.at)}
		err := model.ValidateAs(joined.Problem, model.Terms{Where: func(int) model.Issue { return where }})
		if err != nil {
			return nil, err
		}
		t.d.Heaps = append(t.d.Heaps, joined)
	}
	if len(t.d.Heaps) == 0 {
		return nil, t.assignment.Refuse(t.heap[0].at, "", "has no values: XLA places no temporaries in this module")
	}
	return t.d, nil
}

// sorted returns the values in order of their id.
func sorted(values []value) []value {
	order := make([]int32, len(values))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(values[a].id, values[b].id) })
	out := make([]value, len(values))
	leaders := make(map[int32]int32, len(values)) // from old to new
	for k, from := range order {
		out[k] = values[from]
		old := find(values, from)
		if _, ok := leaders[old]; !ok {
			leaders[old] = int32(k)
		}
		out[k].leader = leaders[old]
	}
	return out
}
