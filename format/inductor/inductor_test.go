package inductor

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// code is what Inductor generates, shortened.
const code = `class Runner:
    def call(self, args):
        arg0_1, arg1_1 = args
        # buf9 is nothing
        pool2 = empty_strided_cpu((220800, ), (1, ), torch.uint8)
        buf0 = alloc_from_pool(pool2, 0, torch.float32, (120, 120), (120, 1))
        extern_kernels.mm(arg0_1, arg1_1, out=buf0)
        del arg0_1
        buf1 = buf0;  # reuse
        cpp_fused_tanh_0(buf1)
        buf2 = alloc_from_pool(pool2, 57600, torch.float16, (2, 3), (8, 1))
        pool1 = empty_strided_cpu((100, 120), (120, 1), torch.float32)
        buf5 = alloc_from_pool(pool1, 0, torch.bool, (), ())
        extern_kernels.mm(reinterpret_tensor(buf2, (2, 3), (8, 1), 0), buf1, out=buf5)  # not buf99
        buf10 = alloc_from_pool(pool2, 0, torch.int64, (4, ), (1, ))
        buf8 = buf5  # alloc
        buf11 = alloc_from_pool(pool2, 64, torch.int64, (0, 7), (7, 1))
        buf12 = reinterpret_tensor(buf10, (2, 2), (2, 1), 0); del buf10  # reuse
        buf13 = buf12[0]
        del pool2, buf0, buf1, buf2
        return (buf8, buf13, )
    def other(self, args):
        pool2 = empty_strided_cpu((64, ), (1, ), torch.uint8)
        buf0 = alloc_from_pool(pool2, 0, torch.uint8, (64, ), (1, ))
        buf0 = something(buf1)
        use(buf0)
        buf1 = alloc_from_pool(pool2, 48, torch.uint8, (s0, ), (1, ))
        buf1 = alloc_from_pool(pool2, 16, torch.uint8, (8, ), (1, ))
        buf1 = alloc_from_pool(pool2, 32, torch.uint8, (8, ), (1, ))
`

