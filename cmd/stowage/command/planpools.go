package command

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: memories are given one by one with --pool, the fastest first, or all at once by the name of a part with
// --target; then --pool changes the memory that it names. A name that the part does not have is refused: it is
// misspelt, or belongs to another part.

// poolSyntax is what --pool takes.
const poolSyntax = "NAME=SIZE[,cost=N][,align=N][,reserved=A-B][,arena]"

// mostCost bounds the cost of a byte, in any unit.
const mostCost = 1_000_000_000

// a setPool is one value of --pool.
type setPool struct {
	model.Pool
	costed, aligned, arena bool
}

// memories returns the pools in the flags; nil if there are none.
func (p *planFlags) memories() (*models.Memories, error) {
	m := &models.Memories{Home: -1, Part: partOf(p.target)}
	if m.Part == nil && len(p.pools) == 0 {
		return nil, nil
	}
	costed := map[string]bool{}
	given := map[string]bool{}
	if m.Part != nil {
		m.Pools = m.Part.Pools
		for _, q := range m.Pools {
			costed[q.ID] = m.Part.Costs
		}
	}
	for _, text := range p.pools {
		x, err := parsePool(text)
		if err != nil {
			return nil, usagef("invalid argument %q for --pool: %v", text, err)
		}
		if given[key(x.ID)] {
			return nil, usagef("invalid argument %q for --pool: there are two pools %s", text, x.ID)
		}
		given[key(x.ID)] = true
		at := slices.IndexFunc(m.Pools, func(q model.Pool) bool { return q.ID == x.ID })
		switch {
		case m.Part != nil && at < 0:
			return nil, usagef("invalid argument %q for --pool: %s has no pool %s, but %s", text, m.Part.Name, x.ID,
				idsOf(m.Pools))
		case m.Part == nil:
			at, m.Pools = len(m.Pools), append(m.Pools, x.Pool)
		default:
			m.Pools[at] = x.over(m.Pools[at])
		}
		costed[x.ID] = costed[x.ID] || x.costed
		if x.arena && m.Home >= 0 {
			return nil, usagef("invalid argument %q for --pool: the arena is in %s already", text, m.Pools[m.Home].ID)
		}
		if x.arena {
			m.Home = at
		}
	}
	for _, q := range m.Pools {
		m.Whole = m.Whole || !given[key(q.ID)]
		if costed[q.ID] != costed[m.Pools[0].ID] {
			with, without := q.ID, m.Pools[0].ID
			if !costed[q.ID] {
				with, without = without, with
			}
			return nil, usagef("--pool %s has a cost, and %s has none: give all pools one, or none", with, without)
		}
	}
	return m, nil
}

// over returns a pool of a map with what the flag says.
func (x *setPool) over(q model.Pool) model.Pool {
	q.Capacity = x.Capacity
	if x.costed {
		q.Cost = x.Cost
	}
	if x.aligned {
		q.Alignment = x.Alignment
	}
	if x.Reserved != nil {
		q.Reserved = x.Reserved
	}
	return q
}

// parsePool reads a value of --pool.
func parsePool(text string) (*setPool, error) {
	head, rest, _ := strings.Cut(text, ",")
	name, capacity, ok := strings.Cut(head, "=")
	if !ok || name == "" {
		return nil, fmt.Errorf("must be %s", poolSyntax)
	}
	if len(name) > 20 || strings.IndexFunc(name, func(c rune) bool { return !plainName(c) }) >= 0 || name[0] < 'A' ||
		strings.HasSuffix(name, "_") || strings.HasSuffix(name, "-") {
		return nil, fmt.Errorf("the name %q must have 1 to 20 letters, digits, - or _, and begin with a letter", name)
	}
	x := &setPool{Pool: model.Pool{ID: name, Alignment: 16}}
	var err error
	if x.Capacity, err = units.Parse(capacity); err != nil {
		return nil, fmt.Errorf("the size %q %v", capacity, err)
	}
	seen := map[string]bool{}
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, ",")
		name, value, _ := strings.Cut(word, "=")
		if seen[name] && name != "reserved" {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		switch name {
		case "arena":
			if word != name {
				return nil, fmt.Errorf("arena takes no value")
			}
			x.arena = true
		case "cost":
			x.costed = true
			if x.Cost, err = strconv.ParseInt(value, 10, 64); err != nil || x.Cost < 1 || x.Cost > mostCost {
				return nil, fmt.Errorf("the cost %q must be a whole number from 1 to %d", value, mostCost)
			}
		case "align":
			x.aligned = true
			if x.Alignment, err = units.Parse(value); err != nil || x.Alignment < 16 || x.Alignment > 1<<20 ||
				x.Alignment&(x.Alignment-1) != 0 {
				return nil, fmt.Errorf("the alignment %q must be a power of two from 16 to 1MiB", value)
			}
		case "reserved":
			from, to, _ := strings.Cut(value, "-")
			var r model.Range
			low, first := units.Any(from)
			high, last := units.Any(to)
			if first != nil || last != nil || low < 0 || low >= high || high > x.Capacity {
				return nil, fmt.Errorf("the range %q must be A-B: bytes from A up to B, of %d", value, x.Capacity)
			}
			r.Lower, r.Upper = low, high
			x.Reserved = append(x.Reserved, r)
		default:
			return nil, fmt.Errorf("%q is none of cost=N, align=N, reserved=A-B and arena", word)
		}
	}
	return x, nil
}

