package viewer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/viewdata"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
)

// unet returns the problem of README's example.
func unet(t *testing.T) *model.Problem {
	t.Helper()
	f := must.Get(os.Open("../../../examples/unet.csv"))(t)
	defer f.Close()
	p := must.Get(csv.Read(f, "unet.csv"))(t)
	p.Name = "unet"
	return p
}

// training makes a problem of n buffers as a training step has them.
func training(t *testing.T, n int) *model.Problem {
	t.Helper()
	in := must.Get(gen.New("training", gen.Options{Buffers: n}))(t)
	return in.Problem
}

// planned solves a problem as the command does, with the plans on the way.
func planned(t *testing.T, p *model.Problem, planner string) html.Document {
	t.Helper()
	var steps viewdata.Recorder
	r := must.Get(stowage.Minimize(t.Context(), p, stowage.Options{Planner: planner, Progress: steps.See}))(t)
	o := html.Options{Title: p.Name, LowerBound: r.LowerBound}
	for _, s := range steps.Finish(r) {
		o.Steps = append(o.Steps, html.Step(s))
	}
	return html.Document{Problem: p, Offsets: r.Offsets, Options: o}
}

// A drawn is a text in the picture.
type drawn struct {
	Kind, Text, Full string
	Buffer           int
	Box              [4]float64 // of a label: left, top, right, bottom
	Leader           bool
}

// texts returns what the first pane has drawn.
func texts(page *chromium.Page) []drawn {
	var all []drawn
	page.Eval(`stowage.draw(); stowage.plots[0].drawn.map((d) => ({ ...d, leader: Boolean(d.leader) }))`, &all)
	return all
}

// TestBrowserLabels holds the texts of the picture, at three widths and in two themes, for few buffers, some and many:
// a number is whole, a name is whole or has lost its middle, none covers another, and of U-Net all 36 names are whole.
// Of many buffers one width is enough, unless all is tested.
func TestBrowserLabels(t *testing.T) {
	// Zooms to the shortest of the smallest buffers: its name must be readable then.
	const shortest = "const d = stowage.facts(0).doc; let k = 0; for (let i = 1; i < d.n; i++) if ((d.upper[i] - d.lower[i]) * d.size[i] < (d.upper[k] - d.lower[k]) * d.size[k]) k = i; stowage.zoomTo(0, k)"
	page := chromium.Open(t, 1600, 1000)
	type plans struct {
		n     int
		doc   html.Document
		whole int // names that are whole at each width
	}
	all := []plans{{36, planned(t, unet(t), "auto"), 36}, {3000, planned(t, training(t, 3000), "auto"), 0}}
	if plantest.AtNight() {
		all = append(all, plans{100_000, planned(t, training(t, 100_000), "first-fit"), 0})
	}
	for _, of := range all {
		doc, widths := of.doc, []int{1024, 375, 1600}
		if of.n == 100_000 {
			widths = widths[:plantest.Share(3, 1)] // each takes seconds
		}
		for _, width := range widths {
			for _, theme := range []string{"light", "dark"}[:plantest.Share(2, 1)] {
				name := fmt.Sprintf("labels-%d-%d-%s", of.n, width, theme)
				page.Size(width, 1000)
				page.Theme(theme)
				show(t, page, of.doc)
				if got := page.Text("document.documentElement.dataset.theme + (document.documentElement.scrollWidth <= innerWidth)"); got != theme+"true" {
					t.Errorf("%s: %s", name, got)
				}
				all := texts(page)
				checkTexts(t, name, of.doc.Problem, all)
				var whole []string
				for _, d := range all {
					if d.Kind == "name" && d.Text == d.Full {
						whole = append(whole, d.Text)
					}
				}
				slices.Sort(whole)
				if whole = slices.Compact(whole); len(whole) < of.whole {
					t.Errorf("%s: %d names are whole: %s", name, len(whole), whole)
				}
				t.Logf("%s: %d names are whole", name, len(whole))
				picture(t, page, name)
				// At the peak fewer are in sight.
				page.Key("p", "p")
				page.Until(`!stowage.view.isWhole`)
				checkTexts(t, name+" at the peak", of.doc.Problem, texts(page))
				picture(t, page, name+"-peak")
				// So are they where a buffer fills the picture, and at the deepest.
				for _, of := range []string{
					"stowage.zoomTo(0, 0)", shortest, "stowage.zoomTo(0, stowage.facts(0).doc.n >> 1)",
					"stowage.select(0, -1); stowage.view.zoom(1e-3, 1e-3, 0.5, 0.6)",
					"for (let k = 0; k < 40; k++) stowage.view.zoom(0.5, 0.5)",
				} {
					page.Eval("(() => { stowage.view.fit(); "+of+"; })()", nil)
					all := texts(page)
					checkTexts(t, name+" after "+of, doc.Problem, all)
					if (of == shortest || strings.Contains(of, ">> 1")) &&
						!slices.ContainsFunc(all, func(d drawn) bool { return d.Kind == "name" && d.Text == d.Full }) {
						t.Errorf("%s after %s: no name is whole", name, of)
					}
				}
				page.Eval("stowage.zoomTo(0, stowage.facts(0).doc.n >> 1)", nil)
				picture(t, page, name+"-zoom")
				page.Key("f", "f")
			}
		}
	}
	page.Quiet()
}

// checkTexts compares the texts of a picture with the problem.
func checkTexts(t *testing.T, where string, p *model.Problem, all []drawn) {
	t.Helper()
	var labels []drawn
	ticks := map[string]bool{}
	for _, d := range all {
		switch d.Kind {
		case "name":
			if d.Full != p.Buffers[d.Buffer].ID {
				t.Errorf("%s: buffer %d is called %q", where, d.Buffer, d.Full)
			}
			head, tail, short := strings.Cut(d.Text, "…")
			if d.Text != d.Full && (!short || head == "" || tail == "" || !strings.HasPrefix(d.Full, head) ||
				!strings.HasSuffix(d.Full, tail)) {
				t.Errorf("%s: %q is written %q", where, d.Full, d.Text)
			}
		case "size", "offset", "time", "mark":
			if d.Text != d.Full || d.Text == "" {
				t.Errorf("%s: the number %q is written %q", where, d.Full, d.Text)
			}
		default:
			t.Errorf("%s: a text of the kind %q", where, d.Kind)
		}
		if d.Kind == "offset" || d.Kind == "time" {
			if ticks[d.Kind+d.Text] {
				t.Errorf("%s: the axis has %s twice", where, d.Text)
			}
			ticks[d.Kind+d.Text] = true
		}
		if d.Kind == "name" || d.Kind == "size" {
			labels = append(labels, d)
		}
	}
	if len(ticks) < 2 {
		t.Errorf("%s: %d ticks", where, len(ticks))
	}
	for i, a := range labels {
		for _, b := range labels[:i] {
			w, h := min(a.Box[2], b.Box[2])-max(a.Box[0], b.Box[0]), min(a.Box[3], b.Box[3])-max(a.Box[1], b.Box[1])
			if w > 1.5 && h > 1.5 {
				t.Errorf("%s: %q covers %q by %.1f x %.1f", where, a.Text, b.Text, w, h)
			}
		}
	}
}
