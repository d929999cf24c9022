package source

import (
	"bytes"
	"io"
	"unsafe"
)

// Idea: content of unknown length (a pipe, a packed file) is gathered in pieces, which are joined once at its end. A
// growing buffer would hold its old and its new content at once, and leave the old one to the collector. A packed
// file of 400 MB of newlines took 4.6 times its limit in that way. Pieces hold only the content so far, and at most a
// sixteenth of that is not filled yet.
//
// The content of a file that was read at once (Held) is taken as it is.
//
// Complexity: O(n). At the end, pieces and joined content are held at once, unless there is only one piece. There is
// only one if the length is known.
//
// Trials: docs/lab/formats.md (one allocation as large as the limit counts in full under ulimit -v and on Windows).

// pieces is content in the order in which it came.
type pieces [][]byte

const (
	firstPiece = 64 << 10
	lastPiece  = 16 << 20
)

// Held is the content of a file that was read at once. Nothing changes it.
type Held struct {
	bytes.Reader
	content []byte
}

// Hold returns a reader of content, which is the reader's from now on.
func Hold(content []byte) *Held {
	h := &Held{content: content}
	h.Reset(content)
	return h
}

// Content returns all of it.
func (h *Held) Content() []byte { return h.content }

// Close does nothing: the file is closed.
func (h *Held) Close() error { return nil }

// gather reads r to its end, or until enough returns true. enough gets the first piece and the piece that was just
// extended. The first piece has room for size bytes.
func gather(r io.Reader, size int64, enough func(first, last []byte) bool) (pieces, error) {
	if h, ok := r.(*Held); ok && h.Len() == len(h.content) {
		return pieces{h.content}, nil
	}
	room := int64(firstPiece)
	if size > 0 {
		room = min(size, MaxBinary) + 1 // one byte more finds the end without a second piece
	}
	var all pieces
	for total := int64(0); ; {
		piece := make([]byte, 0, room)
		all = append(all, nil)
		for len(piece) < cap(piece) {
			n, err := r.Read(piece[len(piece):cap(piece)])
			added := piece[len(piece) : len(piece)+n]
			piece = piece[:len(piece)+n]
			all[len(all)-1] = piece
			switch {
			case err == io.EOF:
				return all, nil
			case err != nil:
				return nil, err
			case n > 0 && enough(all[0], added):
				return all, nil
			}
		}
		total += int64(len(piece))
		room = min(max(total/16, firstPiece), lastPiece)
	}
}

// text returns the content as text.
func (p pieces) text() string {
	b := p.bytes()
	return unsafe.String(unsafe.SliceData(b), len(b)) // nothing changes b
}

// bytes joins the pieces, and lets go of each once it is copied.
func (p pieces) bytes() []byte {
	if len(p) == 1 {
		return p[0]
	}
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	b := make([]byte, 0, n)
	for k := range p {
		b = append(b, p[k]...)
		p[k] = nil
	}
	return b
}
