package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// refuted asks for a refutation and has the checker of certificates read it. It returns nil if there is none.
func refuted(t *testing.T, p *model.Problem, capacity int64, o plan.Options) *Refutation {
	t.Helper()
	r := must.Get(Refute(context.Background(), timeline.New(p), capacity, o))(t)
	if r == nil {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "stowage certificate 1\ncapacity %d\nbuffers %d\n", capacity, len(r.Buffers))
	for _, i := range r.Buffers {
		fmt.Fprintf(&text, "%q\n", p.Buffers[i].ID)
	}
	for _, s := range r.Steps {
		if s.Buffer < 0 {
			text.WriteString(".\n")
		} else {
			fmt.Fprintf(&text, "%d %d\n", s.Buffer, s.Offset)
		}
	}
	if proven, err := verify.Certificate(p, strings.NewReader(text.String())); err != nil || proven != capacity {
		t.Fatalf("the checker accepts %d: %v\n%s\n%s", proven, err, drawn.Describe(p), text.String())
	}
	return r
}

// TestRefutationsAreAccepted refutes problems one byte under their lowest height, and none at it.
func TestRefutationsAreAccepted(t *testing.T) {
	steps := 0
	for seed := range uint64(150) {
		p := plantest.Aligned(seed, 8)
		lowest, _, ok := oracle.Lowest(p)
		if !ok {
			continue
		}
		for i := range p.Buffers {
			ok = ok && p.Buffers[i].Size < lowest // each buffer alone must fit
		}
		if !ok {
			continue
		}
		r := refuted(t, p, lowest-1, plan.Options{})
		if r == nil {
			t.Fatalf("seed %d: no refutation under the lowest height %d", seed, lowest)
		}
		steps += len(r.Steps)
		if refuted(t, p, lowest, plan.Options{}) != nil {
			t.Fatalf("seed %d: a refutation at the lowest height %d", seed, lowest)
		}
	}
	if steps < 5000 {
		t.Error("only", steps, "steps")
	}
}

// TestRefutationsKnowTheirLimits has a node limit, a part that is solved, and windows.
func TestRefutationsKnowTheirLimits(t *testing.T) {
	p := plantest.Aligned(47, 8)
	lowest, _, _ := oracle.Lowest(p)
	if refuted(t, p, lowest-1, plan.Options{NodeLimit: 2}) != nil {
		t.Error("a refutation of two nodes")
	}
	if refuted(t, p, lowest-1, plan.Options{}) == nil {
		t.Fatal("no refutation without a limit")
	}
	b := &p.Buffers[0]
	b.Gaps = []model.Gap{{Lower: b.Lower, Upper: b.Lower + 1, Window: &model.Window{Upper: b.Size}}}
	if refuted(t, p, lowest-1, plan.Options{}) != nil {
		t.Error("a refutation of a partition with a window")
	}
	if _, err := Refute(context.Background(), timeline.New(p), 9, plan.Options{Without: []string{"nothing"}}); err == nil {
		t.Error("a technique that does not exist is switched off")
	}
}
