package csv

import (
	"runtime"
	"strings"
	"testing"
)

// TestManyColumns has a header of two million columns refused for little more than the memory
// that its text takes, and one of as many as there may be read.
func TestManyColumns(t *testing.T) {
	text := "id,lower,upper,size" + strings.Repeat(",c", 2_000_000) + "\na,0,1,1\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(strings.NewReader(text), "x.csv")
	runtime.ReadMemStats(&after)
	if err == nil || err.Error() != "x.csv:1: header: has 2000004 columns: at most 10000 are read" {
		t.Errorf("got %.200v", err)
	}
	// A field is a slice of 16 bytes; the list of them grows by steps.
	if took := after.TotalAlloc - before.TotalAlloc; took > 250<<20 {
		t.Errorf("took %d MB", took>>20)
	}
	names, values := strings.Builder{}, strings.Builder{}
	for i := range maxColumns - 4 {
		names.WriteString(",c" + string(rune('a'+i%26)) + strings.Repeat("x", i/26%20) + strings.Repeat("y", i/520))
		values.WriteString(",")
	}
	text = "id,lower,upper,size" + names.String() + "\na,0,1,1" + values.String() + "\n"
	if _, h, _, err := ReadExtra(strings.NewReader(text), "x.csv"); err != nil || len(h) != maxColumns {
		t.Errorf("%d columns: %.200v", len(h), err)
	}
}
