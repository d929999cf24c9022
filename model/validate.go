package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// MaxSum is the largest value that any offset, height or sum of sizes may
// take. It leaves room for one addition without overflow.
const MaxSum = math.MaxInt64 / 4

// Validate checks a problem and reports all of its faults as an *InputError, or nil if there are none. Fixed offsets
// that collide, or end above the capacity, are no faults: such a problem is valid, and infeasible.
func Validate(p *Problem) error {
	return ValidateAt(p, func(int) Issue { return Issue{} })
}

// ValidateAt is Validate for readers of files. where returns an Issue with the file and
// line of buffer i, or of the whole input if i is -1.
func ValidateAt(p *Problem, where func(i int) Issue) error {
	return ValidateAs(p, Terms{Where: where})
}

// Terms say how a file names its fields and counts time, so that messages use the words
// of the file. The zero value has the words of this package.
type Terms struct {
	// Where returns an Issue with the file and line of buffer i, or of the whole input if
	// i is -1; nil if neither is known.
	Where func(i int) Issue
	// Name returns the file's name of a field, such as start for lower; nil if the file has the names of this package.
	Name func(field string) string
	// Inclusive says that lifespans and gaps of the file end with their last time slot.
	Inclusive bool
	// Time returns a time as the file has it, such as 1.25 for 125; nil if they are the same.
	Time func(v int64) string
	// Over is called every 65,536 buffers; nil for never. If it returns true, validation
	// ends, and the error has the faults found so far.
	Over func() bool
}

// pollBuffers is the number of buffers between looks at Terms.Over: some five milliseconds.
const pollBuffers = 1 << 16

// ValidateAs is Validate with messages in the terms t of a file.
func ValidateAs(p *Problem, t Terms) error {
	v := validator{Terms: t, p: p}
	if p == nil {
		v.issues.Say("", "", "the problem is nil")
		return v.issues.Err()
	}
	if p.Capacity < 0 || p.Capacity > MaxSum {
		v.add(-1, "capacity", itoa(p.Capacity), fmt.Sprintf("must be from 1 to %d, or 0 for none", int64(MaxSum)))
	}
	seen := newIDs(p.Buffers)
	defer seen.close()
	var sum, top int64
	for i := range p.Buffers {
		if i%pollBuffers == pollBuffers-1 && v.Over != nil && v.Over() {
			return v.issues.Err()
		}
		b := &p.Buffers[i]
		if b.ID == "" {
			v.add(i, "id", "", "is empty")
		} else if first := seen.add(i); first != i {
			v.add(i, "id", b.ID, "is a duplicate: "+v.other(first, i)+" has the same")
		}
		v.buffer(i, b)
		if b.Size > 0 && b.Size <= MaxSum {
			need := b.Size + min(b.Align()-1, MaxSum)
			if sum <= MaxSum {
				sum += need
				if sum > MaxSum {
					v.add(i, "size", itoa(b.Size), fmt.Sprintf("makes the sum of the aligned sizes exceed %d", int64(MaxSum)))
				}
			}
			if b.Fixed != nil && *b.Fixed >= 0 && *b.Fixed <= MaxSum {
				top = max(top, *b.Fixed+b.Size)
			}
		}
	}
	if sum <= MaxSum && sum+top > MaxSum {
		v.add(-1, "offset", "", fmt.Sprintf("the fixed offsets and the sum of the sizes together exceed %d", int64(MaxSum)))
	}
	if v.p.Ruled() {
		v.rules()
		if sum <= MaxSum && sum+top <= MaxSum && (v.aligned > MaxSum || v.aligned+top+v.reserved > MaxSum) {
			v.add(-1, "pools", "", fmt.Sprintf("the sizes of all buffers and of the parts that evictions leave, "+
				"each with the alignment that pools ask for, and the highest reserved bytes of the pools "+
				"together exceed %d", int64(MaxSum)))
		}
	}
	return v.issues.Err()
}

type validator struct {
	Terms
	p        *Problem
	issues   Issues
	reserved int64 // the sum of the highest reserved bytes of the pools
	aligned  int64 // the sum of the sizes, each with the padding that the largest alignment, pools included, may add
}

// add adds a fault of buffer i, or, for -1, of the whole.
func (v *validator) add(i int, field, value, message string) {
	issue := Issue{}
	if v.Where != nil {
		issue = v.Where(i)
	}
	if issue.Buffer = ""; i >= 0 {
		if issue.Buffer = v.p.Buffers[i].ID; issue.Buffer == "" && issue.Line == 0 {
			issue.Buffer = fmt.Sprintf("number %d", i+1)
		}
	}
	issue.Field, issue.Value, issue.Message = v.name(field), value, message
	v.issues.add(&issue)
}

// other names the buffer that has the ID of buffer i: by its line, if it has one of its own.
func (v *validator) other(first, i int) string {
	if v.Where != nil {
		if line := v.Where(first).Line; line > 0 && line != v.Where(i).Line {
			return fmt.Sprintf("line %d", line)
		}
	}
	return fmt.Sprintf("the buffer at index %d", first)
}

// name returns a field as the file has it.
func (v *validator) name(field string) string {
	if v.Name == nil {
		return field
	}
	return v.Name(field)
}

