package format

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: a file may be packed with gzip, whatever is in it; it is told by its extension
// or its first two bytes, unpacked while it is read, and then told anew by the name
// without .gz and by how its content begins. That two are packed into one another is
// not looked for.
//
// A few kilobytes can unpack to any size, so the content ends, with an error, at what
// is the limit of the binary formats, too.

const (
	packedExtension = ".gz"
	maxUnpacked     = 2 << 30
)

// unpackedName returns the name of what is in a file.
func unpackedName(path string) string {
	if extension(path) == packedExtension {
		return path[:len(path)-len(filepath.Ext(path))]
	}
	return path
}

// unpack returns the content of what may be packed; it is if its extension says so.
func unpack(b *bufio.Reader, name, ext string) (io.Reader, error) {
	head, _ := b.Peek(2) // an error comes back when the file is read
	if ext != packedExtension && string(head) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, packedFault(name, err)
	}
	return &packed{z, maxUnpacked}, nil
}

// packed reads content up to a limit. Its errors do not name the file: the readers do
// that.
type packed struct {
	z    *gzip.Reader
	left int64
}

func (p *packed) Read(to []byte) (int, error) {
	if p.left == 0 {
		// What is as large as the limit ends here, or is refused.
		if n, err := p.z.Read(make([]byte, 1)); n == 0 && err != nil {
			return 0, p.fault(err)
		}
		var issues model.Issues
		issues.Add(model.Issue{Message: fmt.Sprintf("unpacks to more than %d bytes", int64(maxUnpacked))})
		return 0, issues.Err()
	}
	n, err := p.z.Read(to[:min(int64(len(to)), p.left)])
	p.left -= int64(n)
	return n, p.fault(err)
}

func (p *packed) fault(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return packedFault("", err)
}

// packedFault is the error for a file that gzip cannot read. What the file system says
// is returned as it is.
func packedFault(name string, err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || strings.HasPrefix(err.Error(), "flate:") {
		var issues model.Issues
		issues.Add(model.Issue{File: name, Message: "cannot be unpacked: " + err.Error()})
		return issues.Err()
	}
	return err
}
