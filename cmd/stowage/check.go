package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/tflm"
)

// newCheck is the command for plans of others.
func newCheck() *cobra.Command {
	var capacity size
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Check the offline plan in a TensorFlow Lite model",
		Long: `Check reads the plan in MODEL, the metadata OfflineMemoryAllocation, and compares it with the lifespans of the tensors. It finds a wrong count, offsets that are negative or misaligned, tensors that share bytes while both live, and variable tensors that others can come over. TensorFlow Lite Micro accepts most of these and gives wrong results.

Tensors may share bytes on purpose, if one operator has them all while they do: a result over its operand, or what a compiler such as Vela lays out inside its scratch tensor. That is no fault. Check says so in a note, or in a warning if the operator is one of the runtime's own, whose kernel may not be made for it.

A model without a plan is valid: the runtime plans by itself, and the head is what it takes then.

Every finding is printed on standard error. A plan with a fault is bad input: the exit code is 2. The head includes the scratch of the reference kernels.`,
		Example: `  stowage check planned.tflite
  stowage check --capacity 64KiB planned.tflite`,
		Args:        arity(1, "MODEL"),
		Annotations: map[string]string{exitsKey: "0  the plan has no fault, or there is none\n1  internal failure, or an output that cannot be written\n2  the plan has a fault, or bad usage or input"},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			v, err := tflm.Check(m, int64(capacity))
			if err != nil {
				return err
			}
			for _, f := range v.Findings {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s [%s]\n", args[0], f.Severity, f.Message, f.Rule)
			}
			if !v.OK() {
				return outcome(exitUsage)
			}
			folded, _, err := m.Fold() // what a runtime folds takes no room in the arena
			if err != nil {
				return fmt.Errorf("%s: %w", m.File, err)
			}
			head, err := tflm.Head(cmd.Context(), folded)
			if err != nil {
				return err
			}
			if head = max(head, v.Height); capacity > 0 && head > int64(capacity) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: fault: the head is %d, above %d [%s]\n", args[0], head, capacity, tflm.TooHigh)
				return outcome(exitUsage)
			}
			return writeTo(cmd, "", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "valid: head %d, %s pinned, %d left to the device\n", head, count(v.Pinned, "tensor"), v.Online)
				return err
			})
		},
	}
	cmd.Flags().Var(&capacity, "capacity", "fit into `SIZE` bytes of head: "+sizeHelp)
	return cmd
}
