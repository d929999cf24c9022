package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/model"
)

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	must.Do(t, z.Close())
	return b.Bytes()
}

// TestPacked reads each format packed, by extension and by content, with the same result as unpacked.
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
		want := must.Get(ReadFrom(bytes.NewReader(content), name, o))(t)
		for _, path := range []string{name + ".gz", name + ".GZ", name} {
			if path == name && filepath.Ext(name) != "" {
				path = "packed" // a name that says nothing
			}
			path = filepath.Join(dir, path)
			must.Do(t, os.WriteFile(path, zipped(t, content), 0o666))
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

// TestPackedBroken: files that only claim to be packed, or are damaged, are bad input. The error names the file once.
func TestPackedBroken(t *testing.T) {
	whole := zipped(t, bytes.Repeat([]byte("id,lower,upper,size\n"), 1000))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1
	for name, content := range map[string][]byte{
		"plain.csv.gz": []byte("id,lower,upper,size\n"), "empty.csv.gz": nil, "short.csv.gz": whole[:len(whole)/2],
		"sum.csv.gz": flipped,
	} {
		_, err := ReadFrom(bytes.NewReader(content), name, Options{})
		var input *model.InputError
		if !errors.As(err, &input) || strings.Count(err.Error(), name) != 1 ||
			!strings.Contains(err.Error(), "cannot be unpacked") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackedRatio reads a packed table with a high ratio, which a budget in proportion to the content has room for, and
// refuses one of the same ratio whose content alone takes more than that.
func TestPackedRatio(t *testing.T) {
	const rows = 40_000
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("lower,upper,size,note\n")
	for range rows {
		fmt.Fprintf(&text, "0,1,%d,%s\n", 64*(1+rng.IntN(200)), strings.Repeat("layer/", 30))
	}
	packed := zipped(t, []byte(text.String()))
	ratio := text.Len() / len(packed)
	if text.Len() < 5<<20 || ratio < 55 {
		t.Fatalf("%d bytes packed to %d", text.Len(), len(packed))
	}
	f, err := ReadFrom(bytes.NewReader(packed), "honest.csv.gz", Options{})
	if err != nil || len(f.Problem.Buffers) != rows {
		t.Fatalf("a ratio of %d: %v", ratio, err)
	}
}

// TestPackedBomb: a file whose content is a thousand times larger is refused by name, as a model and as text. That
// takes little more memory than the limit, although the length of the content is unknown. All allocations count.
func TestPackedBomb(t *testing.T) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	z.Write([]byte("id,lower,upper,size\n"))
	chunk := bytes.Repeat([]byte{'\n'}, 1<<20)
	for range source.Floor >> 20 {
		z.Write(chunk)
	}
	z.Close()
	most := int64(source.Floor+source.PackedRate*b.Len()) / 2 // of the content
	for _, name := range []string{"bomb.onnx.gz", "bomb.csv.gz"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadFrom(bytes.NewReader(b.Bytes()), name, Options{})
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > most*12/10 {
			t.Errorf("%s: %d MB are allocated", name, took>>20)
		}
		var input *model.InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), name+": takes more than ") ||
			!strings.HasSuffix(err.Error(), " bytes of a packed file: unpack it first, with gunzip") {
			t.Errorf("got %v", err)
		}
	}
}
