package csv_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
)

// TestWideTable: a header of nearly the most columns is read in linear time.
func TestWideTable(t *testing.T) {
	const many = 9_900
	var names, fields strings.Builder
	for i := range many {
		names.WriteString(",c" + strconv.Itoa(i))
		fields.WriteString(",x")
	}
	text := "id,lower,upper,size" + names.String() + "\na,0,1,2" + fields.String() + "\n"
	err := mutate.Hold(t, []byte(text), func(data []byte) error {
		_, h, extra, err := csv.ReadExtra(bytes.NewReader(data), "")
		if err == nil && (len(h.Others()) != many || len(extra.Columns) != many || extra.Columns[many-1][0] != "x") {
			t.Error("columns are missing")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