func TestRead(t *testing.T) {
	got := must.Get(Read(strings.NewReader(code), "x.py"))(t)
	buffer := func(id string, lower, upper, size, align int64) model.Buffer {
		return model.Buffer{ID: id, Lower: lower, Upper: upper, Size: size, Alignment: align}
	}
	problem := func(name string, buffers ...model.Buffer) *model.Problem {
		return &model.Problem{Name: name, Buffers: buffers}
	}
	want := []Pool{
		{Name: "pool2", Problem: problem("pool2", buffer("buf0", 4, 12, 57600, 64), buffer("buf2", 8, 12, 22, 64),
			buffer("buf10", 12, 18, 32, 64)), Offsets: []int64{0, 57600, 0}, Height: 57622},
		{Name: "pool1", Problem: problem("pool1", buffer("buf5", 10, 12, 1, 64),
			buffer("buf8", 13, 18, 1, 64)), Offsets: []int64{0, 0}, Height: 1},
		{
			Name: "pool2 in line 24", Symbolic: 1,
			Problem: problem("pool2 in line 24", buffer("buf0", 19, 20, 64, 16), buffer("buf1", 23, 24, 8, 16),
				buffer("buf1 in line 29", 24, 25, 8, 16)),
		},
	}
	if diff := godiff.Diff(want, got, godiff.Comparer(func(a, b []int32) bool { return true }),
		godiff.AllowUnexported(Pool{})); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty": {
			"", "x:1: has no alloc_from_pool: Inductor writes them with torch._inductor.config.memory_planning = True",
		},
		"cut": {"buf0 = alloc_from_pool(pool0, 5", "x:1: buf0: is not an alloc_from_pool"},
		"type": {
			"buf0 = alloc_from_pool(pool0, 0, torch.weird, (1, ), (1, ))",
			`x:1: buf0, type "torch.weird": is a type of unknown size`,
		},
		"offset": {
			"\nbuf0 = alloc_from_pool(pool0, -8, torch.int8, (1, ), (1, ))", `x:2: buf0, offset "-8": must be from 0 to`,
		},
		"shape": {
			"buf0 = alloc_from_pool(pool0, 0, torch.int8, (-1, ), (1, ))",
			`x:1: buf0, shape "(-1, ), (1, )": does not span a valid amount of storage`,
		},
		"huge": {
			"buf0 = alloc_from_pool(pool0, 0, torch.int64, (9223372036854775807, 3), (3, 1))",
			"does not span a valid amount of storage",
		},
		"symbolic": {
			"buf0 = alloc_from_pool(pool0, 0, torch.int8, (s0, ), (1, ))", "has no buffer whose size is known before run time",
		},
		"binary": {"\x00", "is not text"},
	} {
		_, err := Read(strings.NewReader(test.text), "x")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func TestBegins(t *testing.T) {
	if !IsCode([]byte("# AOT ID: ['0_in")) || IsCode([]byte("# A comment")) || IsCode(nil) {
		t.Error("code is told wrongly")
	}
}

func read(data []byte) error {
	_, err := Read(strings.NewReader(string(data)), "x")
	return err
}

func TestHostile(t *testing.T) {
	mutate.Hold(t, []byte(strings.Repeat("b = alloc_from_pool(p, 0, torch.int8, (1, ), (1, ))\n", 1<<15)), read)
	mutate.Hold(t, []byte(strings.Repeat("pool = empty_strided_cpu()\nb = alloc_from_pool(pool, 0, torch.int8, (1, ), (1, ))\n", 1<<14)), read)
	mutate.Hold(t, []byte("b = alloc_from_pool(p, 0, torch.int8, (1, ), (1, ))\n"+strings.Repeat("a = b\nb = a\n",
		1<<16)), read)
}

// TestMutated reads damaged files: 100,000 were read once.
func TestMutated(t *testing.T) {
	mutate.Read(t, 3000, [][]byte{[]byte(code), []byte(strings.Repeat(code, 20))}, read)
}

func FuzzRead(f *testing.F) {
	f.Add(code)
	f.Fuzz(func(t *testing.T, text string) {
		pools, err := Read(strings.NewReader(text), "fuzzed")
		if err == nil && len(pools) == 0 {
			t.Error("neither pools nor an error")
		}
		for k := range pools {
			if p := &pools[k]; p.Offsets != nil && len(p.Offsets) != len(p.Problem.Buffers) {
				t.Errorf("%+v", p)
			}
		}
	})
}

// TestTorch reads what Inductor generates: its own plan is valid in every pool.
func TestTorch(t *testing.T) {
	plantest.Nightly(t)
	python := cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3")
	// Looked for, not imported: that takes as long as the rest of the test.
	if err := exec.Command(python, "-c",
		"import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)").Run(); err != nil {
		t.Skip("needs the Python package torch; set STOWAGE_PYTHON to an interpreter that has it")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("Inductor needs a c-compiler: g++")
	}
	const script = `
import sys, torch
torch._inductor.config.memory_planning = True
from torch._inductor.utils import run_and_get_code
def f(x, w):
    a = torch.tanh(x @ w); b = torch.cos(a @ w); d = (a @ b)[:100]
    e = torch.sin(d @ b.T) @ b + d @ a
    return e, torch.softmax(a @ b, -1).sum(0)
_, code = run_and_get_code(torch.compile(f), torch.randn(120, 120), torch.randn(120, 120))
def g(x, w): # views and another shape in the place of a buffer
    q = (x @ w).view(4, 30, 4, 30).transpose(1, 2)
    k = torch.softmax(q @ q.transpose(-1, -2), -1)
    o = (k @ q).transpose(1, 2).reshape(120, 120)
    z = torch.relu(o @ w).t().contiguous()
    r = (z @ o).reshape(-1, 8).softmax(0)
    return torch.nn.functional.gelu(o @ w) @ w + x, r.reshape(60, 240).contiguous() + 1
_, more = run_and_get_code(torch.compile(g), torch.randn(120, 120), torch.randn(120, 120))
open(sys.argv[1], "w").write("\n".join(code + more))
`
	path := filepath.Join(t.TempDir(), "code.py")
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	pools := must.Get(Read(f, path))(t)
	buffers := 0
	for k := range pools {
		p := &pools[k]
		buffers += len(p.Problem.Buffers)
		if r := verify.Check(p.Problem, p.Offsets, 0); !r.OK() || r.Height != p.Height {
			t.Errorf("%s: %v", p.Name, r.Violations)
		}
	}
	if buffers < 12 {
		t.Errorf("only %d buffers in %d pools", buffers, len(pools))
	}
}
