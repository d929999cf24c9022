package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestOrderSizes compiles headers of drawn families, with sizes by symbol or by scenario and up to three orders. At
// every point a program in C has the sizes and offsets of Go.
func TestOrderSizes(t *testing.T) {
	need(t, "cc", "c++")
	rng, several := rand.New(rand.NewPCG(46, 12)), 0
	for k := 0; k < 12 || several < 2; k++ {
		f := family(t, rng, k%2 == 0)
		r := must.Get(stowage.SolveFamilyOrders(t.Context(), f, 3, stowage.Options{NodeLimit: 2000}))(t)
		if r.Switched == nil && k >= 12 { // only those with several orders are missing
			continue
		}
		if r.Switched != nil {
			several++
		}
		plan := &cheader.OrderPlan{Name: "net", Order: r.Order, Switched: r.Switched, Family: f, Arena: r.Height, Alignment: 64, Largest: "x"}
		for i := range f.Problem.Buffers {
			plan.Buffers = append(plan.Buffers, f.Problem.Buffers[i].ID)
		}
		var header bytes.Buffer
		must.Do(t, cheader.WriteOrder(&header, plan))
		var calls, want strings.Builder
		offsets := make([]int64, len(plan.Buffers))
		for point := range f.Points() {
			order, at, by := r.Order, "net_order", int64(point)
			take := fmt.Sprintf("for (i = 0; i < NET_BUFFERS; i++) sizes[i] = net_sizes[%d][i];", point)
			if values := f.Values(point); len(values) > 0 {
				take = fmt.Sprintf("net_sizes(%s, sizes);", strings.ReplaceAll(spaced(values), " ", ", "))
			}
			if x := r.Switched; x != nil {
				by = f.ValueAt(x.Symbol, point)
				order, at = x.Orders[x.At(by)], fmt.Sprintf("net_order_at(%d)", by)
			}
			sizes := f.SizesAt(point)
			height := must.Get(order.Place(sizes, offsets))(t)
			fmt.Fprintf(&calls, "\t%s\n\tshow(%s);\n", take, at)
			fmt.Fprintln(&want, height, spaced(sizes), spaced(offsets))
		}
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "order.h"), header.Bytes(), 0o600))
		program := `#include <stdio.h>
#include "order.h"
#include "stowage_place.h"
static int64_t sizes[NET_BUFFERS], offsets[NET_BUFFERS];
static void show(const uint32_t *order) {
	int i;
	printf("%lld", (long long)stowage_place(order, sizes, offsets));
	for (i = 0; i < NET_BUFFERS; i++) printf(" %lld", (long long)sizes[i]);
	for (i = 0; i < NET_BUFFERS; i++) printf(" %lld", (long long)offsets[i]);
	printf("\n");
}
int main(void) {
	int i = 0;
	(void)i;
	(void)net_order;
` + calls.String() + "\treturn 0;\n}\n"
		tool, standard, name := "cc", "-std=c99", "use.c"
		if k%3 == 0 {
			tool, standard, name = "c++", "-std=c++11", "use.cc"
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(program), 0o600))
		object, run := filepath.Join(dir, "place.o"), filepath.Join(dir, "use")
		must.Do(t, built.Run(nil, "cc", "-std=c99", "-c", "../stowage_place.c", "-o", object))
		must.Do(t, built.Run(nil, tool, standard, "-Wall", "-Wextra", "-Werror", "-I"+dir, "-I..", "-o", run, filepath.Join(dir, name), object))
		if out := must.Get(exec.Command(run).Output())(t); string(out) != want.String() {
			t.Fatalf("family %d: %s\nwant %s\n%s", k, out, want.String(), header.String())
		}
	}
}

// family returns a drawn family, with two symbols or three scenarios.
func family(t *testing.T, rng *rand.Rand, symbols bool) *model.Family {
	t.Helper()
	f := &model.Family{Problem: &model.Problem{Name: "net"}}
	if symbols {
		f.Symbols = []model.Symbol{{Name: "int", Low: 1, High: 9, Step: 2}, {Name: "x:2", Low: 0, High: 12, Step: 4}}
	} else {
		f.Scenarios, f.Sizes = []string{"a */", "b", "c"}, make([][]int64, 3)
	}
	texts := []string{"8*int", "16*ceil((3*int*x:2^2+1)/16)", "(int+1)^2//3+1", "floor((x:2+7)/8)*int+(int-1)+1", "-int+x:2+9", "30"}
	for i := range 5 + rng.IntN(3) {
		lower := rng.Int64N(6)
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{
			ID: fmt.Sprint("b", i), Lower: lower, Upper: lower + 1 + rng.Int64N(4), Size: 7, Alignment: []int64{1, 1, 8, 12}[rng.IntN(4)],
		})
		for k := range f.Sizes {
			f.Sizes[k] = append(f.Sizes[k], 1+rng.Int64N(30))
		}
		var formula *model.Formula
		if rng.IntN(6) > 0 {
			formula = must.Get(model.ParseFormula(texts[rng.IntN(len(texts))]))(t)
		}
		f.Formulas = append(f.Formulas, formula)
	}
	must.Do(t, f.Complete())
	return f
}
