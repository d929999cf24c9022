package viewer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
	"github.com/stowage-go/stowage/render/svg"
)

// asker returns what holds an expression of the page, as text, against what is wanted.
func asker(t *testing.T, page *chromium.Page) func(want, script string) {
	return func(want, script string) {
		t.Helper()
		if got := page.Text("String(" + script + ")"); got != want {
			t.Errorf("%s is %q, want %q", script, got, want)
		}
	}
}

// TestBrowserAxis demands that the axis ends just above the plan that is shown, however
// high the plans were that the search found before, and grows while those are played.
func TestBrowserAxis(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	doc := planned(t, unet(t), "auto")
	if n := len(doc.Options.Steps); n < 2 || doc.Options.Steps[0].Height < 5*doc.Options.Steps[n-1].Height/4 {
		t.Fatalf("the first of %d plans is not much higher than the last", n)
	}
	for _, width := range []int{375, 1400} {
		page.Size(width, 900)
		show(t, page, doc)
		const part = `(stowage.facts(0).height / stowage.view.y1).toFixed(2)`
		is("0.96", part)
		page.Eval(`stowage.playback.go(0)`, nil)
		is("true", `stowage.view.y1 >= stowage.facts(0).height`)
		is("0.96", part)
		page.Eval(`stowage.playback.go(stowage.playback.last)`, nil)
		is("0.96", part)
		// A window that does not show all stays where it is.
		page.Eval(`stowage.view.zoom(0.3, 0.3); stowage.was = [stowage.view.t0, stowage.view.y0, stowage.view.y1].join(); stowage.playback.go(0); stowage.playback.go(stowage.playback.last)`, nil)
		is("true", `stowage.was === [stowage.view.t0, stowage.view.y0, stowage.view.y1].join()`)
		page.Key("f", "f")
		is("0.96", part)
	}
	page.Quiet()
}

// TestBrowserList demands that the list has each offset whole, however narrow the panel
// is, and that the panel can be made wider by hand and by keys.
func TestBrowserList(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	doc := planned(t, training(t, 3000), "auto")
	for _, width := range []int{375, 1024, 1400} {
		page.Size(width, 900)
		show(t, page, doc)
		page.Eval(`document.getElementById("tab-list").click(); document.querySelector(".c-offset button").click(); document.querySelector(".c-offset button").click()`, nil)
		page.Until(`document.querySelectorAll(".row").length > 5`)
		is("", `[...document.querySelectorAll(".row > :not(.c-id), .list-head button")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent).slice(0, 3).join(" ")`)
		is("true", `[...document.querySelectorAll(".row")].every((r) => r.querySelector(".c-offset").textContent.replaceAll(",", "") === String(stowage.facts(0).offsets[r.dataset.buffer]))`)
		// Nothing has to be moved to read them.
		is("true", `(() => { const right = document.getElementById("list").getBoundingClientRect().right; return [...document.querySelectorAll(".row > *")].every((e) => e.getBoundingClientRect().right <= right + 1); })()`)
		// Names are whole, or have lost their middle.
		is("true", `[...document.querySelectorAll(".row .c-id")].every((e) => e.scrollWidth <= e.clientWidth && (e.textContent === e.title || /.…./.test(e.textContent)))`)
		picture(t, page, fmt.Sprint("list-", width))
	}
	// Of many buffers, too, the list is as wide as its longest row if the window has the room.
	page.Size(1024, 800)
	show(t, page, planned(t, training(t, 100_000), "first-fit"))
	page.Eval(`document.getElementById("tab-list").click()`, nil)
	page.Until(`document.querySelectorAll(".row").length > 5`)
	is("true", `(() => { const right = document.getElementById("list").getBoundingClientRect().right; return [...document.querySelectorAll(".row > *")].every((e) => e.getBoundingClientRect().right <= right + 1); })()`)
	is("", `[...document.querySelectorAll(".row .c-id")].filter((e) => e.textContent !== e.title).map((e) => e.textContent).join()`)
	page.Size(1400, 900)
	show(t, page, doc)
	at := func() (x, y float64, width int) {
		page.Eval(`(() => { const r = document.getElementById("widen").getBoundingClientRect(); return r.left + r.width / 2; })()`, &x)
		page.Eval(`document.getElementById("side").offsetWidth`, &width)
		return x, 500, width
	}
	x, y, was := at()
	page.Mouse("mousePressed", x, y, 1, 1)
	page.Mouse("mouseMoved", x-50, y, 1, 0)
	page.Mouse("mouseMoved", x-100, y, 1, 0)
	page.Mouse("mouseReleased", x-100, y, 0, 1)
	page.Until(fmt.Sprintf(`document.getElementById("side").offsetWidth === %d`, was+100))
	page.Key("ArrowRight", "")
	page.Until(fmt.Sprintf(`document.getElementById("side").offsetWidth === %d`, was+76))
	page.Until(fmt.Sprintf(`document.getElementById("widen").getAttribute("aria-valuenow") === "%d"`, was+76))
	page.Key("End", "")
	page.Until(`document.getElementById("side").offsetWidth === innerWidth / 2`)
	page.Key("Home", "")
	page.Until(fmt.Sprintf(`document.getElementById("side").offsetWidth === %d`, was))
	page.Quiet()
}

