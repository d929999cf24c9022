//go:build unix

package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestDeadline reads pipes whose content comes in time, in one piece or in many, and gives up on pipes that have not
// ended at the deadline, wherever they stop.
func TestDeadline(t *testing.T) {
	defer goleak.VerifyNone(t)
	var packed bytes.Buffer
	text := append([]byte("id,lower,upper,size\n"), bytes.Repeat([]byte("x,0,3,4\n"), 1)...)
	z := gzip.NewWriter(&packed)
	z.Write(text)
	z.Close()
	for name, content := range map[string][]byte{"plain": text, "packed": packed.Bytes()} {
		for _, stop := range []int{0, 1, 3, 20, len(content)} {
			stop = min(stop, len(content))
			path := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			whole := stop == len(content)
			wait := 200 * time.Millisecond
			if whole {
				wait = time.Minute
			}
			done, ended := make(chan bool), make(chan bool)
			go func() {
				defer close(ended)
				w, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				for k := range stop {
					w.Write(content[k : k+1])
				}
				if !whole {
					<-done
				}
				w.Close()
			}()
			f, err := ReadFileWith(path, Options{Deadline: time.Now().Add(wait)})
			close(done)
			var late *LateError
			switch {
			case whole && (err != nil || len(f.Problem.Buffers) != 1):
				t.Errorf("%s: %v", name, err)
			case !whole && (!errors.As(err, &late) || late.Name != path):
				t.Errorf("%s, stuck after %d bytes: %v", name, stop, err)
			}
			<-ended
		}
	}
	// Nobody writes at all, and nobody ever opens the other end.
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFileWith(path, Options{Deadline: time.Now().Add(50 * time.Millisecond)}); !errors.As(err,
		new(*LateError)) {
		t.Errorf("a pipe without a writer: %v", err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) // so that the goroutine ends
	if err == nil {
		w.Close()
	}
	// A regular file is no pipe: it is read whatever the deadline.
	if err := os.WriteFile(path+".csv", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFileWith(path+".csv", Options{Deadline: time.Unix(1, 0)}); err != nil {
		t.Error(err)
	}
}
