package rectpack

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

func TestWideMetaCSP(t *testing.T) {
	plantest.Oracle{
		Planner: metaCSP{}, Seeds: plantest.Share[uint64](2000, 600), Params: map[string][]string{"order": {"size", "slack"}},
	}.Run(t)
}

func TestWideCSP(t *testing.T) {
	plantest.Oracle{Planner: csp{}, Seeds: plantest.Share[uint64](2000, 600), Nodes: 5000, Refuses: windowed}.Run(t)
}
