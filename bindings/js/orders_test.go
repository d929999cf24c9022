package npm

import (
	"bytes"
	"context"
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

// TestOrders: Order places drawn families as Go does, at sizes of the family and at others, and has the same formulas.
func TestOrders(t *testing.T) {
	nodeOrSkip(t)
	pages(t)
	r := rand.New(rand.NewPCG(9, 46))
	var list []map[string]any
	for k := range 60 {
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
		made := must.Get(stowage.SolveFamily(context.Background(), f, stowage.Options{NodeLimit: 500}))(t)
		var text bytes.Buffer
		plan := &format.Plan{
			Planner: made.Planner, Status: made.Status, Height: made.Height, LowerBound: made.LowerBound, Offsets: made.Offsets,
			Below: made.Order.Below(), Points: made.Points,
		}
		must.Do(t, format.WriteWith(&text, f.Problem, plan, format.WriteOptions{Family: f}))
		var rows []map[string]any
		for range 5 {
			point := r.Int64N(f.Points())
			sizes := f.SizesAt(point)
			row := map[string]any{"at": f.Name(point), "sizes": sizes}
			if len(f.Symbols) > 0 {
				row["at"] = map[string]int64{"n": f.Values(point)[0], "x:2": f.Values(point)[1]}
			}
			other := append([]int64(nil), sizes...)
			other[r.IntN(len(other))] = r.Int64N(1 << 40)
			for name, sizes := range map[string][]int64{"offsets": sizes, "others": other} {
				offsets := make([]int64, len(sizes))
				height := must.Get(made.Order.Place(sizes, offsets))(t)
				row[name], row[name+"Height"] = offsets, height
			}
			row["otherSizes"] = other
			rows = append(rows, row)
		}
		list = append(list, map[string]any{"plan": text.String(), "rows": rows})
	}
	path := filepath.Join(t.TempDir(), "orders.json")
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(list))(t), 0o666))
	tests(t, "the same orders", "STOWAGE_ORDERS="+path)
}
