package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Idea: the writers cannot ask a font how wide a text is, so widths come from a table of character classes measured on
// DejaVu Sans, the widest of the usual sans serifs. A text that fits by the table fits in Helvetica, Arial and Latin
// Modern too; the price is a few labels left out that would just have fitted.
//
// Trials: docs/lab/pictures.md (SVG's textLength squeezes letters, and renderers disagree on it).

// bold is how much wider a bold text is.
const bold = 1.12

// em returns the width of a character in parts of the font size.
func em(r rune) float64 {
	switch {
	case strings.ContainsRune("iljI.,:;'|! ", r):
		return 0.34
	case strings.ContainsRune("ftr()[]{}-/\\\"`·", r):
		return 0.44
	case strings.ContainsRune("mwMW@%…", r):
		return 1.0
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z':
		return 0.63
	case r >= 'A' && r <= 'Z', r == '_', r == '+', r == '=', r == '#', r == '&', r == '<', r == '>':
		return 0.78
	case r < 0x2E80:
		return 0.85
	}
	return 1.1 // ideographs, kana, hangul, emoji
}

// textWidth returns the width of s at a font size, in page units.
func (g *page) textWidth(s string, size float64) float64 {
	return Width(s) * size * g.medium.TextScale
}

// Width returns how wide the table takes a text to be, in parts of the font size.
func Width(s string) float64 {
	var w float64
	for _, r := range s {
		w += em(r)
	}
	return w
}

// fit cuts s at its end, with an ellipsis, so that it is no wider than width.
func (g *page) fit(s string, size, width float64) string {
	if g.textWidth(s, size) <= width {
		return s
	}
	left := width/(size*g.medium.TextScale) - em('…')
	for i, r := range s {
		if left -= em(r); left < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// shortest is the number of characters of an ID that must stay for it to be worth a label.
const shortest = 5

// fitMiddle cuts s in its middle: IDs of a model are paths, which differ at both ends. It
// returns "" if too little would stay.
func (g *page) fitMiddle(s string, size, width float64) string {
	if g.textWidth(s, size) <= width {
		return s
	}
	left := width/(size*g.medium.TextScale) - em('…')
	// One character from the end, one from the start, and so on.
	head, tail, kept := 0, len(s), 0
	for head < tail {
		r, n := utf8.DecodeLastRuneInString(s[:tail])
		if kept%2 == 1 {
			r, n = utf8.DecodeRuneInString(s[head:])
		}
		if left -= em(r); left < 0 {
			break
		}
		if kept%2 == 1 {
			head += n
		} else {
			tail -= n
		}
		kept++
	}
	if kept < shortest {
		return ""
	}
	return s[:head] + "…" + s[tail:]
}

// wrap joins the parts into lines no wider than width.
func (g *page) wrap(parts []string, sep string, size, width float64) []string {
	var lines []string
	for _, part := range parts {
		if n := len(lines); n > 0 && g.textWidth(lines[n-1]+sep+part, size) <= width {
			lines[n-1] += sep + part
		} else {
			lines = append(lines, g.fit(part, size, width))
		}
	}
	return lines
}

// Clean returns s as valid UTF-8 that XML and TeX can carry once escaped: what is malformed, a control character or a
// change of writing direction becomes the replacement character.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), r == 0xFFFE, r == 0xFFFF,
			r == 0x2028, r == 0x2029, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return utf8.RuneError
		}
		return r
	}, s)
}

// cutRunes returns at most n characters of s, marked where cut.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