// TestBrowserNumbers demands that figures that differ do not look alike: on the axes deep
// in a plan, in the card of a buffer and in the tiles.
func TestBrowserNumbers(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	const gib = 1 << 30
	// Figures are written as the rest of the page is: in groups of three digits, names as they are.
	show(t, page, html.Document{
		Problem: unet(t), Options: html.Options{
			Facts: []html.Fact{
				{Name: "height", Value: "6024"},
				{Name: "head", Value: "454656 (optimal, lower bound 454656), 31.5% less"},
				{Name: "peak", Value: "1234567 at conv_12345 of v1.2345"},
			},
		},
	})
	is("6,024|454,656 (optimal, lower bound 454,656), 31.5% less|1,234,567 at conv_12345 of v1.2345",
		`[...document.querySelectorAll("#facts td")].map((e) => e.textContent).join("|")`)
	p := &model.Problem{
		Name: "deep", Buffers: []model.Buffer{
			{ID: "low", Upper: 10, Size: 26_694_758_400},
			{ID: "small", Upper: 10, Size: 3_538_944},
			{ID: "high", Lower: 5, Upper: 10, Size: gib},
		},
	}
	show(t, page, html.Document{
		Problem: p, Offsets: []int64{0, 26_694_758_400, 26_698_297_344},
		Options: html.Options{Capacity: 26_698_297_344 + gib + 4096},
	})
	page.Eval(`stowage.select(0, 1)`, nil)
	is("true", `document.getElementById("selected-card").textContent.includes("26,694,758,400 (24.861 GiB) up to 26,698,297,344 (24.865 GiB)")`)
	is("25.864727 GiB,25.864731 GiB",
		`[...document.querySelectorAll("#tiles .tile")].filter((e) => /^(Height|Capacity)/.test(e.textContent)).map((e) => e.querySelector("dd").firstChild.textContent).join()`)
	for _, parts := range []float64{1, 0.03, 1e-3, 1e-5, 1e-8, 1e-12} {
		page.Eval(fmt.Sprintf(`stowage.view.fit(); stowage.view.zoom(1, %g, 0.5, 0.93)`, parts), nil)
		checkTexts(t, fmt.Sprint("deep ", parts), p, texts(page))
		// No text of the axis begins left of the picture.
		is("true", `(() => { const p = stowage.plots[0], c = p.canvas.getContext("2d"); c.font = "11px system-ui, sans-serif"; return p.drawn.filter((d) => d.kind === "offset").every((d) => c.measureText(d.text).width <= p.frame.left - 7); })()`)
	}
	page.Quiet()
}

var shape = regexp.MustCompile(`class="s(\d+)">\s*<title>([^:]*): time`)

