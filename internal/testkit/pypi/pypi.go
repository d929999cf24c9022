// Package pypi finds test data in packages of Python. It knows nothing of what is tested.
package pypi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Python returns the Python to run: that of the variable STOWAGE_PYTHON, else python3.
func Python() string {
	if p := os.Getenv("STOWAGE_PYTHON"); p != "" {
		return p
	}
	return "python3"
}

// WakeWords returns the folder with the models of the package pymicro-wakeword. A test without the package is skipped.
func WakeWords(t testing.TB) string {
	t.Helper()
	find := "import importlib.util as u; print(u.find_spec('pymicro_wakeword').submodule_search_locations[0])"
	out, err := exec.Command(Python(), "-c", find).Output()
	if err != nil {
		t.Skipf("%s needs the Python package pymicro-wakeword; set STOWAGE_PYTHON to an interpreter that has it", t.Name())
	}
	return filepath.Join(strings.TrimSpace(string(out)), "models")
}
