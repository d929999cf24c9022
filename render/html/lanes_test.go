package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
)

// laned is a problem of two pools, one of them much larger, and its plan: b is evicted for a while.
func laned() (*model.Problem, []int64, html.Options) {
	p := &model.Problem{
		Name: "lanes",
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 100_000},
			{ID: "b", Lower: 1, Upper: 9, Size: 24, Extra: &model.Extra{
				Evictions: []model.Eviction{{Lower: 3, Upper: 6, Cost: 5}},
			}},
			{ID: "c", Lower: 2, Upper: 6, Size: 16},
			{ID: "d", Lower: 5, Upper: 8, Size: 32},
		},
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "tcm", Capacity: 64, Reserved: []model.Range{{Lower: 0, Upper: 8}}}, {ID: "dram", Cost: 1},
			},
			Apart:     []model.Pair{{0, 3}},
			Together:  []model.Together{{Buffers: []int32{2, 3}, At: []int64{0, 16}}},
			Penalties: []model.Penalty{{Buffers: model.Pair{0, 2}, Cost: 2}},
		},
	}
	parts := []model.Part{{Lower: 1, Upper: 3, Pool: 0, Offset: 32}, {Lower: 6, Upper: 9, Pool: 1, Offset: 0}}
	return p, []int64{0, 32, 8, 24},
		html.Options{Pools: []int32{1, 0, 0, 0}, Parts: []model.Parts{{Buffer: 1, Parts: parts}}}
}

// TestBrowserLanes shows a plan with rules: a lane for each pool, offsets counted in it, reserved bytes hatched, and
// the rules of a buffer on its card and as lines.
func TestBrowserLanes(t *testing.T) {
	p, offsets, o := laned()
	page := chromium.Open(t, 1400, 900)
	var b bytes.Buffer
	must.Do(t, html.Write(&b, p, offsets, o))
	if !strings.Contains(b.String(), "tcm · 56 of 64") {
		t.Error("the picture for those without scripts has no lanes")
	}
	path := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	page.Go("file://" + path)
	page.Until("window.stowage && stowage.ready")
	drawn := func(kind string) string {
		return page.Text(fmt.Sprintf(`(() => { const p = stowage.plots[0]; p.draw();
			return p.drawn.filter((d) => d.kind === %q).map((d) => d.text || d.full).join("; "); })()`, kind))
	}
	if got := drawn("lane"); got != "tcm · 56 B of 64 B; dram · 97.7 KiB · cost 1 a byte" {
		t.Errorf("the lanes are called %q", got)
	}
	if got := drawn("reserved"); got != "tcm" {
		t.Errorf("reserved bytes are hatched in %q", got)
	}
	if got := drawn("mark"); !strings.Contains(got, "tcm capacity 64") || !strings.Contains(got, "dram height 100,000") {
		t.Errorf("the lines are %q", got)
	}
	if got := drawn("offset"); strings.Count("; "+got+";", "; 0 B;")+strings.Count("; "+got+";", "; 0;") != 2 {
		t.Errorf("the ticks are %q: two lanes do not count from 0", got)
	}
	// Buffers: a, b, b's second part, c, d.
	says := func(i int) string {
		return page.Text(fmt.Sprintf(`(() => { stowage.select(0, %d, true);
			return document.getElementById("says").textContent; })()`, i))
	}
	for i, want := range map[int][]string{
		0: {"Offset 0 (0 B) up to 100,000", "Pool dram", "Apart from d", "Penalty with c (2)"},
		1: {"Offset 32 up to 56", "Pool tcm"},
		2: {"b, part 2", "Offset 0 up to 24", "Pool dram", "Lives [6, 9)"},
		4: {"Offset 24 up to 56", "Tied to c", "Apart from a"},
	} {
		got := says(i)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("buffer %d says %q, without %q", i, got, w)
			}
		}
	}
	says(4)
	if got := drawn("link"); got != "c – d; a – d" {
		t.Errorf("the links of d are %q", got)
	}
	// A small pool beside a large one is not a line, and what is drawn lies where it is pointed at.
	var seen struct {
		High float64
		Hit  int
	}
	page.Eval(`(() => { const p = stowage.plots[0]; const { doc, offsets } = p.scene.facts; stowage.select(0, -1);
		const y = (v) => p.toY(offsets[4] + v * doc.scale[4]);
		return {high: y(0) - y(32), hit: p.hit(p.toX(7), y(16))}; })()`, &seen)
	if seen.High < 15 || seen.Hit != 4 {
		t.Errorf("32 of 64 bytes are %v pixels high, and a point in them is of buffer %d", seen.High, seen.Hit)
	}
	if got := page.Text(`document.getElementById("tiles").textContent`); !strings.Contains(got, "Cost") ||
		!strings.Contains(got, "87.5% of 64 B") || strings.Contains(got, "Sharing") {
		t.Errorf("the tiles are %q", got)
	}
	page.Eval(`(() => { stowage.table.show(stowage.facts(0), null); return 0; })()`, new(int))
	page.Quiet()
}

