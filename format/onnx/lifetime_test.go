package onnx

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// Idea: a random model with branches and loops is planned as tightly as can be and then run, again and again with other
// ways through it, on a memory that knows whose bytes are whose. A value that is read must still have the bytes that
// were written. So a lifespan that is too short shows, whatever the reason.

// a maker makes random models.
type maker struct {
	rng   *rand.Rand
	next  int
	dims  map[string]int
	loops int
}

func (k *maker) name(what string, size int) string {
	k.next++
	n := what + strconv.Itoa(k.next)
	k.dims[n] = size
	return n
}

func (k *maker) pick(from []string) string { return from[k.rng.IntN(len(from))] }

// shaped picks a value whose shape is known, not only its size.
func (k *maker) shaped(from []string) string {
	for {
		if s := k.pick(from); s != "c" && s != "m" && !strings.HasPrefix(s, "if") && !strings.HasPrefix(s, "all") {
			return s
		}
	}
}

func bytesValue(name string, size int) onnxmade.Value {
	return onnxmade.Value{Name: name, Type: 2, Dims: []any{size}}
}

// graph makes a graph with so many results that sees names from outside. wanted has the sizes of results, 0 for any.
func (k *maker) graph(depth, length int, seen []string, wanted []int) onnxmade.Graph {
	var g onnxmade.Graph
	seen = slices.Clone(seen)
	add := func(n onnxmade.Node) {
		g.Nodes = append(g.Nodes, n)
		for _, out := range n.Out {
			if n.Domain != "" {
				g.Infos = append(g.Infos, bytesValue(out, k.dims[out]))
			}
			seen = append(seen, out)
		}
	}
	fresh := func(size int) string {
		n := onnxmade.Node{Op: "Any", Domain: "test", Out: []string{k.name("v", size)}}
		for range 1 + k.rng.IntN(3) {
			n.In = append(n.In, k.pick(seen))
		}
		if k.rng.IntN(4) == 0 {
			n.Out = append(n.Out, k.name("v", 1+k.rng.IntN(40)))
		}
		add(n)
		return n.Out[0]
	}
	for range length {
		switch r := k.rng.IntN(10); {
		case r < 4:
			fresh(1 + k.rng.IntN(40))
		case r < 6:
			in := k.shaped(seen)
			op := []string{"Relu", "Identity"}[k.rng.IntN(2)]
			add(onnxmade.Node{Op: op, In: []string{in}, Out: []string{k.name("v", k.dims[in])}})
		case r < 7:
			a := k.shaped(seen)
			add(onnxmade.Node{Op: "Add", In: []string{a, a}, Out: []string{k.name("v", k.dims[a])}})
		case r < 9 && depth > 0:
			var sizes, other []int
			n := onnxmade.Node{Op: "If", In: []string{"c"}}
			for range k.rng.IntN(3) {
				sizes, other = append(sizes, 1+k.rng.IntN(40)), append(other, 1+k.rng.IntN(40))
			}
			for i := range sizes {
				n.Out = append(n.Out, k.name("if", max(sizes[i], other[i])))
			}
			n.Attributes = map[string]any{
				"then_branch": k.graph(depth-1, k.rng.IntN(4), seen, sizes),
				"else_branch": k.graph(depth-1, k.rng.IntN(4), seen, other),
			}
			add(n)
		case depth > 0:
			k.loop(depth, &seen, add)
		}
	}
	for i, size := range wanted {
		var fit []string
		for _, s := range seen {
			if k.dims[s] == size && s != "c" && s != "m" && !strings.HasPrefix(s, "if") && !strings.HasPrefix(s, "all") &&
				!slices.ContainsFunc(g.Outputs, func(v onnxmade.Value) bool { return v.Name == s }) {
				fit = append(fit, s)
			}
		}
		if len(fit) == 0 || k.rng.IntN(3) > 0 {
			fit = []string{fresh(size)}
		}
		g.Outputs = append(g.Outputs, onnxmade.Value{Name: k.pick(fit)})
		_ = i
	}
	return g
}

