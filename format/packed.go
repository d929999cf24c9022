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

// Idea: any file may be packed with gzip. Its extension or its first two bytes tell that. It is unpacked while it is
// read. The kind of the content follows from the name without .gz and from its first bytes. A packed file in a packed
// file is not looked for.
//
// A few kilobytes can unpack to a thousand times as much. So unpacked content ends with an error if it takes more
// than the budget of its reader (internal/source/budget.go), which is in proportion to the packed bytes. Readers take
// up to thirty times their content, and pay for it from the same budget.

const packedExtension = ".gz"

// unpackedName returns the name of what is in a file.
func unpackedName(path string) string {
	if extension(path) == packedExtension {
		return path[:len(path)-len(filepath.Ext(path))]
	}
	return path
}

// unpack returns the content of a file that may be packed. Its extension may say that it is.
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
	// The next bytes may have been packed in bytes that were counted before, so the limit is the one after they came.
	n, err := p.z.Read(to)
	p.out += int64(n)
	if message := source.Unpacked(p.out, p.in.bytes); message != "" {
		return 0, model.Issue{Message: message}.Err()
	}
	return n, p.fault(err)
}

// counted counts the bytes taken from a reader. It has ReadByte, so that gzip puts no buffer between the two.
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

// packedFault is the error for a file that gzip cannot read. Errors of the file system are returned unchanged.
func packedFault(name string, err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || strings.HasPrefix(err.Error(), "flate:") {
		return model.Issue{File: name, Message: "cannot be unpacked: " + err.Error()}.Err()
	}
	return err
}
