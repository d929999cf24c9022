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
// A few kilobytes can unpack to a thousand times as much, and a reader takes up to some
// forty times its text. So content ends, with an error, where it is large and made of
// nearly nothing: this is the budget of memory of all readers. Below, readers take no more
// than in proportion to what they read (TestBombs). In any case content ends at what is the
// limit of the binary formats, too. A file that is not packed has the size that it takes.

const packedExtension = ".gz"

// limits are how much a file may unpack to.
type limits struct {
	free  int64 // bytes that any file may unpack to
	times int64 // beyond them, bytes for each that is packed: text has 5 to 30, 1,032 are the most
	most  int64 // bytes that no file may unpack to more than
}

var unpackedLimits = limits{free: 2 << 20, times: 50, most: 2 << 30}

// allow returns how much may have come of that many packed bytes.
func (l limits) allow(packed int64) int64 { return min(max(l.free, l.times*packed), l.most) }

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
	p, err := newPacked(b, unpackedLimits)
	if err != nil {
		return nil, packedFault(name, err)
	}
	return p, nil
}

// packed reads content up to the limits. Its errors do not name the file: the readers do
// that.
type packed struct {
	z      *gzip.Reader
	in     *counted
	limits limits
	out    int64 // bytes that came
}

func newPacked(r *bufio.Reader, l limits) (*packed, error) {
	in := &counted{r: r}
	z, err := gzip.NewReader(in)
	return &packed{z: z, in: in, limits: l}, err
}

func (p *packed) Read(to []byte) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	// What comes now may have been packed in what was counted before, so the limit is
	// that of the bytes after they came. One byte beyond the last is asked for: content
	// as large as that ends there.
	n, err := p.z.Read(to[:min(int64(len(to)), p.limits.most+1-p.out)])
	p.out += int64(n)
	if p.out > p.limits.allow(p.in.bytes) {
		message := fmt.Sprintf("unpacks to more than %d bytes", p.limits.most)
		if p.out <= p.limits.most {
			message = fmt.Sprintf("unpacks to more than %d bytes, and to more than %d times its packed size: unpack it first, with gunzip", p.limits.free, p.limits.times)
		}
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
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || strings.HasPrefix(err.Error(), "flate:") {
		var issues model.Issues
		issues.Add(model.Issue{File: name, Message: "cannot be unpacked: " + err.Error()})
		return issues.Err()
	}
	return err
}
