package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/tflm"
)

// newCheck returns the command that checks plans made elsewhere.
func newCheck() *cobra.Command {
	var capacity size
	var kernels kernelsFlags
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Check the offline plan in a TensorFlow Lite model",
		Long: `Check looks for faults in the plan that a .tflite model has, in its metadata OfflineMemoryAllocation: a wrong number of offsets, an offset that is negative or misaligned, tensors that share bytes while both are live, and variable tensors that others overwrite. TensorFlow Lite Micro accepts most of these and then computes wrong results.

If there is no fault, check prints the head: the part of the arena that the plan determines, with the scratch of the kernels that --kernels names, or of the reference kernels. Without --kernels it warns of known kernels with which the plan takes more than the runtime by itself. If there is one, the exit code is 2. All findings go to standard error.

With --capacity the whole arena must fit, as for 'stowage plan --capacity': the head, and the tail with what the runtime keeps (on 32-bit firmware).

Tensors may share bytes on purpose: a result with an operand of the same operator, or what a compiler such as Vela puts into its scratch tensor. That is a note. It is a warning if the operator's kernel is one of the runtime's own, which may not expect it. With --diagonal=KERNELS such a pair is checked: a result that lies over its operand more closely than the kernels of that library permit is a fault. Without the flag, a plan with such pairs is "valid only with kernels that permit" them.

SLICE reads only its rows, so the rows of its operand die one by one. Its result may lie in place in the operand, and a part in place in the result of CONCATENATION: these kernels then copy bytes to themselves. That needs no flag.

A model without a plan has no fault. The runtime then plans by itself, and the head is that of its plan.`,
		Example: `  stowage check planned.tflite
  stowage check -c 64KiB planned.tflite
  stowage check --kernels cmsis-nn-mve --diagonal planned.tflite`,
		Args: arity(1, "MODEL"),
		Annotations: map[string]string{
			asKey: "verify",
			exitsKey: "0  the plan has no fault, or the model has no plan\n" +
				"1  internal failure, or an output that cannot be written\n" +
				"2  the plan has a fault, or bad usage or input\n4  whether the arena fits --capacity is not known",
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := kernels.choose(nil); err != nil {
				return err
			}
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			v, err := tflm.CheckFor(m, tflm.CheckOptions{Capacity: int64(capacity), Kernels: kernels.Overlaps, Set: kernels.Set})
			if err != nil {
				return err
			}
			for _, f := range v.Findings {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s [%s]\n", args[0], f.Severity, cell(f.Message), f.Rule)
			}
			if v.Unchecked > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(),
					"%s: note: %s is correct only if the kernel supports it; --diagonal=KERNELS checks that [%s]\n", args[0],
					map[bool]string{true: "this overlap", false: "each of these overlaps"}[v.Unchecked == 1], tflm.Shared)
			}
			if !v.OK() {
				return outcome(exitUsage)
			}
			folded, _, err := m.Fold() // a folded constant takes no room in the arena
			if err != nil {
				return fmt.Errorf("%s: %w", m.File, err)
			}
			head, err := tflm.Head(cmd.Context(), folded, kernels.Set.Scratch(folded))
			if err != nil {
				return err
			}
			head = max(head, v.Height)
			if capacity > 0 {
				if err := fitsArena(cmd, args[0], m, folded, head, int64(capacity), kernels.Set); err != nil {
					return err
				}
			}
			if kernels.From == "" {
				worse, err := tflm.WorseWith(cmd.Context(), folded)
				if err != nil {
					return err
				}
				if len(worse) > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: the plan takes more than the runtime's own with %s [%s]\n", args[0],
						tflm.Warning, models.Standings(worse), tflm.Larger)
				}
			}
			return writeTo(cmd, "", func(w io.Writer) error {
				valid := "valid"
				if v.Unchecked > 0 {
					valid += " only with kernels that permit " + count(v.Unchecked, "overlap")
				}
				_, err := fmt.Fprintf(w, "%s: head %d, %s pinned, %d left to the device; the head is for %s\n", valid, head,
					count(v.Pinned, "tensor"), v.Online, models.WhichKernels(kernels.Set))
				return err
			})
		},
	}
	cmd.Flags().VarP(&capacity, "capacity", "c",
		"an arena above `SIZE` is a fault, as for 'stowage plan -c'; such as 65536, 64KiB or 1.5MB")
	kernels.bind(cmd, "the kernels `NAME` that the plan may rely on; alone, those of --kernels")
	return cmd
}

// fitsArena answers --capacity as 'stowage plan' does: does the smallest arena in which the model works, with its plan
// and the kernels, fit? folded is the model after its constant weights are folded. Folded weights take no room in the
// arena.
func fitsArena(cmd *cobra.Command, path string, m, folded *tflite.Model, head, capacity int64, set tflm.Set) error {
	l, err := folded.Lifetimes()
	if err != nil {
		return err
	}
	a, err := folded.Arena(l, set.Scratch(folded))
	if err != nil {
		return err
	}
	var offsets []int32
	if m.Offline != nil {
		offsets = m.Offline.Offsets
	}
	target := &tflm.Firmware32
	needs := set.Predict(folded, a, offsets, head, target).Smallest
	if needs > capacity {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: fault: the arena needs %d (%s) with %s, %d more than %s; the head is %d of it [%s]\n",
			path, needs, target.Name, models.WhichKernels(set), needs-capacity, bytesAndUnit(capacity), head, tflm.TooHigh)
		return outcome(exitUsage)
	}
	if doubts := tflm.DoubtsOf(m, set); doubts.AtLeast() {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: warning: whether the arena fits %s is not known: it needs at least %d (%s); 'stowage plan -c %d "+
				"%s' says why [%s]\n",
			path, bytesAndUnit(capacity), needs, target.Name, capacity, typed(path), tflm.TooHigh)
		return outcome(exitUndecided)
	}
	return nil
}
