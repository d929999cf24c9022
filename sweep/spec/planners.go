package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a planner with options, as in "exact --without fronts" (comparison.Variant), is one more planner of the
// sweep. "exact --without each" stands for one planner for each technique of exact, without that technique.

// each stands for every technique of a planner, one at a time.
const each = "each"

// planners reads names of planners, with options or without, each once.
func (p *parser) planners(n *yaml.Node) []string {
	known := slices.Clone(p.known)
	all := &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line}
	for _, item := range p.list(n, "planners") {
		names := []string{item.Value}
		if strings.Contains(item.Value, " ") {
			names = p.variants(item)
			known = append(known, names...)
		}
		for _, name := range names {
			one := *item
			one.Value = name
			all.Content = append(all.Content, &one)
		}
	}
	if len(all.Content) == 0 {
		return nil // which is told
	}
	return p.choices(all, "planners", "planner", known, "all")
}

// variants returns what a planner with options stands for; nothing if it has a fault.
func (p *parser) variants(n *yaml.Node) (all []string) {
	name, o, err := comparison.Variant(n.Value)
	if err != nil {
		p.fault(n, "planners", "%v", err)
		return nil
	}
	registered := stowage.Planners()
	k := slices.IndexFunc(registered, func(i stowage.PlannerInfo) bool { return i.Name == name })
	if k < 0 || !slices.Contains(p.known, name) {
		p.fault(n, "planners", "planner %s: %s", name, unknown("planner", name, p.known))
		return nil
	}
	head, rest, found := strings.Cut(n.Value, "--without "+each)
	if found && (rest == "" || rest[0] == ' ') {
		for _, t := range registered[k].Techniques {
			all = append(all, head+"--without "+t.Name+rest)
		}
		o.Without = slices.DeleteFunc(o.Without, func(t string) bool { return t == each })
	} else {
		all = []string{n.Value}
	}
	if err := plan.CheckNames(&registered[k], &o); err != nil {
		p.fault(n, "planners", "%v", err)
		return nil
	}
	return all
}
