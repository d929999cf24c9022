package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
)

// A section is an experiment of a paper.
type section struct {
	id     string
	paper  string // which heads a part of the table of contents
	title  string
	did    string                     // what the paper did
	source string                     // where its figures stand
	weight float64                    // its share of the time of a quick report, beside the others'
	night  float64                    // of a full one
	fixed  func(z size) time.Duration // what it takes whatever its share is, set aside at the beginning; nil is nothing
	chosen bool
	run    func(ctx context.Context, e *env) (*content, error)
}

// share is the section's share of the time, beside that of others.
func (s *section) share(z size) float64 {
	if z.name == "full" {
		return s.night
	}
	return s.weight
}

// least is what the section takes whatever its share is.
func (s *section) least(z size) time.Duration {
	if s.fixed == nil {
		return 0
	}
	return s.fixed(z)
}

// A content is what came of a section.
type content struct {
	beside   []beside
	pictures []string // HTML
	tables   []*comparison.Table
	says     []string // what the figures of this run come to
	about    string   // what differs from the paper whatever the figures are
	notes    []string // what is absent or was cut
	on       []string // machines and days of the runs
}

// A beside is a figure of the paper and ours.
type beside struct{ what, paper, here, verdict string }

// add sets a figure beside the paper's, which says nothing of it, or not as a number.
func (c *content) add(what, paper, here string) { c.judge(what, paper, here, "") }

// judge sets a figure beside the paper's, with the verdict on it. The first figure of a
// section stands at the head of the report too.
func (c *content) judge(what, paper, here, verdict string) {
	if verdict == notRun {
		verdict, here = "", cmp.Or(here, notRun)
	}
	c.beside = append(c.beside, beside{what, paper, here, verdict})
}

// same sets a figure beside the paper's that has to be equal.
func (c *content) same(what, paper, here string) { c.judge(what, paper, here, judgeSame(paper, here)) }

// say adds what the figures come to.
func (c *content) say(sentences ...string) { c.says = append(c.says, said(sentences...)...) }

// note says something once.
func (c *content) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" && !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// markdown returns the section's table for a document: the first, and what it was run on.
func (c *content) markdown() string {
	if len(c.tables) == 0 {
		return "Not measured.\n"
	}
	text := c.tables[0].Markdown()
	var on []string
	for _, o := range c.on {
		if o = withoutRevision(o); !slices.Contains(on, o) {
			on = append(on, o)
		}
	}
	if len(on) > 0 {
		text += "\n" + strings.Join(on, "; ") + ".\n"
	}
	return text
}

// withoutRevision is what runs say they were made on, without the revision of the source.
func withoutRevision(on string) string {
	parts := strings.Split(on, ", ")
	return strings.Join(slices.DeleteFunc(parts, revisionName.MatchString), ", ")
}

var revisionName = regexp.MustCompile(`^([0-9a-f]{10}(-dirty)?|unknown revision)$`)

// The papers.
const (
	minimallocPaper = "MiniMalloc (Moffitt, ASPLOS 2023)"
	telamallocPaper = "TelaMalloc (Maas, Beaunon, Chauhan, Ilbeyi, ASPLOS 2023)"
	ideallocPaper   = "idealloc (CONVOLVE D5.5, 2024)"
	otherPapers     = "IREE Wave, and slides about MiniMalloc"
)

// sections are all there are, in the order of the report.
func sections() []section {
	return slices.Concat(minimallocSections(), telamallocSections(), ideallocSections(), otherSections())
}

// choose returns the sections of the names, all of them for none.
func choose(names []string) ([]section, error) {
	all := sections()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []section
	for _, name := range names {
		k := slices.IndexFunc(all, func(s section) bool { return s.id == name })
		if k < 0 {
			return nil, fmt.Errorf("no section is named %q; -list has them", name)
		}
		all[k].chosen = true
	}
	for _, one := range all {
		if one.chosen {
			chosen = append(chosen, one)
		}
	}
	return chosen, nil
}

// A size says how much is measured. Zero fields of it are of sections that do not care.
type size struct {
	name   string
	runs   string // file of the runs, from the root of the repository
	budget time.Duration

	limit      time.Duration // of a run of the baselines
	repeat     int           // of runs whose median counts
	extended   int           // inputs of figure 9
	extendedOf time.Duration // limit of figure 9
	each, step int           // problems of each size of figure 10, each so many sizes, for the baselines
	all        int           // the same for exact; 0 is all of them
	hour       time.Duration // limit of table 2
	steps      int64         // of figure 14
	seeds      uint64        // of figure 14, and of the samples of figure 17
	windows    int           // portions of figure 15
	nodes      int64         // limit of figure 15
	tries      []int         // of boxing
	profile    time.Duration // of the profile of tela
	models     int           // networks at most; 0 is all
	largest    int           // buffers of the largest problem of idealloc's table
}

var quickSize = size{
	name: "quick", runs: "lab/bench/out/paper-quick.jsonl", budget: 280 * time.Second,
	limit: time.Second, repeat: 3, extended: 1020, extendedOf: 250 * time.Millisecond,
	each: 2, step: 2, hour: 4 * time.Second, steps: 2000, seeds: 2, windows: 12, nodes: 20_000,
	tries: []int{1, 100, 1000}, profile: 2 * time.Second, largest: 30_000,
}

var fullSize = size{
	name: "full", runs: "lab/bench/results/paper.jsonl", budget: 9 * time.Hour,
	limit: time.Minute, repeat: 5, extended: 1020, extendedOf: 10 * time.Second,
	each: 5, step: 1, hour: time.Minute, steps: 500_000, seeds: 8, windows: 40, nodes: 500_000,
	tries: []int{1, 100, 10_000, 1_000_000}, profile: 20 * time.Second, largest: 30_000,
}
