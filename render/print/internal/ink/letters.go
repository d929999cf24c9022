package ink

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Idea: a picture that is opened elsewhere brings its letters along. The Go fonts have
// Latin, Greek, Cyrillic and the usual signs in 130 kB each, under Go's licence. A letter
// that they lack is written as its code, U+6F22, as the TeX picture does, so that two
// names that differ still look different.
//
// DejaVu and Liberation were looked at: six and three times as large, for scripts that
// names of tensors hardly have. A font with ideographs takes megabytes.
//
// Invariant: no text but one in bold is wider than render/internal/layout takes it to be,
// so that what fits there fits here (TestLettersFit, pen.Text).

// Regular and Bold are the fonts as files, for media that embed them.
var Regular, Bold = goregular.TTF, gobold.TTF

// A Glyph is the outline of a letter, in units of the font size, y down from the baseline.
type Glyph struct {
	Segments sfnt.Segments // in 1/64 of 1/em of the font size
	Advance  float64       // to the next letter
}

// Em is what the coordinates of a glyph are divided by.
const Em = 1024

// face reads a font, and keeps the glyphs that were asked for. It is for one picture at a
// time.
type face struct {
	mutex  sync.Mutex
	font   *sfnt.Font
	buffer sfnt.Buffer
	glyphs map[rune]*Glyph // nil for a letter that the font lacks
}

var faces = [2]func() *face{
	sync.OnceValue(func() *face { return newFace(Regular) }),
	sync.OnceValue(func() *face { return newFace(Bold) }),
}

func newFace(file []byte) *face {
	f, err := sfnt.Parse(file)
	if err != nil {
		panic(err) // the file is a part of this program
	}
	return &face{font: f, glyphs: map[rune]*Glyph{}}
}

// Letter returns the glyph of a letter; nil if the font lacks it.
func Letter(r rune, bold bool) *Glyph {
	which := 0
	if bold {
		which = 1
	}
	return faces[which]().letter(r)
}

func (f *face) letter(r rune) *Glyph {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	g, known := f.glyphs[r]
	if known {
		return g
	}
	if index, err := f.font.GlyphIndex(&f.buffer, r); err == nil && index != 0 {
		size := fixed.I(Em)
		segments, err := f.font.LoadGlyph(&f.buffer, index, size, nil)
		advance, other := f.font.GlyphAdvance(&f.buffer, index, size, font.HintingNone)
		if err == nil && other == nil {
			g = &Glyph{append(sfnt.Segments(nil), segments...), float64(advance) / 64 / Em}
		}
	}
	f.glyphs[r] = g
	return g
}

// Readable returns a text with the code of each letter that a font lacks.
func Readable(text string) string {
	lacks := func(r rune) bool { return Letter(r, false) == nil || Letter(r, true) == nil }
	if strings.IndexFunc(text, lacks) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if lacks(r) {
			fmt.Fprintf(&out, "U+%04X", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Width returns how wide a readable text is at font size 1.
func Width(text string, bold bool) float64 {
	var w float64
	for _, r := range text {
		if g := Letter(r, bold); g != nil {
			w += g.Advance
		}
	}
	return w
}
