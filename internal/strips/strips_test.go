package strips_test

import (
	"errors"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// TestDamaged splits chains of damaged models: each is refused, or its file parses to the sketch, or what planning does
// not read is damaged.
func TestDamaged(t *testing.T) {
	var seeds [][]byte
	written := 0
	for seed := range uint64(12) {
		seeds = append(seeds, network(t, seed).Bytes())
	}
	mutate.Read(t, 2000, seeds, func(data []byte) error {
		m, err := tflite.Parse(data, "damaged")
		if err != nil {
			return err
		}
		s, n := strips.Of(m), min(len(m.Operators), 12)
		for first := range n {
			for last := first; last < n; last++ {
				for axis := range strips.Axis(2) {
					c := strips.Chain{
						First: first, Last: last, Axis: axis, Strips: 3, Ring: last%2 > 0, Crop: first%2 > 0, Loop: last%3 == 0,
					}
					got, err := s.Split([]strips.Chain{c})
					if err != nil {
						continue
					}
					_, err = got.Model.Written()
					if err == nil {
						written++
					} else if !errors.Is(err, tflite.ErrDamaged) && !errors.Is(err, tflite.ErrNewer) &&
						!errors.Is(err, tflite.ErrExternal) {
						t.Errorf("%+v: %v", c, err)
					}
				}
			}
		}
		return nil
	})
	if written < 1000 {
		t.Errorf("%d damaged models were written: too few to say anything", written)
	}
}

// TestWritten splits chains of drawn networks: the file parses to the sketch, all operators of the chain are there for
// each strip, and no tensor is without a use.
func TestWritten(t *testing.T) {
	split, looped := 0, 0
	for seed := range uint64(60) {
		m := must.Get(tflite.Parse(tflitemade.Images(seed, 6), "drawn"))(t)
		s := strips.Of(m)
		for first := range m.Operators {
			for last := first; last < len(m.Operators); last++ {
				c := strips.Chain{First: first, Last: last, Axis: strips.Axis(seed % 2), Strips: 2, Ring: seed%4 < 2}
				if c.Loop = seed%3 == 0; c.Loop {
					c.Strips = 5
				}
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
				for _, g := range w.Subgraphs {
					for _, x := range g.Inputs {
						used[x] = true // a subgraph of a loop has all variables
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
				for _, l := range got.Loops {
					looped++
					for _, o := range l.Origins {
						if !o.Added {
							calls[o.Operator]++
						}
					}
				}
				for k := range m.Operators {
					if n := calls[k]; n != 1 && (k < first || k > last || n > c.Strips) || n == 0 {
						t.Errorf("seed %d, %+v: operator %d is called %d times", seed, c, k, n)
					}
				}
			}
		}
	}
	if split < 300 || looped < 20 {
		t.Errorf("%d chains were split, %d with a loop", split, looped)
	}
}
