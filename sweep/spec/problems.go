package spec

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// A Source is where problems come from: the files of a pattern, or a generator.
type Source struct {
	File string // of the specification
	Line int    // in it

	// Pattern is a pattern of files; empty for a generator. ** stands for folders, of any depth. Dims
	// and Heap are those of format.Options.
	Pattern string
	Dims    map[string]int64
	Heap    string

	// Kind is a kind of `stowage gen`, and Options its options: one for each problem.
	Kind    string
	Options []gen.Options
}

// Files returns the files of a pattern, sorted. It is an error if there are none.
func (s *Source) Files() ([]string, error) {
	var issues model.Issues
	files, err := doublestar.FilepathGlob(s.Pattern, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	switch {
	case err != nil:
		issues.Add(model.Issue{
			File: s.File, Line: s.Line, Field: "problems", Value: s.Pattern, Message: "cannot be read: " + err.Error(),
		})
	case len(files) == 0:
		issues.Add(model.Issue{
			File: s.File, Line: s.Line, Field: "problems", Value: s.Pattern, Message: "no file is named so",
		})
	}
	slices.Sort(files)
	return files, issues.Err()
}

// The keys of a source.
var (
	fileKeys = []string{"files", "dims", "heap"}
	genKeys  = []string{
		"generator", "seeds", "buffers", "capacity", "horizon", "min-size", "max-size", "min-life", "max-life", "alignment",
		"gaps", "windows", "holes",
	}
)

// mostGenerated is how many problems one generator may make.
const mostGenerated = 10_000_000

// problems reads the list of sources.
func (p *parser) problems(n *yaml.Node) (all []Source) {
	for _, item := range p.list(n, "problems") {
		at := Source{File: p.file, Line: item.Line}
		switch {
		case item.Kind == yaml.ScalarNode && item.Tag == "!!str" && item.Value != "":
			at.Pattern = p.pattern(item, item.Value)
		case item.Kind == yaml.MappingNode && hasKey(item, "generator"):
			for _, at.Kind = range p.generator(item, &at) {
				all = append(all, at)
			}
			continue
		case item.Kind == yaml.MappingNode:
			seen := p.mapping(item, "a source of files", fileKeys, func(key string, value *yaml.Node) {
				switch key {
				case "files":
					at.Pattern = p.pattern(value, p.text(value, "files"))
				case "heap":
					at.Heap = p.text(value, "heap")
				case "dims":
					at.Dims = p.dims(value)
				}
			})
			if !seen["files"] {
				p.fault(item, "problems", "has neither the key files nor the key generator")
			}
		default:
			p.fault(item, "problems", "must be a pattern of files, or a mapping with the key files or generator")
		}
		all = append(all, at)
	}
	return all
}

func hasKey(n *yaml.Node, key string) bool {
	for k := 0; k < len(n.Content); k += 2 {
		if n.Content[k].Value == key {
			return true
		}
	}
	return false
}

// pattern returns a pattern relative to the folder of the specification. ${NAME} stands for a
// variable of the environment, so that a specification need not know where its files are.
func (p *parser) pattern(n *yaml.Node, text string) string {
	text = variables.ReplaceAllStringFunc(text, func(name string) string {
		name = name[2 : len(name)-1]
		value := os.Getenv(name)
		if value == "" {
			p.fault(n, "problems", "needs the variable %s, which is not set", name)
		}
		return value
	})
	if !doublestar.ValidatePathPattern(filepath.FromSlash(text)) {
		p.fault(n, "problems", "%v", errOutside)
	}
	if text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(filepath.Dir(p.file), filepath.FromSlash(text))
}

// variables are names in a pattern.
var variables = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// dims reads sizes of open dimensions.
func (p *parser) dims(n *yaml.Node) map[string]int64 {
	if n.Kind != yaml.MappingNode {
		p.fault(n, "dims", "must be a mapping of names of dimensions to sizes")
		return nil
	}
	all := map[string]int64{}
	for k := 0; k+1 < len(n.Content); k += 2 {
		all[n.Content[k].Value] = p.whole(resolved(n.Content[k+1]), "dims", 1, math.MaxInt32)
	}
	return all
}

// generator reads a generator: its kinds, which it returns, and their options. With lists of kinds, buffers and seeds
// there is a problem for each combination.
func (p *parser) generator(n *yaml.Node, at *Source) (kinds []string) {
	var base gen.Options
	buffers, seeds := []int64{0}, []int64{0}
	bytes := func(value *yaml.Node, key string) int64 {
		v, err := units.Parse(value.Value) // of a list or a mapping: of ""
		if err != nil {
			p.fault(value, key, "%v", err)
		}
		return v
	}
	p.mapping(n, "a generator", genKeys, func(key string, value *yaml.Node) {
		switch key {
		case "generator":
			var known []string
			for _, k := range gen.Kinds() {
				known = append(known, k.Name)
			}
			kinds = p.choices(value, "generator", "generator", known, "")
		case "seeds":
			seeds = p.numbers(value, key, 0)
		case "buffers":
			buffers = p.numbers(value, key, 1)
		case "capacity":
			base.Capacity = bytes(value, key)
		case "min-size":
			base.MinSize = bytes(value, key)
		case "max-size":
			base.MaxSize = bytes(value, key)
		case "alignment":
			base.Alignment = bytes(value, key)
		case "horizon":
			base.Horizon = p.whole(value, key, 1, model.MaxSum)
		case "min-life":
			base.MinLife = p.whole(value, key, 1, model.MaxSum)
		case "max-life":
			base.MaxLife = p.whole(value, key, 1, model.MaxSum)
		case "gaps":
			base.Gaps = p.share(value, key)
		case "windows":
			base.Windows = p.share(value, key)
		case "holes":
			base.Holes = p.share(value, key)
		}
	})
	if made := len(seeds) * len(buffers) * max(len(kinds), 1); made > mostGenerated {
		p.fault(n, "problems", "makes %d problems; at most %d", made, mostGenerated)
		return nil
	}
	for _, b := range buffers {
		for _, seed := range seeds {
			o := base
			o.Buffers, o.Seed = int(b), uint64(seed)
			at.Options = append(at.Options, o)
		}
	}
	// The options belong to one kind. A value that the kind refuses is refused here, with its line.
	for _, kind := range kinds {
		for _, b := range buffers {
			o := base
			o.Buffers = int(b)
			if err := gen.Check(kind, o); err != nil {
				p.fault(n, "problems", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
			}
		}
	}
	return kinds
}

// numbers reads a number, a range such as 0..99, or a list of both. Each number is there once.
func (p *parser) numbers(n *yaml.Node, field string, least int64) (all []int64) {
	seen := map[int64]bool{}
	for _, item := range p.list(n, field) {
		from, to, ok := p.span(item, field, least)
		if !ok {
			continue
		}
		if to-from >= mostGenerated {
			p.fault(item, field, "has %d numbers; at most %d", to-from+1, mostGenerated)
			continue
		}
		for v := from; v <= to; v++ {
			if seen[v] {
				p.fault(item, field, "has %d twice", v)
				break
			}
			seen[v] = true
			all = append(all, v)
		}
	}
	return all
}

// span reads a number or a range, whose end is part of it.
func (p *parser) span(n *yaml.Node, field string, least int64) (from, to int64, ok bool) {
	first, last, both := strings.Cut(n.Value, "..")
	if !both {
		before := p.count()
		from = p.whole(n, field, least, math.MaxInt64-1)
		return from, from, p.count() == before
	}
	from, err := strconv.ParseInt(first, 10, 64)
	to, other := strconv.ParseInt(last, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || other != nil || from < least || to < from || to == math.MaxInt64 {
		p.fault(n, field, "must be a number from %d, a range such as %d..%d, or a list of these", least, least, least+99)
		return 0, 0, false
	}
	return from, to, true
}

// count returns how many faults there are.
func (p *parser) count() int {
	if err, ok := p.issues.Err().(*model.InputError); ok {
		return err.Total
	}
	return 0
}
