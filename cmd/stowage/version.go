package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for release builds; otherwise the module
// version that the Go tool recorded counts.
var version string

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arity(0),
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "stowage %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// versionText returns the version, with the commit where the build knows it.
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