func plainName(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// key is the name in C. Two names with the same key are refused.
func key(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "_")) }

// idsOf lists pools for messages.
func idsOf(pools []model.Pool) string {
	var ids []string
	for _, q := range pools {
		ids = append(ids, q.ID)
	}
	return strings.Join(ids, ", ")
}

// partOf returns the memories of a part; nil if it is none.
func partOf(name string) *tflm.Map {
	for _, m := range tflm.Maps() {
		if m.Name == name {
			return &m
		}
	}
	return nil
}

// partNames are the values of --target that are parts.
func partNames() (names []string) {
	for _, m := range tflm.Maps() {
		names = append(names, m.Name)
	}
	return names
}

// listParts prints the memories of all parts.
func listParts(w io.Writer) error {
	var s strings.Builder
	for _, m := range tflm.Maps() {
		fmt.Fprintf(&s, "%s: %s, kernels %s\n", m.Name, m.Part, m.Kernels)
		for _, q := range m.Pools {
			cost := ""
			if m.Costs {
				cost = fmt.Sprintf(", %d ps for a byte", q.Cost)
			}
			fmt.Fprintf(&s, "  %-7s %11d bytes, align %d%s\n", q.ID, q.Capacity, q.Alignment, cost)
		}
		if !m.Costs {
			s.WriteString("  order only: no source gives a ratio\n")
		}
		fmt.Fprintf(&s, "  %s\n", m.Source)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// withoutPools are the flags of plan that mean nothing with pools, and why.
var withoutPools = []struct{ flag, why string }{
	{"capacity", "each pool has its own"},
	{"format", "the plan in JSON has the problem"},
	{"diagonal", "a plan in pools has no overlaps by the kernels' order"},
	{"reorder", "the order of the operators is kept"},
	{"replace-plan", "give the model without its plan"},
	{"fold-float16", "the model is not written: fold it in a run of its own"},
	{"permits", "pools are for models"},
}

// poolsClash refuses what does not go with pools.
func (p *planFlags) poolsClash(cmd *cobra.Command, kind *models.Kind, outputs []output) error {
	switch {
	case !kind.Pools():
		return usagef("--pool and a part as --target are for models")
	case !kind.Runtime && p.where.Home >= 0:
		return usagef("arena in --pool is for .tflite models: it is the arena of their runtime")
	}
	for _, x := range withoutPools {
		if cmd.Flags().Changed(x.flag) {
			why := x.why
			if m := partOf(p.target); m != nil && m.Kernels != "" && x.flag == "capacity" {
				why += fmt.Sprintf("; for one arena, say --kernels %s in place of --target %s", m.Kernels, m.Name)
			}
			return usagef("--%s does not go with --pool or a part as --target: %s", x.flag, why)
		}
	}
	if p.target == "python" {
		return usagef("--target python does not go with --pool: the interpreter of PyPI takes no planner")
	}
	for _, o := range outputs {
		if o.kind == models.PlannerClass && !kind.Runtime {
			return usagef("%s: a planner class is for .tflite models", o.path)
		}
		if o.flag == "--report" && o.kind != "json" {
			return usagef("%s: a report on pools is written as JSON", o.path)
		}
		if o.flag == "-o" && !slices.Contains(poolKinds, o.kind) {
			return usagef("%s: a plan in pools is written as .json, .csv, .h, .hpp or a picture: nothing else has room for it",
				o.path)
		}
	}
	return nil
}

// poolKinds are the outputs of a plan in pools.
var poolKinds = append(pictureNames(), "json", "csv", "h", models.PlannerClass)
