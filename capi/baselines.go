//go:build baselines

package main

// The tag baselines links the planners of others, so that other languages can measure against
// them. The Python package has its library with the tag.
import _ "github.com/stowage-go/stowage/lab/baselines"
