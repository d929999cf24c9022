package source

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/stowage-go/stowage/model"
)

// Idea: a small file must not take all memory, whatever it contains. So a reader pays for everything that it keeps, in
// bytes that it counts itself. It pays from one budget in proportion to the stored file. It also pays for the content
// that a packed file unpacks to. So the packing ratio needs no limit of its own.
//
//	plain:  budget = Floor + PlainRate · bytes of the file as it is stored
//	packed: budget = Floor + min(PackedRate · bytes, PackedMost), and no less than a plain file of as many bytes has
//
// Invariant: a reader holds at most the budget, within a small factor: Go's collector lets the memory of a process grow
// to twice the memory that is in use.
//
// The rates: the shortest honest row of a table has 6 bytes and takes 150 of memory, the
// content included. A packed table of a million rows took 150 bytes a row and 0.3 packed.
const (
	// Floor is what the reader of any file may hold, in bytes.
	Floor = 32 << 20
	// PlainRate is how much more it may hold for each byte of a file.
	PlainRate = 32
	// PackedRate is how much more it may hold for each byte of a packed file.
	PackedRate = 512
	// PackedMost is where PackedRate ends: without it 10 MB could take 5 GB.
	PackedMost = 2 << 30
)

// BufferBytes is the price of a buffer: itself, its ID, and its entry in the table of IDs.
const BufferBytes = int(unsafe.Sizeof(model.Buffer{})) + 64

// A Stored is a reader of a packed file. It knows how much of the file it has taken.
type Stored interface {
	io.Reader
	Stored() int64 // bytes
}

// A Budget is how much memory the reader of one file may still hold. Only Read, Binary and BudgetOf make one.
type Budget struct {
	stored int64 // bytes of the file
	packed bool
	left   int64
}

// BudgetOf returns the budget for content that is in memory and was not packed.
func BudgetOf(size int) Budget { return budgetOf(int64(size), false) }

func budgetOf(stored int64, packed bool) Budget {
	return Budget{stored: stored, packed: packed, left: budget(stored, packed)}
}

func budget(stored int64, packed bool) int64 {
	if packed {
		return Floor + max(min(PackedRate*stored, PackedMost), PlainRate*stored)
	}
	return Floor + PlainRate*stored
}

// Spend takes bytes from the budget, and reports whether they were left.
func (b *Budget) Spend(bytes int) bool {
	b.left -= int64(bytes)
	return b.left >= 0
}

// Has reports whether bytes are left to spend.
func (b *Budget) Has(bytes int) bool { return b.left >= int64(bytes) }

// Spare takes bytes for content that a reader can do without, and reports whether more than half of the budget was
// left.
func (b *Budget) Spare(bytes int) bool {
	if b.left <= budget(b.stored, b.packed)/2 {
		return false
	}
	b.left -= int64(bytes)
	return true
}

// Most returns how many items of a size the budget has room for, at most n.
func (b *Budget) Most(n, size int) int { return int(min(int64(n), max(0, b.left)/int64(size))) }

// Grow adds the budget of another file that is read with the first.
func (b *Budget) Grow(other Budget) {
	b.left += other.left
	b.stored += other.stored
}

// Excess returns the message for a file that takes more than its budget.
func (b *Budget) Excess() string {
	text := fmt.Sprintf("takes more than %d MiB of memory to read, the most for %d bytes",
		budget(b.stored, b.packed)>>20, b.stored)
	if b.packed {
		text += " of a packed file: unpack it first, with gunzip"
	}
	return text
}

// Unpacked returns the message for unpacked content that takes more than its budget, or "". content is its bytes, and
// stored the bytes of the file that were read for it. Content counts twice, because it is held twice while its pieces
// are joined.
func Unpacked(content, stored int64) string {
	if b := budgetOf(stored, true); 2*content > b.left {
		return b.Excess()
	}
	return ""
}
