package core

import number "github.com/stowage-go/stowage/internal/version"

// Version returns the version of Stowage in this program, with the commit if the build knows it. It is part of every
// key, so a sweep that goes on with another version starts anew.
func Version() string { return number.Text() }
