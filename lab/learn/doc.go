// Package learn is the learned backtracking of section 6 of the TelaMalloc paper
// (Maas et al., ASPLOS 2023): gradient-boosted trees that score where a major
// backtrack should go, trained offline on what the exact planner knows to be
// right. Importing it registers the planner `tela-learned`.
//
//	collect:  search with tela; from some moment on ask the exact planner, at each
//	          major backtrack, for the deepest placements that can still be
//	          completed; half of the time go there. When the search ends, label
//	          what was seen.
//	train:    XGBoost regresses the label of a target from its features.
//	eval:     backtracks with the model, with coins and without, on other inputs.
//
//	policy.go   scores targets while tela searches
//	forest.go   reads and evaluates XGBoost's JSON models
//	oracle.go   the deepest prefix of a path that can be completed
//	lookahead.go  how much of a path a few nodes of the exact planner refute
//	label.go    the score of a target, and the samples of a run
//	collect.go  searches that leave samples behind
//	corpus.go   the inputs to learn from and to measure on
//	train.go    XGBoost, through its Python package
//	eval.go     the comparison
//	cmd         the three steps as a program
package learn
