package command

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/built"
)

// TestBombs reads a small packed file of each format that unpacks to what takes most memory for its size. The command
// takes at most 200 MB for each, measured from outside. What is as long as a packed file may be is read or refused by
// the reader, and what is longer ends before a reader has it.
func TestBombs(t *testing.T) {
	const (
		most = 200_000 // kB
		free = 15 << 20
		long = 64 << 20
	)
	const buffer = `{"id":"a","lower":0,"upper":1,"size":1}`
	columns := "id,lower,upper,size"
	for k := range 9_000 {
		columns += ",c" + strconv.Itoa(k)
	}
	for _, c := range []struct{ name, head, unit, tail string }{
		{"commas.csv", "id,lower,upper,size\na,0,1,1\n", ",", "x"},
		{"fields.csv", "id,lower,upper,size\na,0,1,1", ",", "\n"},
		{"rows.csv", "lower,upper,size\n", "0,1,1\n", ""},
		{"fractions.csv", "lower,upper,size\n", "0,0.5,1\n", ""},
		{"faults.csv", "lower,upper,size\n", "x\n", ""},
		{"comments.csv", "lower,upper,size\n0,1,1\n", "#\n", ""},
		{"gaps.csv", "lower,upper,size,gaps\n0,1,1,", "0-1 ", "\n"},
		{"clocks.csv", "lower,upper,size\n0", ":0", ",1:0,1\n"},
		{"wide.csv", columns + "\n", "a,0,1,1" + strings.Repeat(",", 9_000) + "\n", ""},
		{"lines.csv", "", "\n", ""},
		{"objects.json", "[{}", ",{}", "]"},
		{"buffers.json", "[" + buffer, "," + buffer, "]"},
		{"nest.json", "", "[", ""},
		{"gaps.json", `[{"lower":0,"upper":1,"size":1,"gaps":[{}`, ",{}", "]}]"},
		{"offsets.json", `{"buffers":[` + buffer + `],"plan":{"status":"feasible","offsets":[0`, ",0", "]}}"},
		{"pools.json", `{"version":2,"buffers":[` + buffer + `],"pools":[{}`, ",{}", "]}"},
		{"apart.json", `{"version":2,"buffers":[` + buffer + `],"apart":[["a","a"]`, `,["a","a"]`, "]}"},
		{"together.json", `{"version":2,"buffers":[` + buffer + `],"together":[{}`, ",{}", "]}"},
		{"evictions.json", `{"version":2,"buffers":[{"id":"a","lower":0,"upper":1,"size":1,"evictions":[{}`, ",{}", "]}]}"},
		{"dsa.json", `{"schema_version":"dsa-problem-v1","allocations":[{}`, ",{}", "]}"},
		{"graph.json", `{"values":[{"id":"a","size":1}],"operators":[{}`, ",{}", "]}"},
		{"values.json", `{"values":[{}`, ",{}", `],"operators":[]}`},
		{"calls.trace", "stowage-arena-trace 1\nb 1 0 train\n", "a 1 1 0 0\n", "e 1 0\nend 3 -\n"},
		{"scopes.trace", "stowage-arena-trace 1\n", "b 1 0 x\ne 1 0\n", "end 3 -\n"},
		{"blocks.plan", "stowage-arena-plan 1\n", "0\n", ""},
		{"edits.jsonl", `{"op":"open","format":"stowage-trace/1"}` + "\n", `{"op":"add","lower":0,"upper":1,"size":1}` + "\n", ""},
		{"nodes.ggml-log", "", "ggml_gallocr_free_node: freeing y at {chunk=0, offset=0} (1 bytes) - n_free_blocks = 1\n", ""},
		{"packs.mlir", "// -----// IR Dump Before LayoutSlicesPass (iree-stream-layout-slices) //----- //\n", "%0 = stream.resource.pack slices({[0, 0] = %c0}) : index\n", ""},
		{"code.py", "# AOT ID: ['0_inference']\n", "    buf0 = empty_strided_cuda((1, ), (1, ), torch.float32)\n", ""},
		{"module.pb", "\x0a\x03\x0a\x01x\x1a\xff\xff\xff\x00", "\x0a\x02\x08\x01", ""},
		{"memory.pickle", "\x80\x04", "]", "."},
		{"tuples.pickle", "\x80\x04(", "}", "t."},
		{"graph.onnx", "\x08\x08\x3a\xf0\xff\x7f", "\x0a\x00", ""},
		{"zeros.tflite", "\x18\x00\x00\x00TFL3", "\x00", ""},
	} {
		for _, size := range []int{free, long} {
			if size == long && c.name != "commas.csv" && c.name != "calls.trace" && c.name != "zeros.tflite" {
				continue // refused by what all share
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				var packed bytes.Buffer
				z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
				z.Write([]byte(c.head))
				block := bytes.Repeat([]byte(c.unit), 1+(1<<16)/len(c.unit))
				for n := len(c.head) + len(c.tail); n+len(block) <= size; n += len(block) {
					z.Write(block)
				}
				z.Write([]byte(c.tail))
				z.Close()
				path := filepath.Join(t.TempDir(), c.name+".gz")
				if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
				arguments := []string{"solve", "-q", "--planner", "first-fit", "-o", os.DevNull, path}
				switch ext := filepath.Ext(c.name); {
				case ext == ".jsonl":
					arguments = []string{"session", path}
				case ext == ".tflite" || c.name == "graph.json" || c.name == "values.json":
					arguments = []string{"plan", "-q", path}
				}
				run := exec.Command(built.Command(t), arguments...)
				said, err := run.CombinedOutput()
				if code := run.ProcessState.ExitCode(); code != exitOK && code != exitUsage {
					t.Errorf("exit code %d, %v: %.300s", code, err, said)
				}
				took := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
				t.Logf("%d bytes packed, %d kB: %.150s", packed.Len(), took, said)
				if took > most {
					t.Errorf("%d bytes take %d kB: %.300s", packed.Len(), took, said)
				}
				if size == long && !strings.Contains(string(said), "of a packed file: unpack it first") {
					t.Errorf("%d bytes: %.300s", size, said)
				}
			})
		}
	}
}
