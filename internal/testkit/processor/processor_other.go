//go:build !unix

package processor

import "time"

// Used returns the time since the program began, in place of processor time.
func Used() time.Duration { return time.Since(began) }

var began = time.Now()
