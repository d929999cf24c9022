package assign

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestOrdersRefuse: a question is asked only for plain buffers of one pool that may be short of room. Each exception
// alone prevents it, since the answer would not hold.
func TestOrdersRefuse(t *testing.T) {
	ask := func(change func(p *model.Problem)) *Orders {
		p := &model.Problem{
			Rules: &model.Rules{Pools: []model.Pool{{ID: "fast", Capacity: 12}, {ID: "slow"}, {ID: "slower"}}},
		}
		for _, id := range []string{"a", "b", "c"} {
			p.Buffers = append(p.Buffers,
				model.Buffer{
					ID: id, Upper: 4, Size: 6, Extra: &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 3}, {Pool: 2, Cost: 4}}},
				})
		}
		change(p)
		c, why := choicesOf(p)
		if why != "" {
			t.Fatal(why)
		}
		c.Prices = c.price(context.Background(), 100)
		return c.Orders(0, 12)
	}
	if o := ask(func(*model.Problem) {}); o == nil || len(o.Question.Items) != 3 {
		t.Fatalf("three plain buffers: %+v", o)
	} else {
		for n, k := range o.body {
			if in, out := o.choices.Prices.Excess[k][0], o.choices.Prices.Excess[k][1]; o.Question.Items[n].In != in ||
				o.Question.Items[n].Out != out {
				t.Errorf("item %d costs %d in the pool and %d beside it; want %d and %d", n, o.Question.Items[n].In,
					o.Question.Items[n].Out, in, out)
			}
		}
	}
	for what, change := range map[string]func(p *model.Problem){
		"another pool with a capacity": func(p *model.Problem) { p.Rules.Pools[2].Capacity = 12 },
		"a buffer that must be there":  func(p *model.Problem) { p.Buffers[0].Extra = &model.Extra{Pools: []int32{0}} },
		"cells of several bytes":       func(p *model.Problem) { p.Rules.Pools[0].Alignment = 2 },
		"tied buffers": func(p *model.Problem) {
			p.Rules.Together = []model.Together{{Buffers: []int32{0, 1}, At: []int64{0, 1}}}
		},
		"a buffer that comes back": func(p *model.Problem) {
			p.Buffers[0].Upper, p.Buffers[0].Gaps = 6, []model.Gap{{Lower: 1, Upper: 2}, {Lower: 3, Upper: 4}}
			p.Buffers[1].Lower, p.Buffers[1].Upper = 1, 2
			p.Buffers[2].Lower, p.Buffers[2].Upper = 3, 4
		},
	} {
		if ask(change) != nil {
			t.Errorf("%s: there is a question", what)
		}
	}
}
