package run

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestNumbers holds what is read against strconv: on what people write, and on
// what they should not have written.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	texts := []string{
		"", "+", "-", ".", "1.", ".5", "1.5.", "1e", "1e+", "e5", "1e3", "-1E-3", "1.001", "+2", "--2", "1 ", " 1", "1,5", "0", "-0", "00012",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999",
		"1e22", "123456789012345e-22", "0.1", "0.30000000000000",
	}
	for range 3000 {
		const letters = "0123456789.-+e"
		text := ""
		for range r.IntN(9) {
			text += string(letters[r.IntN(len(letters))])
		}
		texts = append(texts, text, strconv.FormatFloat(float64(r.IntN(1e6))/1e3, 'g', -1, 64), strconv.FormatInt(int64(r.Uint64()), 10))
	}
	for _, text := range texts {
		want, err := strconv.ParseInt(text, 10, 64)
		if got, ok := wholeNumber(text); ok != (err == nil) || ok && got != want {
			t.Errorf("%q: %d, %v; strconv says %d, %v", text, got, ok, want, err)
		}
		if digits(text) > 15 || wide(text) {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if got, ok := number(text); ok != (err == nil) || ok && got != x {
			t.Errorf("%q: %g, %v; strconv says %g, %v", text, got, ok, x, err)
		}
	}
}

func digits(text string) (n int) {
	for k := range len(text) {
		if text[k] >= '0' && text[k] <= '9' {
			n++
		}
	}
	return n
}

// wide reports whether an exponent has two digits or more: then the nearest
// float is not promised.
func wide(text string) bool {
	for k := range len(text) {
		if text[k] == 'e' {
			return digits(text[k:]) > 1
		}
	}
	return false
}

func TestNumbersAreClose(t *testing.T) {
	for text, want := range map[string]float64{"1e300": 1e300, "1.5e-300": 1.5e-300, "3.14159265358979323846": 3.14159265358979323846} {
		if got, ok := number(text); !ok || got < want*(1-1e-14) || got > want*(1+1e-14) {
			t.Errorf("%s: %g, %v", text, got, ok)
		}
	}
	if x, ok := number("1e999999999999999999"); !ok || x <= 1e308 {
		t.Errorf("a huge number: %g, %v", x, ok)
	}
}
