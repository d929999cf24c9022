package core

import "runtime/debug"

// module is the module whose version counts: the planners are in it.
const module = "github.com/stowage-go/stowage"

// linked is set by the linker for release builds.
var linked string

// Version returns the version of Stowage in this program: what the linker was told, or that of its
// module, with the commit if the build knows it. It is part of every key, so a sweep that goes on with
// another version starts anew.
func Version() string {
	text, commit := linked, ""
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == module && text == "" {
				text = m.Version
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	if text == "" {
		text = "(devel)"
	}
	return text + commit
}
