package arcp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/envelopetest"
)

// realMessages are those of the recorded sessions.
func realMessages(t *testing.T) (all [][]byte) {
	for _, session := range sessions(t) {
		all = append(all, bytes.Split(bytes.TrimSuffix(session, []byte("\n")), []byte("\n"))...)
	}
	slices.SortFunc(all, bytes.Compare) // the sessions come in no fixed order, and a seed has to give the same messages again
	return all
}

// hostileMessages are the conformance cases, the largest ones excepted, and some that aim at time and memory.
func hostileMessages() (all [][]byte) {
	for _, f := range envelopetest.Fixtures() {
		if data := f.Data(); len(data) < 50_000 {
			all = append(all, data)
		}
	}
	for _, text := range []string{
		`{"x":` + strings.Repeat(`[`, 20_000),
		strings.Repeat(`{"":`, 5000),
		`{"x":"` + strings.Repeat(`\ud83d`, 3000) + `"}`,
		`{"` + strings.Repeat(`\\`, 9000) + `":0}`,
		`{"event_seq":1` + strings.Repeat(`0`, 20_000) + `}`,
		`{"x":1` + strings.Repeat(`0`, 20_000) + `}`,
		strings.Repeat(` `, 20_000),
	} {
		all = append(all, []byte(text))
	}
	return all
}

// message gives a random message, which must not be written to.
func (w *soaker) message() []byte {
	switch w.random.IntN(6) {
	case 0:
		return w.real[w.random.IntN(len(w.real))]
	case 1:
		return w.hostile[w.random.IntN(len(w.hostile))]
	case 2:
		return w.damage(w.real[w.random.IntN(len(w.real))])
	case 3:
		return w.damage(w.composed())
	}
	return w.composed()
}

// composed is a message of random fields, most of them such as a receiver must carry.
func (w *soaker) composed() []byte {
	names := []string{`"id"`, `"type"`, `"session_id"`, `"ty\u0070e"`, `"TYPE"`, `"payload"`, `"event_seq"`, `"x-vendor.acme.priority"`,
		`"x-vendor.acme.deep"`, `"extensions"`, `""`, `"é\n"`, `"x-vendor.opentelemetry.tracecontext"`}
	values := []string{`"text"`, `"\ud83d\ude00"`, `"\ud83d"`, `null`, `18446744073709551615`, `-0.10E+5`, `[]`, `{"a":{"b":[1,2]}}`,
		`{"x-vendor.acme.priority":"low","k":1.0}`, `{"kind":"log","ts":"2026-05-13T19:42:13Z","body":{"level":"info","message":"m"}}`,
		`{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`}
	space := func() string { return []string{"", "", "", " ", "\t"}[w.random.IntN(5)] }
	b := []byte(space() + "{" + space())
	for i := range w.random.IntN(30) {
		if i > 0 {
			b = append(b, space()+","+space()...)
		}
		name, value := fmt.Sprintf(`"n%d"`, i), values[w.random.IntN(len(values))]
		if w.random.IntN(3) == 0 {
			name = names[w.random.IntN(len(names))]
		}
		switch name {
		case `"id"`, `"type"`, `"session_id"`, `"ty\u0070e"`:
			value = `"job.event"`
		case `"event_seq"`:
			value = `7`
		}
		if w.random.IntN(20) == 0 {
			value = `"` + strings.Repeat("é€😀a", w.random.IntN(2000)) + `"`
		}
		b = append(b, name+space()+":"+space()+value...)
	}
	return append(b, space()+"}"+space()...)
}

// damage gives a copy with a few bytes changed, left out, put in or doubled.
func (w *soaker) damage(message []byte) []byte {
	b := bytes.Clone(message)
	for range 1 + w.random.IntN(3) {
		i, junk := w.random.IntN(len(b)+1), []byte("\"\\{}[],:0\x00\xff\xed\xa0\n u")
		switch rest := bytes.Clone(b[i:]); w.random.IntN(5) {
		case 0:
			b = append(append(b[:i], junk[w.random.IntN(len(junk))]), rest...)
		case 1:
			b = append(b[:i], rest[min(len(rest), 1+w.random.IntN(9)):]...)
		case 2:
			b = b[:i]
		case 3:
			b = append(append(b[:i], rest[:min(len(rest), 40)]...), rest...)
		default:
			if i < len(b) {
				b[i] ^= 1 << w.random.IntN(8)
			}
		}
	}
	return b
}

// choppy reads a random number of bytes at a time.
type choppy struct {
	from   io.Reader
	random *rand.Rand
}

func (c *choppy) Read(p []byte) (int, error) {
	return c.from.Read(p[:min(len(p), 1+c.random.IntN(3000))])
}

// withoutBreaks is what a message looks like on one line.
func withoutBreaks(message []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(message, []byte("\n"), nil), []byte("\r"), nil)
}

// sharedWriter is one Writer for all goroutines. What it writes is checked to be one whole message a call.
type sharedWriter struct {
	writer *envelope.Writer
	mu     sync.Mutex
	err    error
}

func newSharedWriter() *sharedWriter {
	s := new(sharedWriter)
	s.renew()
	return s
}

func (s *sharedWriter) write(e *envelope.Envelope) error { return s.writer.Write(e) }

// Write is called by the Writer.
func (s *sharedWriter) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	message, ended := bytes.CutSuffix(line, []byte("\n"))
	wide := envelope.Options{MaxBytes: 1 << 30, MaxDepth: 1 << 30, MaxMembers: 1 << 30}
	if _, err := wide.Peek(message); err != nil || !ended || bytes.ContainsAny(message, "\r\n") {
		s.err = errors.Join(s.err, fmt.Errorf("a line that is not one message: %v: %.2000q", err, line))
	}
	return len(line), nil
}

// renew lets go of the buffer that has grown to the largest message so far. Nobody may be writing.
func (s *sharedWriter) renew() { s.writer = envelope.NewWriter(s) }

func (s *sharedWriter) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
