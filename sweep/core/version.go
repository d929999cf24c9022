package core

import (
	"runtime/debug"
	"strings"
)

// Version returns the version of Stowage in a program: what the linker was told, or the module's, and
// the commit if the build knows it. It is part of every key, so a sweep that goes on with another
// commit starts anew.
func Version(linked string) string {
	info, ok := debug.ReadBuildInfo()
	text := linked
	if text == "" && ok {
		text = info.Main.Version
	}
	if text == "" {
		text = "(devel)"
	}
	if ok && !strings.Contains(text, "+") {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += " " + s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	return text
}
