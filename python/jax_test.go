package python_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestJax is XLA's heap on the CPU from a better plan: the same outputs, and refusals by name.
func TestJax(t *testing.T) {
	plantest.Nightly(t)
	probe := `import importlib.util as u, sys
from importlib.metadata import version
sys.exit(sys.version_info < (3, 10) or u.find_spec('jax') is None or version('jaxlib') != '0.10.2')`
	run(t, "test_jax", "jax 0.10.2", probe, 12, libraryIfAny(t)...)
}
