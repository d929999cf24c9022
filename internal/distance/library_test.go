package distance_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
)

func TestLibraries(t *testing.T) {
	for _, l := range distance.Libraries() {
		if got, err := distance.ParseLibrary(l.String()); got != l || err != nil {
			t.Errorf("ParseLibrary(%q) = %q, %v", l, got, err)
		}
		if repository, revision := l.Source(); !strings.HasPrefix(repository, "https://") || len(revision) != 40 {
			t.Errorf("%s is from %q at %q", l, repository, revision)
		}
	}
	if _, err := distance.ParseLibrary("cmsis"); err == nil || !strings.Contains(err.Error(), "esp-nn") {
		t.Errorf("ParseLibrary(cmsis): %v", err)
	}
}
