// Package cheader writes plans as C: a header of macros for the arena's size and each tensor's offset, a source file
// with the arena itself and a table of its tensors, or a model as a constant array.
//
// Names of tensors become identifiers. A character that C does not allow becomes an underscore, and equal identifiers
// get a number. Macros have at most 63 characters, as many as C99 distinguishes. In a longer name a hash replaces the
// middle. The full names are in the table and in comments.
package cheader

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

// A Tensor is a tensor with its place in the arena.
type Tensor struct {
	Name         string // any text
	Offset, Size int64  // in bytes, from the start of the arena
}

// A Plan is the plan to write.
type Plan struct {
	// Name is the name of the model. All identifiers begin with it; empty means plan.
	Name string
	// Arena is the size of the arena in bytes. The arena must start at a multiple of
	// Alignment bytes, which is a power of two, or 0 for 1.
	Arena, Alignment int64
	// Tensors are the tensors in the order of the table.
	Tensors []Tensor
	// Head says that the tensors are only a part of a runtime's arena, whose size is not
	// known. Names in C then say head in place of arena.
	Head bool
	// Runtime is the runtime that places the tensors, with the sizes of its arena; nil for
	// none. Its arena is larger than Arena, and names in C say head as with Head.
	Runtime *Runtime
	// Notes are lines for the comment at the head of the file, as long as they are.
	Notes []string
}

// A Runtime is a runtime whose arena holds more than the tensors of a plan.
type Runtime struct {
	// Arenas are the sizes of its arena, one for each target.
	Arenas []ArenaSize
	// AtLeast says that the sizes are lower bounds. The names in C then end in at_least.
	AtLeast bool
	// Note is a sentence about the sizes, for a comment; empty for none.
	Note string
	// Model is the size in bytes of the array that WriteArray writes.
	Model int64
	// Hash is HashOf the content of that array.
	Hash string
}

// An ArenaSize is the size that an arena needs on a target.
type ArenaSize struct {
	Target string // the end of the macro's name, such as 32
	About  string // describes the target, for a comment
	Bytes  int64  // the size in bytes
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

// identifiers returns a different one for each tensor, so short that a macro of it is not longer than allowed.
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

// literal returns text as a string of C, with octal escapes for all that could mean something else.
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

// CheckAlignment returns an error if alignment, in bytes, is neither 0 nor a power of two: C cannot express any other.
func CheckAlignment(alignment int64) error {
	if alignment < 0 || alignment&(alignment-1) != 0 {
		return fmt.Errorf("the arena must begin at a multiple of %d, but an alignment in C must be a power of two", alignment)
	}
	return nil
}

func (p *Plan) alignment() int64 { return max(1, p.Alignment) }

// arena is what the size and the memory of the plan are called.
func (p *Plan) arena() string {
	if p.Head || p.Runtime != nil {
		return "head"
	}
	return "arena"
}

// opening writes what both files begin with.
func (p *Plan) opening(w io.Writer) {
	fmt.Fprintf(w, "/* The plan of %s, by stowage. Tensors: %d. Bytes of the %s: %d.\n", comment(p.Name), len(p.Tensors),
		p.arena(), p.Arena)
	fmt.Fprintf(w, " *\n * Tensors that share bytes are not in use at the same time, unless one lies over the\n"+
		" * other by its operator. The arena must begin at a multiple of %d.", p.alignment())
	for k, note := range p.Notes {
		if k == 0 {
			fmt.Fprint(w, "\n *")
		}
		fmt.Fprint(w, "\n * "+harmless(note))
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
extern unsigned char %[1]s_%[4]s[%[3]d];
`, p.prefix(), len(p.Tensors)+1, max(1, p.Arena), p.arena())
}

// sizes writes the macros of the arena's size: that of the plan, and those that the runtime needs.
func (p *Plan) sizes(w io.Writer, upper string) {
	if r := p.Runtime; r != nil {
		fmt.Fprintf(w, "/* %s\n * They hold for the model of %d bytes whose SHA-256 begins with %s.%s */\n", r.about("\n * "),
			r.Model, r.Hash, r.note("\n * "))
		for _, a := range r.Arenas {
			fmt.Fprintf(w, "#define %s %d /* %s */\n", strings.ToUpper(r.name(p.prefix(), &a)), a.Bytes, a.About)
		}
		fmt.Fprintf(w, "\n/* The model itself, if it is written as an array. */\n#define %s_MODEL_DATA_SIZE %d\n",
			upper, r.Model)
		fmt.Fprint(w, "\n/* The head: the part of that arena which the tensors take. It is not kTensorArenaSize. */\n")
	} else if p.Head {
		fmt.Fprint(w, "/* The head: the part of the runtime's arena which the tensors take. The arena is larger:\n"+
			" * this is not kTensorArenaSize. stowage plan writes a header that has both. */\n")
	}
	fmt.Fprintf(w, "#define %s_%s_SIZE %d\n#define %s_ARENA_ALIGNMENT %d\n", upper, strings.ToUpper(p.arena()), p.Arena,
		upper, p.alignment())
}

// about says what the sizes of the arena are.
func (r *Runtime) about(newline string) string {
	if r.AtLeast {
		return "kTensorArenaSize may be more than these lower bounds: kernels keep or ask for bytes of which nothing" +
			newline + "is known. The report of stowage plan says whose; its --scratch and --tail give the size."
	}
	return "kTensorArenaSize: the smallest arena in which AllocateTensors succeeds, aligned to 16."
}

// note is the note in a comment.
func (r *Runtime) note(newline string) string {
	if r.Note == "" {
		return ""
	}
	return newline + harmless(r.Note)
}

// harmless returns text as one line of a comment, which it neither ends nor begins anew.
func harmless(text string) string {
	return strings.NewReplacer("*/", "*_/", "/*", "/_*", "\n", " ", "\r", " ", "\\", "/").Replace(text)
}

// name returns what the size of an arena is called, in lower case.
func (r *Runtime) name(prefix string, a *ArenaSize) string {
	name := prefix + "_tensor_arena_size_" + strings.ToLower(a.Target)
	if r.AtLeast {
		name += "_at_least"
	}
	return name
}

// WriteHeader writes a header. Its macros are PREFIX_ARENA_SIZE, PREFIX_ARENA_ALIGNMENT and
// PREFIX_TENSORS, and for each tensor PREFIX_OFFSET_… and PREFIX_SIZE_…; all sizes are in
// bytes. It declares the table and the arena that WriteSource defines.
//
// With Plan.Head or Plan.Runtime, PREFIX_HEAD_SIZE takes the place of PREFIX_ARENA_SIZE.
// With Plan.Runtime, PREFIX_TENSOR_ARENA_SIZE_… are the sizes of the runtime's arena, and
// the header also declares the array that WriteArray defines.
//
// The error is w's, or for an alignment that CheckAlignment refuses.
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

// WriteSource writes a source file that defines the arena and the table of its tensors. It
// includes no header of the plan. The errors are those of WriteHeader.
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

// aligned writes the alignment of the definition that follows, as far as the language has a word for it.
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
