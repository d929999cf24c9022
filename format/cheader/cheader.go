// Package cheader writes plans as C: a header of macros for the arena's size and each
// tensor's offset, a source file with the arena itself and a table of its tensors, or a
// model as a constant array.
//
// Names of tensors become identifiers: what C does not allow is an underscore, and a
// number keeps apart what would be the same. Macros have at most 63 characters, as many
// as C99 tells apart. A longer name is cut in the middle, where a hash of it stands. The
// names themselves are in the table and in comments.
package cheader

import (
	"bufio"
	"fmt"
	"hash/fnv"
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
	// Tensors are in the order of the table.
	Tensors []Tensor
	// Runtime, where set, is the runtime that places the tensors. Its own arena is larger
	// than Arena, which is then called the head.
	Runtime *Runtime
}

// A Runtime is a runtime whose arena holds more than the tensors of a plan.
type Runtime struct {
	// Arenas are the sizes of its arena, by target.
	Arenas []ArenaSize
	// AtLeast says that these are lower bounds. The names in C then say so, too.
	AtLeast bool
	// Note, where set, is a sentence about the sizes.
	Note string
	// Model is how many bytes the model array has that WriteArray writes.
	Model int64
	// Hash names what is in that array: see HashOf.
	Hash string
}

// An ArenaSize is how large an arena must be on a target.
type ArenaSize struct {
	Target string // the end of the macro's name, such as 32
	About  string // what the target is, for a comment
	Bytes  int64  // the size
}

// longestMacro is how many characters of a macro C99 tells apart, and longestPrefix how
// many of them the name of the model may take, so that all macros of it have room.
const (
	longestMacro  = 63
	longestPrefix = 28
)

