package envelopetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Conn is one end of a transport, as the kit sees it: it carries messages and
// does not read them.
type Conn interface {
	// Send sends one message. It may be called from several goroutines at
	// once, and keeps no reference to message after it returns. It may
	// wait until the peer receives.
	Send(message []byte) error
	// Receive waits for the next message, which belongs to the caller.
	// After the peer has closed it returns what was sent before, and then an
	// error, io.EOF or any other. The kit calls it from one goroutine.
	Receive() ([]byte, error)
	// Close ends both directions and may be called again. A Receive that
	// waits, on either end, returns an error.
	Close() error
}

// bounds of a transport test, which tests of the tests set lower.
type bounds struct {
	timeout time.Duration // how long one case may take
	largest int           // bytes of the largest message
}

var transportBounds = bounds{timeout: 30 * time.Second, largest: 15 << 20}

// TestTransport tests a transport. dial returns the two ends of a new
// connection, and is called once for every case; the kit closes both ends. If t
// is a *testing.T, every case is a subtest.
//
// Messages must arrive whole, in order, and byte for byte, except that line
// breaks between the tokens of a message may be left out: a transport of
// lines has to. [EqualAsJSON] allows what it says. [Without] leaves out a case: these are
// order, line-breaks, both-directions, large, concurrent, buffers, close-delivers,
// close-releases-peer, close-releases-self, and close-refuses.
//
// A case that takes longer than 30 seconds fails with what it waits for.
func TestTransport(t testing.TB, dial func() (a, b Conn), opts ...Option) {
	t.Helper()
	testTransport(t, dial, transportBounds, opts)
}

func testTransport(t testing.TB, dial func() (a, b Conn), limit bounds, opts []Option) {
	t.Helper()
	var names []string
	for _, c := range transportCases {
		names = append(names, c.name)
	}
	o := newOptions(t, names, opts)
	for _, c := range transportCases {
		if o.leavesOut(c.name) {
			continue
		}
		subtest(t, c.name, func(t testing.TB) {
			t.Helper()
			if problem := runTransport(c, dial, limit, o.asJSON); problem != "" {
				t.Errorf("%s: %s\n%s", c.name, c.rule, problem)
			}
		})
	}
}

// transportCase is one rule of a transport. run returns what is wrong, or "".
type transportCase struct {
	name, rule string
	run        func(l *link) string
}

// link is a connection under test.
type link struct {
	a, b    Conn
	asJSON  bool
	largest int

	mu    sync.Mutex
	waits map[string]string // what the case waits for, by the goroutine that waits
}

// waitFor notes what a goroutine of the case waits for, by a name of its choice;
// "" is the main one.
func (l *link) waitFor(who, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits[who] = fmt.Sprintf(format, args...)
}

func (l *link) waitsNoMore(who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waits, who)
}

func (l *link) waitsFor() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Values(l.waits)), ", and ")
}

func runTransport(c transportCase, dial func() (a, b Conn), limit bounds, asJSON bool) string {
	timeout := limit.timeout
	l := &link{asJSON: asJSON, largest: limit.largest, waits: map[string]string{}}
	l.a, l.b = dial()
	done := make(chan string, 1)
	go func() { done <- c.run(l) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var problem string
	select {
	case problem = <-done:
	case <-timer.C:
		problem = fmt.Sprintf("after %s it still waited for %s", timeout, l.waitsFor())
	}
	// A transport that did not finish may not close either: it gets as long again, and is left behind.
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		l.a.Close()
		l.b.Close()
	}()
	timer.Reset(timeout)
	select {
	case <-closed:
	case <-timer.C:
		if problem == "" {
			problem = fmt.Sprintf("Close did not return within %s", timeout)
		}
	}
	return problem
}

