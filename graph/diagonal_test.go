package graph_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

// heads has the lowest heads of the models of data/diagonal, as they were measured in the
// interpreter or proven by CP-SAT (see the README there).
var heads = map[string]int64{
	"face_detection_short_range": 917_504, "hand_landmark_full": 3_211_328, "iris_landmark": 524_416,
	"kws_ref_model": 9_792, "micro_speech_quantized": 4_176, "person_detect": 36_880,
	"pose_landmark_full": 5_251_168, "pose_landmark_heavy": 7_876_736, "pretrainedResnet_quant": 33_312,
	"tf2_mobilenet_v2_1.0_224_ptq": 1_204_240, "vww_96_int8": 36_880,
}

// diagonal returns a problem of that folder as a graph. There operator t has the ticks 2t and 2t+1. In the first its
// result has the window 0:w, and an operand that dies has r:size, so that their distance is w - r.
func diagonal(p *stowage.Problem) *graph.Graph {
	g := &graph.Graph{Name: p.Name}
	ends := 0
	for i := range p.Buffers {
		ends = max(ends, int(p.Buffers[i].Upper-1)/2)
	}
	g.Operators = make([]graph.Operator, ends+1)
	for t := range g.Operators {
		o := &g.Operators[t]
		o.Name = "operator " + strconv.Itoa(t)
		if t > 0 {
			o.After = []int{t - 1} // some read nothing that the problem has
		}
		result, w := -1, int64(0)
		for i := range p.Buffers {
			b := &p.Buffers[i]
			if b.Lower == int64(2*t) {
				o.Results = append(o.Results, i)
				if len(b.Gaps) > 0 && b.Gaps[0].Lower == b.Lower {
					result, w = i, b.Gaps[0].Window.Upper
				}
			}
		}
		for i := range p.Buffers {
			b := &p.Buffers[i]
			if int(b.Upper-1)/2 != t || b.Lower == int64(2*t) {
				continue
			}
			o.Operands = append(o.Operands, i)
			if k := len(b.Gaps) - 1; k >= 0 && b.Gaps[k].Lower == int64(2*t) {
				d := w - b.Gaps[k].Window.Lower
				o.Permits = append(o.Permits, graph.Permit{Result: result, Operand: i, Distance: d})
			}
		}
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		g.Values = append(g.Values, graph.Value{Name: b.ID, Size: b.Size, Alignment: b.Alignment})
	}
	return g
}

// TestDiagonal plans the models of data/diagonal as graphs: each plan has the height at which the interpreter ran,
// and is proven. The checker refuses it with one byte less of distance.
func TestDiagonal(t *testing.T) {
	if public.Dir() == "" {
		t.Skip("no public instances: set STOWAGE_DATA to their folder")
	}
	for name, head := range heads {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "pose_landmark_heavy" {
				t.Skip("takes a second")
			}
			problem := must.Get(public.Load("diagonal/" + name + ".csv"))(t)
			g := diagonal(problem)
			p := must.Get(graph.Make(context.Background(), g, graph.Options{Solve: stowage.Solve}))(t)
			if p.Status != stowage.Optimal || p.Height != head || p.LowerBound != head {
				t.Errorf("%v, %d bytes, at least %d: the lowest is %d", p.Status, p.Height, p.LowerBound, head)
			}
			if report, err := graph.Verify(g, p); err != nil || !report.OK() {
				t.Fatalf("%v %+v", err, report)
			}
			for _, o := range p.Overlaps {
				for k := range g.Operators[o.Operator].Permits {
					q := &g.Operators[o.Operator].Permits[k]
					if q.Result != o.Result || q.Operand != o.Operand {
						continue
					}
					held := q.Distance
					q.Distance = o.Distance + 1
					if report, err := graph.Verify(g, p); err != nil || report.Total != 2 {
						t.Errorf("one byte closer than permitted: %v, %d faults", err, report.Total)
					}
					q.Distance = held
				}
			}
			t.Logf("%d operators, %d overlaps, saved %+v", len(g.Operators), len(p.Overlaps), p.Saved)
		})
	}
}