// end returns the end of a lifespan or gap as the file counts it.
func (v *validator) end(upper int64) int64 {
	if v.Inclusive {
		upper--
	}
	return upper
}

// moment formats a time as the file has it.
func (v *validator) moment(at int64) string {
	if v.Time == nil {
		return itoa(at)
	}
	return v.Time(at)
}

// gap formats a gap as the file has it.
func (v *validator) gap(g *Gap) string {
	text := v.moment(g.Lower) + "-" + v.moment(v.end(g.Upper))
	if g.Window != nil {
		text += fmt.Sprintf("@%d:%d", g.Window.Lower, g.Window.Upper)
	}
	return text
}

// lifespan formats a lifespan as the file counts.
func (v *validator) lifespan(b *Buffer) string {
	if v.Inclusive {
		return fmt.Sprintf("[%s, %s]", v.moment(b.Lower), v.moment(v.end(b.Upper)))
	}
	return fmt.Sprintf("[%s, %s)", v.moment(b.Lower), v.moment(b.Upper))
}

// buffer checks the fields of one buffer against each other.
func (v *validator) buffer(i int, b *Buffer) {
	clocked := b.Extra != nil && b.Extra.Clocks != nil // clocks are checked by themselves
	if !clocked && (b.Upper <= b.Lower || b.Lower < -MaxSum || b.Upper > MaxSum) {
		v.span(i, b)
	}
	if (b.Size < 1 || b.Size > MaxSum) && !b.HasExtents() { // which are checked by themselves
		v.outside(i, "size", b.Size, 1)
	}
	if b.Alignment < 0 || b.Alignment > MaxSum {
		v.outside(i, "alignment", b.Alignment, 0)
	}
	if len(b.Gaps) > 0 {
		v.gaps(i, b)
	}
	if b.Fixed != nil {
		switch at := *b.Fixed; {
		case at < 0 || at > MaxSum:
			v.outside(i, "offset", at, 0)
		case b.Alignment > 1 && at%b.Alignment != 0:
			v.add(i, "offset", itoa(at), fmt.Sprintf("is not a multiple of the alignment %d", b.Alignment))
		}
	}
	if b.Extra != nil && v.p.Rules == nil {
		v.add(i, "extra", "", "a buffer with pools, costs, clocks or evictions needs a problem with Rules")
	}
	if b.Hint != nil && (*b.Hint < 0 || *b.Hint > MaxSum) {
		v.outside(i, "hint", *b.Hint, 0)
	}
}

// outside says that a value is not from least to the largest that there is.
func (v *validator) outside(i int, field string, value, least int64) {
	v.add(i, field, itoa(value), fmt.Sprintf("must be from %d to %d", least, int64(MaxSum)))
}

// span says what is wrong with a lifespan.
func (v *validator) span(i int, b *Buffer) {
	field, value, what := "upper", v.moment(v.end(b.Upper)), ""
	switch {
	case b.Upper <= b.Lower && v.Inclusive:
		what = fmt.Sprintf("the lifespan ends before it starts: %s is %s", v.name("lower"), v.moment(b.Lower))
	case b.Upper == b.Lower:
		what = fmt.Sprintf("the lifespan is empty: %s is also %s", v.name("lower"), v.moment(b.Lower))
	case b.Upper < b.Lower:
		what = fmt.Sprintf("the lifespan ends before it starts: %s is %s", v.name("lower"), v.moment(b.Lower))
	case b.Lower < -MaxSum:
		field, value, what = "lower", v.moment(b.Lower), "must be at least "+v.moment(-MaxSum)
	default:
		what = "must be at most " + v.moment(v.end(MaxSum))
	}
	v.add(i, field, value, what)
}

func (v *validator) gaps(i int, b *Buffer) {
	for k := range b.Gaps {
		g, what := &b.Gaps[k], ""
		switch {
		case g.Upper <= g.Lower:
			what = "is empty or ends before it starts"
		case g.Lower < b.Lower || g.Upper > b.Upper:
			what = "lies outside the lifespan " + v.lifespan(b)
		case k > 0 && g.Lower < b.Gaps[k-1].Upper:
			what = fmt.Sprintf("must start at or after the end of the gap %s before it", v.gap(&b.Gaps[k-1]))
		}
		if what != "" {
			v.add(i, "gaps", v.gap(g), what)
		}
		if w := g.Window; w != nil && (w.Lower < 0 || w.Upper <= w.Lower || w.Upper > b.Size) {
			v.add(i, "gaps", v.gap(g), fmt.Sprintf("the window must lie within the size of %d, and must not be empty", b.Size))
		}
	}
}

// GapText formats a gap as CSV files have it: a-b, or a-b@lo:hi with a window.
func GapText(g Gap) string {
	if g.Window == nil {
		return fmt.Sprintf("%d-%d", g.Lower, g.Upper)
	}
	return fmt.Sprintf("%d-%d@%d:%d", g.Lower, g.Upper, g.Window.Lower, g.Window.Upper)
}

// SortGaps puts gaps into ascending order of their start, as Validate expects. Readers
// call it because files may list gaps in any order.
func SortGaps(gaps []Gap) {
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Compare(a.Lower, b.Lower) })
}

func itoa(x int64) string { return strconv.FormatInt(x, 10) }
