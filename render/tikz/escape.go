package tikz

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Idea: an ID is any text, and TeX gives a meaning to most punctuation. Each character that is special, or that a font
// joins with the next one (-- to a dash, ,, to a quote), is written by name; the rest of ASCII is itself. What lies
// beyond ASCII goes through \stowagechar, since pdflatex stops at a character that it does not know, or by name where
// the layout itself uses it.
//
// The result is pure ASCII with balanced braces, safe as a macro argument.

var special = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `\textless{}`, '>': `\textgreater{}`,
	'|': `\textbar{}`, '"': `\textquotedbl{}`, '\'': `\textquotesingle{}`, '`': `\textasciigrave{}`,
	'·': `\textperiodcentered{}`, '…': `\ldots{}`, '×': `$\times$`, '−': `$-$`, '≈': `$\approx$`,
	'⁰': `\textsuperscript{0}`, '¹': `\textsuperscript{1}`, '²': `\textsuperscript{2}`, '³': `\textsuperscript{3}`,
	'⁴': `\textsuperscript{4}`, '⁵': `\textsuperscript{5}`, '⁶': `\textsuperscript{6}`, '⁷': `\textsuperscript{7}`,
	'⁸': `\textsuperscript{8}`, '⁹': `\textsuperscript{9}`,
	utf8.RuneError: `?`,
}

// escape returns s as LaTeX text. The superscripts need \textsuperscript one
// digit at a time, which LaTeX sets without a space between.
func escape(s string) string {
	var out strings.Builder
	last := rune(-1)
	for _, r := range s {
		to, ok := special[r]
		switch {
		case ok:
			out.WriteString(to)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&out, `\stowagechar{%X}`, r)
		case r == ' ' && (last == ' ' || last == -1):
			out.WriteString(`\ `) // TeX would take it for one with the space before
		case r == last && (r == '-' || r == ','):
			out.WriteString(`\kern0pt`) // an empty group does not part them in lualatex
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
		last = r
	}
	return out.String()
}
