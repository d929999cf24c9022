package canonical

import (
	"math/bits"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestPromote moves sections to the front of the four that failed last.
func TestPromote(t *testing.T) {
	var hot hotSections
	hot.forget()
	for _, step := range []struct {
		failed Section
		want   hotSections
	}{
		{7, hotSections{7, -1, -1, -1}},
		{2, hotSections{2, 7, -1, -1}},
		{2, hotSections{2, 7, -1, -1}},
		{5, hotSections{5, 2, 7, -1}},
		{7, hotSections{7, 5, 2, -1}},
		{1, hotSections{1, 7, 5, 2}},
		{9, hotSections{9, 1, 7, 5}},
		{5, hotSections{5, 9, 1, 7}},
	} {
		if hot.promote(step.failed); hot != step.want {
			t.Fatalf("after %d %v, want %v", step.failed, hot, step.want)
		}
	}
}

// dirtyOf counts the dirty sections.
func dirtyOf(k *Kernel) (count int) {
	for _, word := range k.runs.dirty {
		count += bits.OnesCount64(word)
	}
	return count
}

// TestHotSectionsComeFirst has twenty sections of two buffers each. One of them is too full. It fails after all that
// come before it, and the next time before all others.
func TestHotSectionsComeFirst(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "base", Upper: 60, Size: 1}}}
	for i := range int64(20) {
		for j := range int64(2) {
			id := strconv.FormatInt(2*i+j, 10)
			p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: 3 * i, Upper: 3*i + 2, Size: 4})
		}
	}
	k, c := rootOf(p, 9, "lifting")
	full := k.of[1+2*7].first // of the eighth pair
	squeeze := func() {
		k.setInf(1+2*7, 4) // with both at 4 or above there is no room
		k.setInf(2+2*7, 4)
		k.runs.markAll()
	}
	start := k.now()
	if all := dirtyOf(k); !k.hotFit(c) || dirtyOf(k) != all {
		t.Fatal("a section is checked although none has failed")
	}
	squeeze()
	all := dirtyOf(k)
	if k.infer(c) || k.hot[0] != full || dirtyOf(k) > all-10 {
		t.Fatalf("hot %v, want section %d first; %d of %d sections are still dirty", k.hot, full, dirtyOf(k), all)
	}
	k.undo(start)
	squeeze()
	if k.infer(c) || dirtyOf(k) != all-1 {
		t.Errorf("%d of %d sections are checked, want the one that failed before", all-dirtyOf(k), all)
	}
	k.undo(start)
	squeeze()
	k.runs.take(full)
	if !k.hotFit(c) {
		t.Error("a clean section is checked")
	}
	k.runs.mark(full, full+1)
	left := c
	left.last = full
	if !k.hotFit(left) {
		t.Error("a section of another component is checked")
	}
	if k.hotFit(c) || k.hot[0] != full {
		t.Error("the section that failed is not checked")
	}
}
