package strips_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
)

// FuzzSplit splits chains of any file. Nothing crashes. What is written has the inputs and outputs of the model. Its
// operators can run in their order. To split the model again gives the same file.
func FuzzSplit(f *testing.F) {
	for seed := range uint64(9) {
		data := networkData(seed)
		f.Add(data, uint8(0), uint8(3+seed), uint8(2), uint8(seed))
		f.Add(data, uint8(seed), uint8(seed), uint8(5), uint8(2*seed+1))
	}
	f.Fuzz(func(t *testing.T, data []byte, first, last, n, kind uint8) {
		if len(data) > 1<<20 {
			return
		}
		m, err := tflite.Parse(data, "fuzz")
		if err != nil || len(m.Subgraphs) == 0 {
			return
		}
		c := strips.Chain{
			First: int(first), Last: int(last), Strips: int(n), Axis: strips.Axis(kind & 1), Ring: kind&2 > 0, Crop: kind&4 > 0,
			Loop: kind&8 > 0,
		}
		s := strips.Of(m)
		got, err := s.Split([]strips.Chain{c})
		if refused := s.Refused(c.First, c.Last, c.Axis); err == nil && refused != nil {
			t.Fatalf("%+v is split, and refused: %v", c, refused)
		}
		if err != nil {
			return
		}
		w, err := got.Model.Written()
		if errors.Is(err, tflite.ErrDamaged) || errors.Is(err, tflite.ErrNewer) || errors.Is(err, tflite.ErrExternal) {
			return
		}
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		sameEnds(t, m, w)
		runsInOrder(t, m, w)
		again, err := strips.Of(m).Split([]strips.Chain{c})
		if err != nil {
			t.Fatalf("%+v, once more: %v", c, err)
		}
		if x, err := again.Model.Written(); err != nil || !slices.Equal(x.Bytes(), w.Bytes()) {
			t.Errorf("%+v, once more: another file, %v", c, err)
		}
	})
}

// sameEnds compares the inputs and outputs of two models.
func sameEnds(t *testing.T, was, is *tflite.Model) {
	for n, of := range [][2][]int32{
		{was.Subgraphs[0].Inputs, is.Subgraphs[0].Inputs}, {was.Subgraphs[0].Outputs, is.Subgraphs[0].Outputs},
	} {
		if len(of[0]) != len(of[1]) {
			t.Fatalf("%d inputs or outputs, there were %d", len(of[1]), len(of[0]))
		}
		for k := range of[0] {
			x, y := &was.Tensors[of[0][k]], &is.Tensors[of[1][k]]
			if x.Name != y.Name || x.Type != y.Type || !slices.Equal(x.Shape, y.Shape) {
				t.Errorf("list %d, place %d: %q %v, it was %q %v", n, k, y.Name, y.Shape, x.Name, x.Shape)
			}
		}
	}
}

// runsInOrder checks that each operator reads only what is there, if that holds of the model as it was.
func runsInOrder(t *testing.T, was, is *tflite.Model) {
	missing := func(m *tflite.Model) int {
		made := make([]bool, len(m.Tensors))
		for _, x := range m.Subgraphs[0].Inputs {
			made[x] = true
		}
		for k := range m.Operators[:m.Subgraphs[0].OperatorCount] {
			for _, x := range m.Operators[k].Inputs {
				if x >= 0 && !made[x] && !m.Tensors[x].Constant && !m.Tensors[x].Variable {
					return k
				}
			}
			for _, y := range m.Operators[k].Outputs {
				if y >= 0 {
					made[y] = true
				}
			}
		}
		return -1
	}
	if at := missing(is); at >= 0 && missing(was) < 0 {
		t.Errorf("operator %d reads what is not there", at)
	}
}
