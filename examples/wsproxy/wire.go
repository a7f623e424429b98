package main

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// errStalled is what a write returns when its reader has taken nothing for too long.
var errStalled = errors.New("the reader takes nothing")

// A wire is the TCP connection under one WebSocket. It adds three things that the WebSocket library leaves to the
// transport: closing it loses nothing that was written, a write does not wait for ever for a reader that has stopped,
// and abort ends whatever the library is waiting for, which has timeouts of its own.
//
// Until keep is called it behaves like the connection it wraps, so that net/http can refuse a handshake as usual.
type wire struct {
	net.Conn
	patience patience
	pongs    *pongs // nil where a watchedBody above does it

	source  atomic.Pointer[wire] // the side whose messages are written here; nil before keep
	ended   atomic.Bool          // a read found the end of the stream
	closed  atomic.Bool          // the WebSocket is done with the connection
	stalled atomic.Bool          // a write gave up with errStalled

	readMu  sync.Mutex
	writeMu sync.Mutex
}

// A patience is how long a reader may take nothing before a write to it gives up.
type patience struct {
	stall time.Duration // while the writing side is there; 0 for ever
	grace time.Duration // once the writing side is known to have left
}

// keep makes Close leave the connection to finish, and ties writes to the side that they come from.
func (w *wire) keep(source *wire) {
	w.source.Store(source)
}

// Read is net.Conn's, except that it ends when Close is called.
func (w *wire) Read(p []byte) (int, error) {
	w.readMu.Lock()
	defer w.readMu.Unlock()
	if w.closed.Load() {
		return 0, net.ErrClosed
	}
	n, err := w.Conn.Read(p)
	if n == 0 && err == io.EOF {
		w.ended.Store(true)
	}
	return n, err
}

// Write is net.Conn's, except that it gives up when the reader takes nothing for as long as its patience, and lets pongs
// between.
func (w *wire) Write(p []byte) (int, error) {
	if w.pongs != nil && w.source.Load() != nil {
		return w.pongs.write(p)
	}
	return w.send(p)
}

// send is Write once it is the turn of p. That the side which the bytes come from has left is looked at here, since
// nobody else would notice: whoever reads from that side is the one who waits.
func (w *wire) send(p []byte) (n int, err error) {
	w.writeMu.Lock()
	defer w.writeMu.Unlock()
	source := w.source.Load()
	if source == nil {
		return w.Conn.Write(p)
	}
	tick := min(max(w.patience.grace/10, 10*time.Millisecond), time.Second)
	var acked uint64
	moved, left := time.Now(), time.Time{} // when the reader last took something, and when the source was found gone
	for {
		if err := w.SetWriteDeadline(time.Now().Add(tick)); err != nil {
			return n, err
		}
		m, err := w.Conn.Write(p[n:])
		n += m
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		now := time.Now()
		// The system takes bytes in large portions, and a slow reader may need minutes for one; what the peer has
		// acknowledged moves in small steps.
		if state, ok := stateOf(w.Conn); m > 0 || ok && state.acked != acked {
			acked, moved, left = state.acked, now, time.Time{}
			continue
		}
		if state, ok := stateOf(source.Conn); ok && state.left && left.IsZero() {
			left = now
		}
		if w.patience.stall > 0 && now.Sub(moved) >= w.patience.stall ||
			!left.IsZero() && now.Sub(left) >= w.patience.grace-2*tick {
			w.stalled.Store(true)
			return n, errStalled
		}
	}
}

// Close ends reading at once and lets a write under way end; finish does the rest.
func (w *wire) Close() error {
	if w.source.Load() == nil {
		return w.Conn.Close()
	}
	if w.closed.Swap(true) {
		return net.ErrClosed
	}
	return w.SetReadDeadline(time.Unix(1, 0))
}

// finish closes the connection in the order that delivers what was written: it says that no more will come, then
// reads and drops what the peer still sends until the peer closes too or the deadline passes. A plain close would
// answer those bytes with a reset, and a reset discards what the peer has not read yet.
func (w *wire) finish(deadline time.Time) {
	defer w.abort()
	w.closed.Store(true)
	if w.SetReadDeadline(time.Unix(1, 0)) != nil {
		return
	}
	w.writeMu.Lock()
	half, ok := w.Conn.(interface{ CloseWrite() error })
	failed := !ok || half.CloseWrite() != nil
	w.writeMu.Unlock()
	if failed {
		return
	}
	w.readMu.Lock()
	defer w.readMu.Unlock()
	if w.SetReadDeadline(deadline) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, w.Conn) // how it ends changes nothing any more
}

// abort closes the connection now and ends every read and write on it.
func (w *wire) abort() {
	w.closed.Store(true)
	_ = w.Conn.Close() // closing twice is harmless and fails the second time
}

// A wireListener accepts wires.
type wireListener struct {
	net.Listener
	patience patience
}

func (l wireListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	w := &wire{Conn: c, patience: l.patience}
	w.pongs = newPongs(false, w.send)
	return w, nil
}

// A watchedBody is the byte stream of an upgraded response. It stands above TLS and records the end of the stream
// as a wire does below it, where neither the end of a TLS stream nor its frames can be seen.
type watchedBody struct {
	io.ReadWriteCloser
	pongs *pongs
	ended atomic.Bool
}

func (b *watchedBody) Write(p []byte) (int, error) {
	return b.pongs.write(p)
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadWriteCloser.Read(p)
	if err == io.EOF {
		if n > 0 {
			return n, nil // the next read meets the end alone
		}
		b.ended.Store(true)
	}
	return n, err
}
