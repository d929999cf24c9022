package colour

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: compilers name a tensor by its place in the model and by its operator: down1.conv2, act.17,
// /layer1/conv/Conv_output_0, fusion.12. So a name gives two groups. The operator is its last word without the number:
// conv, act, Conv, fusion. The prefix is the first word after the words that all names share: down, act, layer1.
//
// A grouping is of use if it has at least two groups, none with nearly all buffers, if groups are not as many as
// buffers, and if the eight groups that have a colour hold at least half of the buffers. The grouping that colours
// the most buffers comes first. Among equals, the finer one does.
//
// Complexity: O(length of all names), and O(g log g) for g groups.

// A Grouping is one way to group the buffers of a problem.
type Grouping struct {
	By    string   // what a group is: Operator or Prefix
	Names []string // of the groups that have a colour, the largest in bytes × time first
	Of    []uint8  // for each buffer the index of its group in Names and Palette, or Rest
	Rest  bool     // whether there are buffers at Rest
}

// The ways to group.
const (
	Operator = "operator"
	Prefix   = "prefix"
)

// breaks are the characters between the words of a name.
const breaks = "/.:|\\ \t\r\n\v\f()[]{}"

// Groups returns the ways to group the buffers of p that are of use, the best first; nil
// if there is none. It depends on the buffers only, and not on their order.
func Groups(p *model.Problem) []Grouping {
	var out []Grouping
	scores := map[string]int{}
	for _, by := range [...]string{Operator, Prefix} {
		name := operator
		if by == Prefix {
			name = prefixOf(p)
		}
		g, covered := group(p, by, name)
		if g == nil || slices.ContainsFunc(out, func(o Grouping) bool { return slices.Equal(o.Of, g.Of) }) {
			continue
		}
		scores[by] = covered
		out = append(out, *g)
	}
	slices.SortStableFunc(out, func(a, b Grouping) int {
		return cmp.Or(cmp.Compare(scores[b.By], scores[a.By]), cmp.Compare(len(b.Names), len(a.Names)))
	})
	return out
}

// group groups by a part of the name. It returns the number of buffers in groups with a colour. The grouping is nil
// if it is of no use.
func group(p *model.Problem, by string, name func(string) string) (*Grouping, int) {
	type member struct {
		name  string
		count int
		area  float64
	}
	n := len(p.Buffers)
	index := map[string]int32{}
	var groups []member
	of := make([]int32, n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		s := name(b.ID)
		k, ok := index[s]
		if !ok {
			k = int32(len(groups))
			index[s] = k
			groups = append(groups, member{name: s})
		}
		of[i] = k
		groups[k].count++
		groups[k].area += float64(b.Size) * float64(b.Upper-b.Lower)
	}
	if len(groups) < 2 || 4*len(groups) > 3*n {
		return nil, 0
	}
	order := make([]int32, len(groups))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &groups[a], &groups[b]
		// Buffers without a name are no group, and come last.
		return cmp.Or(cmp.Compare(min(len(y.name), 1), min(len(x.name), 1)), cmp.Compare(y.area, x.area), cmp.Compare(x.name, y.name))
	})
	g := &Grouping{By: by, Of: make([]uint8, n)}
	colours := make([]uint8, len(groups))
	covered, most := 0, 0
	for at, k := range order {
		if at >= Rest || groups[k].name == "" {
			colours[k] = uint8(Rest)
			g.Rest = true
			continue
		}
		colours[k] = uint8(at)
		g.Names = append(g.Names, groups[k].name)
		covered += groups[k].count
		most = max(most, groups[k].count)
	}
	if len(g.Names) < 2 || 2*covered < n || 10*most > 9*n {
		return nil, 0
	}
	for i, k := range of {
		g.Of[i] = colours[k]
	}
	return g, covered
}

// operator returns the last word of a name that has more than a number, without its number; "" if there is none.
// TensorFlow Lite joins the names of fused operators by semicolons; the first counts.
func operator(id string) string {
	id, _, _ = strings.Cut(id, ";")
	for {
		at := strings.LastIndexAny(id, breaks)
		if w := word(id[at+1:]); w != "" || at < 0 {
			return w
		}
		id = id[:at]
	}
}

// word returns a word without the number at its end, and without what ONNX adds to the name of an operator for its
// output: conv1, conv_1, conv2a and conv_output_0 are conv. A d after the number stays: conv2d is an operator.
func word(s string) string {
	s = strings.TrimLeft(s, "%@")
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	for {
		t := strings.TrimRight(s, "0123456789")
		if n := len(t); n == len(s) && n > 1 && digit(t[n-2]) && 'a' <= t[n-1] && t[n-1] <= 'z' && t[n-1] != 'd' {
			t = t[:n-1]
		}
		t = strings.TrimSuffix(strings.TrimRight(t, "_-#@"), "_output")
		if t == s {
			return s
		}
		s = t
	}
}

// prefixOf returns a function that takes the prefix from a name of p: the first word after the words that all names
// share. Its number stays if there are no more such words than colours.
func prefixOf(p *model.Problem) func(string) string {
	shared := ""
	for i := range p.Buffers {
		id := p.Buffers[i].ID
		if i == 0 {
			shared = id
		}
		k := 0
		for k < min(len(shared), len(id)) && shared[k] == id[k] {
			k++
		}
		shared = shared[:k]
	}
	start := strings.LastIndexAny(shared, breaks) + 1
	first := func(id string) string {
		rest := strings.TrimLeft(id[start:], breaks)
		if at := strings.IndexAny(rest, breaks+";"); at > 0 {
			return rest[:at]
		}
		return word(rest)
	}
	distinct := map[string]bool{}
	for i := range p.Buffers {
		if distinct[first(p.Buffers[i].ID)] = true; len(distinct) > Rest {
			return func(id string) string { return word(first(id)) }
		}
	}
	return first
}
