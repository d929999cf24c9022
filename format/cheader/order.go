package cheader

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: sizes that vary have no offsets to write down. The order of the buffers is a table, which stowage_place reads.
// Each record has a line, with the buffer's name.

// An OrderPlan is an order of buffers, for C.
type OrderPlan struct {
	// Name is the name of the model. All identifiers begin with it; empty means plan.
	Name string
	// Buffers has the name of each buffer, in the order of sizes and offsets.
	Buffers []string
	// Order is the order.
	Order *model.Order
	// Arena is the height at the largest sizes, in bytes, and Alignment what the arena must begin at a multiple of.
	Arena, Alignment int64
	// Largest names the largest sizes.
	Largest string
}

// WriteOrder writes an order as a header in C and C++: the table prefix_order for stowage_place, the number of buffers
// PREFIX_BUFFERS, and the size PREFIX_ARENA, which is enough for all. The error is w's.
func WriteOrder(w io.Writer, p *OrderPlan) error {
	b := bufio.NewWriter(w)
	prefix := prefixOf(p.Name)
	upper := strings.ToUpper(prefix)
	fmt.Fprintf(b, "/* An order of the buffers of %s, by stowage: stowage_place computes the offsets for any sizes.\n"+
		" * The arena holds the largest, %s. */\n#ifndef %s_ORDER_H\n#define %s_ORDER_H\n\n#include <stdint.h>\n\n",
		comment(p.Name), comment(p.Largest), upper, upper)
	fmt.Fprintf(b, "#define %s_BUFFERS %d\n#define %s_ARENA %d\n#define %s_ALIGNMENT %d\n\n", upper, len(p.Buffers), upper,
		p.Arena, upper, p.Alignment)
	words := p.Order.Words()
	fmt.Fprintf(b, "static const uint32_t %s_order[%d] = {\n\t0x%x, %d,\n", prefix, len(words), words[0], words[1])
	for w := words[2:]; len(w) > 0; {
		n := 2 + int(w[1]>>8)
		if w[1]&255 >= 62 {
			n += 2
		}
		b.WriteString("\t")
		for _, v := range w[:n] {
			fmt.Fprintf(b, "%d, ", v)
		}
		fmt.Fprintf(b, "/* %s */\n", comment(p.Buffers[w[0]]))
		w = w[n:]
	}
	fmt.Fprintf(b, "};\n\n#endif\n")
	return b.Flush()
}
