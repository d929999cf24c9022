package viewer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/session"
)

// showSession writes the page of a session and loads it.
func showSession(t *testing.T, p *chromium.Page, s *html.Session) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	var b bytes.Buffer
	must.Do(t, html.WriteSession(&b, s, []html.Fact{{Name: "changes", Value: "7"}}))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	p.Go("file://" + path)
	p.Until("window.stowage && stowage.ready")
}

// TestBrowserSession plays a short session: a buffer comes and another moves, one does not fit by the load, one cannot
// be placed, one leaves, and a rollback returns to the beginning.
func TestBrowserSession(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	base := &model.Problem{Name: "abc", Capacity: 16, Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 3, Upper: 9, Size: 4},
		{ID: "c", Lower: 0, Upper: 9, Size: 4},
	}}
	ctx := context.Background()
	s := must.Get(session.Open(ctx, base, []int64{0, 12, 4}, session.Options{}))(t)
	p, plan := s.Snapshot()
	h := html.NewSession("abc.jsonl", p, plan)
	add := func(call html.Call) {
		p, plan := s.Snapshot()
		h.Add(call, p, plan)
	}
	m := s.Mark()
	x := model.Buffer{ID: "x", Lower: 2, Upper: 6, Size: 9}
	no := must.Get(s.Fits(ctx, x))(t)
	add(html.Call{Text: "add x, 9 bytes in [2, 6): impossible: " + no.Proof.String(), Tried: &x, Over: &no.Proof.Slot})
	x = model.Buffer{ID: "x", Lower: 2, Upper: 6, Size: 8}
	yes, err := s.Add(ctx, x)
	if err != nil || yes.Moved.Buffers != 1 {
		t.Fatal(yes, err)
	}
	add(html.Call{Text: "add x, 8 bytes in [2, 6): repair, at 8", Moved: 1})
	must.Do(t, s.Remove("a"))
	add(html.Call{Text: "remove a"})
	c, _, _ := s.Buffer("c")
	add(html.Call{Text: "resize c: undecided", Tried: &c})
	must.Do(t, s.Rollback(m))
	add(html.Call{Text: "rollback m"})

	for _, width := range []int{375, 1400} {
		page.Size(width, 900)
		showSession(t, page, h)
		is("false", `document.getElementById("playback").hidden`)
		is("The plan to begin with, before 5 calls", `document.querySelector("#playback .says").textContent`)
		is("abc.jsonl", `document.title`)
		page.Eval(`document.querySelector("#playback .after").click()`, nil)
		is("Call 1 of 5: add x, 9 bytes in [2, 6): impossible: at time 2 the live buffers need 17 bytes; the capacity is 16",
			`document.querySelector("#playback .says").textContent`)
		is("17,true", `[stowage.facts(0).load.peak, stowage.view.y1 > 17]`)
		is("x:broken a:peak c:peak", `["x", "a", "c", "b"].map((id) => { const f = stowage.facts(0); for (let i = 0; i < f.doc.n; i++) if (f.doc.id(i) === id) return id + ":" + Object.keys(stowage.KIND).find((k) => stowage.KIND[k] === stowage.marking[i]); }).filter((s) => !s.endsWith("plain")).join(" ")`)
		is("does not fitlive when the load is too muchothers", `document.getElementById("legend").textContent`)
		is("16", `stowage.facts(0).height`)
		is("changes7", `document.getElementById("facts").textContent`)
		is("true", `document.getElementById("tiles").textContent.includes("exceeded by 1")`)
		picture(t, page, fmt.Sprintf("session-no-%d", width))
		page.Eval(`document.querySelector("#playback .after").click()`, nil)
		is("Call 2 of 5: add x, 8 bytes in [2, 6): repair, at 8, b from 12 to 0; dashed: where they were",
			`document.querySelector("#playback .says").textContent`)
		is("0,1,0,1,2", `(({ counts: c }) => [c.up, c.down, c.onlyA, c.onlyB, c.same])(stowage.comparison)`)
		is("b,x", `stowage.plots[1].outlined.map((i) => stowage.facts(1).doc.id(i)).sort()`)
		picture(t, page, fmt.Sprintf("session-moved-%d", width))
		page.Eval(`document.querySelector("#playback .after").click()`, nil)
		is("1", `stowage.comparison.counts.onlyA`)
		is("Call 3 of 5: remove a; dashed: what has left", `document.querySelector("#playback .says").textContent`)
		is("0,3,0,4", `stowage.plots[1].left[0]`)
		picture(t, page, fmt.Sprintf("session-left-%d", width))
		page.Eval(`document.querySelector("#playback .after").click()`, nil)
		is("does not fitothers", `document.getElementById("legend").textContent`)
		page.Eval(`stowage.setMode("both"); stowage.playback.go(2)`, nil)
		is("both", `stowage.mode`)
		picture(t, page, fmt.Sprintf("session-both-%d", width))
		page.Eval(`stowage.playback.go(5)`, nil)
		is("a,b,c", `(({ doc: d }) => Array.from(d.lower, (_, i) => d.id(i)).sort())(stowage.facts(1))`)
		page.Eval(`stowage.playback.go(0)`, nil)
		is("a0,b12,c4", `(({ doc: d }) => Array.from(d.lower, (_, i) => d.id(i) + d.offsets[i]).sort())(stowage.facts(0))`)
		page.Eval(`stowage.playback.jump(1)`, nil)
		is("1", `stowage.playback.at`)
		is("false", `document.documentElement.scrollWidth > document.documentElement.clientWidth`)
	}
	page.Quiet()
}

