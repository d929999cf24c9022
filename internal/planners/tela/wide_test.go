package tela

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

func TestWide(t *testing.T) {
	plantest.Oracle{
		Planner: Planner{}, Seeds: plantest.Share[uint64](1000, 400), Heuristic: true, Keep: []string{"completion"},
	}.Run(t)
}
