package tela

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/model"
)

// dataDir finds the public instances: in STOWAGE_DATA, or in the folder
// shared/data beside a parent of this one.
func dataDir() string {
	if dir := os.Getenv("STOWAGE_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		data := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(data); err == nil && info.IsDir() {
			return data
		}
	}
	return ""
}

// load reads id,lower,upper,size; nil where the data are not there.
func load(tb testing.TB, name string) *model.Problem {
	tb.Helper()
	f, err := os.Open(filepath.Join(dataDir(), name))
	if err != nil {
		return nil
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	p := &model.Problem{Name: name}
	for _, row := range rows[1:] {
		var n [3]int64
		for k := range n {
			if n[k], err = strconv.ParseInt(row[k+1], 10, 64); err != nil {
				tb.Fatal(err)
			}
		}
		p.Buffers = append(p.Buffers, model.Buffer{ID: row[0], Lower: n[0], Upper: n[1], Size: n[2]})
	}
	return p
}
