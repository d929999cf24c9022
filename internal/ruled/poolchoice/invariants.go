package poolchoice

import (
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// check checks that no bound of all assignments is above what the best plan has.
func (c *chooser) check() {
	for _, m := range c.lowering.Problem.Objective() {
		value, least := model.ValueOf(c.best.Measures, m), c.leastOf(m)
		invariants.Must(least <= value, "above the value is the bound of "+string(m), int(value), int(least))
	}
}
