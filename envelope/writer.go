package envelope

import (
	"bytes"
	"io"
	"sync"
)

// Writer writes a stream of messages, one a line (ARCP's stdio transport, §4.2). It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	dst io.Writer
	buf []byte
	err error // of the io.Writer, for good
}

// keptBuffer is the largest buffer kept from one message to the next.
const keptBuffer = 64 << 10

// NewWriter writes messages to w.
func NewWriter(w io.Writer) *Writer { return &Writer{dst: w} }

// Write writes one message, the bytes of [Envelope.AppendJSON] and "\n", in one call of the io.Writer. Line breaks that the
// message has between its tokens are left out, so that it stays one line.
//
// An Envelope that cannot be encoded, nil included, is an error, and nothing is written. After an error of the io.Writer, or a
// short write, every later call returns the same error, since another message would join half a line.
func (w *Writer) Write(e *Envelope) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	line, err := e.AppendJSON(w.buf[:0])
	if err != nil {
		return err
	}
	line = append(withoutLineBreaks(line), '\n')
	if cap(line) <= keptBuffer {
		w.buf = line
	}
	n, err := w.dst.Write(line)
	if err == nil && n != len(line) {
		err = io.ErrShortWrite
	}
	w.err = err
	return err
}

// withoutLineBreaks takes the line breaks out of a message, in place. In JSON they are only ever between tokens.
func withoutLineBreaks(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	kept := data[:0]
	for _, c := range data {
		if c != '\n' && c != '\r' {
			kept = append(kept, c)
		}
	}
	return kept
}
