// Package cheader writes plans as C: a header of macros for the arena's size and each
// tensor's offset, or a source file with the arena itself and a table of its tensors.
//
// Names of tensors become identifiers: what C does not allow is an underscore, and a
// number keeps apart what would be the same. The names themselves are in the table and
// in comments.
package cheader

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Tensor has its place in the arena.
type Tensor struct {
	Name         string // any text
	Offset, Size int64  // bytes
}

// A Plan is what is written.
type Plan struct {
	// Name is that of the model, from which all identifiers are made; empty is plan.
	Name string
	// Arena is the size of the arena, and Alignment what its beginning must be a
	// multiple of, in bytes: a power of two, or 0 for 1.
	Arena, Alignment int64
	// Note, where set, is a line that the opening comment has about the arena.
	Note string
	// Tensors are in the order of the table.
	Tensors []Tensor
}

// longest is how much of a name an identifier takes.
const longest = 80

// identifier returns a name with what C does not allow replaced.
func identifier(name, without string) string {
	b := []byte(name[:min(len(name), longest)])
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			b[i] = '_'
		}
	}
	s := strings.Trim(string(b), "_")
	if s == "" {
		return without
	}
	return s
}

// identifiers returns a different one for each tensor.
func (p *Plan) identifiers() []string {
	out := make([]string, len(p.Tensors))
	taken := make(map[string]bool, len(p.Tensors))
	number := make(map[string]int, len(p.Tensors))
	for i := range p.Tensors {
		base := identifier(p.Tensors[i].Name, "tensor")
		name := base
		for taken[name] {
			number[base]++
			name = base + "_" + strconv.Itoa(number[base]+1)
		}
		taken[name] = true
		out[i] = name
	}
	return out
}

// prefix returns the beginning of all identifiers: not a digit, nor an underscore.
func (p *Plan) prefix() string {
	s := identifier(p.Name, "plan")
	if s[0] >= '0' && s[0] <= '9' {
		s = "model_" + s
	}
	return strings.ToLower(s)
}

// comment returns text that may stand in a comment.
func comment(text string) string {
	const most = 200
	s := strconv.QuoteToASCII(text[:min(len(text), most)])
	return strings.ReplaceAll(strings.ReplaceAll(s, "*/", "*_/"), "/*", "/_*")
}

// literal returns text as a string of C, with octal escapes for all that could mean
// something else.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// CheckAlignment refuses an alignment of the arena that C cannot express.
func CheckAlignment(alignment int64) error {
	if alignment < 0 || alignment&(alignment-1) != 0 {
		return fmt.Errorf("the arena would have to begin at a multiple of %d, but an alignment in C is a power of two", alignment)
	}
	return nil
}

func (p *Plan) alignment() int64 { return max(1, p.Alignment) }

// opening writes what both files begin with.
func (p *Plan) opening(w io.Writer) {
	fmt.Fprintf(w, "/* The plan of %s, by stowage. Tensors: %d. Bytes of the arena: %d.\n", comment(p.Name), len(p.Tensors), p.Arena)
	fmt.Fprintf(w, " *\n * Tensors that share bytes are not in use at the same time, unless one lies over the\n * other by its operator. The arena must begin at a multiple of %d.", p.alignment())
	if p.Note != "" {
		fmt.Fprintf(w, "\n *\n * %s", strings.NewReplacer("*/", "*_/", "/*", "/_*", "\n", " ").Replace(p.Note))
	}
	fmt.Fprintln(w, " */")
}

// declare writes what both files say of the table and the arena, so that a program that
// includes one and links the other agrees with it.
func (p *Plan) declare(w io.Writer) {
	fmt.Fprintf(w, `struct %[1]s_tensor {
	const char *name;
	size_t offset;
	size_t size;
};
extern const struct %[1]s_tensor %[1]s_tensors[%[2]d];
extern unsigned char %[1]s_arena[%[3]d];
`, p.prefix(), len(p.Tensors)+1, max(1, p.Arena))
}

// WriteHeader writes the macros. PREFIX_ARENA_SIZE, PREFIX_ARENA_ALIGNMENT,
// PREFIX_TENSORS, and for each tensor PREFIX_OFFSET_… and PREFIX_SIZE_…; the table and
// the arena of WriteSource are declared.
func WriteHeader(w io.Writer, p *Plan) error {
	if err := CheckAlignment(p.Alignment); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	lower := p.prefix()
	upper := strings.ToUpper(lower)
	p.opening(b)
	fmt.Fprintf(b, "#ifndef %[1]s_PLAN_H\n#define %[1]s_PLAN_H\n\n#include <stddef.h>\n\n", upper)
	fmt.Fprintf(b, "#define %s_ARENA_SIZE %d\n#define %s_ARENA_ALIGNMENT %d\n#define %s_TENSORS %d\n\n", upper, p.Arena, upper, p.alignment(), upper, len(p.Tensors))
	fmt.Fprintf(b, "/* Where each tensor is in the arena, and how many bytes it takes. */\n")
	for i, name := range p.identifiers() {
		t := &p.Tensors[i]
		fmt.Fprintf(b, "#define %s_OFFSET_%s %d\n#define %s_SIZE_%s %d", upper, name, t.Offset, upper, name, t.Size)
		if name != t.Name {
			fmt.Fprintf(b, " /* %s */", comment(t.Name))
		}
		b.WriteByte('\n')
	}
	b.WriteString(`
#ifdef __cplusplus
extern "C" {
#endif

/* What the source file of the plan defines: the arena, and the tensors as a table that
 * ends with a name of NULL. */
`)
	p.declare(b)
	b.WriteString(`
#ifdef __cplusplus
}
#endif

#endif
`)
	return b.Flush()
}

// WriteSource writes the arena and the table of its tensors. The file needs no other.
func WriteSource(w io.Writer, p *Plan) error {
	if err := CheckAlignment(p.Alignment); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	p.opening(b)
	b.WriteString("#include <stddef.h>\n\n")
	p.declare(b)
	fmt.Fprintf(b, `
#if defined(__cplusplus) && __cplusplus >= 201103L
alignas(%[1]d)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Alignas(%[1]d)
#elif defined(__GNUC__)
__attribute__((aligned(%[1]d)))
#endif
unsigned char %[2]s_arena[%[3]d];

const struct %[2]s_tensor %[2]s_tensors[%[4]d] = {
`, p.alignment(), p.prefix(), max(1, p.Arena), len(p.Tensors)+1)
	for i := range p.Tensors {
		t := &p.Tensors[i]
		fmt.Fprintf(b, "\t{%s, %d, %d},\n", literal(t.Name), t.Offset, t.Size)
	}
	b.WriteString("\t{NULL, 0, 0},\n};\n")
	return b.Flush()
}
