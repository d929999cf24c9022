// Package jsbundle makes one script of JavaScript modules, without a tool of JavaScript's.
//
// Idea: the viewer is ES modules, one matter each, which browsers and node run as they are. A page that stands alone
// has one script, so the modules are put end to end when a page is written: each becomes a function that returns what
// it exports, called once, after those that it imports. No tool beyond Go is needed to build that, and nothing that is
// generated is committed.
//
// The modules keep to what this understands, which a test holds: an import is a statement in one or more lines with
// names in braces or one name for all, an export stands before a declaration of a function, a class or a constant, and
// there are no circles.
//
// Complexity: one pass over the text.
package jsbundle

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
)

var (
	imports = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^import\s+(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+"\./([\w-]+)\.js";\n`)
	})
	exports = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^export\s+((?:async\s+)?function|class|const)\s+(\w+)`)
	})
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(?://.*|/\*\*.*\*/|/\*\*|\*/|\*(?: .*)?)\n`) })
)

// Script returns the module of that name, NAME.js of the files, with all that it imports, as one script.
func Script(files fs.FS, name string) (string, error) {
	b := &bundle{files: files, state: map[string]int{}}
	err := b.add(name)
	return b.out.String(), err
}

type bundle struct {
	files fs.FS
	out   strings.Builder
	state map[string]int // 1 while a module is added, 2 once it is
}

// add appends a module after those that it imports.
func (b *bundle) add(name string) error {
	switch b.state[name] {
	case 1:
		return fmt.Errorf("jsbundle: the module %s imports itself by way of others", name)
	case 2:
		return nil
	}
	b.state[name] = 1
	text, err := fs.ReadFile(b.files, name+".js")
	if err != nil {
		return fmt.Errorf("jsbundle: %w", err)
	}
	source := string(text)
	for _, m := range imports().FindAllStringSubmatch(source, -1) {
		if err := b.add(m[3]); err != nil {
			return err
		}
	}
	source = imports().ReplaceAllStringFunc(source, func(s string) string {
		m := imports().FindStringSubmatch(s)
		if m[2] != "" {
			return "const " + m[2] + " = $" + m[3] + ";\n"
		}
		return "const {" + strings.ReplaceAll(m[1], " as ", ": ") + "} = $" + m[3] + ";\n"
	})
	var names []string
	for _, m := range exports().FindAllStringSubmatch(source, -1) {
		names = append(names, m[2])
	}
	source = comment().ReplaceAllString(exports().ReplaceAllString(source, "$1 $2"), "")
	fmt.Fprintf(&b.out, "\nconst $%s = (() => {\n%sreturn { %s };\n})();\n", name, source, strings.Join(names, ", "))
	b.state[name] = 2
	return nil
}
