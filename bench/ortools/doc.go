// Package ortools is the place of an outside peer: peer.py plans with OR-Tools
// CP-SAT, with one no-overlap for each maximal section. Where Python has ortools
// (pip install ortools), the tests here hold the exact planners against it: it
// shares no code with them.
package ortools