// TestBrowserColours demands that a buffer has the same colour in the SVG and in the viewer, that
// the legend of the two is the same, and that a click on it shows one group.
func TestBrowserColours(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	random := sample.Random(60, 1)
	for _, of := range []struct {
		doc    html.Document
		colour string
		legend string
	}{
		{planned(t, unet(t), "auto"), "operator", "conv concat upconv crop pool image segmentation"},
		{planned(t, training(t, 600), "auto"), "operator", "act dw mask dx update workspace again input others"},
		{html.Document{Problem: random, Offsets: sample.FirstFit(random)}, "buffer", ""},
	} {
		show(t, page, of.doc)
		name := of.doc.Problem.Name
		is(of.colour, "stowage.colour")
		is(of.legend, `[...document.querySelectorAll("#legend button")].map((e) => e.textContent).join(" ")`)
		var picture bytes.Buffer
		must.Do(t, svg.Write(&picture, of.doc.Problem, of.doc.Offsets, svg.Options{}))
		for _, word := range strings.Fields(of.legend) {
			if !strings.Contains(picture.String(), ">"+word+"</text>") {
				t.Errorf("%s: the SVG's legend has no %s", name, word)
			}
		}
		// Of U-Net the SVG has every name whole, too.
		for i := range of.doc.Problem.Buffers {
			if id := of.doc.Problem.Buffers[i].ID; name == "unet" &&
				!strings.Contains(picture.String(), ">"+id+"</text>") {
				t.Errorf("the SVG has no name %s", id)
			}
		}
		var fills []string
		page.Eval(`Array.from(stowage.facts(0).doc.lower, (_, i) => "#" + stowage.plots[0].scene.palette.fills[stowage.plots[0].scene.kinds[i]].map((x) => x.toString(16).padStart(2, "0")).join("").toUpperCase())`, &fills)
		found := shape.FindAllStringSubmatch(picture.String(), -1)
		at := map[string]int{}
		for i := range of.doc.Problem.Buffers {
			at[of.doc.Problem.Buffers[i].ID] = i
		}
		for _, m := range found {
			want := regexp.MustCompile(`\.s` + m[1] + `\{fill:(#\w+)`).FindStringSubmatch(picture.String())[1]
			if got := fills[at[m[2]]]; !strings.EqualFold(got, want) {
				t.Fatalf("%s: %s is %s in the viewer and %s in the SVG", name, m[2], got, want)
			}
		}
		if len(found) != len(fills) {
			t.Errorf("%s: the SVG has %d of %d buffers", name, len(found), len(fills))
		}
	}
	show(t, page, planned(t, unet(t), "auto"))
	page.Eval(`[...document.querySelectorAll("#legend button")].find((e) => e.textContent === "crop").click()`, nil)
	is("4 found", `document.getElementById("found").textContent`)
	is("true", `(() => { const { kinds, facts } = stowage.plots[0].scene; return Array.from(kinds).every((k, i) => (k < stowage.FADED) === /crop/.test(facts.doc.id(i))); })()`)
	is("crop", `[...document.querySelectorAll("#legend [aria-pressed=true]")].map((e) => e.textContent).join()`)
	page.Eval(`[...document.querySelectorAll("#legend button")].find((e) => e.textContent === "crop").click()`, nil)
	is("", `document.getElementById("search").value`)
	is("true", `Array.from(stowage.plots[0].scene.kinds).every((k) => k < stowage.FADED)`)
	picture(t, page, "groups")
	// Other colours are there to be chosen.
	is("Operator Name prefix Buffer Size Lifespan Owners of the peak",
		`[...document.getElementById("colour").options].map((o) => o.textContent).join(" ")`)
	page.Eval(`(() => { const c = document.getElementById("colour"); c.value = "prefix"; c.dispatchEvent(new Event("change")); })()`, nil)
	is("down up image segmentation",
		`[...document.querySelectorAll("#legend button")].map((e) => e.textContent).join(" ")`)
	page.Quiet()
}

