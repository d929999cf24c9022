package model

import (
	"math"
	"slices"
	"strconv"
)

// MaxSum is the largest value that any offset, height or sum of sizes may
// take. It leaves room for one addition without overflow.
const MaxSum = math.MaxInt64 / 4

// Validate checks a problem and reports every fault of it. The error, where
// there is one, is an *InputError.
func Validate(p *Problem) error {
	return ValidateAt(p, func(int) Issue { return Issue{} })
}

// ValidateAt is Validate for readers: where returns the file and line of the
// i-th buffer, or, for i = -1, of the input as a whole.
func ValidateAt(p *Problem, where func(i int) Issue) error {
	v := validator{where: where}
	if p.Capacity < 0 || p.Capacity > MaxSum {
		v.add(-1, "", "capacity", itoa(p.Capacity), "must be from 1 to "+itoa(MaxSum)+", or 0 for none")
	}
	seen := make(map[string]int32, len(p.Buffers))
	var sum, top int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.ID == "" {
			v.add(i, "", "id", "", "is empty")
		} else if first, dup := seen[b.ID]; dup {
			v.add(i, b.ID, "id", b.ID, "is a duplicate: buffer number "+strconv.Itoa(int(first)+1)+" has it too")
		} else {
			seen[b.ID] = int32(i)
		}
		v.buffer(i, b, p.Capacity)
		if b.Size > 0 && b.Size <= MaxSum {
			need := b.Size + min(b.Align()-1, MaxSum)
			if sum <= MaxSum {
				sum += need
				if sum > MaxSum {
					v.add(i, b.ID, "size", itoa(b.Size), "makes the sum of the aligned sizes exceed "+itoa(MaxSum))
				}
			}
			if b.Fixed != nil && *b.Fixed >= 0 && *b.Fixed <= MaxSum {
				top = max(top, *b.Fixed+b.Size)
			}
		}
	}
	if sum <= MaxSum && sum+top > MaxSum {
		v.add(-1, "", "offset", "", "the fixed offsets and the sum of the sizes together exceed "+itoa(MaxSum))
	}
	return v.issues.Err()
}

type validator struct {
	where  func(int) Issue
	issues Issues
}

func (v *validator) add(i int, id, field, value, message string) {
	issue := v.where(i)
	issue.Buffer, issue.Field, issue.Value, issue.Message = id, field, value, message
	v.issues.Add(issue)
}

// buffer checks the fields of one buffer against each other.
func (v *validator) buffer(i int, b *Buffer, capacity int64) {
	switch {
	case b.Upper == b.Lower:
		v.add(i, b.ID, "upper", itoa(b.Upper), "the lifespan is empty: lower is "+itoa(b.Lower)+" too")
	case b.Upper < b.Lower:
		v.add(i, b.ID, "upper", itoa(b.Upper), "the lifespan is reversed: lower is "+itoa(b.Lower))
	case b.Lower < -MaxSum:
		v.add(i, b.ID, "lower", itoa(b.Lower), "must be at least "+itoa(-MaxSum))
	case b.Upper > MaxSum:
		v.add(i, b.ID, "upper", itoa(b.Upper), "must be at most "+itoa(MaxSum))
	}
	if b.Size < 1 || b.Size > MaxSum {
		v.add(i, b.ID, "size", itoa(b.Size), "must be from 1 to "+itoa(MaxSum))
	}
	if b.Alignment < 0 || b.Alignment > MaxSum {
		v.add(i, b.ID, "alignment", itoa(b.Alignment), "must be from 1 to "+itoa(MaxSum))
	}
	if len(b.Gaps) > 0 {
		v.gaps(i, b)
	}
	if b.Fixed != nil {
		switch at := *b.Fixed; {
		case at < 0 || at > MaxSum:
			v.add(i, b.ID, "offset", itoa(at), "must be from 0 to "+itoa(MaxSum))
		case b.Alignment > 1 && at%b.Alignment != 0:
			v.add(i, b.ID, "offset", itoa(at), "is not a multiple of the alignment "+itoa(b.Alignment))
		case capacity > 0 && b.Size > 0 && at > capacity-b.Size:
			v.add(i, b.ID, "offset", itoa(at), "ends above the capacity "+itoa(capacity)+" with size "+itoa(b.Size))
		}
	}
	if b.Hint != nil && (*b.Hint < 0 || *b.Hint > MaxSum) {
		v.add(i, b.ID, "hint", itoa(*b.Hint), "must be from 0 to "+itoa(MaxSum))
	}
}

func (v *validator) gaps(i int, b *Buffer) {
	for k, g := range b.Gaps {
		text := GapText(g)
		switch {
		case g.Upper <= g.Lower:
			v.add(i, b.ID, "gaps", text, "is empty or reversed")
		case g.Lower < b.Lower || g.Upper > b.Upper:
			v.add(i, b.ID, "gaps", text, "lies outside the lifespan ["+itoa(b.Lower)+", "+itoa(b.Upper)+")")
		case k > 0 && g.Lower < b.Gaps[k-1].Upper:
			v.add(i, b.ID, "gaps", text, "overlaps or precedes the gap "+GapText(b.Gaps[k-1]))
		}
		if w := g.Window; w != nil && (w.Lower < 0 || w.Upper <= w.Lower || w.Upper > b.Size) {
			v.add(i, b.ID, "gaps", text, "the window must lie within the size "+itoa(b.Size)+" and not be empty")
		}
	}
}

// GapText formats a gap as the CSV format does: a-b or a-b@lo:hi.
func GapText(g Gap) string {
	s := itoa(g.Lower) + "-" + itoa(g.Upper)
	if g.Window != nil {
		s += "@" + itoa(g.Window.Lower) + ":" + itoa(g.Window.Upper)
	}
	return s
}

// SortGaps puts a buffer's gaps into ascending order, as Validate expects.
// Readers call it, since files may list gaps in any order.
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
