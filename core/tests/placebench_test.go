package tests

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// BenchmarkPlace measures stowage_place on orders of 62, 1,289 and 2,001 buffers, those of layers of attention with three
// scenarios: processor time, the least of twenty rounds. ns/op is that of a call; the size of the table stands beside it.
func BenchmarkPlace(b *testing.B) {
	program := filepath.Join(b.TempDir(), "placetime")
	must.Do(b, built.Run(nil, "cc", "-std=c99", "-O2", "-I..", "-o", program, "testdata/placetime.c", "../stowage_place.c"))
	for _, n := range []int{62, 1289, 2001} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := layers(n)
			r := must.Get(stowage.SolveFamily(b.Context(), f, stowage.Options{NodeLimit: 20_000}))(b)
			words, sizes := r.Order.Words(), f.SizesAt(1)
			cmd := exec.Command(program)
			cmd.Stdin = strings.NewReader(fmt.Sprintf("20\n%d %d %s %s\n", len(words), n, spaced(words), spaced(sizes)))
			var ns float64
			must.Get(fmt.Sscan(string(must.Get(cmd.Output())(b)), &ns))(b)
			b.ReportMetric(ns, "ns/op")
			b.ReportMetric(float64(4*len(words)), "bytes")
		})
	}
}

// layers returns n buffers as of layers of attention at three lengths.
func layers(n int) *model.Family {
	f := &model.Family{Problem: &model.Problem{}, Scenarios: []string{"16", "64", "256"}, Sizes: make([][]int64, 3)}
	for i := range n {
		at, k := int64(i/10*8), i%10
		lives := [10][2]int64{{0, 9}, {1, 4}, {1, 4}, {1, 6}, {2, 3}, {3, 5}, {4, 6}, {5, 7}, {6, 8}, {1, 20}}[k]
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{
			ID: fmt.Sprint(i), Lower: at + lives[0], Upper: at + lives[1], Alignment: 64,
		})
		for s, tokens := range []int64{16, 64, 256} {
			size := [10]int64{256 * tokens, 256 * tokens, 256 * tokens, 256 * tokens, 4096, 4 * tokens * tokens, 4*tokens*tokens + 64, 1024 * tokens, 1024 * tokens, 64}[k]
			f.Sizes[s] = append(f.Sizes[s], size)
		}
	}
	return f
}
