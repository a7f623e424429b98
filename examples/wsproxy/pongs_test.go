package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// A gate is a connection whose reader takes bytes only while it is open.
type gate struct {
	mu      sync.Mutex
	written bytes.Buffer
	open    chan struct{} // closed when the reader reads
}

func (g *gate) send(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written.Write(p)
}

// Pongs go between frames, never into one, and the latest one is enough.
func TestPongs(t *testing.T) {
	noGoroutineLeft(t)
	frames := &rawPeer{}
	long := string(frames.frame(opText|fin, strings.Repeat("\x8a\x00", 40_000))) // bytes that look like pongs
	short := string(frames.frame(opText|fin, "short"))
	first, last := string(frames.frame(fin|opcodePong, "first")), string(frames.frame(fin|opcodePong, "last"))
	shut := string(frames.frame(opClose|fin, "\x03\xe8"))
	for _, row := range []struct {
		rule  string
		steps func(t *testing.T, p *pongs, open func())
		want  string
	}{
		{"at once when nothing is under way", func(t *testing.T, p *pongs, open func()) {
			open()
			p.answer([]byte("first"))
			writeTo(t, p, short)
		}, first + short},
		{"not in the middle of a frame", func(t *testing.T, p *pongs, open func()) {
			open()
			writeTo(t, p, long[:100])
			p.answer([]byte("first"))
			p.answer([]byte("last"))
			writeTo(t, p, long[100:5000])
			writeTo(t, p, long[5000:])
			writeTo(t, p, short)
		}, long + last + short},
		{"behind a frame that its reader does not take", func(t *testing.T, p *pongs, open func()) {
			written := make(chan struct{})
			started := make(chan struct{})
			send := p.send
			p.send = func(b []byte) (int, error) {
				if string(b) == short {
					close(started)
				}
				return send(b)
			}
			go func() {
				defer close(written)
				writeTo(t, p, short)
			}()
			<-started
			p.answer([]byte("first")) // and neither of them waits
			p.answer([]byte("last"))
			open()
			<-written
			writeTo(t, p, long)
		}, short + last + long},
		{"none after a close frame", func(t *testing.T, p *pongs, open func()) {
			open()
			writeTo(t, p, shut)
			p.answer([]byte("first"))
			p.answer([]byte("last"))
		}, shut},
	} {
		g := &gate{open: make(chan struct{})}
		p := newPongs(false, g.send)
		row.steps(t, p, func() { close(g.open) })
		p.mu.Lock()
		for p.busy {
			p.idle.Wait()
		}
		p.mu.Unlock()
		if got := g.written.String(); got != row.want {
			t.Errorf("%s: wrote %.60q (%d bytes), want %.60q (%d bytes)", row.rule, got, len(got), row.want, len(row.want))
		}
	}
}

func writeTo(t *testing.T, p *pongs, frame string) {
	t.Helper()
	if n, err := p.write([]byte(frame)); n != len(frame) || err != nil {
		t.Errorf("wrote %d of %d: %v", n, len(frame), err)
	}
}

// The length of a frame is read from its header in every form.
func TestFrameLength(t *testing.T) {
	for _, client := range []bool{false, true} {
		peer := &rawPeer{client: client}
		for _, n := range []int{0, 1, 125, 126, 65535, 65536, 1 << 20} {
			frame := peer.frame(opText|fin, strings.Repeat("x", n))
			if got := frameLength(frame); got != uint64(len(frame)) {
				t.Errorf("payload of %d, masked %v: %d, want %d", n, client, got, len(frame))
			}
		}
	}
	if got := frameLength([]byte{opText}); got != 0 {
		t.Errorf("no header: %d", got)
	}
}

// A pong to a target is masked, as all that a client sends.
func TestPongIsMasked(t *testing.T) {
	frame := newPongs(true, nil).pong([]byte("payload"))
	if frame[1]&0x80 == 0 || bytes.Contains(frame, []byte("payload")) && !bytes.Equal(frame[2:6], make([]byte, 4)) {
		t.Errorf("frame %q", frame)
	}
	plain := frame[6:]
	for i := range plain {
		plain[i] ^= frame[2+i%4]
	}
	if string(plain) != "payload" {
		t.Errorf("payload %q", plain)
	}
}
