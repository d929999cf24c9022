package command

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// BenchmarkStack runs a command line on three buffers, each time on a new stack.
func BenchmarkStack(b *testing.B) {
	file := filepath.Join(b.TempDir(), "three.csv")
	must.Do(b, os.WriteFile(file, []byte("id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n"), 0o644))
	for name, grow := range map[string]func() byte{"grown": growStack, "not": func() byte { return 0 }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				done := make(chan int)
				go func() {
					grow()
					done <- execute([]string{"solve", file}, io.Discard, io.Discard)
				}()
				if code := <-done; code != exitOK {
					b.Fatal(code)
				}
			}
		})
	}
}
