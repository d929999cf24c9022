package csv

import (
	"runtime"
	"strings"
	"testing"
)

// TestManyColumns: a header of two million columns is refused with little more memory than its text. A header of the
// most columns is read.
func TestManyColumns(t *testing.T) {
	text := "id,lower,upper,size" + strings.Repeat(",c", 2_000_000) + "\na,0,1,1\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(strings.NewReader(text), "x.csv")
	runtime.ReadMemStats(&after)
	if err == nil || err.Error() != "x.csv:1: header: has more than 10000 columns, which is the most that is read" {
		t.Errorf("got %.200v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 12<<20 {
		t.Errorf("took %d MB", took>>20)
	}
	// A row is cut one field past its header.
	text = "id,lower,upper,size\na,0,1,1\nb,0,1,1" + strings.Repeat(",", 2_000_000) + "\nc,0,1,\"1\"" +
		strings.Repeat(",\"\"", 500_000) + "\nd,x,1,1\n"
	runtime.ReadMemStats(&before)
	_, err = Read(strings.NewReader(text), "x.csv")
	runtime.ReadMemStats(&after)
	want := "x.csv:3: buffer b: has more than 4 fields, the header has 4 columns\nx.csv:4: buffer c: has more than 4 fields, the header has 4 columns\nx.csv:5: buffer d: lower \"x\": is not an integer"
	if err == nil || err.Error() != want {
		t.Errorf("got %.300v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 12<<20 {
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
