package cheader

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: sizes that vary have no offsets to write down. The order of the buffers is a table, which stowage_place reads.
// The sizes are a function of the symbols, or a table with a row for each scenario. If there are several orders,
// another function chooses one. So firmware, or a compiler's runtime, needs this header and stowage_place.c alone:
//
//	model_sizes(seq, batch, sizes);
//	height = stowage_place(model_order, sizes, offsets);

// An OrderPlan is an order of buffers, for C.
type OrderPlan struct {
	// Name is the name of the model. All identifiers begin with it; empty means plan.
	Name string
	// Buffers has the name of each buffer, in the order of sizes and offsets.
	Buffers []string
	// Order is the order.
	Order *model.Order
	// Switched has several orders; model_order_at chooses among them. It is nil if there is one order.
	Switched *model.Switched
	// Family has the sizes; nil leaves them to the program.
	Family *model.Family
	// Arena is the height at the largest sizes, in bytes, and Alignment what the arena must begin at a multiple of.
	Arena, Alignment int64
	// Largest names the largest sizes.
	Largest string
}

// WriteOrder writes an order as a header in C and C++: the table prefix_order for stowage_place, the number of buffers
// PREFIX_BUFFERS, and the size PREFIX_ARENA, which is enough for all. With a family, prefix_sizes has the sizes: a
// function of the symbols, or a table by scenario. With several orders, prefix_order_at(value) returns the one to
// place. The error is w's.
func WriteOrder(w io.Writer, p *OrderPlan) error {
	b := bufio.NewWriter(w)
	prefix := prefixOf(p.Name)
	upper := strings.ToUpper(prefix)
	fmt.Fprintf(b, "/* An order of the buffers of %s, by stowage: stowage_place computes the offsets for any sizes.\n"+
		" * The arena holds the largest, %s. */\n#ifndef %s_ORDER_H\n#define %s_ORDER_H\n\n#include <stdint.h>\n\n",
		comment(p.Name), comment(p.Largest), upper, upper)
	fmt.Fprintf(b, "#define %s_BUFFERS %d\n#define %s_ARENA %d\n#define %s_ALIGNMENT %d\n\n", upper, len(p.Buffers), upper,
		p.Arena, upper, p.Alignment)
	p.table(b, prefix+"_order", p.Order)
	if p.Switched != nil {
		p.choice(b, prefix)
	}
	if f := p.Family; f != nil && len(f.Symbols) > 0 {
		p.formulas(b, prefix)
	} else if f != nil {
		p.scenarios(b, prefix)
	}
	fmt.Fprintf(b, "#endif\n")
	return b.Flush()
}

// table writes the words of an order.
func (p *OrderPlan) table(w io.Writer, name string, order *model.Order) {
	words := order.Words()
	fmt.Fprintf(w, "static const uint32_t %s[%d] = {\n\t0x%x, %d,\n", name, len(words), words[0], words[1])
	for w2 := words[2:]; len(w2) > 0; {
		n := 2 + int(w2[1]>>8)
		if w2[1]&255 >= 62 {
			n += 2
		}
		fmt.Fprint(w, "\t")
		for _, v := range w2[:n] {
			fmt.Fprintf(w, "%d, ", v)
		}
		fmt.Fprintf(w, "/* %s */\n", comment(p.Buffers[w2[0]]))
		w2 = w2[n:]
	}
	fmt.Fprint(w, "};\n\n")
}

// choice writes several orders, and the function that chooses one.
func (p *OrderPlan) choice(w io.Writer, prefix string) {
	x := p.Switched
	for k, order := range x.Orders {
		p.table(w, prefix+"_order_"+strconv.Itoa(k+1), order)
	}
	by, what := "scenario", "the number of the scenario"
	if f := p.Family; f != nil && len(f.Symbols) > 0 {
		by, what = parameters(f)[x.Symbol], "the value of "+comment(f.Symbols[x.Symbol].Name)
	}
	fmt.Fprintf(w, "/* The order that needs least at %s. Any of them is right at any. */\n"+
		"static inline const uint32_t *%s_order_at(int64_t %s)\n{\n", what, prefix, by)
	for k := len(x.Orders) - 1; k > 0; k-- {
		fmt.Fprintf(w, "\tif (%s >= %d) {\n\t\treturn %s_order_%d;\n\t}\n", by, x.From[k], prefix, k+1)
	}
	fmt.Fprintf(w, "\treturn %s_order_1;\n}\n\n", prefix)
}

