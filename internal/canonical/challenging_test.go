package canonical

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/model"
	"github.com/stowage-go/stowage/internal/plan"
	"github.com/stowage-go/stowage/internal/timeline"
)

func readQuick(t testing.TB, path string) *model.Problem {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skip(err)
	}
	p := &model.Problem{}
	for _, line := range strings.Split(string(data), "\n")[1:] {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) < 4 {
			continue
		}
		n := func(s string) int64 { x, _ := strconv.ParseInt(s, 10, 64); return x }
		p.Buffers = append(p.Buffers, model.Buffer{ID: f[0], Lower: n(f[1]), Upper: n(f[2]), Size: n(f[3])})
	}
	return p
}

func TestQuick(t *testing.T) {
	var without []string
	if w := os.Getenv("WITHOUT"); w != "" {
		without = strings.Split(w, ",")
	}
	params := map[string]string{}
	if w := os.Getenv("ORDERS"); w != "" {
		params["orders"] = w
	}
	capacity := int64(1048576)
	if c := os.Getenv("CAP"); c != "" {
		capacity, _ = strconv.ParseInt(c, 10, 64)
	}
	which := "ABCDEFGHIJK"
	if w := os.Getenv("ONLY"); w != "" {
		which = w
	}
	var total time.Duration
	for _, c := range which {
		p := readQuick(t, "../../../shared/data/challenging/"+string(c)+".1048576.csv")
		var r plan.Result
		var err error
		d := time.Hour
		for range 5 {
			t0 := time.Now()
			tl := timeline.New(p)
			infers = 0
			r, err = Planner{}.Plan(context.Background(), tl, plan.Options{Capacity: capacity, Without: without, Params: params, NodeLimit: 3000000})
			if err != nil {
				t.Fatal(err)
			}
			d = min(d, time.Since(t0))
		}
		total += d
		if r.Offsets != nil {
			for i := range p.Buffers {
				for j := range i {
					a, b := p.Buffers[i], p.Buffers[j]
					if a.Lower < b.Upper && b.Lower < a.Upper && r.Offsets[i] < r.Offsets[j]+b.Size && r.Offsets[j] < r.Offsets[i]+a.Size {
						t.Fatal("overlap", i, j)
					}
				}
				if r.Offsets[i]+p.Buffers[i].Size > capacity {
					t.Fatal("cap")
				}
			}
		}
		fmt.Printf("%c n=%d m=%d %-10s nodes=%8d bt=%8d %8.1fms %5.1fus/node infers %d %.1fus each\n", c, len(p.Buffers), len(timeline.New(p).Load), r.Status, r.Stats.Nodes, r.Stats.Backtracks, d.Seconds()*1000, float64(d.Microseconds())/float64(max(1, r.Stats.Nodes)), infers, float64(d.Microseconds())/float64(infers))
	}
	fmt.Println("total", total)
}
