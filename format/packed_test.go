package format

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
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
		"c.tflite": tflitemade.Network(4, 24),
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
			if got.Kind != want.Kind || len(got.Problem.Buffers) != len(want.Problem.Buffers) ||
				got.Problem.Buffers[0].ID != want.Problem.Buffers[0].ID {
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

// TestPackedLimit has content that is larger than a limit refused, and content of just
// that size read: any content up to a size, beyond it what is not made of nearly
// nothing, and nothing beyond the last.
func TestPackedLimit(t *testing.T) {
	noise := make([]byte, 3000)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	for _, c := range []struct {
		name    string
		content []byte
		limits  limits
		refusal string // empty for content that is read
	}{
		{"at the free size", make([]byte, 1000), limits{1000, 10, 5000}, ""},
		{"zeros beyond it", make([]byte, 1001), limits{1000, 10, 5000}, "unpacks to more than 1000 bytes, and to more than 10 times its packed size: unpack it first, with gunzip"},
		{"noise beyond it", noise, limits{1000, 10, 5000}, ""},
		{"noise at the last size", noise, limits{1000, 10, 3000}, ""},
		{"noise beyond the last size", noise, limits{1000, 10, 2999}, "unpacks to more than 2999 bytes"},
		{"zeros beyond the last size", make([]byte, 101), limits{100, 10, 100}, "unpacks to more than 100 bytes"},
		{"nothing", nil, limits{}, ""},
	} {
		for _, read := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			p, err := newPacked(bufio.NewReader(bytes.NewReader(zipped(t, c.content))), c.limits)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(read(p))
			if c.refusal == "" && (err != nil || !bytes.Equal(got, c.content)) || c.refusal != "" && (err == nil || err.Error() != c.refusal) {
				t.Errorf("%s: %d of %d bytes read, %v", c.name, len(got), len(c.content), err)
			}
		}
	}
}

// TestPackedBomb has a file refused that is a thousandth of what is in it: as a model, and as
// text, the file named. It takes little more memory than the limit, though the length of the
// content is not known: all that is ever allocated is counted.
func TestPackedBomb(t *testing.T) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	z.Write([]byte("id,lower,upper,size\n"))
	chunk := bytes.Repeat([]byte{'\n'}, 1<<20)
	for range unpackedLimits.free>>20 + 1 {
		z.Write(chunk)
	}
	z.Close()
	for _, name := range []string{"bomb.onnx.gz", "bomb.csv.gz"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadFrom(bytes.NewReader(b.Bytes()), name, Options{})
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > unpackedLimits.free*12/10 {
			t.Errorf("%s: %d MB are allocated", name, took>>20)
		}
		want := name + ": unpacks to more than 2097152 bytes, and to more than 50 times its packed size: unpack it first, with gunzip"
		var input *model.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
