package lower

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/model"
)

// TestManyApart lowers a pool in which half of all pairs are apart. That took four seconds when each clique tried again and
// again all members that conflict with a part of it.
func TestManyApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := &model.Problem{Rules: &model.Rules{}}
	var members []int32
	for i := range int32(600) {
		lower := r.Int64N(1000)
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(int(i)), Lower: lower, Upper: lower + 1 + r.Int64N(50), Size: 1})
		for j := range i {
			if r.IntN(2) == 0 {
				p.Rules.Apart = append(p.Rules.Apart, model.Pair{j, i})
			}
		}
		members = append(members, i)
	}
	l := New(p)
	var s *Strip
	took := processor.Of(func() { s = l.Strip(0, members, nil) })
	t.Log(took)
	if took > 2*time.Second {
		t.Errorf("lowering took %v", took)
	}
	if len(s.Problem.Buffers) != len(members) {
		t.Errorf("%d bodies of %d buffers", len(s.Problem.Buffers), len(members))
	}
}
