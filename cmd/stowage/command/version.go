package command

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/version"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arity(0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	return writeTo(cmd, "", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s %s %s %s/%s\n", cmd.Root().Name(), version.Text(), runtime.Version(), runtime.GOOS,
			runtime.GOARCH)
		return err
	})
}
