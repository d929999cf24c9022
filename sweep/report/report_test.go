package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/sweep/core"
)

// cases are sweeps of every shape.
func cases() map[string]Input {
	rude := drawn(3, 4, 0, 100, 110)
	for k := range rude {
		rude[k].Name = `<script>alert("&")</script> ` + rude[k].Name
		rude[k].Planner = `"a" <b> & 'c' ` + rude[k].Planner
		rude[k].Order, rude[k].Message = "<i>", "</ul><script>"
	}
	rude[0].Status, rude[1].Status, rude[2].Status = "invalid", "failed", "surprise"
	var refusals []core.Row
	for k := range 3 {
		r := row(k, "only", 100, "refused", 0)
		r.Message = "planner only does not honour gaps"
		refusals = append(refusals, r)
	}
	var hundred []int64
	for p := range int64(100) {
		hundred = append(hundred, 80+p)
	}
	bytesOnly := drawn(4, 5, 100)
	for k := range bytesOnly {
		bytesOnly[k].Capacity = []int64{1 << 10, 1 << 12, 1 << 14}[k%3]
		bytesOnly[k].Share = float64(bytesOnly[k].Capacity) / float64(bytesOnly[k].Load)
	}
	ownOnly := drawn(4, 5, 100)
	for k := range ownOnly {
		r := &ownOnly[k]
		r.Capacity = r.Load + int64(r.Load%7)*13 + int64(len(r.Problem))
		r.Share = float64(r.Capacity) / float64(r.Load)
	}
	long := drawn(30, 6, 0, 100, 110, 120)
	for k := range long {
		long[k].Planner += "-with-a-name-that-is-very-long-and-has-no-end-in-sight"
	}
	orders := drawn(3, 4, 100, 110)
	for k := range orders {
		orders[k].Order = []string{"exported", "reordered"}[k%2]
		orders[k].NodeLimit = []int64{1000, 20_000}[k/2%2]
	}
	return map[string]Input{
		"empty":            {},
		"only refused":     {Rows: refusals},
		"one planner":      {Rows: drawn(1, 5, 100, 110, 120)},
		"one row":          {Rows: drawn(1, 1, 100)},
		"without capacity": {Rows: drawn(4, 8, 0)},
		"usual":            {Title: "Usual", Rows: drawn(6, 12, 0, 95, 100, 105, 110, 120, 150)},
		"thirty planners":  {Rows: long},
		"100 capacities":   {Rows: drawn(3, 4, hundred...)},
		"markup": {
			Title: `<b>&"`, Rows: rude, Missing: []string{"<task>"}, Tasks: 9,
			Dead: []core.Dead{{Task: "<t>", Name: "<n>", Reason: "<r>\nsecond line", Attempts: 3}},
		},
		"bytes":          {Rows: bytesOnly},
		"own":            {Rows: ownOnly},
		"orders, limits": {Rows: orders},
	}
}

func write(t *testing.T, in Input) string {
	t.Helper()
	return string(golden.Written(t, func(w io.Writer) error { return WritePage(w, in) }))
}

// metas are the elements of a page without an end.
var metas = regexp.MustCompile(`<meta [^>]*>`)

// TestPages: each page is well formed, the same for the same rows in another order, and
// has neither script nor address nor a figure that is no number.
func TestPages(t *testing.T) {
	for name, in := range cases() {
		text := write(t, in)
		d := xml.NewDecoder(strings.NewReader(metas.ReplaceAllString(strings.Replace(text, "<!DOCTYPE html>", "", 1),
			"$0</meta>")))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if e, ok := token.(xml.StartElement); ok &&
				slices.Contains([]string{"script", "i", "b", "img", "link", "iframe"}, e.Name.Local) {
				t.Errorf("%s: has an element %s", name, e.Name.Local)
			}
		}
		for _, bad := range []string{"NaN", "Inf", "http:", "https:", "%!", "<nil>", "(0 of 0"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: has %q", name, bad)
			}
		}
		mixed := in
		mixed.Rows = slices.Clone(in.Rows)
		slices.Reverse(mixed.Rows)
		if again := write(t, mixed); again != text {
			t.Errorf("%s: rows in another order make another page", name)
		}
	}
}