// TestLanesBroken: a plan that breaks a rule is marked, with the buffers that are drawn for those at fault.
func TestLanesBroken(t *testing.T) {
	p, offsets, o := laned()
	offsets[2] = 0 // c in reserved bytes, and off its tie
	var b bytes.Buffer
	must.Do(t, html.Write(&b, p, offsets, o))
	if !strings.Contains(b.String(), `"faults":["`) || !strings.Contains(b.String(), "reserved") ||
		!strings.Contains(b.String(), `"lanes":[{"name":"tcm"`) {
		t.Error("the page does not say what is wrong")
	}
	o.Pools = o.Pools[:1]
	if err := html.Write(&b, p, offsets, o); err == nil {
		t.Error("a plan with one pool for four buffers is drawn")
	}
}

// TestBrowserBanks shows borders, buffers in lockstep, and the alternatives that a plan chooses.
func TestBrowserBanks(t *testing.T) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "matrix", Upper: 4, Size: 24, Extra: &model.Extra{Pools: []int32{0}, Spans: true}},
			{ID: "a0", Upper: 4, Size: 8, Extra: &model.Extra{Pools: []int32{0}}},
			{ID: "a1", Upper: 4, Size: 8, Extra: &model.Extra{Pools: []int32{1}}},
			{ID: "ring of 2", Upper: 4, Size: 30, Extra: &model.Extra{Pools: []int32{1}}},
			{ID: "ring of 3", Upper: 4, Size: 45, Extra: &model.Extra{Pools: []int32{1}}},
		},
		Rules: &model.Rules{
			Pools:        []model.Pool{{ID: "tile", Capacity: 64, Borders: []int64{16, 32, 48}}, {ID: "far", Capacity: 64}},
			Lockstep:     [][]int32{{1, 2}},
			Alternatives: [][]int32{{3, 4}},
		},
	}
	page := chromium.Open(t, 1400, 900)
	var b bytes.Buffer
	must.Do(t, html.Write(&b, p, []int64{0, 24, 24, -1, 0}, html.Options{Pools: []int32{0, 0, 1, -1, 1}}))
	path := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	page.Go("file://" + path)
	page.Until("window.stowage && stowage.ready")
	drawn := func(kind string) string {
		return page.Text(fmt.Sprintf(`(() => { const p = stowage.plots[0]; p.draw();
			return p.drawn.filter((d) => d.kind === %q).map((d) => d.full).join("; "); })()`, kind))
	}
	if got := drawn("border"); got != "tile 16; tile 32; tile 48" {
		t.Errorf("the borders are %q", got)
	}
	for i, want := range []string{"Banks 1 to 2", "At one offset with a1", "At one offset with a0", "Chosen in place of ring of 2"} {
		says := page.Text(fmt.Sprintf(`(() => { stowage.select(0, %d, true);
			return document.getElementById("says").textContent; })()`, i))
		if !strings.Contains(says, want) {
			t.Errorf("buffer %d says %q, without %q", i, says, want)
		}
	}
	page.Eval(`(() => { stowage.select(0, 1, true); return 0; })()`, new(int))
	if got := drawn("link"); got != "a0 – a1" {
		t.Errorf("the links of a0 are %q", got)
	}
}
