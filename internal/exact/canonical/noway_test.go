package canonical

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestNoWayBack lets the limit of a dive in a huge partition fall at each node and at many
// looks at the watch. The placements stand, because taking them back is work after the limit.
// Then the same kernel runs without a limit: it finds the plan that a new kernel finds.
func TestNoWayBack(t *testing.T) {
	huge := common.Limits{HugeFrom: 1}
	p := &model.Problem{}
	for i := range int64(40) {
		b := model.Buffer{ID: strconv.FormatInt(i, 10), Upper: 60, Size: 1 + i%7}
		for at := i % 6; at+1 < 60; at += 6 {
			b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1})
		}
		p.Buffers = append(p.Buffers, b)
	}
	tl := timeline.New(p)
	capacity := 2 * tl.LowerBound
	prepare := func(w *run.Watch) *Kernel {
		k := New(tl, &tl.Partitions[0], switchesOf(nil), huge, w)
		if !k.SetCapacity(capacity) {
			t.Fatal("a buffer is too large")
		}
		return k
	}
	fresh := prepare(run.Endless(context.Background()))
	if r := fresh.Run(capacity, "TWA", 0, common.Unlimited); r != common.Solved || fresh.Nodes < 30 {
		t.Fatalf("outcome %d after %d nodes", r, fresh.Nodes)
	}
	for limit := int64(1); limit < fresh.Nodes; limit++ {
		k := prepare(run.Endless(context.Background()))
		if r := k.Run(capacity, "TWA", 0, limit); r != common.Aborted || int64(len(k.path)) < limit {
			t.Errorf("after %d nodes: outcome %d, %d placements stand", limit, r, len(k.path))
		}
		if r := k.Run(capacity, "TWA", 0, common.Unlimited); r != common.Solved || !slices.Equal(k.Plan(), fresh.Plan()) {
			t.Errorf("after %d nodes and a new beginning: outcome %d, and not the same plan", limit, r)
		}
	}
	most := 0
	for looks := int64(0); ; looks += 1 + looks/50 {
		w := run.NewWatch(run.EndAtLook(context.Background(), looks))
		k := New(tl, &tl.Partitions[0], switchesOf(nil), huge, w)
		if w.Over() {
			continue // prepared by half
		}
		k.path = k.path[:0]
		r := k.Run(capacity, "TWA", 0, common.Unlimited)
		if r == common.Solved {
			break
		}
		if len(k.path) < most {
			t.Fatalf("after %d looks %d placements stand, after fewer %d", looks, len(k.path), most)
		}
		most = len(k.path)
	}
	if most < 30 {
		t.Errorf("the test is lopsided: at most %d placements stand", most)
	}
}
