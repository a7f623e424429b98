// Package lines cuts a stream of newline-delimited messages into lines.
//
// [envelope.Reader] does this for programs that want messages. The examples
// want the line as well: its number when the message is good, its exact bytes
// to compare with what the codec gives back, and, in stdiotap, a stream that is
// pushed through instead of pulled, because the bytes travel on whether or not
// they turn out to be a message.
//
// [envelope.Reader]: https://pkg.go.dev/github.com/arcp-go/arcp/envelope#Reader
package lines

import "bytes"

// MaxBytes is the limit for messages that are decoded with the codec's default options.
const MaxBytes = 16 << 20

// Line is one line that holds more than white space.
type Line struct {
	// Number counts from 1 and includes the blank lines that are skipped.
	Number int
	// Data is the line without its ending, "\n" or "\r\n". It is a fresh
	// slice, the receiver's to keep. A line longer than the Splitter's limit
	// arrives cut to one byte more than the limit, so that a codec with the same
	// limit refuses it for its length.
	Data []byte
}

// Splitter is an [io.Writer] that hands on each line written through it,
// however the writes are cut. It holds at most one line, and of that no more
// than its limit. It is not safe for concurrent use.
type Splitter struct {
	limit  int
	each   func(Line) error
	number int
	part   []byte // the line whose ending has not come yet, cut to limit+2
	err    error
}

// New returns a Splitter that calls each for every line. Lines of limit bytes,
// their ending not counted, arrive whole.
func New(limit int, each func(Line) error) *Splitter {
	return &Splitter{limit: limit, each: each}
}

// Write takes the next piece of the stream. It fails only with an error from
// the function given to New, and then fails the same way ever after.
func (s *Splitter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			s.hold(rest)
			break
		}
		s.hold(rest[:end])
		rest = rest[end+1:]
		if s.err = s.finish(); s.err != nil {
			return len(p) - len(rest), s.err
		}
	}
	return len(p), nil
}

// Close hands on a last line that lacks its ending. It closes nothing else.
func (s *Splitter) Close() error {
	if s.err == nil && len(s.part) > 0 {
		s.err = s.finish()
	}
	return s.err
}

// hold adds to the unfinished line. Two bytes over the limit are room enough: one is
// a carriage return that may belong to the ending, the other shows that it did not.
func (s *Splitter) hold(p []byte) {
	if room := s.limit + 2 - len(s.part); len(p) > room {
		p = p[:room]
	}
	s.part = append(s.part, p...)
}

func (s *Splitter) finish() error {
	s.number++
	data := s.part
	s.part = nil
	if len(data) < s.limit+2 {
		data = bytes.TrimSuffix(data, []byte("\r"))
	}
	data = data[:min(len(data), s.limit+1):min(len(data), s.limit+1)]
	if len(bytes.Trim(data, " \t\r")) == 0 {
		return nil
	}
	return s.each(Line{Number: s.number, Data: data})
}
