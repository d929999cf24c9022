package clauses

import (
	"math"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestCheck spoils a bound, an order and a clause: check must see each.
func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(s *Search){
		"a bound":   func(s *Search) { s.value[0]++ },
		"an order":  func(s *Search) { s.value[2*s.second[0]], s.order[0] = 0, 1 },
		"a clause":  func(s *Search) { s.clauses = append(s.clauses, learnt{literals: []int32{0, 0}}); s.order[0] = 2 },
		"a literal": func(s *Search) { s.order[0], s.distance[0] = 0, math.MaxInt32 },
	} {
		p := mixed(0, 12)
		tl := timeline.New(p)
		s := must.Get(New(endless, tl, tl.Partitions[0].Buffers, all))(t)
		s.Run(math.MaxInt32, 1000)
		s.open()
		s.set(0, decided, 0, 0)
		if !s.propagate() {
			t.Fatal("a contradiction")
		}
		s.check()
		spoil(s)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: not seen", name)
				}
			}()
			s.check()
		}()
	}
}
