package spec

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// A Capacity is what a plan is to fit: a number of bytes, or a share of each problem's load. The zero
// value asks for the lowest plan.
type Capacity struct {
	Bytes int64    // 0 for none
	Share *big.Rat // of the load, such as 11/10 for 110%; nil for none
}

// minimize is the word for the lowest plan.
const minimize = "minimize"

// Of returns the capacity in bytes for a problem with so much load; 0 asks for the lowest plan.
func (c Capacity) Of(load int64) int64 {
	if c.Share == nil {
		return c.Bytes
	}
	return units.ShareOf(c.Share, load)
}

// String writes the capacity as a specification does.
func (c Capacity) String() string {
	switch {
	case c.Share != nil:
		percent := new(big.Rat).Mul(c.Share, big.NewRat(100, 1))
		return strings.TrimSuffix(strings.TrimRight(percent.FloatString(6), "0"), ".") + "%"
	case c.Bytes > 0:
		return strconv.FormatInt(c.Bytes, 10)
	}
	return minimize
}

// capacity reads one capacity.
func (p *parser) capacity(n *yaml.Node) (c Capacity, ok bool) {
	const field = "capacities"
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fault(n, field, "must be a number of bytes, a share of the load such as 110%%, or %s", minimize)
		return c, false
	}
	if n.Value == minimize {
		return Capacity{}, true
	}
	if strings.HasSuffix(n.Value, "%") {
		share, ok := units.ParseShare(n.Value)
		if !ok || share.Cmp(big.NewRat(10_000, 1)) > 0 {
			p.fault(n, field, "must be a share of the load above 0%%, such as 110%% or 102.5%%")
			return c, false
		}
		return Capacity{Share: share}, true
	}
	bytes, err := units.Parse(n.Value)
	if err != nil {
		p.fault(n, field, "%v, a share of the load such as 110%%, or %s", err, minimize)
		return c, false
	}
	if bytes > model.MaxSum {
		p.fault(n, field, "must be at most %d", int64(model.MaxSum))
		return c, false
	}
	return Capacity{Bytes: bytes}, true
}

// capacities reads one capacity or a list of them.
func (p *parser) capacities(n *yaml.Node) (all []Capacity) {
	for _, item := range p.list(n, "capacities") {
		c, ok := p.capacity(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(all, func(o Capacity) bool { return o.String() == c.String() }) {
			p.fault(item, "capacities", "is there twice")
			continue
		}
		all = append(all, c)
	}
	return all
}

// list returns the items of a list; a value that is none is a list of one. An empty list is refused.
func (p *parser) list(n *yaml.Node, field string) (items []*yaml.Node) {
	n = resolved(n)
	if n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	if len(n.Content) == 0 {
		p.fault(n, field, "is an empty list")
	}
	for _, item := range n.Content {
		items = append(items, resolved(item))
	}
	return items
}

// choices reads names of a set, each once. every is the word for all of them; empty for no such word.
func (p *parser) choices(n *yaml.Node, field, what string, known []string, every string) (all []string) {
	for _, item := range p.list(n, field) {
		switch {
		case item.Kind != yaml.ScalarNode || item.Tag == "!!null":
			p.fault(item, field, "must be the name of %s %s", article(what), what)
		case every != "" && item.Value == every:
			if resolved(n).Kind == yaml.SequenceNode && len(resolved(n).Content) > 1 {
				p.fault(item, field, "names each %s: nothing may stand beside it", what)
				continue
			}
			all = slices.Clone(known)
		case !slices.Contains(known, item.Value):
			p.fault(item, field, "%s", unknown(what, item.Value, known))
		case slices.Contains(all, item.Value):
			p.fault(item, field, "is there twice")
		default:
			all = append(all, item.Value)
		}
	}
	return all
}

// unknown says that there is no such choice. A planner may be in the laboratory.
func unknown(what, name string, known []string) string {
	if what == "planner" && laboratory.Has(name) {
		return laboratory.Where
	}
	return "no " + what + " is named so" + meant(name, known)
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

// whole reads a whole number.
func (p *parser) whole(n *yaml.Node, field string, least, most int64) int64 {
	v, err := wholeOf(n)
	switch {
	case err != nil:
		p.fault(n, field, "%v", err)
	case v < least:
		p.fault(n, field, "must be at least %d", least)
	case v > most:
		p.fault(n, field, "must be at most %d", most)
	default:
		return v
	}
	return max(least, 1)
}

func wholeOf(n *yaml.Node) (int64, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return 0, fmt.Errorf("must be a whole number")
	}
	return units.Whole(strings.ReplaceAll(n.Value, "_", ""))
}

// share reads a number from 0 to 1.
func (p *parser) share(n *yaml.Node, field string) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		p.fault(n, field, "must be a number from 0 to 1")
		return 0
	}
	return v
}

// duration reads a time; 0 for none.
func (p *parser) duration(n *yaml.Node, field string) time.Duration {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fault(n, field, "%v", units.ErrTime)
		return time.Second
	}
	d, err := units.Duration(n.Value)
	if err != nil {
		p.fault(n, field, "%v", err)
		return time.Second
	}
	return d
}

// text reads a text that is not empty.
func (p *parser) text(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		p.fault(n, field, "must be a text")
		return ""
	}
	return n.Value
}
