package csv

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stowage-go/stowage/model"
)

// WriteOptions choose among the dialects. The zero value writes half-open
// lifespans.
type WriteOptions struct {
	// Inclusive writes the columns start and end, the latter inclusive, and
	// inclusive gaps, as older tools read them.
	Inclusive bool
}

// Write is WriteWith in the default dialect.
func Write(w io.Writer, p *model.Problem, offsets []int64) error {
	return WriteWith(w, p, offsets, WriteOptions{})
}

// WriteWith writes a problem and, where offsets is not nil, its plan: an offset
// for each buffer, in order, -1 for none. Without a plan the offset column has
// the fixed offsets, if there are any.
//
// The columns and their order are those of google/minimalloc: id, lower, upper,
// size, then alignment, hint, gaps and offset where any buffer has one. Read
// gives back what is written, but for the name and capacity of the problem,
// which have no place in the format, and gaps, which it sorts.
//
// The error is the writer's, or says that the offsets do not match the buffers
// or that an ID cannot be written: one with NUL bytes or invalid UTF-8. In the
// latter cases nothing is written.
func WriteWith(w io.Writer, p *model.Problem, offsets []int64, o WriteOptions) error {
	if err := writable(p, offsets); err != nil {
		return err
	}
	e := encoder{
		alignment: slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Align() != 1 }),
		hint:      slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Hint != nil }),
		gaps:      slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return len(b.Gaps) > 0 }),
		offset:    offsets != nil || slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Fixed != nil }),
	}
	if o.Inclusive {
		e.last = 1
	}
	// Rows are appended to one buffer, which is written when it is full.
	const full = 1 << 16
	row := e.header(make([]byte, 0, full+1<<12))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		at := b.Fixed
		if offsets != nil {
			at = &offsets[i]
		}
		if row = e.row(row, b, at); len(row) >= full {
			if _, err := w.Write(row); err != nil {
				return err
			}
			row = row[:0]
		}
	}
	_, err := w.Write(row)
	return err
}

// writable says why a problem or its plan cannot be written, if so.
func writable(p *model.Problem, offsets []int64) error {
	if offsets != nil && len(offsets) != len(p.Buffers) {
		return fmt.Errorf("csv: %d offsets for %d buffers", len(offsets), len(p.Buffers))
	}
	var errs []error
	for i := range p.Buffers {
		if name := p.Buffers[i].ID; strings.IndexByte(name, 0) >= 0 || !utf8.ValidString(name) {
			if errs = append(errs, fmt.Errorf("csv: the ID %q of buffer number %d is not text", name, i+1)); len(errs) == model.MaxIssues {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// An encoder appends rows.
type encoder struct {
	alignment, hint, gaps, offset bool  // columns there are
	last                          int64 // taken off the ends of lifespans and gaps
}

func (e *encoder) header(dst []byte) []byte {
	if e.last == 0 {
		dst = append(dst, example...)
	} else {
		dst = append(dst, "id,start,end,size"...)
	}
	if e.alignment {
		dst = append(dst, ",alignment"...)
	}
	if e.hint {
		dst = append(dst, ",hint"...)
	}
	if e.gaps {
		dst = append(dst, ",gaps"...)
	}
	if e.offset {
		dst = append(dst, ",offset"...)
	}
	return append(dst, '\n')
}

func (e *encoder) row(dst []byte, b *model.Buffer, at *int64) []byte {
	dst = appendField(dst, b.ID)
	dst = appendInt(dst, b.Lower)
	dst = appendInt(dst, b.Upper-e.last)
	dst = appendInt(dst, b.Size)
	if e.alignment {
		dst = appendInt(dst, b.Align())
	}
	if e.hint {
		dst = appendOffset(dst, b.Hint)
	}
	if e.gaps {
		dst = append(dst, ',')
		for k, g := range b.Gaps {
			if k > 0 {
				dst = append(dst, ' ')
			}
			g.Upper -= e.last
			dst = append(dst, model.GapText(g)...)
		}
	}
	if e.offset {
		dst = appendOffset(dst, at)
	}
	return append(dst, '\n')
}

func appendInt(dst []byte, v int64) []byte { return strconv.AppendInt(append(dst, ','), v, 10) }

func appendOffset(dst []byte, v *int64) []byte {
	if v == nil {
		return append(dst, ",-1"...)
	}
	return appendInt(dst, *v)
}

// appendField appends an ID, in quotes where it needs them. Spaces at its ends
// would survive without, but not in every other reader.
func appendField(dst []byte, s string) []byte {
	if s != "" && s[0] != ' ' && s[len(s)-1] != ' ' && !strings.ContainsAny(s, ",\"\r\n") {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
