package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/examples/internal/console"
	"github.com/arcp-go/arcp/examples/internal/lines"
)

// maxListed is how many refused lines the summary lists; all are reported when they come.
const maxListed = 100

// reasonWidth bounds the report of one refused line, in characters.
const reasonWidth = 300

// proxy forwards messages and counts.
type proxy struct {
	out   *bufio.Writer
	log   io.Writer
	stamp *extension // nil: none
	buf   []byte     // the message to write, its memory used again

	frames, identical, refused int
	bytesIn, bytesOut          int64
	types, names               console.Counts
	listed                     []string
	elapsed                    time.Duration
}

func newProxy(out, log io.Writer, stamp *extension) *proxy {
	p := &proxy{log: log, stamp: stamp}
	p.out = bufio.NewWriterSize(&sink{out, p}, 64<<10)
	return p
}

// forward forwards what it reads until the end. The error is one of reading or writing.
func (p *proxy) forward(in io.Reader) error {
	start := time.Now()
	defer func() { p.elapsed = time.Since(start) }()
	split := lines.New(lines.MaxBytes, p.line)
	_, err := io.Copy(split, &source{in, p})
	if err == nil {
		err = split.Close()
	}
	if flushErr := p.out.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// source counts what is read, and lets nothing wait in the buffer while it waits for more: a
// message that is complete has left before the next is asked for.
type source struct {
	in io.Reader
	p  *proxy
}

func (s *source) Read(b []byte) (int, error) {
	if err := s.p.out.Flush(); err != nil {
		return 0, err
	}
	n, err := s.in.Read(b)
	s.p.bytesIn += int64(n)
	return n, err
}

// sink counts what is written.
type sink struct {
	out io.Writer
	p   *proxy
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.p.bytesOut += int64(n)
	return n, err
}

// line forwards one message. The error is one of writing: a line that is no message is reported
// and skipped.
func (p *proxy) line(line lines.Line) error {
	p.frames++
	e, err := envelope.Decode(line.Data)
	if err != nil {
		p.refuse(line.Number, err)
		return nil
	}
	if p.stamp == nil {
		p.buf, err = e.AppendJSON(p.buf[:0])
	} else {
		p.buf, err = envelope.AppendSet(p.buf[:0], line.Data, p.stamp.name, p.stamp.value)
	}
	if err != nil {
		p.refuse(line.Number, err)
		return nil
	}
	if bytes.Equal(p.buf, line.Data) {
		p.identical++
	}
	p.types.Add(e.Type)
	for name := range e.Extensions {
		p.names.Add(name)
	}
	p.buf = append(p.buf, '\n')
	_, err = p.out.Write(p.buf)
	return err
}

func (p *proxy) refuse(number int, err error) {
	p.refused++
	reason := console.Printable(strings.TrimPrefix(err.Error(), "arcp: "), reasonWidth)
	report := fmt.Sprintf("line %d: %s", number, reason)
	fmt.Fprintf(p.log, "proxy: refused: %s\n", report)
	if len(p.listed) < maxListed {
		p.listed = append(p.listed, report)
	}
}

// summary prints what was seen.
func (p *proxy) summary(w io.Writer) {
	forwarded := p.frames - p.refused
	fmt.Fprintf(w, "frames     %d read, %d forwarded, %d refused\n", p.frames, forwarded, p.refused)
	fmt.Fprintf(w, "bytes      %d read, %d written\n", p.bytesIn, p.bytesOut)
	fmt.Fprintf(w, "identical  %d of %d left byte for byte as they came\n", p.identical, forwarded)
	fmt.Fprintf(w, "speed      %.0f frames per second\n", float64(p.frames)/max(p.elapsed, time.Nanosecond).Seconds())
	p.types.Print(w, "message types")
	p.names.Print(w, "extensions")
	if p.refused == 0 {
		return
	}
	fmt.Fprintln(w, "refused lines")
	for _, report := range p.listed {
		fmt.Fprintf(w, "  %s\n", report)
	}
	if more := p.refused - len(p.listed); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
