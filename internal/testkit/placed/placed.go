// Package placed draws families, plans them, and places them as Go does: what stowage_place in C and Order in Python
// and JavaScript are held to.
package placed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage"
	format "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// A Case is a family with its plan, and sizes that are placed.
type Case struct {
	Plan  string   `json:"plan"` // JSON
	Rows  []Row    `json:"rows"`
	Words []uint32 `json:"-"` // of the order
}

// A Row is sizes of a family, and others that nobody foresaw, with what Go makes of them.
type Row struct {
	At            any     `json:"at"` // the name of a scenario, or the values of symbols
	Sizes         []int64 `json:"sizes"`
	Offsets       []int64 `json:"offsets"`
	OffsetsHeight int64   `json:"offsetsHeight"`
	OtherSizes    []int64 `json:"otherSizes"`
	Others        []int64 `json:"others"`
	OthersHeight  int64   `json:"othersHeight"`
}

// Cases draws 60 families: half of them with two symbols, half with three scenarios.
func Cases(t *testing.T) (list []Case) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 46))
	for k := range 60 {
		f := family(t, r, k)
		made := must.Get(stowage.SolveFamily(t.Context(), f, stowage.Options{NodeLimit: 500}))(t)
		var text bytes.Buffer
		plan := &format.Plan{
			Planner: made.Planner, Status: made.Status, Height: made.Height, LowerBound: made.LowerBound, Offsets: made.Offsets,
			Below: made.Order.Below(), Points: made.Points,
		}
		must.Do(t, format.WriteWith(&text, f.Problem, plan, format.WriteOptions{Family: f}))
		c := Case{Plan: text.String(), Words: made.Order.Words()}
		for range 5 {
			point := r.Int64N(f.Points())
			row := Row{At: f.Name(point), Sizes: f.SizesAt(point)}
			if len(f.Symbols) > 0 {
				row.At = map[string]int64{"n": f.Values(point)[0], "x:2": f.Values(point)[1]}
			}
			row.OtherSizes = append(row.OtherSizes, row.Sizes...)
			row.OtherSizes[r.IntN(len(row.Sizes))] = r.Int64N(1 << 40)
			row.Offsets, row.Others = make([]int64, len(row.Sizes)), make([]int64, len(row.Sizes))
			row.OffsetsHeight = must.Get(made.Order.Place(row.Sizes, row.Offsets))(t)
			row.OthersHeight = must.Get(made.Order.Place(row.OtherSizes, row.Others))(t)
			c.Rows = append(c.Rows, row)
		}
		list = append(list, c)
	}
	return list
}

// File writes the cases as JSON and returns the path.
func File(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orders.json")
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(Cases(t)))(t), 0o666))
	return path
}

func family(t *testing.T, r *rand.Rand, k int) *model.Family {
	t.Helper()
	f := &model.Family{Problem: &model.Problem{Name: fmt.Sprint("f", k)}}
	if k%2 == 0 {
		f.Symbols = []model.Symbol{{Name: "n", Low: 1, High: 9}, {Name: "x:2", Low: 4, High: 20, Step: 4}}
	} else {
		f.Scenarios = []string{"one", "two", "three"}
		f.Sizes = make([][]int64, 3)
	}
	for i := range 1 + r.IntN(10) {
		lower := r.Int64N(6)
		b := model.Buffer{ID: fmt.Sprint("b", i), Lower: lower, Upper: lower + 1 + r.Int64N(4), Size: 1 + r.Int64N(90)}
		b.Alignment = []int64{0, 0, 4, 6, 64}[r.IntN(5)]
		f.Problem.Buffers = append(f.Problem.Buffers, b)
		if k%2 > 0 {
			for s := range f.Sizes {
				f.Sizes[s] = append(f.Sizes[s], 1+r.Int64N(200))
			}
			continue
		}
		texts := []string{"", "7*n", "16*ceil((3*n*x:2^2)/16)", "(n+1)^2//3+1", "floor((x:2+7)/8)*n+(n-1)", "-n+x:2+9"}
		var formula *model.Formula
		if text := texts[r.IntN(len(texts))]; text != "" {
			formula = must.Get(model.ParseFormula(text))(t)
		}
		f.Formulas = append(f.Formulas, formula)
	}
	return f
}
