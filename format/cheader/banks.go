package cheader

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// Idea: a plan in several memories is two numbers for each tensor: its memory, and its offset there. As C it is a
// header of macros. For TensorFlow Lite Micro it is a class in C++ that takes the place of the runtime's planner. The
// runtime adds the offset that the planner returns to the address of its arena. So the planner returns the address of
// the tensor less the address of the arena.
//
// Source: tensorflow/tflite-micro 90b983c: CommitPlan in micro_allocator.cc, micro_memory_planner.h. The runtime's own
// NonPersistentMemoryPlannerShim hands out offsets in the same way, in one memory.

// A BankPlan is a plan in several memories.
type BankPlan struct {
	// Name is the name of the model. All identifiers begin with it; empty means plan.
	Name string
	// Banks are the memories. Those without a tensor, other than the arena's, are left out of the class.
	Banks []Bank
	// Home is the memory of the runtime's arena, as an index into Banks; -1 if there is no runtime, for WriteBanks.
	Home int
	// Arenas are the sizes of that arena, one for each target.
	Arenas []ArenaSize
	// AtLeast says that these are lower bounds. The names in C then end in at_least.
	AtLeast bool
	// Note is a sentence about the sizes, for a comment; empty for none.
	Note string
	// Buffers are the tensors, then the scratch, in the order in which the runtime asks for them.
	Buffers []BankBuffer
}

// A Bank is one memory of a plan.
type Bank struct {
	Name      string // any text
	Bytes     int64  // the highest end of a buffer
	Alignment int64  // of the beginning: a power of two
	Reserved  bool   // bytes below the highest end may be somebody else's, so no array may be there
}

// A BankBuffer is a tensor or a scratch buffer.
type BankBuffer struct {
	Name        string // any text
	Size        int64  // in bytes
	First, Last int32  // when it is used, as the runtime counts
	Bank        int32  // index into Banks
	Offset      int64  // bytes from the beginning of the bank
}

// check returns an error for what C or the runtime cannot express.
func (p *BankPlan) check() error {
	for i := range p.Banks {
		if err := CheckAlignment(p.Banks[i].Alignment); err != nil {
			return err
		}
	}
	for i := range p.Buffers {
		if b := &p.Buffers[i]; p.Home >= 0 && b.Offset+b.Size > math.MaxInt32 {
			return fmt.Errorf("%s ends at byte %d of its memory, and the runtime has 32 bits for an offset, one of "+
				"them the sign", b.Name, b.Offset+b.Size)
		}
	}
	return nil
}

// plan returns what names of identifiers are made of.
func (p *BankPlan) plan() *Plan {
	out := &Plan{Name: p.Name}
	for i := range p.Buffers {
		out.Tensors = append(out.Tensors, Tensor{Name: p.Buffers[i].Name})
	}
	return out
}

