// Package shown writes text so that a terminal or a page shows what is in it.
//
// Idea: names of buffers and files come from outside. A control character in a name could move the cursor, colour the
// screen or retitle the window. A character that changes the direction of writing makes a line read as another one.
// Such characters are written as Go writes them in strings: \x1b, \u202e. Letters of all languages stay as they are.
//
// Invariant: what Text returns has none of these characters, and is one line of valid UTF-8.
// So Text of it is the same text.
//
// Complexity: O(n). Text without such characters is returned as it is, without a copy.
//
// Data is not written this way: a plan in CSV or JSON keeps its names byte for byte.
package shown

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Text returns a name, or a message of one line. Line breaks and tabs are written as \n, \r and \t.
func Text(s string) string {
	if plain(s, false) {
		return s
	}
	return string(written([]byte(s), false))
}

// Lines returns text of several lines: line feeds and tabs stay.
func Lines(s string) string {
	if plain(s, true) {
		return s
	}
	return string(written([]byte(s), true))
}

// Bytes is Lines of bytes. It may return p itself.
func Bytes(p []byte) []byte {
	if plain(p, true) {
		return p
	}
	return written(p, true)
}

// plain reports whether text is ASCII and all of it is shown as it is.
func plain[T string | []byte](s T, lines bool) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && !(lines && (c == '\n' || c == '\t')) {
			return false
		}
	}
	return true
}

func written(p []byte, lines bool) []byte {
	out := make([]byte, 0, len(p)+16)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case lines && (r == '\n' || r == '\t'):
			out = append(out, p[0])
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\r' && !lines:
			out = append(out, `\r`...)
		case r < ' ', r == 0x7f, r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, p[0])
		case r > 0xffff && hidden(r):
			out = fmt.Appendf(out, `\U%08x`, r)
		case hidden(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

// hidden reports whether a character above ASCII acts on what is around it, or has no shape:
// controls of Latin-1, changes of direction, separators of lines, marks without width, tags. The
// joiners U+200C and U+200D are none: words of some languages need them.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0, r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}

// Writer returns a writer that writes Bytes of what it is given to w. A character that a call
// leaves incomplete waits for the next call.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

type writer struct {
	w    io.Writer
	rest []byte // the first bytes of an incomplete character
}

func (s *writer) Write(p []byte) (int, error) {
	out := append(s.rest, p...)
	k := len(out) - cutShort(out)
	s.rest = append([]byte(nil), out[k:]...)
	if _, err := s.w.Write(Bytes(out[:k])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cutShort returns how many bytes at the end of p are the beginning of an incomplete character.
func cutShort(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
