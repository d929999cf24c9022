package pairwise

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// encode builds the encoding of the buffers that are ever active.
func encode(t *testing.T, p *model.Problem) *Encoding {
	t.Helper()
	tl := timeline.New(p)
	var all []int32
	for _, part := range tl.Partitions {
		all = append(all, part.Buffers...)
	}
	return must.Get(Encode(watch, tl, all, DefaultMaxPairs))(t)
}

func TestUnits(t *testing.T) {
	fixed := int64(60)
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Upper: 2, Size: 40, Alignment: 4},
		{ID: "b", Upper: 2, Size: 20, Alignment: 60},
		{ID: "c", Upper: 2, Size: 100, Fixed: &fixed},
	}}
	e := encode(t, p)
	if e.Unit != 20 || e.Size[0] != 2 || e.Align[0] != 1 || e.Align[1] != 3 || e.Fixed[2] != 3 || len(e.Pairs) != 3 {
		t.Errorf("%+v", e)
	}
	// An alignment that neither divides the unit nor is a multiple joins it.
	p.Buffers[0].Alignment = 30
	if e = encode(t, p); e.Unit != 10 || e.Align[0] != 3 {
		t.Errorf("%+v", e)
	}
}
