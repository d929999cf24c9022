package gen

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
)

func TestPapers(t *testing.T) {
	if h, _, _ := oracle.MinHeight(MiniMalloc()); h != 12 {
		t.Errorf("the MiniMalloc example has height %d, want 12", h)
	}
	if h, _, _ := oracle.MinHeight(Wave()); h != 37 {
		t.Errorf("the Wave example has height %d, want 37", h)
	}
	if r := verify.CheckHeight(Wave(), []int64{12, 28, 0, 33, 22, 0}, 0, 37); !r.OK() {
		t.Errorf("the Wave page's plan is refused: %s", r.Violations[0].Message)
	}
	if r := verify.CheckHeight(MiniMalloc(), []int64{8, 8, 4, 4, 0}, 12, 12); !r.OK() {
		t.Errorf("the MiniMalloc paper's plan is refused: %s", r.Violations[0].Message)
	}
}