// TestBrowserSearch demands that a search brings its matches to the front, that Escape ends
// it, and that found buffers are not red: red is for buffers that break a rule.
func TestBrowserSearch(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	show(t, page, planned(t, training(t, 3000), "auto"))
	page.Key("/", "")
	page.Until(`document.activeElement.id === "search"`)
	for _, c := range "mask" {
		page.Key(string(c), string(c))
	}
	page.Until(`/^\d+ found$/.test(document.getElementById("found").textContent)`)
	is("false,true", `[document.getElementById("list").hidden, document.getElementById("figures").hidden].join()`)
	is("true", `document.getElementById("tab-list").textContent === "Buffers (" + document.getElementById("found").textContent + ")"`)
	// Found buffers have their own colour.
	is("false", `(() => { const { palette } = stowage.plots[0].scene; return palette.fill[stowage.KIND.found] === palette.fill[stowage.KIND.broken] || palette.fill[stowage.KIND.found] === palette.fill[stowage.KIND.top]; })()`)
	is("true", `(() => { const p = stowage.plots[0], of = (k) => p.raster.pixels.reduce((n, x) => n + (x === p.scene.palette.fill[k]), 0); stowage.draw(); return of(stowage.KIND.found) > 100 && of(stowage.KIND.top) === 0 && of(stowage.KIND.broken) === 0; })()`)
	picture(t, page, "search")
	// Nothing moves when a search says how many it has found.
	for _, width := range []int{1024, 1400} {
		page.Size(width, 900)
		page.Eval(`stowage.search("")`, nil)
		const top = `String(document.getElementById("panes").getBoundingClientRect().top)`
		was := page.Text(top)
		page.Eval(`stowage.search("mask")`, nil)
		is(was, top)
		is("true", `(() => { const [a, b] = ["found", "search"].map((id) => document.getElementById(id).getBoundingClientRect()); return a.left > b.left && a.right < b.right && a.top >= b.top && a.bottom <= b.bottom; })()`)
	}
	page.Key("Escape", "")
	page.Until(`document.activeElement.id !== "search"`)
	is(",Buffers,false", `[document.getElementById("search").value, document.getElementById("tab-list").textContent, document.getElementById("figures").hidden].join()`)
	page.Key("?", "?")
	page.Until(`document.getElementById("help").open`)
	page.Quiet()
}

// TestBrowserResized demands that a pane is drawn again, and not stretched, when what stands above it changes its size.
func TestBrowserResized(t *testing.T) {
	page := chromium.Open(t, 1280, 800)
	doc := planned(t, unet(t), "auto")
	show(t, page, doc, doc)
	const fits = `[...document.querySelectorAll("#panes canvas")].every((c) => c.height === Math.round(c.clientHeight * devicePixelRatio) && c.width === Math.round(c.clientWidth * devicePixelRatio))`
	page.Until(fits)
	page.Eval(`document.getElementById("warning").hidden = false; document.getElementById("warning").textContent = "a line ".repeat(200)`, nil)
	page.Until(fits)
	page.Eval(`document.getElementById("legend").style.height = "90px"`, nil)
	page.Until(fits)
	page.Quiet()
}

