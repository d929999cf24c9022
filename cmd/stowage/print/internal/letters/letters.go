// Package letters has the fonts of PNG and PDF, and places texts in them.
package letters

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"

	"github.com/stowage-go/stowage/internal/layout"
)

// Idea: a picture that is opened elsewhere brings its letters along. The Go fonts have Latin, Greek, Cyrillic and the
// usual signs in 130 kB each, under Go's licence. A letter that they lack is written as its code, U+6F22, as the TeX
// picture does, so that two names that differ still look different.
//
// DejaVu and Liberation were looked at: six and three times as large, for scripts that
// names of tensors hardly have. A font with ideographs takes megabytes.
//
// Invariant: no text but one in bold is wider than internal/layout takes it to be,
// so that what fits there fits here (TestLettersFit, Placed).

// Regular and Bold are the fonts as files, for media that embed them.
var Regular, Bold = goregular.TTF, gobold.TTF

var fonts = [2]func() *opentype.Font{
	sync.OnceValue(func() *opentype.Font { return must(opentype.Parse(Regular)) }),
	sync.OnceValue(func() *opentype.Font { return must(opentype.Parse(Bold)) }),
}

// must returns what cannot fail: the fonts are a part of this program.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Face returns the letters of a size, for one picture at a time.
func Face(bold bool, size float64) font.Face {
	f := fonts[0]()
	if bold {
		f = fonts[1]()
	}
	return must(opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72}))
}

// lacks reports whether one of the fonts lacks a letter.
func lacks(r rune) bool {
	for _, f := range fonts {
		if index, err := f().GlyphIndex(nil, r); err != nil || index == 0 {
			return true
		}
	}
	return false
}

// Readable returns a text with the code of each letter that a font lacks.
func Readable(text string) string {
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
	const size = 1024
	return float64(font.MeasureString(Face(bold, size), text)) / 64 / size
}

// Placed returns a text as it is written, with its beginning for its place. A text that is wider than its room in the
// layout gets smaller. That happens if the fonts lack a letter, because its code is written instead.
func Placed(t layout.Text, bold bool) layout.Text {
	room := layout.Width(t.Text)
	t.Text = Readable(t.Text)
	width := Width(t.Text, bold)
	if !bold && width > room {
		t.Size *= room / width
	}
	before := width * t.Size * [...]float64{layout.Start: 0, layout.Middle: 0.5, layout.End: 1}[t.Anchor]
	if t.Anchor = layout.Start; t.Upright {
		t.Y += before
	} else {
		t.X -= before
	}
	return t
}
