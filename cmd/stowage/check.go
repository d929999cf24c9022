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
		Long: `Check holds the metadata OfflineMemoryAllocation of MODEL against the lifespans of its tensors: a wrong count, offsets that are negative or misaligned, tensors that share bytes while both live, variable tensors that others can come over. TensorFlow Lite Micro accepts most of these and gives wrong results.

Every finding is printed on standard error. A plan with a fault is bad input: the exit code is 2.`,
		Example:     `  stowage check planned.tflite`,
		Args:        arity(1, "MODEL"),
		Annotations: map[string]string{exitsKey: "0  the plan has no fault\n1  internal failure, or an output that cannot be written\n2  the plan has a fault, or there is none, or bad usage or input"},
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
			return writeTo(cmd, "", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "valid: head %d, %s pinned, %d left to the device\n", v.Height, count(v.Pinned, "tensor"), v.Online)
				return err
			})
		},
	}
	cmd.Flags().Var(&capacity, "capacity", "fit into `SIZE` bytes of head: "+sizeHelp)
	return cmd
}
