// Package version has the version of Stowage, which all parts share.
//
// Idea: the file VERSION is its one home. A program that Go builds has it from there, also by go install, which takes
// no flags of the linker. Files in other languages have copies, which a test of the root compares and rewrites.
package version

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

//go:embed VERSION
var file string

// Number returns the version, such as 0.3.0.
func Number() string { return strings.TrimSpace(file) }

// Text returns the version as Go writes it, such as v0.3.0, and the commit behind it if the build knows that.
func Text() string {
	text := "v" + Number()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = " " + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit != "" {
		text += commit + changed
	}
	return text
}
