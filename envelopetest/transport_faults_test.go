package envelopetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// memory is a transport without a fault, unless one is planted.
type memory struct {
	send, receive *wire
	f             *flaws
	back          bool // the second end
	n             int  // messages sent
	held          []byte
	buffer        []byte
}

// wire is one direction.
type wire struct {
	queue  chan []byte
	closed chan struct{} // by either end
	once   sync.Once
}

// flaws are what a memory transport can do wrong.
type flaws struct {
	onSend    func(m *memory, message []byte) error // instead of put
	onReceive func(m *memory) ([]byte, error)       // instead of get
	onClose   func(m *memory) error                 // instead of shut
}

func (m *memory) put(message []byte) error {
	select {
	case <-m.send.closed:
		return io.ErrClosedPipe
	default:
	}
	select {
	case m.send.queue <- message:
		return nil
	case <-m.send.closed:
		return io.ErrClosedPipe
	}
}

func (m *memory) get() ([]byte, error) {
	select {
	case message := <-m.receive.queue:
		return message, nil
	case <-m.receive.closed:
	}
	select {
	case message := <-m.receive.queue: // sent before the end
		return message, nil
	default:
		return nil, io.EOF
	}
}

func (w *wire) shut() { w.once.Do(func() { close(w.closed) }) }

func (m *memory) shut() error {
	m.send.shut()
	m.receive.shut()
	return nil
}

func (m *memory) Send(message []byte) error {
	if m.f.onSend != nil {
		return m.f.onSend(m, message)
	}
	return m.put(bytes.Clone(message))
}

func (m *memory) Receive() ([]byte, error) {
	if m.f.onReceive != nil {
		return m.f.onReceive(m)
	}
	return m.get()
}

func (m *memory) Close() error {
	if m.f.onClose != nil {
		return m.f.onClose(m)
	}
	return m.shut()
}

func sending(f func(m *memory, message []byte) error) flaws { return flaws{onSend: f} }

// group is what messages of one sender have in common at their beginning.
func group(message []byte) string {
	head, _, _ := strings.Cut(string(message), "_")
	return head
}