// TestSummaryGolden keeps the columns and the figures of summary.csv.
func TestSummaryGolden(t *testing.T) {
	got := golden.Written(t, func(w io.Writer) error { return WriteSummary(w, Summary(cases()["usual"].Rows)) })
	golden.File(t, "testdata/summary.csv", got)
}

// TestSummaryPlain compares the summary with a plain computation from the rows.
func TestSummaryPlain(t *testing.T) {
	for name, in := range cases() {
		lines, total := Summary(in.Rows), 0
		for _, l := range lines {
			total += l.Runs
			if l.Runs != l.Fit+l.Infeasible+l.Undecided+l.Refused+l.Invalid+l.Failed {
				t.Errorf("%s: parts of %+v are not the whole", name, l)
			}
		}
		if total != len(in.Rows) {
			t.Errorf("%s: %d runs of %d", name, total, len(in.Rows))
		}
	}
	rows := cases()["usual"].Rows
	for _, l := range Summary(rows) {
		var fit, undecided, implied, clock int
		var seconds, over []float64
		for _, r := range rows {
			percent := 100 * r.Capacity / r.Load
			place := fmt.Sprintf("%d%%", percent)
			if percent == 0 {
				place = "minimise"
			}
			if r.Planner != l.Planner || place != l.Place {
				continue
			}
			plan := r.Status == "feasible" || r.Status == "optimal"
			if plan {
				fit++
				least := int64(math.MaxInt64)
				for _, o := range rows {
					if o.Problem == r.Problem && o.Height > 0 {
						least = min(least, o.Height)
					}
				}
				over = append(over, float64(r.Height)/float64(least))
			}
			if r.Status == "unknown" {
				undecided++
			}
			if r.Implied {
				implied++
			}
			if r.Stopped == "timeout" {
				clock++
			}
			if !r.Implied && r.Status != "refused" {
				seconds = append(seconds, r.Seconds)
			}
		}
		slices.Sort(seconds)
		slices.Sort(over)
		at := func(v []float64, q float64) float64 {
			x := q * float64(len(v)-1)
			k := int(x)
			return v[k] + (x-float64(k))*(v[min(k+1, len(v)-1)]-v[k])
		}
		if l.Fit != fit || l.Undecided != undecided || l.Implied != implied || l.Clock != clock ||
			l.Seconds.Of != len(seconds) {
			t.Errorf("%s %s: %+v, want %d fit, %d undecided, %d implied, %d cut, %d ran", l.Planner, l.Place, l, fit,
				undecided, implied, clock, len(seconds))
		}
		if len(seconds) > 0 && (math.Abs(l.Seconds.Median-at(seconds, .5)) > 1e-12 ||
			math.Abs(l.Seconds.P95-at(seconds, .95)) > 1e-12) {
			t.Errorf("%s %s: seconds %+v, want %g and %g", l.Planner, l.Place, l.Seconds, at(seconds, .5), at(seconds, .95))
		}
		if len(over) > 0 && (l.OverBest.Most != over[len(over)-1] || math.Abs(l.OverBest.Median-at(over, .5)) > 1e-12) {
			t.Errorf("%s %s: over best %+v, want %g and %g", l.Planner, l.Place, l.OverBest, at(over, .5), over[len(over)-1])
		}
	}
}

// TestAxis: shares if problems are asked at shares, bytes if at the same bytes, and each
// problem's own if it has one alone. A capacity that is whole bytes of a share is that share.
func TestAxis(t *testing.T) {
	for name, want := range map[string]kind{
		"usual": byShare, "bytes": byBytes, "own": byOwn, "one row": byShare, "empty": byShare,
	} {
		if got := axisOf(cases()[name].Rows).kind; got != want {
			t.Errorf("%s: axis %d, want %d", name, got, want)
		}
	}
	for _, c := range []struct {
		load, capacity int64
		want           place
	}{
		{37, 40, 1080},
		{1000, 1100, 1100},
		{999, 1098, 1100},
		{123_457, 129_629, 1050},
		{1_000_000, 1_025_000, 1025},
		{3, 1, 330},
		{1 << 40, 1, 1},
	} {
		if got := shareOf(&core.Row{Load: c.load, Capacity: c.capacity, Share: float64(c.capacity) / float64(c.load)}); got != c.want {
			t.Errorf("%d of %d is %d thousandths, want %d", c.capacity, c.load, got, c.want)
		}
	}
}