// TestBrowserSideBySide demands that two plans side by side have one scale, at each width: as many
// pixels for a byte, and the same offset at the same height; and that the height of each is
// written whole above it, however long the names are.
func TestBrowserSideBySide(t *testing.T) {
	page := chromium.Open(t, 1280, 800)
	is := asker(t, page)
	one, two := planned(t, unet(t), "first-fit"), planned(t, unet(t), "auto")
	one.Options.Title, two.Options.Title = "first-fit.json",
		"a-name-that-is-far-too-long-for-the-caption-of-a-picture.json"
	widths := []int{375, 1280}
	if plantest.AtNight() {
		widths = append(widths, 1024, 1600)
	}
	for _, docs := range [][]html.Document{{one, two}, {two, one}} {
		for _, width := range widths {
			page.Size(width, 800)
			show(t, page, docs...)
			page.Eval(`stowage.draw()`, nil)
			is("true", `(() => { const [a, b] = stowage.plots; return a.room === b.room && a.frame.height === b.frame.height && a.toY(1e7) === b.toY(1e7) && a.frame.height > 90; })()`)
			is("true", `[...document.querySelectorAll("figcaption")].every((c, k) => { const h = c.lastElementChild, r = h.getBoundingClientRect(), within = c.getBoundingClientRect(); return /, height [\d,]+ \(.* MiB\)$/.test(h.textContent) && h.scrollWidth <= h.clientWidth + 1 && r.right <= within.right; })`)
			picture(t, page, fmt.Sprint("beside-", width))
		}
	}
	page.Quiet()
}

// TestBrowserLeaders demands that the lines to names beside their rectangles can be followed: in no
// plan of U-Net, at no width, does one lead far over other buffers, few lead through a name, and there is
// no strip on top that no name is in.
func TestBrowserLeaders(t *testing.T) {
	page := chromium.Open(t, 1280, 800)
	for _, planner := range []string{"first-fit", "auto"} {
		doc := planned(t, unet(t), planner)
		for _, width := range []int{375, 1024, 1600, 700, 1280}[:plantest.Share(5, 3)] {
			page.Size(width, 1000)
			show(t, page, doc)
			var got struct {
				Far, Through []string
				Names        int
				Empty        bool
			}
			page.Eval(`(() => {
				stowage.draw();
				const p = stowage.plots[0], { facts, offsets } = p.scene, { doc } = facts;
				const names = p.drawn.filter((d) => d.kind === "name");
				const on = ([x0, y0, x1, y1], part) => [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
				const parts = Array.from({ length: 400 }, (_, k) => (k + 0.5) / 400);
				const far = [], through = [];
				for (const { full, buffer, leader } of names) {
					if (!leader) continue;
					const long = Math.hypot(leader[2] - leader[0], leader[3] - leader[1]);
					const over = parts.filter((part) => {
						const [x, y] = on(leader, part), time = p.toTime(x), at = p.toOffset(y);
						for (let i = 0; i < doc.n; i++) if (i !== buffer && doc.lower[i] <= time && time < doc.upper[i] && offsets[i] <= at && at < offsets[i] + doc.size[i]) return true;
						return false;
					}).length / 400 * long;
					if (over > 105) far.push(full + " " + Math.round(over));
					for (const other of names) {
						const [x0, y0, x1, y1] = other.box;
						if (other.buffer !== buffer && parts.some((part) => { const [x, y] = on(leader, part); return x0 < x && x < x1 && y0 < y && y < y1; })) through.push(full + " through " + other.full);
					}
				}
				return { far, through, names: new Set(names.map((d) => d.full)).size, empty: p.room > 0 && !names.some((d) => d.leader && d.box[3] < p.frame.top) };
			})()`, &got)
			t.Logf("%s, %d pixels: %d names, lines far over others: %s, through names: %s", planner, width, got.Names, got.Far,
				got.Through)
			through := 7
			if width == 375 {
				through = 14
			}
			if len(got.Far) > 0 || got.Empty || len(got.Through) > through || got.Names < 36 {
				t.Errorf("%s, %d pixels: %d names, lines far over others: %s, through names: %s, an empty strip: %t",
					planner, width, got.Names, got.Far, got.Through, got.Empty)
			}
			picture(t, page, fmt.Sprintf("leaders-%s-%d", planner, width))
		}
	}
	page.Quiet()
}

// TestBrowserTelephone demands that on a narrow screen nothing covers another part of the page.
func TestBrowserTelephone(t *testing.T) {
	page := chromium.Open(t, 375, 740)
	is := asker(t, page)
	show(t, page, planned(t, unet(t), "auto"))
	is("true", `document.getElementById("playback").getBoundingClientRect().bottom <= document.getElementById("side").getBoundingClientRect().top`)
	is("true", `document.getElementById("panes").clientHeight >= 300`)
	page.Quiet()
}

