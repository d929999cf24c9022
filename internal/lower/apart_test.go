package lower

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// manyApart returns buffers. Half of all their pairs are kept apart.
func manyApart() (p *model.Problem, members []int32) {
	r := rand.New(rand.NewPCG(1, 2))
	p = &model.Problem{Rules: &model.Rules{}}
	for i := range int32(600) {
		lower := r.Int64N(1000)
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: strconv.Itoa(int(i)), Lower: lower, Upper: lower + 1 + r.Int64N(50), Size: 1})
		for j := range i {
			if r.IntN(2) == 0 {
				p.Rules.Apart = append(p.Rules.Apart, model.Pair{j, i})
			}
		}
		members = append(members, i)
	}
	return p, members
}

// TestManyApart lowers a pool in which half of all pairs are apart.
func TestManyApart(t *testing.T) {
	p, members := manyApart()
	if s := New(p).Strip(0, members, nil); len(s.Problem.Buffers) != len(members) {
		t.Errorf("%d bodies of %d buffers", len(s.Problem.Buffers), len(members))
	}
}

// BenchmarkManyApart measures the same. It took four seconds when each clique tried again and again all members that
// conflict with a part of it.
func BenchmarkManyApart(b *testing.B) {
	p, members := manyApart()
	for b.Loop() {
		New(p).Strip(0, members, nil)
	}
}