// names returns a different identifier for each memory, in lower case.
func (p *BankPlan) names() []string {
	out := make([]string, len(p.Banks))
	taken := map[string]bool{}
	for k := range p.Banks {
		base := shorten(strings.ToLower(identifier(p.Banks[k].Name, "memory")), p.Banks[k].Name, 20)
		name := base
		for n := 2; taken[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		taken[name], out[k] = true, name
	}
	return out
}

// runtime returns the sizes of the arena in the words of other headers.
func (p *BankPlan) runtime() *Runtime {
	return &Runtime{Arenas: p.Arenas, AtLeast: p.AtLeast, Note: p.Note}
}

// about says what the sizes of the arena are.
func (p *BankPlan) about() string {
	if p.AtLeast {
		return p.runtime().about("\n * ")
	}
	return "With this many bytes, aligned, AllocateTensors succeeds."
}

// arenas writes the macros of the runtime's arena, which is in the memory home.
func (p *BankPlan) arenas(w io.Writer, home string) {
	r := p.runtime()
	fmt.Fprintf(w, "\n/* The runtime's arena is in %s, with the tensors of that memory at its beginning.\n * %s%s */\n",
		home, p.about(), r.note("\n * "))
	for i := range p.Arenas {
		fmt.Fprintf(w, "#define %s %d /* %s */\n", strings.ToUpper(r.name(prefixOf(p.Name), &p.Arenas[i])), p.Arenas[i].Bytes,
			p.Arenas[i].About)
	}
}

// WriteBanks writes a header of macros: PREFIX_MEMORIES; for each memory its number PREFIX_MEMORY_…, PREFIX_BYTES_… and
// PREFIX_ALIGNMENT_…; PREFIX_TENSOR_ARENA_SIZE_… for the runtime's arena; and for each tensor PREFIX_BANK_…,
// PREFIX_OFFSET_… and PREFIX_SIZE_…. All sizes are in bytes. The error is w's, or for what C cannot express.
func WriteBanks(w io.Writer, p *BankPlan) error {
	if err := p.check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	upper, names := strings.ToUpper(prefixOf(p.Name)), p.names()
	fmt.Fprintf(b, "/* The plan of %s in %d memories, by stowage. Tensors: %d.\n *\n"+
		" * Tensors that share bytes are not in use at the same time, unless one lies over the\n"+
		" * other by its operator. */\n", comment(p.Name), len(p.Banks), len(p.Buffers))
	fmt.Fprintf(b, "#ifndef %[1]s_BANKS_H\n#define %[1]s_BANKS_H\n\n#define %[1]s_MEMORIES %[2]d\n\n", upper, len(p.Banks))
	fmt.Fprint(b, "/* The memories: the number of each, the bytes that tensors take, and how it must be aligned. */\n")
	for k := range p.Banks {
		name := strings.ToUpper(names[k])
		fmt.Fprintf(b, "#define %[1]s_MEMORY_%[2]s %[3]d\n#define %[1]s_BYTES_%[2]s %[4]d\n"+
			"#define %[1]s_ALIGNMENT_%[2]s %[5]d\n", upper, name, k, p.Banks[k].Bytes, max(1, p.Banks[k].Alignment))
	}
	if p.Home >= 0 {
		p.arenas(b, names[p.Home])
	}
	fmt.Fprint(b, "\n/* Where each tensor is: the number of its memory, the bytes from its beginning, its size. */\n")
	for i, name := range p.plan().identifiers() {
		t := &p.Buffers[i]
		fmt.Fprintf(b, "#define %[1]s_BANK_%[2]s %[3]d", upper, name, t.Bank)
		if name != t.Name {
			fmt.Fprintf(b, " /* %s */", comment(t.Name))
		}
		fmt.Fprintf(b, "\n#define %[1]s_OFFSET_%[2]s %[3]d\n#define %[1]s_SIZE_%[2]s %[4]d\n", upper, name, t.Offset, t.Size)
	}
	fmt.Fprint(b, "\n#endif\n")
	return b.Flush()
}

//go:embed banks.hpp.tmpl
var banksText string

var banks = sync.OnceValue(func() *template.Template { return template.Must(template.New("banks").Parse(banksText)) })

// WritePlanner writes a header in C++11 with the class prefix_planner, a planner for TensorFlow Lite Micro that places
// each buffer in its memory, and with the sizes of the memories. The error is w's, or for what C or the runtime cannot
// express.
func WritePlanner(w io.Writer, p *BankPlan) error {
	if err := p.check(); err != nil {
		return err
	}
	type bank struct {
		Name             string
		Bytes, Alignment int64
		Home, Reserved   bool
	}
	var used []bank
	number, names := make([]int, len(p.Banks)), p.names()
	for k := range p.Banks {
		q := &p.Banks[k]
		if q.Bytes > 0 || k == p.Home {
			number[k] = len(used)
			used = append(used, bank{names[k], q.Bytes, max(16, q.Alignment), k == p.Home, q.Reserved})
		}
	}
	type buffer struct {
		Size, First, Last, Offset int64
		Bank                      int
		About                     string
	}
	var buffers []buffer
	for i := range p.Buffers {
		b := &p.Buffers[i]
		buffers = append(buffers, buffer{b.Size, int64(b.First), int64(b.Last), b.Offset, number[b.Bank], comment(b.Name)})
	}
	size := func(target string) int64 {
		for _, a := range p.Arenas {
			if a.Target == target {
				return a.Bytes
			}
		}
		return 0
	}
	end := ""
	if p.AtLeast {
		end = "_at_least"
	}
	var out bytes.Buffer
	prefix := prefixOf(p.Name)
	err := banks().Execute(&out, map[string]any{
		"Name": comment(p.Name), "Prefix": prefix, "Upper": strings.ToUpper(prefix), "Banks": used, "Home": names[p.Home],
		"HomeNumber": number[p.Home],
		"Head":       p.Banks[p.Home].Bytes, "Buffers": buffers, "Small": size("32"), "Large": size("64"), "End": end,
		"About": p.about(), "Note": p.runtime().note("\n * "),
	})
	if err == nil {
		_, err = w.Write(out.Bytes())
	}
	return err
}
