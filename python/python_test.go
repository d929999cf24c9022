// Package python_test runs the tests that are written in Python, with the command built from this clone.
package python_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/placed"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

// Idea: what is written in Python is tested in Python, by unittest; here each file of tests is one test.
// STOWAGE_PYTHON names the interpreter; python3 is the default.

func TestMain(m *testing.M) { built.Main(m) }

// library builds the shared library, which needs a C compiler.
func library(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath(compiler()); err != nil || runtime.GOOS == "windows" {
		t.Skipf("there is no C compiler to build the library with: %s is not on PATH (c-compiler)", compiler())
	}
	return filepath.Join(linked(t), "libstowage.so")
}

// linked has the library. Its packages are compiled as those of the wheel's are, once.
var linked = built.Folder(func(dir string) error {
	return built.Run([]string{"CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0"}, "go", "build", "-trimpath", "-ldflags", "-s -w",
		"-buildmode=c-shared", "-o", filepath.Join(dir, "libstowage.so"), "github.com/stowage-go/stowage/bindings/c")
})

// ran is what unittest says at its end.
var ran = regexp.MustCompile(`(?m)^Ran (\d+) tests? in `)

// libraryIfAny is the environment in which the package finds the library. It is empty if the library cannot be built;
// tests about the library are then skipped.
func libraryIfAny(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath(compiler()); err != nil || runtime.GOOS == "windows" {
		return nil
	}
	return []string{"STOWAGE_LIBRARY=" + library(t)}
}

func compiler() string {
	if cc := os.Getenv("CC"); cc != "" {
		return cc
	}
	return "cc"
}

func interpreter() string {
	if python := os.Getenv("STOWAGE_PYTHON"); python != "" {
		return python
	}
	return "python3"
}

// python returns an interpreter from 3.least on that has modules, which may have a version as in "jaxlib==0.10.2". It
// skips the test if there is none.
func python(t *testing.T, least int, modules ...string) string {
	t.Helper()
	const probe = `import importlib.metadata as m, importlib.util as u, sys
least, *modules = sys.argv[1:]
def there(name, version):
    return u.find_spec(name) is not None and version in ("", m.version(name) if version else "")
sys.exit(sys.version_info < (3, int(least)) or not all(there(*x.partition("==")[::2]) for x in modules))`
	args := append([]string{"-c", probe, strconv.Itoa(least)}, modules...)
	if exec.CommandContext(t.Context(), interpreter(), args...).Run() != nil {
		t.Skipf("%s needs Python 3.%d or later with %q, which STOWAGE_PYTHON may name (python3)", t.Name(), least, modules)
	}
	return interpreter()
}

// run runs a file of tests, in which there are at least so many.
func run(t *testing.T, file string, modules []string, atLeast int, environment ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python(t, 10, modules...), "-W", "ignore", "-m", "unittest", "tests."+file)
	cmd.Env = append(os.Environ(), "STOWAGE="+built.Command(t), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	cmd.Env = append(cmd.Env, environment...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if m := ran.FindSubmatch(out.Bytes()); m == nil {
		t.Fatalf("unittest says nothing:\n%s", &out)
	} else if n, err := strconv.Atoi(string(m[1])); err != nil || n < atLeast {
		t.Fatalf("%d tests ran, not %d:\n%s", n, atLeast, &out)
	}
}

// A file of tests in Python, with the modules that it needs and the number of its tests at least.
type file struct {
	name, modules string
	atLeast       int
	with          string // library, any (the library if it can be built), problems, orders or cache
}

// TestFiles runs the files of tests that need nothing made before.
func TestFiles(t *testing.T) {
	files(t, []file{
		{"stowage", "", 20, "library problems"}, // numpy and pandas for what is about them
		{"core", "", 6, "library cache"},        // without the library: what stowage_core.c plans
		{"rules", "", 9, "library problems"},    // against brute force and the command
		{"barriers", "", 4, "library"},
		{"order", "", 4, "library orders"},
		{"units", "", 5, "library"}, // numbers as text: here, by the command and in CSV files
		{"notebook", "", 5, "library"},
		{"many", "", 6, "library"},
		{"sweep", "", 10, "library"},
		{"signatures", "", 4, "library"},
		{"mypy", "mypy numpy", 2, ""},
		{"pyright", "pyright numpy", 2, ""},
		{"release", "", 5, ""},
		{"minimalloc", "", 4, "library"}, // STOWAGE_MINIMALLOC names a checkout, whose tests are run too
		{"transport", "", 8, "any"},      // for what calls executorch's plug-in
		{"banked", "", 8, "any"},
	})
}

// TestPackages runs those for packages of others.
func TestPackages(t *testing.T) {
	plantest.Nightly(t)
	files(t, []file{
		{"omnimalloc", "omnimalloc", 3, "library"},
		{"torch", "torch", 30, "cache"},
		{"cuda", "torch", 20, "cache"}, // of PyTorch for CUDA, over a stand-in for a GPU
		{"onnxruntime", "onnxruntime onnx", 15, "cache"},
		{"inductor", "torch", 7, ""},
		{"jax", "jax jaxlib==0.10.2", 12, "any"},
		{"xdsl", "xdsl==0.74.0", 15, "any"},
		{"algorithm", "executorch", 11, ""},
		{"export", "executorch torch torchao flatbuffers pandas", 15, "any"},
	})
}

func files(t *testing.T, all []file) {
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			var environment []string
			for _, with := range strings.Fields(f.with) {
				switch with {
				case "library":
					environment = append(environment, "STOWAGE_LIBRARY="+library(t))
				case "orders": // of drawn families, with what Go makes of them
					environment = append(environment, "STOWAGE_ORDERS="+placed.File(t))
				case "any":
					environment = append(environment, libraryIfAny(t)...)
				case "problems": // that are planned by the package and by the command
					environment = append(environment, "STOWAGE_DATA="+public.Dir(),
						"STOWAGE_PROBLEMS="+strconv.Itoa(plantest.Share(1000, 200, 100)))
				case "cache":
					if _, err := exec.LookPath("c++"); err != nil {
						t.Skip("there is no c++ on PATH to compile the allocator with (c-compiler, g++)")
					}
					environment = append(environment, "STOWAGE_CACHE="+t.TempDir())
				}
			}
			run(t, "test_"+f.name, strings.Fields(f.modules), f.atLeast, environment...)
		})
	}
}

