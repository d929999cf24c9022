// Package built builds programs for tests from the clone: the command, and whatever else a package of tests makes in
// a folder, once for all of them.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

var (
	mutex   sync.Mutex
	folders []string
)

// Folder returns a function that returns a folder with what the given one puts there, for
// the first test that asks. Main removes it.
func Folder(build func(dir string) error) func(t testing.TB) string {
	once := sync.OnceValues(func() (dir string, err error) {
		if dir, err = os.MkdirTemp("", "stowage-built-"); err != nil {
			return "", err
		}
		mutex.Lock()
		folders = append(folders, dir)
		mutex.Unlock()
		return dir, build(dir)
	})
	return func(t testing.TB) string {
		t.Helper()
		dir, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
}

// Main is for TestMain: it runs the tests and removes the folders.
func Main(m *testing.M) {
	code := m.Run()
	for _, dir := range folders {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// Run runs a program, with more in its environment. What it prints is in the error.
func Run(environment []string, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, args, err, out)
	}
	return nil
}

// module is what the paths of the packages of this repository begin with.
const module = "github.com/stowage-go/stowage/"

var command = Folder(func(dir string) error {
	return Run(nil, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, name("stowage")), module+"cmd/stowage")
})

// documents is stowage-lab without sweep, since that takes minutes to compile.
var documents = Folder(func(dir string) error {
	return Run(nil, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, name("stowage-lab")),
		module+"lab/internal/documents")
})

func name(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}

// Command returns the path of the command, which is built for the first test that asks.
func Command(t testing.TB) string {
	t.Helper()
	return filepath.Join(command(t), name("stowage"))
}

// Laboratory returns the path of stowage-lab without sweep, which is built for the first test that asks.
func Laboratory(t testing.TB) string {
	t.Helper()
	return filepath.Join(documents(t), name("stowage-lab"))
}
