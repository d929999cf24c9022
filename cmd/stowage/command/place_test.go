package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestSamePlace: two paths of one file, whether it exists or not, and however they are written.
func TestSamePlace(t *testing.T) {
	t.Chdir(t.TempDir())
	here := must.Get(os.Getwd())(t)
	must.Do(t, os.WriteFile("there", nil, 0o666))
	must.Do(t, os.Symlink("there", "link"))
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"there", "./there", true},
		{"link", "there", true},
		{"there", filepath.Join(here, "there"), true},
		{"new", "./new", true},
		{"new", filepath.Join(here, "new"), true},
		{filepath.Join(here, "new"), "x/../new", true},
		{here + "/./new", here + "/new", true},
		{"new", "there", false},
		{"there", "new", false},
		{"new", filepath.Join(here, "x", "new"), false},
		{here + "/new", here + "/x/new", false},
		{"-", "new", false},
		{"new", "", false},
	} {
		if samePlace(tc.a, tc.b) != tc.same {
			t.Errorf("%s and %s: %v", tc.a, tc.b, !tc.same)
		}
	}
}