// TestShown checks that texts of the package show the same characters as those of the command.
func TestShown(t *testing.T) {
	const script = `import json, sys
from stowage._errors import shown
print(json.dumps([[c, shown(chr(c))] for c in range(sys.maxunicode + 1) if shown(chr(c)) != chr(c)]))`
	out := must.Get(exec.CommandContext(t.Context(), python(t, 10), "-c", script).Output())(t)
	var rows [][2]any
	must.Do(t, json.Unmarshal(out, &rows))
	got := map[rune]string{}
	for _, row := range rows {
		got[rune(row[0].(float64))] = row[1].(string)
	}
	for r := range rune(unicode.MaxRune + 1) {
		want := shown.Lines(string(r))
		if has, ok := got[r]; ok && has != want || !ok && want != string(r) && utf8.ValidRune(r) {
			t.Errorf("U+%04X: the package shows %q, the command %q", r, has, want)
		}
	}
}

// TestWheel builds the wheel as pip does, installs it into an empty environment and runs
// the package's tests there: its library, its command and its script are those of the
// wheel. A second build, with STOWAGE_CASES=all, has the same bytes.
func TestWheel(t *testing.T) {
	if testing.Short() {
		t.Skip("two wheels and an environment take too long for a short run (large)")
	}
	library(t)
	python(t, 11, "venv", "ensurepip")
	dir := t.TempDir()
	start := func(cwd, path string, environment []string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Dir = cwd
		cmd.Env = append(os.Environ(), append(environment, "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", path, args, err, out)
		}
		return string(out)
	}
	wheels := make([][]byte, plantest.Share(2, 1, 1))
	for k := range wheels {
		to := filepath.Join(dir, strconv.Itoa(k))
		start("", interpreter(), []string{"STOWAGE_COMMAND=" + built.Command(t)}, "stowage_build.py", to)
		names, err := filepath.Glob(filepath.Join(to, "stowage-*-py3-none-*.whl"))
		if err != nil || len(names) != 1 {
			t.Fatalf("%s: %v", names, err)
		}
		if wheels[k], err = os.ReadFile(names[0]); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			start("", interpreter(), nil, "-m", "venv", filepath.Join(dir, "venv"))
			start("", filepath.Join(dir, "venv", "bin", "pip"), nil, "install", "--quiet", "--no-index", names[0])
		}
	}
	if !bytes.Equal(wheels[0], wheels[len(wheels)-1]) {
		t.Error("the second wheel has other bytes")
	}
	bin := filepath.Join(dir, "venv", "bin")
	alone := installed(t, filepath.Join(dir, "venv"), true)
	begin := time.Now()
	if out := start(alone.dir, filepath.Join(bin, "python"), alone.environment, "-c",
		"import stowage; print(stowage.solve([0, 1], [2, 3], [4, 5]).height)"); out != "9\n" {
		t.Errorf("the first plan is %q", out)
	}
	t.Logf("import and a first plan in %v", time.Since(begin))
	if out := start(alone.dir, filepath.Join(bin, "stowage"), alone.environment, "version"); !strings.HasPrefix(out,
		"stowage ") {
		t.Errorf("the script prints %q", out)
	}
	alone.test(t, filepath.Join(bin, "python"), "STOWAGE_PROBLEMS=50")
	// uvx runs the command from the file, without a network and with a home that is empty.
	t.Run("uvx", func(t *testing.T) {
		python(t, 11, "uv")
		path := must.Get(exec.LookPath(interpreter()))(t)
		wheel := must.Get(filepath.Glob(filepath.Join(dir, "0", "*.whl")))(t)[0]
		c := exec.CommandContext(t.Context(), path, "-m", "uv", "tool", "run", "--offline", "--python", path, "--from", wheel,
			"stowage", filepath.Join(alone.dir, "..", "..", "examples", "unet.csv"))
		c.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "36 buffers in 83681280 bytes, the lowest plan, proven") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// elsewhere is a place to use an installed package from: an empty folder, so that Python cannot import the sources of
// this clone, and an environment in which there is no other command and nothing of the user's.
type elsewhere struct {
	dir         string
	environment []string
}

// installed is such a place for the package in a folder, in which Python must find the package, its command and, if
// library is true, its library; more is added to the environment.
func installed(t *testing.T, folder string, library bool, more ...string) elsewhere {
	t.Helper()
	// The folder's name as Python has it, which resolves links.
	folder = must.Get(filepath.EvalSymlinks(folder))(t)
	// The tests look for the examples where a clone has them.
	root := t.TempDir()
	e := elsewhere{dir: filepath.Join(root, "python", "tests"), environment: append([]string{
		"STOWAGE=", "STOWAGE_LIBRARY=", "PYTHONPATH=", "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1",
		"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin",
	}, more...)}
	must.Do(t, os.CopyFS(filepath.Join(root, "examples"), os.DirFS(filepath.Join("..", "examples"))))
	must.Do(t, os.MkdirAll(e.dir, 0o750))
	tests := must.Get(os.ReadFile(filepath.Join("tests", "test_stowage.py")))(t)
	// The origin of everything is read when the tests are loaded, before any runs.
	origin := fmt.Sprintf(`import os, stowage
from stowage import _command, _library
for path in (stowage.__file__, _command.command()):
    if not os.path.realpath(path).startswith(%q + os.sep):
        raise ImportError(f"{path} is not the package that was installed")
if (_library.load() is not None) is not %s:
    raise ImportError(f"the library: {_library._absent}")
`, folder, map[bool]string{true: "True", false: "False"}[library])
	searching := must.Get(os.ReadFile(filepath.Join("tests", "searching.py")))(t)
	must.Do(t, os.WriteFile(filepath.Join(e.dir, "searching.py"), searching, 0o600))
	must.Do(t, os.WriteFile(filepath.Join(e.dir, "test_stowage.py"), append(tests, origin...), 0o600))
	return e
}

// test runs the package's tests there.
func (e elsewhere) test(t *testing.T, python string, environment ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", "-m", "unittest", "test_stowage")
	cmd.Dir = e.dir
	cmd.Env = append(os.Environ(), append(e.environment, environment...)...)
	if out, err := cmd.CombinedOutput(); err != nil || !ran.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWheelsElsewhere builds wheels without the library, as a release has for systems that no C compiler is at hand
// for: pip takes them for their own systems, and no other. With the command alone the package's tests pass, too.
func TestWheelsElsewhere(t *testing.T) {
	plantest.Nightly(t)
	python(t, 11, "pip")
	dir := t.TempDir()
	tags := map[string]string{
		"linux/amd64": "musllinux_1_1_x86_64", "linux/arm64": "musllinux_1_1_aarch64",
		"darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64",
		"windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
	}
	short := filepath.Join(dir, "command") // what is in it pip does not ask
	must.Do(t, os.WriteFile(short, []byte("a program"), 0o600))
	build := func(system string) (wheel string) {
		t.Helper()
		goos, arch, _ := strings.Cut(system, "/")
		command := short
		if system == runtime.GOOS+"/"+runtime.GOARCH {
			command = built.Command(t)
		}
		to := filepath.Join(dir, goos+"-"+arch)
		cmd := exec.CommandContext(t.Context(), interpreter(), "stowage_build.py", to)
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "STOWAGE_COMMAND="+command,
			"STOWAGE_LIBRARY_FILE=none", "PYTHONDONTWRITEBYTECODE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		names, err := filepath.Glob(filepath.Join(to, "*.whl"))
		if err != nil || len(names) != 1 || !strings.HasSuffix(names[0], "-py3-none-"+tags[system]+".whl") {
			t.Fatalf("%s: %s, %v", system, names, err)
		}
		return names[0]
	}
	for system, tag := range tags {
		wheel := build(system)
		r := must.Get(zip.OpenReader(wheel))(t)
		var bin []string
		for _, f := range r.File {
			if strings.Contains(f.Name, "/lib/") || strings.Contains(f.Name, "/bin/") {
				bin = append(bin, f.Name)
			}
		}
		r.Close()
		want := "stowage/bin/stowage"
		if strings.HasPrefix(system, "windows") {
			want += ".exe"
		}
		if len(bin) != 1 || bin[0] != want {
			t.Errorf("%s has %s, not %s alone", system, bin, want)
		}
		// Each call of pip's takes a second.
		others := map[string][]string{
			"linux/amd64": {tag, "manylinux_2_17_x86_64"}, "windows/amd64": {tag}, "darwin/arm64": {tag},
		}[system]
		for _, other := range others {
			cmd := exec.CommandContext(t.Context(), interpreter(), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
				"--no-compile",
				"--disable-pip-version-check", "--only-binary=:all:", "--platform", other, "--target",
				filepath.Join(dir, "into-"+tag+"-"+other), wheel)
			if out, err := cmd.CombinedOutput(); (err == nil) != (other == tag) {
				t.Errorf("pip for %s, wheel for %s: %v\n%s", other, tag, err, out)
			}
		}
	}
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		return
	}
	own := tags["linux/amd64"]
	into := filepath.Join(dir, "into-"+own+"-"+own)
	installed(t, into, false, "PYTHONPATH="+into, "STOWAGE_ALONE=1").test(t, absolute(t, interpreter()),
		"STOWAGE_PROBLEMS=20")
}

// absolute is the path of a program that PATH has now.
func absolute(t *testing.T, program string) string {
	t.Helper()
	path := must.Get(exec.LookPath(program))(t)
	return must.Get(filepath.Abs(path))(t)
}

// TestWheelWithout builds the package where tools are missing. Without Go pip shows one line that says what is needed.
// Without a C compiler the wheel has the command alone, a line says so, and pip installs it here.
func TestWheelWithout(t *testing.T) {
	path := must.Get(exec.LookPath(python(t, 11, "pip")))(t)
	dir := t.TempDir()
	// pip with nothing but what is in a folder on PATH, and nothing of the user's.
	pip := func(tools string, environment []string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), path,
			append([]string{"-m", "pip", "--disable-pip-version-check", "--no-cache-dir"}, args...)...)
		cmd.Env = append(os.Environ(), "PATH="+tools, "CC=", "STOWAGE_LIBRARY_FILE=", "PYTHONDONTWRITEBYTECODE=1",
			"PIP_CONFIG_FILE="+os.DevNull)
		cmd.Env = append(cmd.Env, environment...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := pip(t.TempDir(), nil, "wheel", "--no-deps", "--no-index", "--wheel-dir", dir, ".")
	if want := "Stowage needs Go 1.26 (https://go.dev/dl) to build; "; err == nil || strings.Count(out, want) != 1 ||
		strings.Contains(out, "Traceback") {
		t.Errorf("without Go: %v\n%s", err, out)
	}
	if runtime.GOOS != "linux" {
		return
	}
	tool := must.Get(exec.LookPath("go"))(t)
	tools := t.TempDir()
	must.Do(t, os.Symlink(tool, filepath.Join(tools, "go")))
	out, err = pip(tools, []string{"STOWAGE_COMMAND=" + built.Command(t)}, "wheel", "--verbose", "--no-deps",
		"--no-index", "--wheel-dir", dir, ".")
	names, _ := filepath.Glob(filepath.Join(dir, "stowage-*-py3-none-linux_*.whl"))
	if err != nil || len(names) != 1 || !strings.Contains(out, "warning: there is no C compiler (") {
		t.Fatalf("without a C compiler: %v, %s\n%s", err, names, out)
	}
	to := filepath.Join(dir, "to")
	if out, err := pip(tools, nil, "install", "--no-deps", "--no-index", "--no-compile", "--target", to,
		names[0]); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), path, "-c",
		"import stowage; from stowage import _library; print(stowage.solve([0, 1], [2, 3], [4, 5]).height, _library.load())")
	cmd.Dir, cmd.Env = t.TempDir(),
		[]string{"PYTHONPATH=" + to, "PATH=" + t.TempDir(), "HOME=" + t.TempDir(), "PYTHONDONTWRITEBYTECODE=1"}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "9 None\n" {
		t.Errorf("%v: %s", err, out)
	}
}
