package comparison

import "testing"

func TestDistinctNames(t *testing.T) {
	all := []Instance{
		{Name: "a", Path: "x/a.csv"},
		{Name: "a", Path: "y/a.csv"},
		{Name: "b", Path: "b.csv"},
		{Name: "a", Path: "x/a.csv"},
		{Name: "made"},
		{Name: "made"},
	}
	DistinctNames(all)
	for k, want := range []string{"x/a.csv", "y/a.csv", "b", "x/a.csv (2)", "made", "made (2)"} {
		if all[k].Name != want {
			t.Errorf("%d: %s, want %s", k, all[k].Name, want)
		}
	}
}
