package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"B.12.csv":  "id,lower,upper,size\na,0,2,3\n",
		"A.csv":     "id,lower,upper,size\na,0,2,3\nb,1,2,3\n",
		"C.x.csv":   "id,lower,upper,size\na,0,2,3\n",
		"D.10.json": `{"version": 1, "capacity": 7, "buffers": [{"id": "a", "lower": 0, "upper": 2, "size": 3}]}`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	all := must.Get(Load("", []string{filepath.Join(dir, "*")}))(t)
	want := []struct {
		name     string
		capacity int64
		buffers  int
	}{{"A", 0, 2}, {"B", 12, 1}, {"C.x", 0, 1}, {"D", 10, 1}}
	if len(all) != len(want) {
		t.Fatalf("%d instances", len(all))
	}
	for i, w := range want {
		if in := all[i]; in.Name != w.name || in.Capacity != w.capacity || len(in.Problem.Buffers) != w.buffers {
			t.Errorf("instance %d is %s, %d, %d buffers; want %v", i, in.Name, in.Capacity, len(in.Problem.Buffers), w)
		}
	}
	if _, err := Load("", []string{filepath.Join(dir, "none*")}); err == nil {
		t.Error("a pattern that matches nothing is no error")
	}
}

func TestData(t *testing.T) {
	t.Setenv("STOWAGE_DATA", "")
	dir := t.TempDir()
	inner := filepath.Join(dir, "clone", "bench")
	data := filepath.Join(dir, "shared", "data")
	for _, d := range []string{inner, data} {
		must.Do(t, os.MkdirAll(d, 0o777))
	}
	t.Chdir(inner)
	if got, err := filepath.EvalSymlinks(public.Dir()); err != nil || filepath.Base(got) != "data" {
		t.Errorf("Dir() = %q, %v", got, err)
	}
	must.Do(t, os.RemoveAll(filepath.Join(dir, "shared")))
	if got := public.Dir(); got == "" {
		if _, err := Load("challenging", nil); !errors.Is(err, ErrNoData) {
			t.Errorf("without data: %v", err)
		}
	}
}
