//go:build !unix

package processor

import "time"

// Used returns the time since the program began: this system is not asked for its own.
func Used() time.Duration { return time.Since(began) }

var began = time.Now()
