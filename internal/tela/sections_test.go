package tela

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/plan"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestSectionsRefuteRightly places buffers at random and has brute force look at
// every state that sections give up.
func TestSectionsRefuteRightly(t *testing.T) {
	given, kept := 0, 0
	for seed := range uint64(40000) {
		p := suite.Tiny(seed)
		minimum, _, ok := suite.MinHeight(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		set, err := settingsOf("tela", &plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		for number := range tl.Partitions {
			part := &tl.Partitions[number]
			if len(part.Buffers) < 2 {
				continue
			}
			s, err := newSearch(tl, number, part, set, &limits{stop: new(atomic.Bool)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !s.engine.Reset(minimum) {
				continue
			}
			s.activate(minimum)
			for _, k := range rng.Perm(len(s.free)) {
				j := s.free[k]
				offset, _ := s.engine.Range(j)
				if !s.engine.Place(j, offset) {
					break
				}
				if s.roomy(j) {
					kept++
					continue
				}
				given++
				q := &model.Problem{}
				for i := range s.n {
					b := p.Buffers[part.Buffers[i]]
					if s.engine.Placed(i) {
						at, _ := s.engine.Range(i)
						b.Fixed = &at
					}
					q.Buffers = append(q.Buffers, b)
				}
				if least, _, ok := suite.MinHeight(q); ok && least <= minimum {
					t.Fatalf("seed %d: given up at capacity %d, and it fits %d:\n%s", seed, minimum, least, describe(q))
				}
				break
			}
		}
	}
	t.Logf("%d states given up, %d kept", given, kept)
	if given < 300 {
		t.Errorf("only %d states were given up", given)
	}
}

// TestSectionsComeBack has the piles be those of the path after a search with
// many backtracks.
func TestSectionsComeBack(t *testing.T) {
	tl, capacity := hard(t)
	set, err := settingsOf("tela", &plan.Options{Params: map[string]string{"sections-after": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	l := &limits{stop: new(atomic.Bool), steps: 2000, tick: func() {}}
	s, err := newSearch(tl, 0, &tl.Partitions[0], set, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if end := s.fit(capacity); end != limited || l.counters.Major == 0 {
		t.Fatalf("%d after %d major backtracks", end, l.counters.Major)
	}
	for at, pile := range s.sections.piles {
		if len(pile) > 0 {
			t.Fatalf("section %d: %d buffers are still there", at, len(pile))
		}
	}
}