// TestAxisOthers: what a share of a small load rounds up to lies at the share that the other problems have, at each of
// them if two shares are one capacity, and bytes that all problems were asked have a place of their own beside shares.
func TestAxisOthers(t *testing.T) {
	var rows []core.Row
	ask := func(problem string, load, capacity int64) {
		rows = append(rows, core.Row{
			Problem: problem, Load: load, Capacity: capacity, Share: float64(capacity) / float64(load), Planner: "a",
			Status: "unknown",
		})
	}
	for k, load := range []int64{1_000_000, 2_000_000, 3_000_000, 12} {
		for _, percent := range []int64{100, 102, 105, 110, 120} {
			if capacity := (percent*load + 99) / 100; load != 12 || percent != 105 { // 13 bytes, as 102%
				ask(fmt.Sprint(k), load, capacity)
			}
		}
		ask(fmt.Sprint(k), load, 1<<16)
	}
	var got []string
	for _, l := range Summary(rows) {
		got = append(got, fmt.Sprint(l.Place, " ", l.Runs, " ", l.Share, " ", l.Capacity))
	}
	want := []string{"100% 4 1 0", "102% 4 1.02 0", "105% 4 1.05 0", "110% 4 1.1 0", "120% 4 1.2 0", "64 KiB 4 0 65536"}
	if !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	page := write(t, Input{Rows: rows})
	for _, want := range []string{
		"and 6 capacities.", "5 capacities were asked.", "The last table also has 1 capacity in bytes.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "e+0") {
		t.Error("the page has a number with an exponent")
	}
}

// TestDoubts: what speaks against the figures is said, and nothing if nothing does.
func TestDoubts(t *testing.T) {
	clean := []core.Row{row(0, "a", 100, "feasible", 1000), row(0, "b", 100, "infeasible", 0)}
	clean[1].Status = "unknown"
	if got := newPage(Input{Rows: clean}).doubts(); len(got) != 0 {
		t.Errorf("doubts of nothing: %q", got)
	}
	wrong := slices.Clone(clean)
	wrong[1].Status = "infeasible"
	low := []core.Row{row(0, "a", 0, "optimal", 1200), row(0, "b", 150, "feasible", 1100)}
	clock, versions := slices.Clone(clean), slices.Clone(clean)
	clock[1].Stopped = "timeout"
	versions[0].Version, versions[0].Host = "v2", "b"
	failures := slices.Clone(clean)
	failures[0].Status, failures[1].Status = "invalid", "failed"
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{Rows: wrong}, "Rows contradict each other"},
		{Input{Rows: low}, "Rows contradict each other"},
		{Input{Rows: clock}, "The clock cut 1 run of 2: their outcome may differ on another machine. They are of b (1)."},
		{
			Input{Rows: append(slices.Clone(clean),
				row(1, "a", 100, "unknown", 0))},
			"Of the 4 runs of every planner on every problem and capacity, 1 are missing: b (1).",
		},
		{Input{Rows: clean, Missing: []string{"x"}, Tasks: 3}, "Missing: 1 task of 3, as x."},
		{Input{Rows: clean, Dead: []core.Dead{{}, {}}}, "2 tasks or files were given up, and without rows."},
		{Input{Rows: versions}, "The rows are of 2 versions of Stowage: v1 and v2."},
		{Input{Rows: versions}, "Times are of 2 machines."},
		{Input{Rows: failures}, "1 run made a wrong plan"},
		{Input{Rows: failures}, "In 1 run the planner died."},
	} {
		got := strings.Join(newPage(c.in).doubts(), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if text := write(t, c.in); !strings.Contains(text, "<ul class=\"doubts\">") {
			t.Errorf("the page does not say %q", c.want)
		}
	}
}