// TestBrowserSessionStates: the page has the plan of Go after each call of a random trace, in whatever order it goes
// to them.
func TestBrowserSessionStates(t *testing.T) {
	page := chromium.Open(t, 1200, 800)
	base, err := gen.Generate("random", gen.Options{Seed: 3, Buffers: 30, MinSize: 64, MaxSize: 4096, MaxLife: 300})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	begun := must.Get(session.Open(ctx, base, nil, session.Options{}))(t)
	p, plan := begun.Snapshot()
	tr, err := traces.Edit(p, plan.Offsets, traces.EditOptions{Seed: 3, Changes: 60, Capacity: plan.Height, Pins: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	s, rest := must.Two(session.Begin(ctx, tr, session.Options{}))(t)
	said := func(p *model.Problem, offsets []int64) string {
		var all []string
		for i := range p.Buffers {
			b := &p.Buffers[i]
			all = append(all, fmt.Sprintf("%s %d %d %d %d", b.ID, b.Lower, b.Upper, b.Size, offsets[i]))
		}
		slices.Sort(all)
		return fmt.Sprint(all)
	}
	p, plan = s.Snapshot()
	h := html.NewSession("random", p, plan)
	want := []string{said(p, plan.Offsets)}
	player := session.NewPlayer(s)
	rest = append(rest, trace.Op{Kind: trace.Replan})
	for i := range rest {
		a, _ := must.Two(player.Play(ctx, &rest[i]))(t)
		p, plan := s.Snapshot()
		h.Add(html.Call{Text: string(rest[i].Kind), Moved: a.Moved.Buffers}, p, plan)
		want = append(want, said(p, plan.Offsets))
	}
	showSession(t, page, h)
	for k := range 24 { // back and forth
		at := k * 37 % len(want)
		got := page.Text(fmt.Sprintf(`(() => { stowage.playback.go(%d); const d = stowage.facts(stowage.b >= 0 ? 1 : 0).doc;
			return "[" + Array.from(d.lower, (_, i) => [d.id(i), d.lower[i], d.upper[i], d.size[i], d.offsets[i]].join(" ")).sort().join(" ") + "]"; })()`, at))
		if got != want[at] {
			t.Fatalf("after call %d the page has\n%s\nnot\n%s", at, got, want[at])
		}
	}
	page.Quiet()
}

// TestBrowserSessionPools plays a session with two pools: a buffer moves to the other one, a pool shrinks, a buffer
// does not fit into a pool by its load, and one has windows. Each buffer is drawn in the lane of its pool. A buffer
// that stays is drawn at the same place.
func TestBrowserSessionPools(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	ctx := context.Background()
	base := &model.Problem{
		Rules: &model.Rules{
			Pools: []model.Pool{
				{ID: "sram", Capacity: 16, Reserved: []model.Range{{Lower: 0, Upper: 2}}}, {ID: "dram", Capacity: 32},
			},
		},
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 8},
			{ID: "b", Lower: 4, Upper: 9, Size: 8},
			{ID: "c", Lower: 0, Upper: 9, Size: 4, Extra: &model.Extra{Pools: []int32{0}}, Gaps: []model.Gap{
				{Lower: 3, Upper: 5, Window: &model.Window{Lower: 0, Upper: 1}},
			}},
		},
	}
	s := must.Get(session.OpenPlan(ctx, base, &model.Plan{Offsets: []int64{2, 2, 10}, Pools: []int32{0, 0, 0}},
		session.Options{}))(t)
	p, plan := s.Snapshot()
	h := html.NewSession("pools.jsonl", p, plan)
	add := func(text string, tried *model.Buffer, a session.Answer) {
		call := html.Call{Text: text, Tried: tried, Moved: a.Moved.Buffers}
		if a.Proof != nil && a.Proof.Why == session.ByLoad {
			call.Over, call.Pools = &a.Proof.Slot, a.Proof.Pools
		}
		p, plan := s.Snapshot()
		h.Add(call, p, plan)
	}
	apart, err := s.Bind(ctx, session.Rules{Apart: [][2]string{{"a", "b"}}})
	if err != nil || apart.Moved.Buffers != 1 {
		t.Fatal(apart, err)
	}
	add("bind", nil, apart)
	less, err := s.LimitPool(ctx, 0, 14)
	if err != nil || less.Status != model.Feasible {
		t.Fatal(less, err)
	}
	add("limit", nil, less)
	x := model.Buffer{ID: "x", Lower: 1, Upper: 3, Size: 9, Extra: &model.Extra{Pools: []int32{0}}}
	no, err := s.Fits(ctx, x)
	if err != nil || no.Status != model.Infeasible {
		t.Fatal(no, err)
	}
	add("fits x", &x, no)
	for _, width := range []int{375, 1400} {
		page.Size(width, 900)
		showSession(t, page, h)
		lanes := `(({ doc: d }) => d.lanes.map((l) => [l.name, l.height, l.capacity].join(" ")).join(", "))(stowage.facts(0))`
		places := `(({ doc: d }) => { const out = []; for (let i = 0; i < d.n; i++) { const l = d.lanes[d.lane[i]]; out.push(d.id(i) + Math.round((d.offsets[i] - l.at) / l.scale) + l.name); } return out.sort().join(" "); })(stowage.facts(stowage.b >= 0 ? 1 : 0))`
		is("sram 14 16, dram 0 32", lanes)
		is("a2sram b2sram c10sram", places)
		is("true", `document.getElementById("tiles").textContent.includes("sram")`)
		page.Eval(`stowage.playback.go(1)`, nil)
		is("true", `document.querySelector("#playback .says").textContent.includes(" in sram to 0 in dram; dashed")`)
		is("0,1,0,0,2", `(({ counts: c }) => [c.up, c.down, c.onlyA, c.onlyB, c.same])(stowage.comparison)`)
		picture(t, page, fmt.Sprintf("session-pools-moved-%d", width))
		page.Eval(`stowage.playback.go(2)`, nil)
		is("sram 14 14, dram 8 32", lanes)
		page.Eval(`stowage.playback.go(3)`, nil)
		is("sram 14 14, dram 8 32", lanes)
		is("does not fit", `document.getElementById("legend").textContent.slice(0, 12)`)
		is("true", `(({ doc: d, drawn }) => { for (let i = 0; i < d.n; i++) if (d.id(i) === "x") return d.offsets[i] + d.size[i] * d.scale[i] <= drawn; })(stowage.facts(0))`)
		is("broken peak plain plain",
			`Array.from(stowage.marking, (m, i) => [stowage.facts(0).doc.id(i), m]).sort().reverse().map(([id, m]) => Object.keys(stowage.KIND).find((k) => stowage.KIND[k] === m)).join(" ")`)
		picture(t, page, fmt.Sprintf("session-pools-no-%d", width))
		page.Eval(`stowage.playback.go(0)`, nil)
		is("sram 14 16, dram 0 32", lanes)
	}
	page.Quiet()
}

// TestBrowserSessionEmpty plays a session that begins without buffers: the picture has room for those that come, with
// rules and without.
func TestBrowserSessionEmpty(t *testing.T) {
	page := chromium.Open(t, 1000, 800)
	is := asker(t, page)
	ctx := context.Background()
	for _, rules := range []*model.Rules{nil, {}} {
		s := must.Get(session.Open(ctx, &model.Problem{Capacity: 16, Rules: rules}, nil, session.Options{}))(t)
		p, plan := s.Snapshot()
		h := html.NewSession("empty.jsonl", p, plan)
		if a, err := s.Add(ctx, model.Buffer{ID: "a", Lower: 20, Upper: 50, Size: 12}); err != nil ||
			a.Status != model.Feasible {
			t.Fatal(a, err)
		}
		p, plan = s.Snapshot()
		h.Add(html.Call{Text: "add a"}, p, plan)
		showSession(t, page, h)
		for _, call := range []string{"0", "1"} {
			page.Eval(`stowage.playback.go(`+call+`)`, nil)
			is("20,50,true", `[stowage.view.t0, stowage.view.t1, stowage.view.y1 >= 12]`)
		}
	}
	page.Quiet()
}
