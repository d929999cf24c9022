// Package spec reads the specification of a sweep: a file in YAML, or in JSON, which is YAML too. It checks
// everything that can be checked without reading a problem. Each fault has file, line, key and value. It also reads
// folders, for patterns of files.
//
//	spec.go      what a specification says; reading it
//	problems.go  files by pattern, generators with sizes and seeds
//	orders.go    orders of operators, and what results may lie over
//	planners.go  planners with options
//	values.go    capacities, numbers, times and lists
package spec

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stowage-go/stowage/internal/suggest"
	"github.com/stowage-go/stowage/model"
)

// Idea: each key has a reader, and the table keys has all of them. The tree of YAML keeps the lines, so a reader
// knows the line of a fault. All faults are told, not only the first.
//
// The default limit is a number of nodes and not a time: with nodes alone all machines give the same rows. The time
// guards against a node that takes long; rows that it cuts say so.

// What a specification has that does not say otherwise.
const (
	DefaultNodes   = 100_000
	DefaultTimeout = time.Minute
	DefaultOut     = "sweep-out"
)

// A Spec says what a sweep runs: each planner on each problem with each capacity.
type Spec struct {
	File       string // where it was read; empty for none
	Problems   []Source
	Orders     []string // of the operators of models; Exported if it is not given
	Capacities []Capacity
	Planners   []string
	Nodes      int64         // limit of each run; 0 for none
	Timeout    time.Duration // limit of each run; 0 for none
	Seed       int64         // from 0
	Chunk      int           // problems in a task, at least 1
	Out        string        // the folder, or its address in an object store
}

// Read reads a specification. planners are the names that there are. Paths in it are relative to its
// own folder. The error is the file system's, or a *model.InputError.
func Read(file string, planners []string) (*Spec, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(data, file, planners)
}

// Parse is Read for the content of a file.
func Parse(data []byte, file string, planners []string) (*Spec, error) {
	p := &parser{file: file, known: planners}
	s := &Spec{
		File: file, Orders: []string{Exported}, Capacities: []Capacity{{}}, Planners: []string{"auto"},
		Nodes: DefaultNodes, Timeout: DefaultTimeout, Chunk: 1, Out: DefaultOut,
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		line, message := broken(err)
		if starred.Match(data) {
			message += `; a pattern that begins with * needs quotes: "*.csv"`
		}
		p.issues.Add(model.Issue{File: file, Line: line, Message: "is not YAML: " + message})
		return nil, p.issues.Err()
	}
	if len(document.Content) == 0 {
		p.issues.Add(model.Issue{File: file, Message: "is empty; a sweep needs at least the key problems"})
		return nil, p.issues.Err()
	}
	keys := p.keys(s)
	seen := p.mapping(document.Content[0], "a sweep", names(keys), func(key string, value *yaml.Node) {
		for _, k := range keys {
			if k.name == key {
				k.read(value)
			}
		}
	})
	if seen != nil && !seen["problems"] {
		p.issues.Add(model.Issue{
			File: file, Line: document.Content[0].Line, Field: "problems", Message: "is missing: a list of files and generators",
		})
	}
	if s.Nodes == 0 && s.Timeout == 0 {
		p.issues.Add(model.Issue{
			File: file, Line: document.Content[0].Line, Field: "nodes", Value: "0",
			Message: "needs a timeout: without a limit a search may never end",
		})
	}
	if !Remote(s.Out) && !filepath.IsAbs(s.Out) {
		s.Out = filepath.Join(filepath.Dir(file), s.Out)
	}
	if err := p.issues.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Remote reports whether a path is the address of an object store, such as gs://bucket/folder.
func Remote(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, `/\`)
}

// A key of a mapping and what reads it.
type key struct {
	name string
	read func(*yaml.Node)
}

func names(keys []key) (all []string) {
	for _, k := range keys {
		all = append(all, k.name)
	}
	return all
}

// keys has all keys of a specification.
func (p *parser) keys(s *Spec) []key {
	return []key{
		{"problems", func(n *yaml.Node) { s.Problems = p.problems(n) }},
		{"orders", func(n *yaml.Node) { s.Orders = p.choices(n, "orders", "order", orders(), "") }},
		{"capacities", func(n *yaml.Node) { s.Capacities = p.capacities(n) }},
		{"planners", func(n *yaml.Node) { s.Planners = p.planners(n) }},
		{"nodes", func(n *yaml.Node) { s.Nodes = p.whole(n, "nodes", 0, math.MaxInt64) }},
		{"timeout", func(n *yaml.Node) { s.Timeout = p.duration(n, "timeout") }},
		{"seed", func(n *yaml.Node) { s.Seed = p.whole(n, "seed", 0, math.MaxInt64) }},
		{"chunk", func(n *yaml.Node) { s.Chunk = int(p.whole(n, "chunk", 1, 100_000)) }},
		{"out", func(n *yaml.Node) { s.Out = p.text(n, "out") }},
	}
}

// A parser collects faults.
type parser struct {
	file   string
	known  []string // planners
	issues model.Issues
}

// fault records what is wrong with a node.
func (p *parser) fault(n *yaml.Node, field, format string, args ...any) {
	p.issues.Add(model.Issue{
		File: p.file, Line: n.Line, Field: field, Value: shown(n), Message: fmt.Sprintf(format, args...),
	})
}

// shown returns a scalar as it was written. A long one is cut, since the whole file may be one text. It is empty for
// a list or a mapping.
func shown(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	if r := []rune(n.Value); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return n.Value
}

// longest is how many letters of a value are shown.
const longest = 200

// starred finds an item or value that begins with a star and has more than the name of an anchor. YAML takes it for an
// alias.
var starred = regexp.MustCompile(`(?m)[-:,\[]\s*\*[^\s,]*[*./]`)

// mapping calls read for each key. It refuses unknown keys and keys that are there twice, and returns
// those that are there; nil if the node is no mapping.
func (p *parser) mapping(n *yaml.Node, what string, known []string,
	read func(key string, value *yaml.Node),
) map[string]bool {
	n = resolved(n)
	if n.Kind != yaml.MappingNode {
		p.fault(n, "", "%s is a mapping with the keys %s", what, strings.Join(known, ", "))
		return nil
	}
	seen := map[string]bool{}
	for k := 0; k+1 < len(n.Content); k += 2 {
		name, value := n.Content[k], resolved(n.Content[k+1])
		switch {
		case !slices.Contains(known, name.Value):
			p.fault(name, "", "is no key of %s%s", what, meant(name.Value, known))
			continue
		case seen[name.Value]:
			p.fault(name, "", "is there twice")
			continue
		}
		seen[name.Value] = true
		read(name.Value, value)
	}
	return seen
}

// resolved follows an alias of YAML.
func resolved(n *yaml.Node) *yaml.Node {
	for range 8 {
		if n.Kind != yaml.AliasNode {
			break
		}
		n = n.Alias
	}
	return n
}

// meant says what a name may have meant, or what there is.
func meant(name string, known []string) string {
	if near := suggest.Nearest(name, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; there are " + suggest.Listed(name, known, "")
}

// broken takes the line out of an error of YAML, which has it in its text.
func broken(err error) (line int, message string) {
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, said, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			return n, said
		}
	}
	return 0, message
}

// errOutside is for a pattern that is none.
var errOutside = errors.New("is no pattern of files")
