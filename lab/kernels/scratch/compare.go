package scratch

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/testkit/scratchcase"
)

// A Row counts what was compared.
type Row struct {
	Compared int
	Empty    int      // of these, nothing is requested and nothing kept
	Open     int      // neither side can say
	Wrong    []string // what differs, some of it
}

// add adds a fault, but not more than can be read.
func (r *Row) add(format string, args ...any) {
	if len(r.Wrong) < 10 {
		r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
	}
}

// Compare compares the formulas of a set with what its library's functions say.
func Compare(s kernelscratch.Set, ops []*distance.Operator, said []Said) (r Row) {
	for i, op := range ops {
		r.Compared++
		requests, answer := kernelscratch.Of(s, op)
		kept, _ := kernelscratch.KeptBy(s, op, 4)
		switch {
		case answer == kernelscratch.Unknown && (said[i].Open || mayBeOpen(s, op)):
			r.Open++
		case answer == kernelscratch.ByReference && len(said[i].Requests)+int(said[i].Kept) == 0:
			r.Empty++
		case answer != kernelscratch.ByVendor || said[i].Open:
			r.add("%s: %s: %v, open %v, answer %d", s, scratchcase.Line(op), requests, said[i].Open, answer)
		case !slices.Equal(requests, said[i].Requests):
			r.add("%s: %s: %v instead of %v", s, scratchcase.Line(op), requests, said[i].Requests)
		case said[i].Kept > 0 && (len(kept.Buffers) == 0 || kept.Buffers[len(kept.Buffers)-1] != said[i].Kept):
			r.add("%s: %s: %v is kept instead of %d", s, scratchcase.Line(op), kept.Buffers, said[i].Kept)
		case len(requests) == 0 && said[i].Kept == 0:
			r.Empty++
		}
	}
	return r
}

// mayBeOpen reports whether the stride may matter on MVE: for an image and a filter of one row. The glue of a
// depthwise convolution of one channel does not set the stride. The tried strides need not show a difference.
func mayBeOpen(s kernelscratch.Set, op *distance.Operator) bool {
	return s.Library == distance.MVE && op.Kind == "DEPTHWISE_CONV_2D" && op.Operands[0].Shape[1] == 1 &&
		op.Operands[0].Shape[3] == 1 && op.Results[0].Shape[3] > 1 && op.Operands[1].Shape[1] == 1
}

// Drawn returns operators of a kind, the same for the same seed.
func Drawn(kind string, count int, seed uint64) []*distance.Operator {
	h := fnv.New64a()
	h.Write([]byte(kind))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	all := make([]*distance.Operator, count)
	for i := range all {
		all[i] = Draw(r, kind)
	}
	return all
}