var transportFaults = []struct {
	name   string
	flaws  func() flaws // for one end
	fails  string       // the cases, in their order
	asJSON bool         // EqualAsJSON accepts it
	says   string       // in the first report
}{
	{name: "no fault", flaws: func() flaws { return flaws{} }},
	{name: "splits lines", fails: "line-breaks", says: "split or cut", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			for line := range bytes.SplitSeq(message, []byte("\n")) {
				if err := m.put(bytes.Clone(line)); err != nil {
					return err
				}
			}
			return nil
		})
	}},
	{name: "merges two messages", fails: "order line-breaks both-directions large concurrent buffers close-delivers", says: "merged with another", flaws: func() flaws {
		var mu sync.Mutex
		return sending(func(m *memory, message []byte) error {
			mu.Lock()
			defer mu.Unlock()
			message = bytes.Clone(message)
			switch m.n++; m.n {
			case 2:
				m.held = message
				return nil
			case 3:
				message = append(m.held, message...)
			}
			return m.put(message)
		})
	}},
	{name: "reorders the messages of a sender", fails: "order both-directions large concurrent buffers close-delivers", says: "out of order", flaws: func() flaws {
		var mu sync.Mutex
		seen, held := map[string]int{}, map[string][]byte{}
		return sending(func(m *memory, message []byte) error {
			mu.Lock()
			defer mu.Unlock()
			message = bytes.Clone(message)
			g := group(message)
			switch seen[g]++; seen[g] {
			case 2:
				held[g] = message
				return nil
			case 3:
				if err := m.put(message); err != nil {
					return err
				}
				message = held[g]
			}
			return m.put(message)
		})
	}},
	{name: "repeats messages", fails: "order line-breaks both-directions large concurrent buffers close-delivers close-releases-peer", says: "lost, repeated or out of order", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			m.put(bytes.Clone(message))
			return m.put(bytes.Clone(message))
		})
	}},
	{name: "interleaves concurrent messages", fails: "concurrent", says: "interleaved", flaws: func() flaws {
		return flaws{
			onSend: func(m *memory, message []byte) error {
				line := append(withoutBreaks(message), '\n')
				if err := m.put(line[:len(line)/2]); err != nil {
					return err
				}
				time.Sleep(time.Millisecond) // let others in
				return m.put(line[len(line)/2:])
			},
			onReceive: func(m *memory) ([]byte, error) {
				var line []byte
				for {
					piece, err := m.get()
					if err != nil {
						return nil, err
					}
					line = append(line, piece...)
					if bytes.HasSuffix(line, []byte("\n")) {
						return line[:len(line)-1], nil
					}
				}
			},
		}
	}},
	{name: "drops large messages", fails: "large", says: "lost, repeated or out of order", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			if len(message) > 64<<10 {
				return nil
			}
			return m.put(bytes.Clone(message))
		})
	}},
	{name: "refuses large messages", fails: "large", says: "sending message 13 of 14: message too long", flaws: func() flaws {
		return flaws{onSend: func(m *memory, message []byte) error {
			if len(message) >= 1<<20 {
				m.shut()
				return errors.New("message too long")
			}
			return m.put(bytes.Clone(message))
		}}
	}},
	{name: "cannot send", fails: "order line-breaks both-directions large concurrent buffers close-delivers close-releases-peer close-releases-self", says: "sending message 1 of ", flaws: func() flaws {
		return sending(func(*memory, []byte) error { return io.ErrClosedPipe })
	}},
	{name: "cannot receive", fails: "order line-breaks both-directions large concurrent buffers close-delivers close-releases-peer close-releases-self", says: "to the second end, of ", flaws: func() flaws {
		return flaws{onReceive: func(*memory) ([]byte, error) { return nil, io.ErrUnexpectedEOF }}
	}},
	{name: "gives errors on Close", fails: "close-delivers close-releases-peer close-releases-self close-refuses", says: "flushing", flaws: func() flaws {
		return flaws{onClose: func(m *memory) error { m.shut(); return errors.New("flushing: broken") }}
	}},
	{name: "cuts large messages", fails: "large", says: "only 65536 of its 65537 bytes", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			return m.put(bytes.Clone(message[:min(len(message), 64<<10)]))
		})
	}},
	{name: "loses messages in the other direction", fails: "both-directions", says: "after 1h0m0s it still waited for message 1 of 100 to the first end, of ", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			if m.back {
				return nil
			}
			return m.put(bytes.Clone(message))
		})
	}},
	{name: "keeps the sender's memory", fails: "buffers", says: "not what was sent, once all have arrived", flaws: func() flaws {
		return flaws{
			onSend: func(m *memory, message []byte) error { return m.put(message) },
			onReceive: func(m *memory) ([]byte, error) {
				time.Sleep(time.Millisecond) // let the sender go on
				return m.get()
			},
		}
	}},
	{name: "uses the receiver's memory again", fails: "buffers", says: "not what was sent, once all have arrived", flaws: func() flaws {
		return flaws{onReceive: func(m *memory) ([]byte, error) {
			message, err := m.get()
			m.buffer = append(m.buffer[:0], message...)
			return m.buffer, err
		}}
	}},
	{name: "writes messages anew", fails: "order line-breaks", asJSON: true, says: "every value is there", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			var out bytes.Buffer
			if err := json.Compact(&out, message); err != nil {
				return err
			}
			return m.put(out.Bytes())
		})
	}},
	{name: "does not close", fails: "close-delivers close-releases-peer close-releases-self close-refuses", says: "still waited for Receive of the peer to end", flaws: func() flaws {
		return flaws{onClose: func(*memory) error { return nil }}
	}},
	{name: "closes one direction", fails: "close-releases-self close-refuses", says: "still waited for Receive of the closed end to end", flaws: func() flaws {
		return flaws{onClose: func(m *memory) error { m.send.shut(); return nil }}
	}},
	{name: "loses at Close what is under way", fails: "close-delivers", says: "sent before Close: EOF", flaws: func() flaws {
		return flaws{onReceive: func(m *memory) ([]byte, error) {
			time.Sleep(time.Millisecond) // let the sender close
			select {
			case <-m.receive.closed:
				return nil, io.EOF
			default:
				return m.get()
			}
		}}
	}},
	{name: "ignores Send after Close", fails: "close-refuses", says: "Send after Close gave no error", flaws: func() flaws {
		return sending(func(m *memory, message []byte) error {
			if err := m.put(bytes.Clone(message)); err != io.ErrClosedPipe {
				return err
			}
			return nil
		})
	}},
	{name: "makes up a message at the end", fails: "close-delivers close-releases-peer close-releases-self close-refuses", says: "gave 4 bytes that nobody sent", flaws: func() flaws {
		return flaws{onReceive: func(m *memory) ([]byte, error) {
			message, err := m.get()
			if err == io.EOF {
				return []byte("null"), nil
			}
			return message, err
		}}
	}},
	{name: "does not return from Close", fails: "order line-breaks both-directions large concurrent buffers close-delivers close-releases-peer close-releases-self close-refuses", says: "Close did not return within 1h0m0s", flaws: func() flaws {
		return flaws{onClose: func(m *memory) error {
			m.shut()
			time.Sleep(24 * time.Hour)
			return nil
		}}
	}},
}

