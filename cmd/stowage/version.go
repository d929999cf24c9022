package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for release builds. Otherwise the module version that the Go
// tool has recorded is used.
var version string

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
		_, err := fmt.Fprintf(w, "stowage %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
}

// versionText returns the version, with the commit if the build knows it. A build that make
// starts in a clone does not know it and says (devel), so that two clones give the same
// program.
func versionText() string {
	text := version
	info, ok := debug.ReadBuildInfo()
	if text == "" && ok && info.Main.Version != "" {
		text = info.Main.Version
	}
	if text == "" {
		text = "(devel)"
	}
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += " " + s.Value
			}
		}
	}
	return text
}
