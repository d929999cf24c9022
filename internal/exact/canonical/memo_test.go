package canonical

import (
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/model"
)

// TestMemoKeepsAll adds keys until the table has grown several times.
func TestMemoKeepsAll(t *testing.T) {
	var m memo
	key := func(i uint64) memoKey { return memoKey{common.Mix(i+1, 0x9e3779b97f4a7c15), i | 1} }
	for i := range uint64(10_000) {
		m.remember(key(i))
	}
	for i := range uint64(10_000) {
		if !m.has(key(i)) {
			t.Fatalf("key %d of 10,000 is lost", i)
		}
	}
	if m.has(key(10_001)) {
		t.Error("a key is found that was not added")
	}
}

// TestMemoKey changes one thing after the other in a state: its key changes if the completions do.
func TestMemoKey(t *testing.T) {
	p := &model.Problem{}
	for _, id := range []string{"a", "b", "c"} {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Upper: 1, Size: 8})
	}
	for _, tc := range []struct {
		name    string
		without string
		change  func(k *Kernel, c *component)
		differs bool
	}{
		{"a least offset", "", func(k *Kernel, _ *component) { k.lb[1]++ }, true},
		{"two least offsets exchanged", "", func(k *Kernel, _ *component) { k.lb[1], k.lb[2] = 0, 8 }, true},
		{"a buffer waits", "", func(k *Kernel, _ *component) { k.waiting.set[0] = 2 }, true},
		{"a buffer is placed", "", func(k *Kernel, _ *component) { k.unplaced[0] = 3 }, true},
		{"the capacity", "", func(k *Kernel, _ *component) { k.memo.run++ }, true},
		{"the ranks", "", func(k *Kernel, _ *component) {
			k.ranks.of[0], k.ranks.of[1] = k.ranks.of[1], k.ranks.of[0]
		}, false},
		{"the bound", "", func(_ *Kernel, c *component) { c.off++ }, false},
		{"the bound, which a floor reads", "canonical", func(_ *Kernel, c *component) { c.off++ }, true},
	} {
		k, c := rootOf(p, 40, tc.without)
		k.lb[1] = 8
		before := k.key(c)
		tc.change(k, &c)
		if differs := k.key(c) != before; differs != tc.differs {
			t.Errorf("%s: the key differs: %v", tc.name, differs)
		}
	}
}
