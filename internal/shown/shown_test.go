package shown

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestText holds what is shown of characters that must not reach a terminal.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"conv_1/out":           "conv_1/out",
		"größe 形状 שלום":        "größe 形状 שלום",
		"x\x1b[2J\x1b]0;pwn\a": `x\x1b[2J\x1b]0;pwn\x07`,
		"a\u202eb":             `a\u202eb`,
		"a\u2066b\u2069":       `a\u2066b\u2069`,
		"\u200e\u200f\u061c":   `\u200e\u200f\u061c`,
		"a\u0085\u009bm":       `a\u0085\u009bm`,
		"a\nb\tc\rd":           `a\nb\tc\rd`,
		"\xff\xfe ok \xe2\x80": `\xff\xfe ok \xe2\x80`,
		"\ufeffid\u2028":       `\ufeffid\u2028`,
		"a\U000e0041":          `a\U000e0041`,
		"नी\u200dx":            "नी\u200dx",
		"\x7f":                 `\x7f`,
		"":                     "",
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
		if got := Text(want); got != want {
			t.Errorf("Text(%q) = %q: it changes twice", want, got)
		}
	}
	if got := Lines("a\tb\nc\r\u202e"); got != "a\tb\nc"+`\x0d\u202e` {
		t.Errorf("Lines: %q", got)
	}
}

// TestAllCharacters checks every character: what Go calls a control or a mark of direction is never left as it is.
func TestAllCharacters(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		got := Text(string(r))
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 {
			if strings.ContainsRune(got, r) {
				t.Errorf("U+%04X stays", r)
			}
		} else if unicode.IsGraphic(r) && got != string(r) {
			t.Errorf("U+%04X is shown as %s", r, got)
		}
	}
}

// TestWriter writes text byte by byte: characters that are cut apart are shown whole.
func TestWriter(t *testing.T) {
	const text = "größe \u202e\x1b[1m 形\n"
	var all strings.Builder
	w := Writer(&all)
	for k := range len(text) {
		if n, err := w.Write([]byte(text[k : k+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := all.String(), "größe "+`\u202e\x1b[1m`+" 形\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