// identifier returns a name with what C does not allow replaced.
func identifier(name, without string) string {
	b := []byte(name)
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

// shorten cuts an identifier in the middle to at most so many characters, with a hash of
// the name that it stands for in the place of what is cut.
func shorten(s, name string, most int) string {
	if len(s) <= most {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(name)) // which never fails
	middle := fmt.Sprintf("_%06x_", h.Sum32()&0xffffff)
	left := (most - len(middle) + 1) / 2
	return s[:left] + middle + s[len(s)-(most-len(middle)-left):]
}

// identifiers returns a different one for each tensor, so short that a macro of it is
// not longer than allowed.
func (p *Plan) identifiers() []string {
	most := longestMacro - len(p.prefix()) - len("_OFFSET_")
	out := make([]string, len(p.Tensors))
	taken := make(map[string]bool, len(p.Tensors))
	number := make(map[string]int, len(p.Tensors))
	for i := range p.Tensors {
		whole := identifier(p.Tensors[i].Name, "tensor")
		base := shorten(whole, p.Tensors[i].Name, most)
		name := base
		for taken[name] {
			number[base]++
			suffix := "_" + strconv.Itoa(number[base]+1)
			name = shorten(base, p.Tensors[i].Name, most-len(suffix)) + suffix
		}
		taken[name] = true
		out[i] = name
	}
	return out
}

// prefix returns the beginning of all identifiers: not a digit, nor an underscore.
func (p *Plan) prefix() string { return prefixOf(p.Name) }

func prefixOf(name string) string {
	s := identifier(name, "plan")
	if s[0] >= '0' && s[0] <= '9' {
		s = "model_" + s
	}
	return strings.ToLower(shorten(s, name, longestPrefix))
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

// arena is what the size and the memory of the plan are called.
func (p *Plan) arena() string {
	if p.Runtime != nil {
		return "head"
	}
	return "arena"
}

// opening writes what both files begin with.
func (p *Plan) opening(w io.Writer) {
	fmt.Fprintf(w, "/* The plan of %s, by stowage. Tensors: %d. Bytes of the %s: %d.\n", comment(p.Name), len(p.Tensors), p.arena(), p.Arena)
	fmt.Fprintf(w, " *\n * Tensors that share bytes are not in use at the same time, unless one lies over the\n * other by its operator. The arena must begin at a multiple of %d.", p.alignment())
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
extern unsigned char %[1]s_%[4]s[%[3]d];
`, p.prefix(), len(p.Tensors)+1, max(1, p.Arena), p.arena())
}

// sizes writes the macros of the arena's size: that of the plan, and those that the
// runtime needs.
func (p *Plan) sizes(w io.Writer, upper string) {
	if r := p.Runtime; r != nil {
		fmt.Fprintf(w, "/* %s\n * They hold for the model of %d bytes whose SHA-256 begins with %s.%s */\n", r.about("\n * "), r.Model, r.Hash, r.note("\n * "))
		for _, a := range r.Arenas {
			fmt.Fprintf(w, "#define %s %d /* %s */\n", strings.ToUpper(r.name(p.prefix(), &a)), a.Bytes, a.About)
		}
		fmt.Fprintf(w, "\n/* The model itself, if it is written as an array. */\n#define %s_MODEL_DATA_SIZE %d\n", upper, r.Model)
		fmt.Fprint(w, "\n/* The head: the part of that arena which the tensors take. It is not kTensorArenaSize. */\n")
	}
	fmt.Fprintf(w, "#define %s_%s_SIZE %d\n#define %s_ARENA_ALIGNMENT %d\n", upper, strings.ToUpper(p.arena()), p.Arena, upper, p.alignment())
}

// about says what the sizes of the arena are.
func (r *Runtime) about(newline string) string {
	if r.AtLeast {
		return "kTensorArenaSize is more than these lower bounds: operators of the model keep bytes" + newline + "of which nothing is known. stowage plan names them; its --tail gives the size."
	}
	return "kTensorArenaSize: the smallest arena in which AllocateTensors succeeds, aligned to 16."
}

// note is the note in a comment.
func (r *Runtime) note(newline string) string {
	if r.Note == "" {
		return ""
	}
	return newline + strings.NewReplacer("*/", "*_/", "/*", "/_*", "\n", " ").Replace(r.Note)
}

// name returns what the size of an arena is called, in lower case.
func (r *Runtime) name(prefix string, a *ArenaSize) string {
	name := prefix + "_tensor_arena_size_" + strings.ToLower(a.Target)
	if r.AtLeast {
		name += "_at_least"
	}
	return name
}

// WriteHeader writes the macros. PREFIX_ARENA_SIZE, PREFIX_ARENA_ALIGNMENT,
// PREFIX_TENSORS, and for each tensor PREFIX_OFFSET_… and PREFIX_SIZE_…; the table and
// the arena of WriteSource are declared. With a runtime the size is PREFIX_HEAD_SIZE, and
// PREFIX_TENSOR_ARENA_SIZE_… are those of the runtime's arena; the array of WriteArray is
// declared, too.
func WriteHeader(w io.Writer, p *Plan) error {
	if err := CheckAlignment(p.Alignment); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	lower := p.prefix()
	upper := strings.ToUpper(lower)
	p.opening(b)
	fmt.Fprintf(b, "#ifndef %[1]s_PLAN_H\n#define %[1]s_PLAN_H\n\n#include <stddef.h>\n\n", upper)
	p.sizes(b, upper)
	fmt.Fprintf(b, "#define %s_TENSORS %d\n\n", upper, len(p.Tensors))
	fmt.Fprintf(b, "/* Where each tensor is in the arena, and how many bytes it takes. */\n")
	for i, name := range p.identifiers() {
		t := &p.Tensors[i]
		fmt.Fprintf(b, "#define %s_OFFSET_%s %d\n#define %s_SIZE_%s %d", upper, name, t.Offset, upper, name, t.Size)
		if name != t.Name {
			fmt.Fprintf(b, " /* %s */", comment(t.Name))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, `
#ifdef __cplusplus
extern "C" {
#endif

/* What the source file of the plan (.c) defines: the %s, and the tensors as a table that
 * ends with a name of NULL. */
`, p.arena())
	p.declare(b)
	if p.Runtime != nil {
		fmt.Fprint(b, "\n/* What the source file of the model (.cc) defines. */\n")
		p.Runtime.declare(b, lower)
	}
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
	b.WriteByte('\n')
	aligned(b, p.alignment())
	fmt.Fprintf(b, `unsigned char %[1]s_%[4]s[%[2]d];

const struct %[1]s_tensor %[1]s_tensors[%[3]d] = {
`, p.prefix(), max(1, p.Arena), len(p.Tensors)+1, p.arena())
	for i := range p.Tensors {
		t := &p.Tensors[i]
		fmt.Fprintf(b, "\t{%s, %d, %d},\n", literal(t.Name), t.Offset, t.Size)
	}
	b.WriteString("\t{NULL, 0, 0},\n};\n")
	return b.Flush()
}

// aligned writes the alignment of the definition that follows, as far as the language
// has a word for it.
func aligned(w io.Writer, alignment int64) {
	fmt.Fprintf(w, `#if defined(__cplusplus) && __cplusplus >= 201103L
alignas(%[1]d)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Alignas(%[1]d)
#elif defined(__GNUC__)
__attribute__((aligned(%[1]d)))
#endif
`, alignment)
}
