package csv

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestGapText reads spellings of gaps that the Python package has to take, and refuse, as
// this reader does: its tests read the same file. Each has what it means with a column
// upper, and with a column end, whose gaps include their last time slot; null is refused.
func TestGapText(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "gaptext.json")))(t)
	var cases []struct {
		Text       string
		Upper, End [][]int64
	}
	must.Do(t, json.Unmarshal(text, &cases))
	var taken, refused int
	for _, c := range cases {
		for _, inclusive := range []bool{false, true} {
			want := c.Upper
			if inclusive {
				want = c.End
			}
			slices.SortFunc(want, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
			tab := &table{head: header{inclusive: inclusive}, text: &source.Text{Budget: source.BudgetOf(len(c.Text))}}
			list, _ := tab.gaps(c.Text)
			if err := tab.issues.Err(); (want == nil) != (err != nil) {
				t.Errorf("%q, inclusive %t: %v", c.Text, inclusive, err)
			}
			if want == nil {
				refused++
				continue
			}
			got := [][]int64{}
			for _, g := range list {
				one := []int64{g.Lower, g.Upper}
				if g.Window != nil {
					one = append(one, g.Window.Lower, g.Window.Upper)
				}
				got = append(got, one)
			}
			if d := diff.Diff(want, got); d != "" {
				t.Errorf("%q, inclusive %t: %s", c.Text, inclusive, d)
			}
			taken++
		}
	}
	if taken < 30 || refused < 100 {
		t.Errorf("the file has %d that are taken and %d that are refused", taken, refused)
	}
}
