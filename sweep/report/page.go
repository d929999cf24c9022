package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: one file that stands alone: no script, and no font or picture from elsewhere, which its content policy says,
// too. What speaks against the figures comes first, then the results, then pictures, then the tables behind the
// pictures.

const pageStyle = `p, li { max-width: 48rem; }
p.faint { color: var(--faint); font-size: .9rem; }
.doubts { border-left: 4px solid var(--bad); margin: .8rem 0; padding: .3rem .8rem .3rem 1.6rem; background: var(--head); }
.says { border-left: 4px solid var(--s0); margin: .8rem 0; padding: .3rem .8rem .3rem 1.6rem; background: var(--head); }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1rem; }
@media (min-width: 1390px) {
.pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } .pair figure { padding: .4rem; } }
summary { cursor: pointer; font-weight: 600; margin: .5rem 0; }
summary:focus-visible, .wide:focus-visible { outline: 2px solid var(--s0); outline-offset: 2px; }
`

// WritePage writes the page. The error is w's.
func WritePage(w io.Writer, in Input) error {
	p := newPage(in)
	title := in.Title
	if title == "" {
		title = "Sweep"
	}
	var s strings.Builder
	text := html.EscapeString
	s.WriteString(picture.Head(title, pageStyle) + "<header>\n<h1>" + text(title) + "</h1>\n<p>" + text(p.what()) + "</p>\n")
	list(&s, "doubts", p.doubts())
	s.WriteString("</header>\n<main>\n")
	if len(in.Rows) > 0 {
		list(&s, "says", p.says())
		p.table(&s, "Planners", p.atAGlance())
		if t := p.variants(); t != nil {
			p.table(&s, "What options are worth, beside the planner without", t)
		}
		p.pictures(&s)
		p.table(&s, "Every planner and capacity", p.every())
	}
	if t := p.messages(); t != nil {
		p.table(&s, "Refused, wrong and died", t)
	}
	if len(in.Missing) > 0 {
		t := comparison.NewTable([]string{"task"}, nil)
		for _, m := range in.Missing {
			t.Rows = append(t.Rows, []string{m})
		}
		p.table(&s, "Tasks without rows", t)
	}
	if len(in.Dead) > 0 {
		t := comparison.NewTable([]string{"problem", "planner", "attempts", "reason", "task"}, nil)
		for k := range t.Columns {
			t.Columns[k].Number = k == 2
		}
		for _, d := range in.Dead {
			t.Rows = append(t.Rows, []string{d.Name, d.Planner, some(float64(d.Attempts), 0), firstLine(d.Reason), d.Task})
		}
		p.table(&s, "Given up (dead.jsonl)", t)
	}
	s.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

// list writes sentences, each as an item; nothing for none.
func list(s *strings.Builder, class string, all []string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(s, "<ul class=\"%s\">\n", class)
	for _, one := range all {
		s.WriteString("<li>" + html.EscapeString(one) + "</li>\n")
	}
	s.WriteString("</ul>\n")
}

// table writes a table under a heading. Its box scrolls, so the keyboard reaches it.
func (p *page) table(s *strings.Builder, title string, t *comparison.Table) {
	name := html.EscapeString(title)
	fmt.Fprintf(s, "<section>\n<h2>%s</h2>\n%s</section>\n", name,
		strings.Replace(t.HTML(), `<div class="wide">`,
			`<div class="wide" tabindex="0" role="region" aria-label="`+name+`">`, 1))
}

// mostSmall is how many small pictures are open; more are folded.
const mostSmall = 12

// pictures writes all pictures that the rows allow.
func (p *page) pictures(s *strings.Builder) {
	if len(p.places) > 0 {
		s.WriteString("<section>\n<h2>What fits</h2>\n")
		s.WriteString(p.fitting())
		if len(p.places) > 1 {
			table := ""
			if p.bytes > 0 {
				table = " The last table also has " + counted(p.bytes, "capacity") + " in bytes."
			}
			fmt.Fprintf(s, "<p class=\"faint\">%s capacities were asked. Between two of them a line joins what was "+
				"measured.%s</p>\n", comparison.Grouped(int64(len(p.places))), table)
		}
		if len(p.places) > 1 { // of one, the table says as much
			legend, small := p.outcomes()
			s.WriteString(legend)
			first := small[:min(len(small), mostSmall)]
			s.WriteString("<div class=\"small-pictures\">\n" + strings.Join(first, "") + "</div>\n")
			if rest := small[len(first):]; len(rest) > 0 {
				fmt.Fprintf(s, "<details>\n<summary>%d more</summary>\n<div class=\"small-pictures\">\n%s</div>\n</details>\n",
					len(rest), strings.Join(rest, ""))
			}
		}
		s.WriteString("</section>\n<section>\n<h2>What a run costs</h2>\n<div class=\"pair\">\n" + strings.Join(p.costs(),
			"") + "</div>\n")
		s.WriteString("<p class=\"faint\">Runs that were refused or died have no cost here.")
		if p.implied() > 0 {
			s.WriteString(" Those that are implied have none either: so at most capacities a curve is of the " +
				"problems that nothing else had answered, which are the harder ones. A planner whose runs are all " +
				"implied has no curve.")
		}
		s.WriteString("</p>\n</section>\n")
	}
	heights, above := p.heights()
	s.WriteString("<section>\n<h2>Heights and memory</h2>\n<div class=\"pair\">\n" + heights + p.memory() + "</div>\n")
	of := "of any capacity"
	if p.minimised > 0 {
		of = "without a capacity"
	}
	fmt.Fprintf(s, "<p class=\"faint\">Heights are those of the lowest plan of each planner, %s. A problem without "+
		"a plan counts, and has none.", of)
	if above > 0 {
		fmt.Fprintf(s, " %s higher than %g times the load, beyond the right edge.",
			verb(above, "plan", "is", "are"), mostRatio)
	}
	fmt.Fprintf(s, " A model is a problem by its name, in whatever order of its operators; there are %d. It fits a "+
		"memory if its lowest plan of any run does. A model whose proven bound exceeds the memory fits with no "+
		"plan: “no plan can do more” counts the others.</p>\n</section>\n", len(p.models))
}

// atAGlance has a line for each series, over all capacities.
func (p *page) atAGlance() *comparison.Table {
	t := comparison.NewTable([]string{
		"planner", "runs", "fit", "infeasible", "undecided", "refused", "wrong or died", "implied", "by the clock",
		"median", "95%", "nodes, median", "nodes, 95%", "over best, median", "worst", "over load, median", "worst",
	}, nil)
	for _, s := range p.order {
		t.Rows = append(t.Rows, append([]string{p.names.label(s)}, figures(p.total(s))...))
	}
	return t
}

// every has a line for each series and capacity.
func (p *page) every() *comparison.Table {
	t := comparison.NewTable([]string{
		"planner", "at", "runs", "fit", "infeasible", "undecided", "refused", "wrong or died", "implied", "by the clock",
		"median", "95%", "nodes, median", "nodes, 95%", "over best, median", "worst", "over load, median", "worst",
	}, nil)
	for k := range p.lines {
		l := &p.lines[k]
		t.Rows = append(t.Rows, append([]string{p.names.label(l.series), l.Place}, figures(l)...))
	}
	return t
}

// figures are those of a line, as text.
func figures(l *Line) []string {
	var all []string
	for _, n := range []int{l.Runs, l.Fit, l.Infeasible, l.Undecided, l.Refused, l.Invalid + l.Failed, l.Implied, l.Clock} {
		text := ""
		if n > 0 {
			text = comparison.Grouped(int64(n))
		}
		all = append(all, text)
	}
	two := func(s Spread, upper float64, text func(float64) string) {
		if s.Of == 0 {
			all = append(all, "", "")
			return
		}
		all = append(all, text(s.Median), text(upper))
	}
	count := func(v float64) string { return comparison.Grouped(int64(v + 0.5)) }
	ratio := func(v float64) string { return fmt.Sprintf("%.3f", v) }
	two(l.Seconds, l.Seconds.P95, picture.Seconds)
	two(l.Nodes, l.Nodes.P95, count)
	two(l.OverBest, l.OverBest.Most, ratio)
	two(l.OverLoad, l.OverLoad.Most, ratio)
	return all
}
