package format

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: a file may be packed with gzip, whatever is in it; it is told by its extension
// or its first two bytes, unpacked while it is read, and then told anew by the name
// without .gz and by how its content begins. That two are packed into one another is
// not looked for.
//
// A few kilobytes can unpack to a thousand times as much. So content ends, with an error, if it alone takes more than
// its reader may hold: the budget of all readers (internal/source/budget.go), in proportion to what is packed. In
// proportion to their content readers take up to thirty times as much, and they pay for it from the same budget.

const packedExtension = ".gz"

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
	p, err := newPacked(b)
	if err != nil {
		return nil, packedFault(name, err)
	}
	return p, nil
}

// packed reads content. Its errors do not name the file: the readers do that.
type packed struct {
	z   *gzip.Reader
	in  *counted
	out int64 // bytes that came
}

func newPacked(r *bufio.Reader) (*packed, error) {
	in := &counted{r: r}
	z, err := gzip.NewReader(in)
	return &packed{z: z, in: in}, err
}

// Stored makes a source.Stored of it.
func (p *packed) Stored() int64 { return p.in.bytes }

func (p *packed) Read(to []byte) (int, error) {
	// What comes now may have been packed in what was counted before, so the limit is
	// that of the bytes after they came.
	n, err := p.z.Read(to)
	p.out += int64(n)
	if message := source.Unpacked(p.out, p.in.bytes); message != "" {
		var issues model.Issues
		issues.Add(model.Issue{Message: message})
		return 0, issues.Err()
	}
	return n, p.fault(err)
}

// counted counts what is taken from a reader. It has ReadByte, so that nothing between
// it and its user takes more than that needs.
type counted struct {
	r     *bufio.Reader
	bytes int64
}

func (c *counted) Read(to []byte) (int, error) {
	n, err := c.r.Read(to)
	c.bytes += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.bytes++
	}
	return b, err
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
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || strings.HasPrefix(err.Error(), "flate:") {
		var issues model.Issues
		issues.Add(model.Issue{File: name, Message: "cannot be unpacked: " + err.Error()})
		return issues.Err()
	}
	return err
}