// scenarios writes the sizes as a table.
func (p *OrderPlan) scenarios(w io.Writer, prefix string) {
	f := p.Family
	fmt.Fprintf(w, "/* The size of each buffer in each scenario, in bytes. */\n#define %s_SCENARIOS %d\n"+
		"static const int64_t %s_sizes[%d][%d] = {\n", strings.ToUpper(prefix), len(f.Scenarios), prefix, len(f.Scenarios), max(1, len(p.Buffers)))
	for k, name := range f.Scenarios {
		fmt.Fprint(w, "\t{")
		for i, size := range f.Sizes[k] {
			if i > 0 {
				fmt.Fprint(w, ", ")
			}
			fmt.Fprint(w, size)
		}
		fmt.Fprintf(w, "}, /* %s */\n", comment(name))
	}
	fmt.Fprint(w, "};\n\n")
}

// formulas writes the sizes as a function of the symbols. In the ranges nothing overflows: the reader has seen to it.
func (p *OrderPlan) formulas(w io.Writer, prefix string) {
	f, names := p.Family, parameters(p.Family)
	of := map[string]string{}
	fmt.Fprintf(w, "/* The size of each buffer, in bytes, at values of the symbols:")
	for k := range f.Symbols {
		s := &f.Symbols[k]
		of[s.Name] = names[k]
		fmt.Fprintf(w, "\n *\t%s is %s, from %d to %d", names[k], comment(s.Name), s.Low, s.High)
		if s.Step > 1 {
			fmt.Fprintf(w, " by steps of %d", s.Step)
		}
	}
	fmt.Fprintf(w, ". */\nstatic inline int64_t %[1]s_floor(int64_t a, int64_t b)\n{\n"+
		"\treturn a / b - (a %% b < 0); /* b is above 0 */\n}\n\n"+
		"static inline int64_t %[1]s_power(int64_t a, int k)\n{\n\tint64_t r = 1;\n\twhile (k-- > 0) {\n\t\tr *= a;\n\t}\n"+
		"\treturn r;\n}\n\nstatic inline void %[1]s_sizes(", prefix)
	for _, name := range names {
		fmt.Fprintf(w, "int64_t %s, ", name)
	}
	fmt.Fprint(w, "int64_t *sizes)\n{\n")
	for _, name := range names {
		fmt.Fprintf(w, "\t(void)%s;\n", name)
	}
	for i := range p.Buffers {
		text := strconv.FormatInt(f.Problem.Buffers[i].Size, 10)
		if f.Formulas[i] != nil {
			text = inC(f.Formulas[i], prefix, of)
		}
		fmt.Fprintf(w, "\tsizes[%d] = %s;\n", i, text)
	}
	fmt.Fprint(w, "}\n\n")
}

// parameters returns names of C for the symbols of a family.
func parameters(f *model.Family) (names []string) {
	taken := map[string]bool{}
	for k := range f.Symbols {
		name := "n_" + strings.ToLower(shorten(identifier(f.Symbols[k].Name, "symbol"), f.Symbols[k].Name, longestPrefix))
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

// inC returns a formula as an expression of C. of has the parameter of each symbol.
func inC(f *model.Formula, prefix string, of map[string]string) string {
	var stack []string
	f.Walk(func(op byte, v int64, name string) {
		n := len(stack)
		switch op {
		case 'n':
			stack = append(stack, fmt.Sprintf("INT64_C(%d)", v))
		case 's':
			stack = append(stack, of[name])
		case '_':
			stack[n-1] = "(-" + stack[n-1] + ")"
		case '^':
			stack[n-1] = fmt.Sprintf("%s_power(%s, %d)", prefix, stack[n-1], v)
		default:
			a, b := stack[n-2], stack[n-1]
			stack = stack[:n-1]
			switch op {
			case 'f':
				stack[n-2] = fmt.Sprintf("%s_floor(%s, %s)", prefix, a, b)
			case 'c':
				stack[n-2] = fmt.Sprintf("(-%s_floor(-(%s), %s))", prefix, a, b)
			default:
				stack[n-2] = fmt.Sprintf("(%s %c %s)", a, op, b)
			}
		}
	})
	return stack[0]
}