// loop makes a Loop.
func (k *maker) loop(depth int, seen *[]string, add func(onnxmade.Node)) {
	k.loops++
	n := onnxmade.Node{Op: "Loop", Name: "loop" + strconv.Itoa(k.loops), In: []string{"m", ""}}
	inputs := []onnxmade.Value{{Name: k.name("round", 8)}, {Name: k.name("true", 1)}}
	inner := slices.Clone(*seen)
	var states []string
	for range k.rng.IntN(4) {
		// States of few sizes, so that they are exchanged now and then.
		size := 8 * (1 + k.rng.IntN(2))
		in := k.name("v", size)
		add(onnxmade.Node{Op: "Any", Domain: "test", In: []string{k.pick(*seen)}, Out: []string{in}})
		n.In = append(n.In, in)
		states = append(states, k.name("state", size))
		inputs = append(inputs, onnxmade.Value{Name: states[len(states)-1]})
	}
	var wanted []int
	for _, s := range states {
		wanted = append(wanted, k.dims[s])
	}
	inner = append(inner, states...)
	body := k.graph(depth-1, k.rng.IntN(5), inner, append(wanted, 8))
	for i, s := range states { // outputs may be the loop's own beginnings
		if k.rng.IntN(2) == 0 {
			s = k.pick(states)
		}
		if k.dims[s] == wanted[i] {
			switch k.rng.IntN(3) {
			case 0:
				body.Outputs[i].Name = s
			case 1:
				v := k.name("v", k.dims[s])
				body.Nodes = append(body.Nodes, onnxmade.Node{Op: "Identity", In: []string{s}, Out: []string{v}})
				body.Outputs[i].Name = v
			}
		}
	}
	body.Inputs = inputs
	body.Outputs = append([]onnxmade.Value{{Name: inputs[1].Name}}, body.Outputs...)
	n.Attributes = map[string]any{"body": body}
	for _, s := range states {
		n.Out = append(n.Out, k.name("last", k.dims[s]))
	}
	n.Out = append(n.Out, k.name("all", 24))
	add(n)
	*seen = append(*seen, n.Out...)
}

// a machine runs a model on the memory of a plan.
type machine struct {
	t       *testing.T
	rng     *rand.Rand
	at, end map[string][]int64 // of each tensor of a name, in their order
	owner   []int
	token   map[string]int
	next    int
	dims    map[string]int
}

func (m *machine) fill(name string, k, token int) {
	for i := m.at[name][k]; i < m.end[name][k]; i++ {
		m.owner[i] = token
	}
}

func (m *machine) write(name string) {
	if len(m.at[name]) == 0 {
		return
	}
	m.next++
	m.token[name] = m.next
	m.fill(name, 0, m.next)
}

func (m *machine) read(name string) {
	if len(m.at[name]) == 0 {
		return
	}
	for i := m.at[name][0]; i < m.end[name][0]; i++ {
		if m.owner[i] != m.token[name] {
			m.t.Fatalf("%s is overwritten before it is read", name)
		}
	}
}

// view lets a result have the bytes of an operand.
func (m *machine) view(result, operand string) {
	if len(m.at[result]) > 0 && len(m.at[operand]) > 0 && m.at[result][0] == m.at[operand][0] {
		m.token[result] = m.token[operand]
		return
	}
	m.write(result)
}

func (m *machine) run(g *onnxmade.Graph) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case "If":
			m.read(n.In[0])
			branch := n.Attributes[[]string{"then_branch", "else_branch"}[m.rng.IntN(2)]].(onnxmade.Graph)
			m.run(&branch)
			for _, k := range m.rng.Perm(len(n.Out)) {
				m.read(branch.Outputs[k].Name)
				m.write(n.Out[k])
			}
			continue
		case "Loop":
			m.loop(n)
			continue
		}
		for _, in := range n.In {
			m.read(in)
		}
		if n.Op == "Identity" {
			m.view(n.Out[0], n.In[0])
			continue
		}
		for _, out := range n.Out {
			m.write(out)
		}
		if n.Op == "Any" { // not in place: the inputs are read while the results are written
			for _, in := range n.In {
				m.read(in)
			}
		}
		for _, out := range n.Out {
			m.read(out)
		}
	}
	for _, o := range g.Outputs {
		m.read(o.Name)
	}
}

