package source

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// shrunk is content that was packed.
type shrunk struct {
	io.Reader
	stored int64
}

func (s shrunk) Stored() int64 { return s.stored }

// TestBudget has the budgets of plain and packed content. Unpacked bytes count, too.
func TestBudget(t *testing.T) {
	content := strings.Repeat("x", 1000)
	for _, c := range []struct {
		r    io.Reader
		want int64
	}{
		{strings.NewReader(content), Floor + PlainRate*1000 - 1000},
		{shrunk{strings.NewReader(content), 70}, Floor + PackedRate*70 - 1000},
	} {
		text, err := Read(c.r, "x")
		if err != nil {
			t.Fatal(err)
		}
		if text.left != c.want {
			t.Errorf("%d bytes are left, want %d", text.left, c.want)
		}
	}
	_, b, err := Binary(shrunk{bytes.NewReader([]byte(content)), 70}, "x")
	if err != nil || b.left != Floor+PackedRate*70-1000 {
		t.Errorf("%d bytes are left, %v", b.left, err)
	}
	b = BudgetOf(0)
	if n := b.Most(10, Floor/3); n != 3 {
		t.Errorf("room for %d of 3", n)
	}
	if !b.Spare(Floor/2) || b.Spare(1) || !b.Spend(Floor/2) || b.Spend(1) || b.Most(10, 1) != 0 {
		t.Errorf("%d bytes are left", b.left)
	}
	b.Grow(BudgetOf(10))
	if want := int64(Floor + 10*PlainRate - 1); b.left != want {
		t.Errorf("%d bytes are left, want %d", b.left, want)
	}
}

// TestUnpacked has content refused that is held twice.
func TestUnpacked(t *testing.T) {
	const most = (Floor + PackedRate*100) / 2
	if got := Unpacked(most, 100); got != "" {
		t.Error(got)
	}
	const want = "takes more than 32 MiB of memory to read, the most for 100 bytes of a packed file: unpack it first, with gunzip"
	if got := Unpacked(most+1, 100); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPackedMost has the budgets of packed files of all sizes: the rate of packed bytes ends at a ceiling, and no
// packed file has less than a plain one of its size.
func TestPackedMost(t *testing.T) {
	for _, c := range []struct{ stored, want int64 }{
		{0, 32 << 20},
		{1 << 20, (32 + 512) << 20},
		{4 << 20, (32 + 2048) << 20},
		{10 << 20, (32 + 2048) << 20},
		{64 << 20, (32 + 2048) << 20},
		{100 << 20, (32 + 3200) << 20},
	} {
		if got := budget(c.stored, true); got != c.want {
			t.Errorf("%d packed bytes have a budget of %d, want %d", c.stored, got, c.want)
		}
		if plain := budget(c.stored, false); budget(c.stored, true) < plain {
			t.Errorf("%d bytes have less packed than the %d as they are", c.stored, plain)
		}
	}
	const half = (Floor + PackedMost) / 2
	if Unpacked(half, 10<<20) != "" ||
		!strings.HasPrefix(Unpacked(half+1, 10<<20), "takes more than 2080 MiB of memory to read") {
		t.Errorf("%q, %q", Unpacked(half, 10<<20), Unpacked(half+1, 10<<20))
	}
}
