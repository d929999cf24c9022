package strips_test

import (
	"errors"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestWritten splits chains of drawn networks: the file parses to the sketch, all operators of the chain are there for
// each strip, and no tensor is without a use.
func TestWritten(t *testing.T) {
	split := 0
	for seed := range uint64(60) {
		m := must.Get(tflite.Parse(tflitemade.Images(seed, 6), "drawn"))(t)
		s := strips.Of(m)
		for first := range m.Operators {
			for last := first; last < len(m.Operators); last++ {
				c := strips.Chain{First: first, Last: last, Axis: strips.Axis(seed % 2), Strips: 2, Ring: seed%4 < 2}
				got, err := s.Split([]strips.Chain{c})
				if refusal := (*strips.Refusal)(nil); errors.As(err, &refusal) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				split++
				w := must.Get(got.Model.Written())(t)
				used := make([]bool, len(w.Tensors))
				for k := range w.Operators {
					for _, x := range append(w.Operators[k].Inputs, w.Operators[k].Outputs...) {
						used[x] = true
					}
				}
				for i, u := range used {
					if !u {
						t.Errorf("seed %d, %+v: nothing uses tensor %d, %q", seed, c, i, w.Tensors[i].Name)
					}
				}
				calls := map[int]int{}
				for k, o := range got.Origins {
					if !o.Added {
						calls[o.Operator]++
						if is, was := w.Operators[k].Name(), m.Operators[o.Operator].Name(); is != was {
							t.Errorf("operator %d is %s, from %s", k, is, was)
						}
					}
				}
				for k := range m.Operators {
					if n := calls[k]; n != 1 && (k < first || k > last || n > 2) || n == 0 {
						t.Errorf("seed %d, %+v: operator %d is called %d times", seed, c, k, n)
					}
				}
			}
		}
	}
	if split < 300 {
		t.Errorf("%d chains were split", split)
	}
}
