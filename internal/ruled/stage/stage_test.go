package stage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/plan"
)

// counter is a state that is done after so many stages.
type counter struct {
	ran  []string
	most int
}

func (c *counter) Done() bool      { return len(c.ran) >= c.most }
func (c *counter) Turn() plan.Turn { return plan.Turn{Nodes: int64(10 * len(c.ran))} }

func at(name string) func(*counter, context.Context) error {
	return func(c *counter, _ context.Context) error {
		if c.ran = append(c.ran, name); name == "fails" {
			return errors.New(name)
		}
		return nil
	}
}

// TestRun: stages run in order, those that have nothing to do are left out, nested ones are not told, and the list ends
// once the state is done or a stage fails.
func TestRun(t *testing.T) {
	list := []Stage[*counter]{
		{Name: "a", Run: at("a")},
		{Name: "b", Run: at("b"), For: func(*counter) bool { return false }},
		{Name: "c", Run: at("c"), Nested: true},
		{Name: "d", Run: at("d")},
		{Name: "fails", Run: at("fails")},
		{Name: "e", Run: at("e")},
	}
	for _, tc := range []struct {
		most      int
		ran, told []string
		fails     bool
	}{
		{0, nil, nil, false},
		{2, []string{"a", "c"}, []string{"a"}, false},
		{3, []string{"a", "c", "d"}, []string{"a", "d"}, false},
		{9, []string{"a", "c", "d", "fails"}, []string{"a", "d"}, true},
	} {
		var told []string
		c := &counter{most: tc.most}
		err := Run(context.Background(), c, list, func(x plan.Turn) {
			if told = append(told, x.Planner); x.Nodes != 10 {
				t.Errorf("%s took %d nodes", x.Planner, x.Nodes)
			}
		})
		if (err != nil) != tc.fails || !slices.Equal(c.ran, tc.ran) || !slices.Equal(told, tc.told) {
			t.Errorf("%d: %v ran, %v were told, %v", tc.most, c.ran, told, err)
		}
	}
}