// TestSays: the sentences of a small sweep, whole.
func TestSays(t *testing.T) {
	rows := []core.Row{
		row(0, "good", 100, "feasible", 1000), row(1, "good", 100, "infeasible", 0),
		row(0, "good", 120, "feasible", 1000), row(1, "good", 120, "feasible", 2200),
		row(0, "bad", 100, "unknown", 0), row(1, "bad", 100, "unknown", 0),
		row(0, "bad", 120, "feasible", 1100), row(1, "bad", 120, "unknown", 0),
	}
	rows[2].Implied, rows[2].Seconds = true, 0
	for k := range rows[4:] {
		rows[4+k].Seconds = 2
	}
	p := newPage(Input{Rows: rows})
	if got, want := p.what(), "8 runs: 2 problems, 2 planners and 2 capacities."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := []string{
		"At 100% of the load, good fits 1 of 2 (50%), and bad fits 0 of 2 (0%).",
		"The least capacity at which a planner fits every problem that it was asked for is 120%: good fits all.",
		"All planners together: of 4 pairs of a problem and a capacity, 3 have a plan, 1 are proven to have none, and 0 are open.",
		"The quickest in the median is good: 1 ms, and 1 ms at the 95th percentile. The slowest in the median is bad: 2 s, and 2 s at the 95th percentile.",
		"1 run was implied, and not made: a plan fits each larger capacity too, and a proof holds for each smaller one.",
	}
	if got := p.says(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestModels: a model fits if one of its orders does, and its bound is the least of its
// orders; a proof at a capacity is a bound above it.
func TestModels(t *testing.T) {
	rows := []core.Row{
		row(0, "a", 110, "feasible", 1100), row(1, "a", 100, "infeasible", 0), row(2, "a", 0, "optimal", 3300),
	}
	rows[1].Name = rows[0].Name
	rows[0].LowerBound, rows[2].LowerBound = 1050, 3300
	got := models(rows)
	if want := (model{1100, 1050}); got["problem-0"] != want {
		t.Errorf("two orders: %+v, want %+v", got["problem-0"], want)
	}
	if want := (model{3300, 3300}); got["problem-2"] != want {
		t.Errorf("proven: %+v, want %+v", got["problem-2"], want)
	}
	if got := models(rows[1:2])["problem-0"]; got.bound != 2001 || got.height != 0 {
		t.Errorf("refuted at 2000: %+v", got)
	}
}

// TestPictures: the curves have the figures of the summary. A curve's marks have tips with its values.
func TestPictures(t *testing.T) {
	in := cases()["usual"]
	text := write(t, in)
	for _, l := range Summary(in.Rows) {
		if l.Place == "minimise" {
			continue
		}
		tip := fmt.Sprintf("<title>%s: %s, %s%%</title>", l.Planner, l.Place, trim(100*float64(l.Fit)/float64(l.Runs)))
		if !strings.Contains(text, tip) {
			t.Errorf("no mark has %s", tip)
		}
	}
	if n := strings.Count(text, "small-picture\""); n != 6 {
		t.Errorf("%d small pictures of 6 planners", n)
	}
	if many := write(t, cases()["thirty planners"]); !strings.Contains(many, ">23 more</li>") ||
		!strings.Contains(many, "<summary>18 more</summary>") {
		t.Error("the page of thirty planners does not fold what is too much")
	}
}

func trim(v float64) string { return fmt.Sprintf("%.3g", v) }

var figureTags = regexp.MustCompile(`<figure>`)

// TestBrowser: at the width of a telephone and of a desk, in both themes, nothing is wider than the page, no word in a
// picture is cut, and letters are not below 10.8 pixels. STOWAGE_PICTURES names a folder for pictures to look at.
func TestBrowser(t *testing.T) {
	page := chromium.Open(t, 375, 900)
	folder := os.Getenv("STOWAGE_PICTURES")
	for name, in := range cases() {
		path := filepath.Join(t.TempDir(), "report.html")
		text := write(t, in)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		for _, width := range []int{375, 1400} {
			for _, theme := range []string{"light", "dark"} {
				if theme == "dark" && name != "usual" {
					continue
				}
				page.Size(width, 2000)
				page.Theme(theme)
				page.Go("file://" + path)
				var got struct {
					Wide, Narrow, Figures, Shown int
					Letters                      float64
					Dark                         bool
					Cut                          []string
				}
				page.Eval(`(() => {
					document.querySelectorAll("details").forEach(d => d.open = true);
					const shown = [...document.querySelectorAll("figure svg[role=img]")].filter(p => p.getBoundingClientRect().height > 40);
					return {
						Wide: document.documentElement.scrollWidth, Narrow: document.documentElement.clientWidth,
						Figures: document.querySelectorAll("figure").length, Shown: shown.length,
						Cut: shown.flatMap(p => {
							const frame = p.getBoundingClientRect();
							return [...p.querySelectorAll("text")].filter(t => {
								const at = t.getBoundingClientRect();
								return at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1;
							}).map(t => t.textContent);
						}),
						Letters: Math.min(99, ...shown.map(p => 12 * p.getBoundingClientRect().width / p.viewBox.baseVal.width)),
						Dark: getComputedStyle(document.body).backgroundColor != "rgb(255, 255, 255)",
					}
				})()`, &got)
				if got.Wide > got.Narrow || got.Shown != got.Figures || got.Figures != len(figureTags.FindAllString(text, -1)) ||
					got.Letters < 10.8 ||
					len(got.Cut) > 0 || got.Dark != (theme == "dark") {
					t.Errorf("%s at %d, %s: %+v", name, width, theme, got)
				}
				if folder != "" {
					for part := range 3 {
						page.Eval(fmt.Sprintf(`(window.scrollTo(0, %d), 0)`, part*1900), new(int))
						file := fmt.Sprintf("%s-%d-%s-%d.png", strings.ReplaceAll(name, " ", "-"), width, theme, part)
						must.Do(t, os.WriteFile(filepath.Join(folder, file), page.Picture(), 0o600))
					}
				}
			}
		}
	}
	page.Quiet()
}

// TestFull: a writer without room is an error.
func TestFull(t *testing.T) {
	if err := WritePage(new(golden.Room), cases()["usual"]); !errors.Is(err, golden.ErrFull) {
		t.Error(err)
	}
	if err := WriteSummary(new(golden.Room), nil); !errors.Is(err, golden.ErrFull) {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := WriteSummary(&b, nil); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("a summary of nothing: %v, %q", err, b.String())
	}
}

// TestColours: a planner has one colour, its second order is dashed, a third and the planners
// after the seventh are grey; curves that are the same are one, with all names.
func TestColours(t *testing.T) {
	var rows []core.Row
	for k := range 9 {
		for o := range 3 {
			r := row(0, fmt.Sprintf("p%d", k), 100, "feasible", 1000)
			r.Order = fmt.Sprintf("o%d", o)
			rows = append(rows, r)
		}
	}
	p := newPage(Input{Rows: rows})
	for rank, s := range p.order {
		c := p.curve(rank, nil)
		planner, order := int(s.planner[1]-'0'), int(s.order[1]-'0')
		if c.Faint != (planner >= coloured || order == 2) || c.Hollow != (order == 1) || c.As != 1+planner%coloured ||
			c.Name != s.planner+" ("+s.order+")" {
			t.Errorf("%+v: %+v", s, c)
		}
	}
	points := func(v float64) [][2]float64 { return [][2]float64{{1, v}} }
	got := distinct([]picture.Series{
		{Name: "grey", Points: points(1), Faint: true},
		{Name: "none"},
		{Name: "a", Points: points(1)},
		{Name: "b", Points: points(2)},
		{Name: "c", Points: points(1)},
	})
	if len(got) != 2 || got[0].Name != "a, c and grey" || got[0].Faint || got[1].Name != "b" {
		t.Errorf("%+v", got)
	}
}
