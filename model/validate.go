package model

import (
	"math"
	"slices"
	"strconv"
)

// MaxSum is the largest value that any offset, height or sum of sizes may
// take. It leaves room for one addition without overflow.
const MaxSum = math.MaxInt64 / 4

// maxSum is MaxSum in decimal: messages that are constants are small.
const maxSum = "2305843009213693951"

// Validate checks a problem and reports all of its faults as an *InputError, or nil if
// there are none. Fixed offsets that collide, or end above the capacity, are no faults:
// such a problem is valid, and infeasible.
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
	// Name returns the file's name of a field, such as start for lower; nil if the file
	// has the names of this package.
	Name func(field string) string
	// Inclusive says that lifespans and gaps of the file end with their last
	// time slot.
	Inclusive bool
	// Over is called every 65,536 buffers; nil for never. If it returns true, validation
	// ends, and the error has the faults found so far.
	Over func() bool
}

// validateLook is the number of buffers between looks at Terms.Over: some five
// milliseconds.
const validateLook = 1 << 16

// ValidateAs is Validate with messages in the terms t of a file.
func ValidateAs(p *Problem, t Terms) error {
	v := validator{Terms: t, p: p}
	if p == nil {
		v.issues.Say("", "", "the problem is nil")
		return v.issues.Err()
	}
	if p.Capacity < 0 || p.Capacity > MaxSum {
		v.add(-1, "capacity", itoa(p.Capacity), "must be from 1 to "+maxSum+", or 0 for none")
	}
	seen := newIDs(p.Buffers)
	var sum, top int64
	for i := range p.Buffers {
		if i%validateLook == validateLook-1 && v.Over != nil && v.Over() {
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
					v.add(i, "size", itoa(b.Size), "makes the sum of the aligned sizes exceed "+maxSum)
				}
			}
			if b.Fixed != nil && *b.Fixed >= 0 && *b.Fixed <= MaxSum {
				top = max(top, *b.Fixed+b.Size)
			}
		}
	}
	if sum <= MaxSum && sum+top > MaxSum {
		v.add(-1, "offset", "", "the fixed offsets and the sum of the sizes together exceed "+maxSum)
	}
	return v.issues.Err()
}

type validator struct {
	Terms
	p      *Problem
	issues Issues
}

// add adds a fault of buffer i, or, for -1, of the whole.
func (v *validator) add(i int, field, value, message string) {
	issue := Issue{}
	if v.Where != nil {
		issue = v.Where(i)
	}
	if issue.Buffer = ""; i >= 0 {
		if issue.Buffer = v.p.Buffers[i].ID; issue.Buffer == "" && issue.Line == 0 {
			issue.Buffer = "number " + itoa(int64(i+1))
		}
	}
	issue.Field, issue.Value, issue.Message = v.name(field), value, message
	v.issues.add(&issue)
}

// other names the buffer that has the ID of buffer i: by its line, if it has one of its own.
func (v *validator) other(first, i int) string {
	if v.Where != nil {
		if line := v.Where(first).Line; line > 0 && line != v.Where(i).Line {
			return "line " + itoa(int64(line))
		}
	}
	return "the buffer at index " + itoa(int64(first))
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

// gap formats a gap as the file has it.
func (v *validator) gap(g *Gap) string {
	return GapText(Gap{g.Lower, v.end(g.Upper), g.Window})
}

// lifespan formats a lifespan as the file counts.
func (v *validator) lifespan(b *Buffer) string {
	text := "[" + itoa(b.Lower) + ", " + itoa(v.end(b.Upper))
	if v.Inclusive {
		return text + "]"
	}
	return text + ")"
}

// buffer checks the fields of one buffer against each other.
func (v *validator) buffer(i int, b *Buffer) {
	if b.Upper <= b.Lower || b.Lower < -MaxSum || b.Upper > MaxSum {
		v.span(i, b)
	}
	if b.Size < 1 || b.Size > MaxSum {
		v.outside(i, b, "size", b.Size, "1")
	}
	if b.Alignment < 0 || b.Alignment > MaxSum {
		v.outside(i, b, "alignment", b.Alignment, "0")
	}
	if len(b.Gaps) > 0 {
		v.gaps(i, b)
	}
	if b.Fixed != nil {
		switch at := *b.Fixed; {
		case at < 0 || at > MaxSum:
			v.outside(i, b, "offset", at, "0")
		case b.Alignment > 1 && at%b.Alignment != 0:
			v.add(i, "offset", itoa(at), "is not a multiple of the alignment "+itoa(b.Alignment))
		}
	}
	if b.Hint != nil && (*b.Hint < 0 || *b.Hint > MaxSum) {
		v.outside(i, b, "hint", *b.Hint, "0")
	}
}

// outside says that a value is not from least to the largest that there is.
func (v *validator) outside(i int, b *Buffer, field string, value int64, least string) {
	v.add(i, field, itoa(value), "must be from "+least+" to "+maxSum)
}

// span says what is wrong with a lifespan.
func (v *validator) span(i int, b *Buffer) {
	field, value, what := "upper", itoa(v.end(b.Upper)), ""
	switch {
	case b.Upper <= b.Lower && v.Inclusive:
		what = "the lifespan ends before it starts: " + v.name("lower") + " is " + itoa(b.Lower)
	case b.Upper == b.Lower:
		what = "the lifespan is empty: " + v.name("lower") + " is also " + itoa(b.Lower)
	case b.Upper < b.Lower:
		what = "the lifespan ends before it starts: " + v.name("lower") + " is " + itoa(b.Lower)
	case b.Lower < -MaxSum:
		field, value, what = "lower", itoa(b.Lower), "must be at least -"+maxSum
	default:
		what = "must be at most " + itoa(v.end(MaxSum))
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
			what = "must start at or after the end of the gap " + v.gap(&b.Gaps[k-1]) + " before it"
		}
		if what != "" {
			v.add(i, "gaps", v.gap(g), what)
		}
		if w := g.Window; w != nil && (w.Lower < 0 || w.Upper <= w.Lower || w.Upper > b.Size) {
			v.add(i, "gaps", v.gap(g), "the window must lie within the size of "+itoa(b.Size)+", and must not be empty")
		}
	}
}

// GapText formats a gap as CSV files have it: a-b, or a-b@lo:hi with a window.
func GapText(g Gap) string {
	s := itoa(g.Lower) + "-" + itoa(g.Upper)
	if g.Window != nil {
		s += "@" + itoa(g.Window.Lower) + ":" + itoa(g.Window.Upper)
	}
	return s
}

// SortGaps puts gaps into ascending order of their start, as Validate expects. Readers
// call it because files may list gaps in any order.
func SortGaps(gaps []Gap) {
	slices.SortFunc(gaps, func(a, b Gap) int {
		if a.Lower != b.Lower {
			if a.Lower < b.Lower {
				return -1
			}
			return 1
		}
		return 0
	})
}

func itoa(x int64) string { return strconv.FormatInt(x, 10) }
