// Package traces makes traces of sessions: edits of a problem, and a compiler's requests for fast memory. `stowage gen`
// offers both. It is apart from internal/gen to avoid a cycle: the tests of packages that it imports use internal/gen.
package traces