// send sends messages in order, and reports the first error, after which it
// closes so that nobody waits for the rest. With reuse all messages go through
// one buffer, which is written over after every Send.
func send(to Conn, messages [][]byte, reuse bool) chan error {
	result := make(chan error, 1)
	go func() {
		var buffer []byte
		for i, m := range messages {
			if !reuse {
				buffer = nil
			}
			buffer = append(buffer[:0], m...)
			if err := to.Send(buffer); err != nil {
				result <- fmt.Errorf("sending message %d of %d: %w", i+1, len(messages), err)
				to.Close()
				return
			}
			if reuse {
				copy(buffer, bytes.Repeat([]byte("#"), len(buffer)))
			}
		}
		result <- nil
	}()
	return result
}

// pass sends messages from the first end to the second and compares what arrives.
func (l *link) pass(messages [][]byte) string {
	return l.passFrom(l.a, l.b, "to the second end", messages)
}

func (l *link) passBack(messages [][]byte) string {
	return l.passFrom(l.b, l.a, "to the first end", messages)
}

func (l *link) passFrom(from, to Conn, who string, messages [][]byte) string {
	defer l.waitsNoMore(who)
	sent := send(from, messages, false)
	for i, want := range messages {
		got, problem := l.next(to, who, fmt.Sprintf("message %d of %d %s, of %d bytes", i+1, len(messages), who, len(want)), sent)
		if problem != "" {
			return problem
		}
		if !l.arrived(want, got) {
			return fmt.Sprintf("message %d of %d: %s", i+1, len(messages), l.whatArrived(messages, i, got))
		}
	}
	l.waitFor(who, "the last Send %s to return", who)
	if err := <-sent; err != nil {
		return err.Error()
	}
	return ""
}

// next receives a message. Where that fails, the reason may be a Send that did.
func (l *link) next(to Conn, who, what string, sent ...chan error) (message []byte, problem string) {
	l.waitFor(who, "%s", what)
	message, err := to.Receive()
	if err == nil {
		return message, ""
	}
	for _, s := range sent {
		select {
		case sendErr := <-s:
			if sendErr != nil {
				return nil, sendErr.Error()
			}
		case <-time.After(time.Second):
		}
	}
	return nil, fmt.Sprintf("receiving %s: %v", what, err)
}

func (l *link) arrived(want, got []byte) bool {
	return same(want, got, l.asJSON) ||
		len(got) < len(want) && bytes.Equal(withoutBreaks(want), withoutBreaks(got))
}

// whatArrived says what stands in the place of message i.
func (l *link) whatArrived(messages [][]byte, i int, got []byte) string {
	for k, m := range messages {
		if k != i && l.arrived(m, got) {
			return fmt.Sprintf("message %d arrived in its place: lost, repeated or out of order", k+1)
		}
	}
	want := withoutBreaks(messages[i])
	flat := withoutBreaks(got)
	switch {
	case len(flat) < len(want) && (bytes.HasPrefix(want, flat) || bytes.HasSuffix(want, flat)):
		return fmt.Sprintf("only %d of its %d bytes arrived: split or cut", len(got), len(messages[i]))
	case len(flat) > len(want) && bytes.HasPrefix(flat, want):
		return fmt.Sprintf("%d bytes more arrived with it: merged with another", len(got)-len(messages[i]))
	}
	return lost(messages[i], got, l.asJSON)
}

// withoutBreaks removes line breaks, which valid messages have between tokens only.
func withoutBreaks(m []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(m, []byte("\n"), nil), []byte("\r"), nil)
}

// awaitEnd is for an end whose connection is closed: Receive has to give an error.
func (l *link) awaitEnd(c Conn, name string) string {
	l.waitFor("", "Receive of %s to end", name)
	got, err := c.Receive()
	if err == nil {
		return fmt.Sprintf("Receive of %s gave %d bytes that nobody sent", name, len(got))
	}
	return ""
}

// numbered is a message of exactly size bytes, or a few more than its number needs.
func numbered(sender, number, size int) []byte {
	head := fmt.Sprintf(`{"arcp":"1.1","id":"m%d_%d","type":"job.submit","payload":"`, sender, number)
	tail := fmt.Sprintf(`","x-vendor.acme.sender":%d}`, sender)
	return []byte(head + strings.Repeat(string(rune('a'+sender)), max(0, size-len(head)-len(tail))) + tail)
}
