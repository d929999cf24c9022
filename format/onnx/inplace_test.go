package onnx

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// operandsOver are the operands that the result of an operator may take the place of.
func operandsOver(op string) int {
	switch {
	case onlyFirst(op):
		return 1
	case slices.Contains([]string{"Max", "Min", "Mean", "Sum"}, op):
		return 3
	case slices.Contains([]string{
		"Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Mul", "Or", "Pow", "Sub", "Xor",
	}, op):
		return 2
	}
	return 1
}

// A kernel that reads an element before it writes the one at the same place may work in place if no element of the
// result depends on another element of the operand. onnx's own evaluator says so, operator by operator.
func TestInPlaceOperators(t *testing.T) {
	python := onnxPython(t)
	var asked []string
	for _, op := range over {
		for k := range operandsOver(op) {
			asked = append(asked, fmt.Sprintf("%s %d", op, k))
		}
	}
	for op, said := range evaluated(t, python, asked) {
		if said != "ok" {
			t.Errorf("%s: %s", op, said)
		}
	}
}

// The same question finds operators that must not be in the table.
func TestInPlaceOperatorsRefused(t *testing.T) {
	python := onnxPython(t)
	for op, said := range evaluated(t, python, []string{"Softmax 0", "LpNormalization 0"}) {
		if said == "ok" {
			t.Errorf("%s counts as element-wise", op)
		}
	}
}

// evaluated asks onnx's evaluator about operators and operands, such as "Add 1".
func evaluated(t *testing.T, python string, asked []string) map[string]string {
	t.Helper()
	cmd := exec.Command(python, filepath.Join("testdata", "inplace_peer.py"))
	cmd.Stdin = strings.NewReader(strings.Join(asked, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		answers[words[0]+" "+words[1]] = words[2]
	}
	if len(answers) != len(asked) {
		t.Fatalf("%d answers to %d questions", len(answers), len(asked))
	}
	return answers
}