// TestTransportFaults: a transport with one planted fault fails exactly the
// cases that are about it. Time is synctest's, so that no wait is real and no
// result depends on the machine.
func TestTransportFaults(t *testing.T) {
	for _, tt := range transportFaults {
		for _, opts := range [][]Option{nil, {EqualAsJSON()}} {
			want := strings.Fields(tt.fails)
			name := tt.name
			if opts != nil {
				if tt.fails != "" && !tt.asJSON {
					continue // fails alike
				}
				name += ", as JSON"
				want = []string{}
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var made []*wire
					dial := func() (a, b Conn) {
						there := &wire{queue: make(chan []byte, 64), closed: make(chan struct{})}
						back := &wire{queue: make(chan []byte, 64), closed: make(chan struct{})}
						made = append(made, there, back)
						fa, fb := tt.flaws(), tt.flaws()
						return &memory{send: there, receive: back, f: &fa}, &memory{send: back, receive: there, f: &fb, back: true}
					}
					r := &recorder{TB: t}
					testTransport(r, dial, bounds{timeout: time.Hour, largest: 1 << 20}, opts)
					got := []string{}
					for _, e := range r.errors {
						name, _, _ := strings.Cut(e, ":")
						got = append(got, name)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("failed cases, -want +got:\n%s\n%.2000s", diff, strings.Join(r.errors, "\n"))
					}
					if len(want) > 0 && len(r.errors) > 0 && !strings.Contains(r.errors[0], tt.says) {
						t.Errorf("the report lacks %q:\n%s", tt.says, r.errors[0])
					}
					for _, w := range made {
						w.shut() // ends what a faulty Close left waiting
					}
					time.Sleep(7 * 24 * time.Hour)
				})
			})
		}
	}
}

// TestTransportWithout: a case that is left out is not run.
func TestTransportWithout(t *testing.T) {
	r := &recorder{TB: t}
	TestTransport(r, func() (a, b Conn) {
		there := &wire{queue: make(chan []byte, 64), closed: make(chan struct{})}
		back := &wire{queue: make(chan []byte, 64), closed: make(chan struct{})}
		f := sending(func(m *memory, message []byte) error {
			if err := m.put(bytes.Clone(message)); err != io.ErrClosedPipe {
				return err
			}
			return nil
		})
		return &memory{send: there, receive: back, f: &f}, &memory{send: back, receive: there, f: &f}
	}, Without("close-refuses", "large"))
	if len(r.errors) != 0 {
		t.Errorf("reports: %q", r.errors)
	}
	if len(r.logs) != 1 || !strings.Contains(r.logs[0], "2 of 10 cases left out: close-refuses large") {
		t.Errorf("the log: %q", r.logs)
	}
}
