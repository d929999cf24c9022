package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/model"
)

// piled returns buffers of one section with alignment 4: only the topmost one need not be rounded up.
func piled(sizes ...int64) *model.Problem {
	p := &model.Problem{}
	for i, size := range sizes {
		p.Buffers = append(p.Buffers, model.Buffer{ID: string(rune('a' + i)), Upper: 1, Size: size, Alignment: 4})
	}
	return p
}

// TestStackNeedsOneNode has six buffers in one section: with the stack no order of them is searched.
func TestStackNeedsOneNode(t *testing.T) {
	k, c := rootOf(piled(5, 6, 7, 3, 2, 9), 41)
	k.nodeLimit = 100
	if !k.infer(c) {
		t.Fatal("inference refutes the lowest height 41")
	}
	if r := k.search(c); r != common.Solved || k.Nodes != 1 {
		t.Errorf("outcome %d after %d nodes at the lowest height 41", r, k.Nodes)
	}
}

// TestStackPutsTheRightOneOnTop has room for no more than the best order: sizes 5, 6 and 3 take 8, 8 and 4 bytes, and
// the topmost one only its size.
func TestStackPutsTheRightOneOnTop(t *testing.T) {
	k, c := rootOf(piled(5, 6, 3), 17)
	if r := k.stack(c); r != common.Solved {
		t.Fatalf("outcome %d at the lowest height 17", r)
	}
	if k.best[0] != 12 {
		t.Errorf("the buffer of 5 bytes lies at %d, want 12", k.best[0])
	}
	if k, c = rootOf(piled(5, 6, 3), 16); k.stack(c) != common.Exhausted {
		t.Error("a plan under the lowest height 17")
	}
}
