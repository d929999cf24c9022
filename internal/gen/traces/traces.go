// Package traces makes traces of sessions: edits of a problem, and a compiler's requests for fast memory. `stowage gen`
// offers both. It is apart from internal/gen, since the tests of the packages that a trace stands on draw problems.
package traces
