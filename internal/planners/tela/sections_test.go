package tela

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestSectionsRefuteRightly places buffers at random and has brute force look at every state that sections give up.
func TestSectionsRefuteRightly(t *testing.T) {
	given, kept := 0, 0
	seeds := plantest.Share(40_000, 10_000)
	for seed := range uint64(seeds) {
		p := drawn.Tiny(seed)
		minimum, _, ok := oracle.MinHeight(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		var set settings
		must.Do(t, run.Bind("tela", &plan.Options{}, &set))
		rng := rand.New(rand.NewPCG(seed, 2))
		for number := range tl.Partitions {
			part := &tl.Partitions[number]
			if len(part.Buffers) < 2 {
				continue
			}
			s := must.Get(newSearch(tl, part, set, &limits{watch: run.NewWatch(t.Context())}))(t)
			if !s.engine.Reset(minimum) {
				continue
			}
			if !s.prepare() {
				t.Fatal("no sections")
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
				if least, _, ok := oracle.MinHeight(q); ok && least <= minimum {
					t.Fatalf("seed %d: given up at capacity %d, and it fits %d:\n%s", seed, minimum, least, drawn.Describe(q))
				}
				break
			}
		}
	}
	t.Logf("%d states given up, %d kept", given, kept)
	if given < seeds/134 {
		t.Errorf("only %d states were given up", given)
	}
}

// TestSectionsComeBack: after a search with many backtracks, the piles match the path.
func TestSectionsComeBack(t *testing.T) {
	tl, capacity := hard(t)
	var set settings
	must.Do(t, run.Bind("tela", &plan.Options{Params: map[string]string{"sections-after": "0"}}, &set))
	l := &limits{watch: run.NewWatch(t.Context()), steps: 2000, tick: func() {}}
	s := must.Get(newSearch(tl, &tl.Partitions[0], set, l))(t)
	if end := s.fit(capacity, math.MaxInt64); end != limited || l.counters.Major == 0 {
		t.Fatalf("%d after %d major backtracks", end, l.counters.Major)
	}
	for at, pile := range s.sections.piles {
		if len(pile) > 0 {
			t.Fatalf("section %d: %d buffers are still there", at, len(pile))
		}
	}
}

// TestSectionsTooMany counts what sections would take.
func TestSectionsTooMany(t *testing.T) {
	p := &model.Problem{}
	for i := range int64(20) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.FormatInt(i, 10), Lower: i, Upper: i + 5, Size: 1})
	}
	tl := timeline.New(p)
	part := &tl.Partitions[0]
	seats := 0
	for _, i := range part.Buffers {
		for _, span := range tl.Spans(int(i)) {
			seats += int(span.Last - span.First)
		}
	}
	if newSections(tl, part, seats-1) != nil || newSections(tl, part, seats) == nil {
		t.Fatalf("the limit of %d is not kept", seats)
	}
	s := &search{set: settings{switches: switches{sections: true}}, tl: tl, part: part, tooMany: true}
	if s.prepare() {
		t.Fatal("sections are looked at that are too many")
	}
}
