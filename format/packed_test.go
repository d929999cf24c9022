package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/onnxmade"
	"github.com/stowage-go/stowage/internal/tflm/made"
	"github.com/stowage-go/stowage/model"
)

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPacked reads each format packed, by extension and by content, and wants what is
// read unpacked.
func TestPacked(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a.csv":    []byte("id,lower,upper,size\nx,0,3,4\ny,1,5,6\n"),
		"b.json":   []byte(`{"version": 1, "buffers": [{"id": "x", "lower": 0, "upper": 3, "size": 8}]}`),
		"c.tflite": made.Network(4, 24),
		"d.onnx":   onnxmade.Network(4, 24),
		"e":        []byte("id,lower,upper,size\nx,0,3,4\n"),
	} {
		o := Options{}
		if strings.HasSuffix(name, ".onnx") {
			o.Dims = map[string]int64{"batch": 1}
		}
		want, err := ReadFrom(bytes.NewReader(content), name, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{name + ".gz", name + ".GZ", name} {
			if path == name && filepath.Ext(name) != "" {
				path = "packed" // a name that says nothing
			}
			path = filepath.Join(dir, path)
			if err := os.WriteFile(path, zipped(t, content), 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := ReadFileWith(path, o)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if got.Kind != want.Kind || len(got.Problem.Buffers) != len(want.Problem.Buffers) || got.Problem.Buffers[0].ID != want.Problem.Buffers[0].ID {
				t.Errorf("%s is read as %s with %d buffers", path, got.Kind, len(got.Problem.Buffers))
			}
			if filepath.Base(path) != "packed" && got.Problem.Name != want.Problem.Name {
				t.Errorf("%s is named %q, not %q", path, got.Problem.Name, want.Problem.Name)
			}
		}
	}
}

// TestPackedBroken has files that only claim to be packed, or are damaged, refused as
// bad input, with the file named once.
func TestPackedBroken(t *testing.T) {
	whole := zipped(t, bytes.Repeat([]byte("id,lower,upper,size\n"), 1000))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1
	for name, content := range map[string][]byte{
		"plain.csv.gz": []byte("id,lower,upper,size\n"), "empty.csv.gz": nil, "short.csv.gz": whole[:len(whole)/2], "sum.csv.gz": flipped,
	} {
		_, err := ReadFrom(bytes.NewReader(content), name, Options{})
		var input *model.InputError
		if !errors.As(err, &input) || strings.Count(err.Error(), name) != 1 || !strings.Contains(err.Error(), "cannot be unpacked") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackedLimit has content that is larger than the limit refused, and content of
// just that size read.
func TestPackedLimit(t *testing.T) {
	for size, fits := range map[int]bool{99: true, 100: true, 101: false} {
		z, err := gzip.NewReader(bytes.NewReader(zipped(t, make([]byte, size))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(&packed{z, 100})
		if fits != (err == nil) || fits && len(got) != size {
			t.Errorf("%d bytes: %d read, %v", size, len(got), err)
		}
	}
}