// TestBrowserNotPlaced demands that what a plan that is built up has not placed yet is not
// pointed at and has no name, and that there is a legend for what is marked.
func TestBrowserNotPlaced(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	is := asker(t, page)
	show(t, page, planned(t, unet(t), "auto"))
	is("Unused area", `[...document.querySelectorAll("#tiles dt")].map((e) => e.textContent).find((s) => /waste|unused/i.test(s))`)
	is("mark moves: lower higher|height lower bound",
		`[".check", ".keys .of-search"].map((s) => document.querySelector("#playback " + s).innerText.trim().replace(/\s+/g, " ")).join("|")`)
	page.Eval(`(() => { const s = document.querySelector("#playback .what"); s.value = "build"; s.dispatchEvent(new Event("change")); stowage.playback.go(3); stowage.draw(); })()`, nil)
	// A tiny one may be near enough to one that is placed.
	is("true", `(() => { const p = stowage.plots[0], d = p.scene.facts.doc; let [hits, of, none] = [0, 0, 0];
		for (let i = 0; i < d.n; i++) { const hit = p.hit(p.toX((d.lower[i] + d.upper[i]) / 2), p.toY(d.offsets[i] + d.size[i] / 2)); if (hit < 0) none++; else hits++; if (hit >= 0 && p.scene.placed[hit]) of++; }
		return hits === of && hits >= 3 && none > 30; })()`)
	picture(t, page, "build")
	if all := texts(page); len(all) == 0 {
		t.Error("nothing is drawn")
	} else {
		names := map[string]bool{}
		for _, d := range all {
			if d.Kind == "name" {
				names[d.Full] = true
			}
		}
		if len(names) != 3 {
			t.Errorf("the names %v are drawn for 3 buffers", names)
		}
	}
	page.Quiet()
}

var textTag = regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)"[^>]*>([^<]*)</text>`)

// TestBrowserSave demands that a saved picture of U-Net has all 36 names whole, a legend,
// and no empty part on top; and that pixels and PDF are made from the same.
func TestBrowserSave(t *testing.T) {
	page := chromium.Open(t, 1400, 900)
	doc := planned(t, unet(t), "auto")
	show(t, page, doc)
	got := page.Text(`(async () => (await stowage.save("svg", stowage.plots[0], "unet")).text())()`)
	var words strings.Builder
	top := 1e9
	for _, m := range textTag.FindAllStringSubmatch(got, -1) {
		words.WriteString(m[4] + "\n")
		if strings.Contains(m[4], "…") {
			t.Errorf("%q is cut", m[4])
		}
	}
	for _, m := range regexp.MustCompile(`<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="[\d.]+" fill="[^"]+" stroke`).FindAllStringSubmatch(got, -1) {
		y, _ := strconv.ParseFloat(m[1], 64)
		top = min(top, y)
	}
	if top > 200 {
		t.Errorf("the plan begins at %.0f of 720", top)
	}
	joined := strings.ReplaceAll(words.String(), "\n", "")
	for i := range doc.Problem.Buffers {
		if id := doc.Problem.Buffers[i].ID; !strings.Contains(joined, id) {
			t.Errorf("%s is not whole", id)
		}
	}
	for _, word := range []string{"\nconv\n", "\nsegmentation\n"} {
		if !strings.Contains(words.String(), word) {
			t.Errorf("the legend has no %q", word)
		}
	}
	if dir := os.Getenv("STOWAGE_PICTURES"); dir != "" {
		must.Do(t, os.WriteFile(filepath.Join(dir, "saved.svg"), []byte(got), 0o666))
	}
	if pdf := page.Text(`(async () => (await stowage.save("pdf", stowage.plots[0], "unet")).size)().then(String)`); pdf < "3000" {
		t.Errorf("a PDF of %s bytes", pdf)
	}
	page.Quiet()
}
