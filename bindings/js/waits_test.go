package npm

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// TestWaits: the package lists the same waits as Go, for plans of random problems with every rule of the model.
func TestWaits(t *testing.T) {
	node := nodeOrSkip(t)
	pages(t)
	r := rand.New(rand.NewPCG(3, 26))
	var list []map[string]any
	waits, features := 0, map[string]int{}
	for k := range 200 {
		var p *model.Problem
		switch k % 3 {
		case 0:
			p = drawn.Tiny(uint64(k))
		case 1:
			p = drawn.Ruled(r)
		case 2:
			p = drawn.Broad(r, drawn.RuledFeatures[k%len(drawn.RuledFeatures)])
		}
		made, err := stowage.Solve(context.Background(), p, stowage.Options{NodeLimit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if !made.Status.HasPlan() {
			continue
		}
		want, err := stowage.Barriers(p, &made.Plan)
		if err != nil {
			t.Fatal(err)
		}
		all := []any{}
		for _, w := range want {
			all = append(all, map[string]any{"buffer": w.Buffer, "at": w.At, "behind": w.For, "until": w.Until, "turn": w.Turn})
			waits++
		}
		for _, feature := range drawn.FeaturesOf(p) {
			features[feature] += len(want)
		}
		list = append(list, map[string]any{
			"problem": objectOf(p), "waits": all, "offsets": made.Plan.Offsets, "pools": poolsOf(p, &made.Plan),
			"parts": partsOf(p, &made.Plan),
		})
	}
	for _, feature := range drawn.RuledFeatures {
		if features[feature] == 0 {
			t.Errorf("no waits in problems with %s", feature)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "waits.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "--test", "--test-name-pattern", "the same waits", "test/")
	c.Env = append(os.Environ(), "STOWAGE_WAITS="+path)
	run(t, c)
	t.Logf("%d waits of %d plans are the same", waits, len(list))
}

// objectOf returns a problem as the package for JavaScript takes it.
func objectOf(p *model.Problem) map[string]any {
	buffers := []any{}
	var allowed, costs, evictions, lower, upper []any
	for i := range p.Buffers {
		b := &p.Buffers[i]
		gaps := []any{}
		for _, g := range b.Gaps {
			gap := map[string]any{"lower": g.Lower, "upper": g.Upper}
			if g.Window != nil {
				gap["window"] = map[string]any{"lower": g.Window.Lower, "upper": g.Window.Upper}
			}
			gaps = append(gaps, gap)
		}
		buffers = append(buffers, map[string]any{
			"id": b.ID, "lower": b.Lower, "upper": b.Upper, "size": b.Size, "alignment": max(b.Alignment, 1), "gaps": gaps,
			"fixed": b.Fixed,
		})
		x := b.Extra
		if x == nil {
			x = &model.Extra{}
		}
		var in, absent any
		if x.Pools != nil {
			in = x.Pools
		}
		prices := map[string]any{}
		for _, c := range x.Costs {
			prices[p.Rules.Pools[c.Pool].ID] = c.Cost
		}
		if x.Evictions != nil {
			absent = keyed(x.Evictions)
		}
		allowed, costs, evictions = append(allowed, in), append(costs, prices), append(evictions, absent)
		if x.Clocks != nil {
			lower, upper = append(lower, x.Clocks.Lower), append(upper, x.Clocks.Upper)
		}
	}
	out := map[string]any{"buffers": buffers}
	if p.Capacity > 0 {
		out["capacity"] = p.Capacity
	}
	r := p.Rules
	if r == nil {
		return out
	}
	rules := map[string]any{
		"allowed": allowed, "costs": costs, "evictions": evictions, "apart": r.Apart, "mayOverlap": r.MayOverlap,
		"objective": r.Objective,
		"pools":     keyed(r.Pools), "together": keyed(r.Together), "distances": keyed(r.Distances),
		"penalties": keyed(r.Penalties),
	}
	if r.Threads > 0 {
		rules["clocks"] = map[string]any{"lower": lower, "upper": upper}
	}
	if r.Period > 0 {
		rules["period"] = r.Period
	}
	out["rules"] = rules
	return out
}

// keyed returns rules with the names that they have in JavaScript.
func keyed[T any](of []T) []map[string]any {
	out := []map[string]any{}
	for _, x := range of {
		switch x := any(x).(type) {
		case model.Pool:
			reserved := [][2]int64{}
			for _, r := range x.Reserved {
				reserved = append(reserved, [2]int64{r.Lower, r.Upper})
			}
			out = append(out, map[string]any{
				"id": x.ID, "capacity": x.Capacity, "alignment": x.Alignment, "cost": x.Cost, "reserved": reserved,
			})
		case model.Together:
			out = append(out, map[string]any{"buffers": x.Buffers, "at": x.At})
		case model.Distance:
			out = append(out, map[string]any{"buffers": x.Buffers, "distance": x.Distance})
		case model.Penalty:
			out = append(out, map[string]any{"buffers": x.Buffers, "cost": x.Cost})
		case model.Eviction:
			out = append(out, map[string]any{"lower": x.Lower, "upper": x.Upper, "cost": x.Cost})
		}
	}
	return out
}

// poolsOf returns the names of the pools of a plan, or nil if the problem has none.
func poolsOf(p *model.Problem, made *model.Plan) any {
	if p.Rules == nil || len(p.Rules.Pools) == 0 {
		return nil
	}
	names := []string{}
	for i := range p.Buffers {
		names = append(names, p.Rules.Pools[made.PoolOf(i)].ID)
	}
	return names
}

// partsOf returns the parts of a plan as a result of the package has them.
func partsOf(p *model.Problem, made *model.Plan) []any {
	out := []any{}
	for _, x := range made.Parts {
		for _, part := range x.Parts {
			var pool any
			if p.Rules != nil && len(p.Rules.Pools) > 0 {
				pool = p.Rules.Pools[part.Pool].ID
			}
			out = append(out, map[string]any{
				"buffer": x.Buffer, "lower": part.Lower, "upper": part.Upper, "offset": part.Offset, "pool": pool,
			})
		}
	}
	return out
}
