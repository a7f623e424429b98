package envelope

import (
	"bytes"
	"errors"
	"io"
)

// Reader reads a stream of messages, one a line (ARCP's stdio transport, §4.2). Lines end in "\n" or "\r\n"; blank ones are
// skipped; the last one may lack its ending. It is not safe for concurrent use.
type Reader struct {
	src     io.Reader
	options Options
	buf     []byte // what was read and not used yet is buf[from:to]
	from    int
	to      int
	pending []byte // the line so far, where buf has only its end
	tooLong bool   // the line is over the limit: what is left of it is skipped
	line    int    // number of the line last returned or refused
	eof     bool
	failed  error // came from src together with bytes, which go first
}

const (
	readSize      = 64 << 10
	mostEmptyRead = 100 // in a row, from an io.Reader that gives neither bytes nor an error
)

var errReadCount = errors.New("arcp: the io.Reader returned an impossible count")

// NewReader reads messages from r under the default [Options].
func NewReader(r io.Reader) *Reader { return Options{}.NewReader(r) }

// NewReader reads messages from r under these Options. MaxBytes does not count a line's ending.
func (o Options) NewReader(r io.Reader) *Reader {
	return &Reader{src: r, options: o.withDefaults()}
}

// Read gives the next message, in memory of its own, or [io.EOF] after the last one.
//
// A line that is no message gives an [*Error] with the line's number, and the next call goes on with the next line; one over
// MaxBytes likewise, of which no more than MaxBytes is ever held. A last line that is cut off gives such an error first and
// io.EOF after. Any other error comes from the io.Reader as it is; if the io.Reader can go on, as after a deadline, so can Read,
// with nothing lost.
func (r *Reader) Read() (*Envelope, error) {
	for {
		data, err := r.next()
		if err != nil {
			return nil, err
		}
		if isBlank(data) {
			continue
		}
		e, err := r.options.Decode(data)
		if refused, ok := err.(*Error); ok {
			refused.Line = r.line
		}
		return e, err
	}
}

// next gives the next line without its ending, in memory of its own.
func (r *Reader) next() ([]byte, error) {
	for {
		chunk := r.buf[r.from:r.to]
		if n := bytes.IndexByte(chunk, '\n'); n >= 0 {
			r.from += n + 1
			r.take(chunk[:n])
			return r.finish(true)
		}
		r.take(chunk)
		r.from, r.to = 0, 0
		if r.eof {
			if len(r.pending) == 0 && !r.tooLong {
				return nil, io.EOF
			}
			return r.finish(false)
		}
		if err := r.failed; err != nil {
			r.failed = nil
			return nil, err
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// take adds to the line. One byte over the limit is held, since it may be the carriage return of the ending.
func (r *Reader) take(chunk []byte) {
	if r.tooLong {
		return
	}
	if len(r.pending)+len(chunk)-1 > r.options.MaxBytes {
		r.tooLong = true
		r.pending = nil
		return
	}
	r.pending = append(r.pending, chunk...)
}

// finish gives the line that has come to its end.
func (r *Reader) finish(ended bool) ([]byte, error) {
	data, tooLong := r.pending, r.tooLong
	r.pending, r.tooLong = nil, false
	r.line++
	if ended {
		data = bytes.TrimSuffix(data, []byte{'\r'})
	}
	if tooLong || len(data) > r.options.MaxBytes {
		err := tooLarge(r.options.MaxBytes)
		err.Line = r.line
		return nil, err
	}
	return data, nil
}

// fill reads into the empty buffer.
func (r *Reader) fill() error {
	if r.buf == nil {
		r.buf = make([]byte, readSize)
	}
	for range mostEmptyRead {
		n, err := r.src.Read(r.buf)
		if n < 0 || n > len(r.buf) {
			return errReadCount
		}
		r.to = n
		switch {
		case err == io.EOF:
			r.eof = true
			return nil
		case n > 0 && err != nil:
			r.failed = err
			return nil
		case err != nil:
			return err
		case n > 0:
			return nil
		}
	}
	return io.ErrNoProgress
}

func isBlank(line []byte) bool {
	return len(bytes.TrimLeft(line, " \t\r")) == 0
}
