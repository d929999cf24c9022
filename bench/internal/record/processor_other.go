//go:build !unix

package record

import "time"

// Processor returns the time since the program began: this system is not asked for its own.
func Processor() time.Duration { return time.Since(began) }

// Children returns the same.
func Children() time.Duration { return time.Since(began) }

var began = time.Now()
