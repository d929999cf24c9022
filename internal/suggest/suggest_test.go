package suggest

import (
	"slices"
	"strings"
	"testing"
)

// TestNearest holds suggestions to what a reader would have said.
func TestNearest(t *testing.T) {
	planners := []string{"auto", "boxing", "climb", "csp", "exact", "first-fit", "meta-csp", "tela"}
	for name, want := range map[string]string{
		"exat": "exact", "eaxct": "exact", "Exact": "exact", "firstfit": "first-fit", "tea": "tela",
		"first": "first-fit", "qwertz": "", "": "", "x": "", "clmb": "climb", "metacsp": "meta-csp",
	} {
		if got := strings.Join(Nearest(name, planners), " "); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestQuestions(t *testing.T) {
	all := []string{"solve", "verify", "view"}
	for name, want := range map[string]string{
		"slove":  "; did you mean solve? The choices are solve, verify, view",
		"ve":     "; did you mean verify? The choices are solve, verify, view",
		"qwertz": "; the choices are solve, verify, view",
	} {
		if got := OneOf(name, all, ""); got != want {
			t.Errorf("OneOf(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Question("vi", []string{"via", "vid"}); got != "; did you mean via or vid?" {
		t.Errorf("of two it asks %q", got)
	}
}

// TestMostNames: of many names a message lists seven, the nearest first, and says how many there are.
func TestMostNames(t *testing.T) {
	all := []string{"auto", "beam", "boxing", "climb", "exact", "first-fit", "ladder", "merge", "tela"}
	if got, want := OneOf("exat", all,
		"stowage planners"), "; did you mean exact? The choices are exact, beam, tela, auto, merge, boxing, climb, … ('stowage planners' lists all 9)"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	// Without a command that lists them, more names are written out.
	if got, want := Listed("qwertz", all, ""), strings.Join(all, ", "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	many := append(slices.Clone(all), all[:MostAlone+1-len(all)]...)
	if got, want := Listed("qwertz", many, ""), ", … (15 in all)"; !strings.HasSuffix(got, want) ||
		strings.Count(got, ",") != Most {
		t.Errorf("%q", got)
	}
	if got, want := Listed("x", all[:Most], "y"), strings.Join(all[:Most], ", "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
