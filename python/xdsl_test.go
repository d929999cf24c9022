package python_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestXdsl is a module of MLIR whose memrefs become views of one arena: the same results in xDSL's interpreter.
func TestXdsl(t *testing.T) {
	plantest.Nightly(t)
	run(t, "test_xdsl", "xdsl", "import importlib.util as u, sys; sys.exit(sys.version_info < (3, 10) or u.find_spec('xdsl') is None)",
		13, libraryIfAny(t)...)
}