func (m *machine) loop(n *onnxmade.Node) {
	body := n.Attributes["body"].(onnxmade.Graph)
	states := len(body.Inputs) - 2
	all := n.Out[len(n.Out)-1]
	m.read("m")
	for _, k := range m.rng.Perm(states) {
		m.read(n.In[2+k])
		m.write(body.Inputs[2+k].Name)
	}
	m.write(all)
	for range m.rng.IntN(4) {
		m.read("m")
		m.write(body.Inputs[0].Name)
		m.run(&body)
		m.read(body.Outputs[1+states].Name)
		m.read(all)
		type move struct {
			to, from string
			copied   int // which of the source's tensors has the copy
			token    int
		}
		var moves []move
		copies := map[string]int{}
		for k := range states {
			to, from := body.Inputs[2+k].Name, body.Outputs[1+k].Name
			mv := move{to: to, from: from}
			m.read(from)
			mv.token = m.token[from]
			for i := range states {
				if body.Inputs[2+i].Name == from && i != k {
					copies[from]++
					mv.copied = copies[from]
					m.fill(from, mv.copied, mv.token)
				}
			}
			moves = append(moves, mv)
		}
		for _, k := range m.rng.Perm(len(moves)) {
			mv := moves[k]
			for i := m.at[mv.from][mv.copied]; i < m.end[mv.from][mv.copied]; i++ {
				if mv.from != mv.to && m.owner[i] != mv.token {
					m.t.Fatalf("%s is overwritten before it goes to %s", mv.from, mv.to)
				}
			}
			if mv.from != mv.to {
				m.write(mv.to)
			}
		}
	}
	for _, k := range m.rng.Perm(states) {
		m.read(body.Inputs[2+k].Name)
		m.write(n.Out[k])
	}
	for _, out := range n.Out {
		m.read(out)
	}
}

// TestRun runs random models on their plans.
func TestRun(t *testing.T) {
	gaps, copies, united := 0, 0, 0
	for seed := range uint64(400) {
		k := &maker{rng: rand.New(rand.NewPCG(seed, 1)), dims: map[string]int{"c": 1, "m": 8}}
		inputs := []onnxmade.Value{{Name: "c", Type: onnxmade.Bool}, {Name: "m", Type: onnxmade.Int64}}
		seen := []string{}
		for range 2 {
			n := k.name("in", 1+k.rng.IntN(40))
			inputs, seen = append(inputs, bytesValue(n, k.dims[n])), append(seen, n)
		}
		g := k.graph(3, 8, seen, []int{1 + k.rng.IntN(40), 1 + k.rng.IntN(40)})
		g.Inputs = inputs
		m := must.Get(Parse(onnxmade.Model{Graph: g, Domains: []string{"test"}}.Bytes(), "random"))(t)
		o := Options{Alignment: 1, Sizes: map[string]int64{}, InPlace: seed%2 == 1}
		for name := range k.dims {
			if len(name) > 3 && name[:3] == "all" {
				o.Sizes[name] = 24
			}
		}
		a := must.Get(m.Arena(o))(t, "seed %d", seed)
		r := must.Get(stowage.Minimize(context.Background(), a.Problem, stowage.Options{NodeLimit: 2000}))(t)
		x := &machine{
			t: t, rng: k.rng, at: map[string][]int64{}, end: map[string][]int64{}, owner: make([]int,
				r.Height), token: map[string]int{}, dims: k.dims,
		}
		used := map[int]bool{}
		for i := range a.Tensors {
			v := &a.Tensors[i]
			if v.Buffer < 0 {
				continue
			}
			if used[v.Buffer] {
				united++
			}
			used[v.Buffer] = true
			if len(x.at[v.Name]) > 0 {
				copies++
			}
			x.at[v.Name] = append(x.at[v.Name], r.Offsets[v.Buffer])
			x.end[v.Name] = append(x.end[v.Name], r.Offsets[v.Buffer]+v.Bytes)
			gaps += len(a.Problem.Buffers[v.Buffer].Gaps)
		}
		for name := range k.dims {
			if len(x.at[name]) == 0 && name[:4] != "true" {
				t.Fatalf("seed %d: %s has no buffer", seed, name)
			}
		}
		for range 12 {
			for _, in := range inputs {
				x.write(in.Name)
			}
			x.run(&g)
		}
	}
	t.Logf("%d gaps, %d copies, %d in place", gaps, copies, united)
	if gaps < 100 || copies < 20 || united < 100 {
		t.Error("the models have too little of what is tested")
	}
}
