package tflm_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

func TestZZ(t *testing.T) {
	filepath.WalkDir(os.Getenv("STOWAGE_MODELS"), func(p string, d fs.DirEntry, err error) error {
		if !strings.HasSuffix(p, ".tflite") {
			return nil
		}
		data, _ := os.ReadFile(p)
		m, err := tflite.Parse(data, p)
		if err != nil {
			return nil
		}
		m, _, err = m.Fold()
		if err != nil {
			return nil
		}
		o := tflm.Options{Scratch: tflm.Reference(m)}
		t0 := time.Now()
		pl, err := tflm.Make(context.Background(), m, o)
		if err != nil {
			fmt.Println(err)
			return nil
		}
		t1 := time.Now()
		all, err := pl.Alternatives(context.Background(), o)
		if err != nil {
			t.Error(err)
		}
		t2 := time.Now()
		ti := pl.Tiling()
		t3 := time.Now()
		fmt.Printf("%-40s head %9d plan %4dms alt %4dms tile %3dms", filepath.Base(p), pl.WrittenHead(), t1.Sub(t0).Milliseconds(), t2.Sub(t1).Milliseconds(), t3.Sub(t2).Milliseconds())
		for _, x := range all {
			fmt.Printf(" %v/%s/%v:%d%s", x.InPlace, x.Kernels, x.Reorder, x.Plan.WrittenHead(), map[bool]string{true: "*"}[x.Plan.Result.Status.String() == "optimal"])
		}
		if ti != nil {
			fmt.Printf(" tile %d %v %+v", ti.Peak, ti.Proven, ti.Chains)
		}
		fmt.Println()
		return nil
	})
}
