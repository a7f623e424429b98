package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// withinGrace is how long after the end of one side the other may take to end, with time for a busy machine.
const withinGrace = testGrace + 6*time.Second

// numbered is message i of a burst.
func numbered(i int) string {
	return fmt.Sprintf(`{"arcp":"1.1","id":"msg_%d","type":"job.event","event_seq":%d,"payload":{}}`, i, i)
}

// faults are the ways in which a side can fail, each with what the other side and the proxy must do about it.
var faults = []struct {
	name string
	test func(t *testing.T)
}{
	{"client killed in the middle of a message", func(t *testing.T) {
		killedInMessage(t, func(c *rawPeer) { c.kill() })
	}},
	{"client's stream ends in the middle of a message", func(t *testing.T) {
		killedInMessage(t, func(c *rawPeer) { c.Close() })
	}},
	{"client killed between the fragments of a message that looks complete", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		c.write(c.frame(opText, numbered(0))) // more would follow
		c.Close()
		wantCollected(t, got, 0, websocket.StatusGoingAway)
		p.log.wait(t, "ended_by=client", "cause=vanished")
	}},
	{"client's stream ends at a full buffer's edge in the middle of a message", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		// What arrives fills the buffer that it is read into, so that the read after it meets nothing but the end. It is
		// a complete envelope, and not the message that was sent.
		whole := c.frame(opText|fin, numbered(0)+strings.Repeat(" ", 8<<10))
		head := len(whole) - len(numbered(0)) - 8<<10
		c.write(whole[:head+4<<10])
		c.Close()
		wantCollected(t, got, 0, websocket.StatusGoingAway)
	}},
	{"target killed in the middle of a message", func(t *testing.T) {
		url, targets := startRawTarget(t)
		p := startProxy(t, url)
		c := dial(t, p.url("/"), nil)
		r := <-targets
		r.write(r.frame(opText|fin, numbered(1)))
		whole := r.frame(opText|fin, numbered(2))
		r.write(whole[:len(whole)-10])
		if got := receive(t, c); got != numbered(1) {
			t.Errorf("got %q", got)
		}
		r.kill()
		wantClose(t, c, websocket.StatusGoingAway)
		p.log.wait(t, "ended_by=target", "cause=vanished")
	}},
	{"client ends in the middle of a burst: what it had sent arrives", func(t *testing.T) {
		const burst = 500
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		for i := range burst {
			c.write(c.frame(opText|fin, numbered(i)))
		}
		whole := c.frame(opText|fin, numbered(burst))
		c.write(whole[:len(whole)/2])
		c.Close()
		wantCollected(t, got, burst, websocket.StatusGoingAway)
	}},
	{"client killed in the middle of a burst: what arrives is in order", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		for i := range 500 {
			c.write(c.frame(opText|fin, numbered(i)))
		}
		c.kill() // the reset may overtake what was sent
		wantCollected(t, got, -1, websocket.StatusGoingAway)
	}},
	{"target killed in the middle of a burst while the client writes: what it had sent arrives", func(t *testing.T) {
		const burst = 300
		url, targets := startRawTarget(t)
		p := startProxy(t, url)
		c := dial(t, p.url("/"), nil)
		r := <-targets
		writing := make(chan struct{})
		go func() { // writes fail once the target has gone, and must not cost what it had sent
			defer close(writing)
			for i := 0; c.Write(noContext, websocket.MessageText, []byte(numbered(i))) == nil; i++ {
			}
		}()
		var all []byte
		for i := range burst {
			all = append(all, r.frame(opText|fin, numbered(i))...)
		}
		r.write(all) // in one piece: what the target's own system still holds dies with it
		r.kill()
		for i := range burst {
			if got := receive(t, c); got != numbered(i) {
				t.Fatalf("message %d: %q", i, got)
			}
		}
		wantClose(t, c, websocket.StatusGoingAway)
		c.CloseNow()
		<-writing
	}},
	{"target closes in the middle of a burst: all before the close frame arrives, then its code", func(t *testing.T) {
		const burst = 500
		target := startTarget(t, nil, func(c *websocket.Conn) {
			for i := range burst {
				if err := c.Write(noContext, websocket.MessageText, []byte(numbered(i))); err != nil {
					t.Errorf("write: %v", err)
				}
			}
			_ = c.Close(4001, "enough")
		})
		p := startProxy(t, target.url(""))
		c := dial(t, p.url("/"), nil)
		for i := range burst {
			if got := receive(t, c); got != numbered(i) {
				t.Fatalf("message %d: %q", i, got)
			}
		}
		wantClose(t, c, 4001)
	}},
	{"client leaves before its handshake is sent", func(t *testing.T) {
		target, _ := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := connect(t, p.addr)
		fmt.Fprint(c, "GET /arcp HTTP/1.1\r\nHost: x\r\nConnection: Up")
		c.Close()
	}},
	{"client never ends its handshake", func(t *testing.T) {
		target, _ := startCollecting(t)
		p := startProxy(t, target.url(""), "-handshake", "200ms")
		c := connect(t, p.addr)
		fmt.Fprint(c, "GET /arcp HTTP/1.1\r\nHost: x\r\nConnection: Up")
		start := time.Now()
		_, _ = io.Copy(io.Discard, c)
		if took := time.Since(start); took > withinGrace {
			t.Errorf("kept for %v", took)
		}
	}},
	{"client leaves before the target has answered", func(t *testing.T) {
		addr, accepted := startSilentTarget(t)
		p := startProxy(t, "ws://"+addr)
		c := connect(t, p.addr)
		fmt.Fprint(c, upgradeRequest)
		silent := <-accepted
		c.Close()
		wantEnd(t, silent) // the proxy gives up its own handshake
		p.log.wait(t, `cause="client left"`)
	}},
	{"target not there", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		p := startProxy(t, "ws://"+ln.Addr().String())
		if resp := get(t, p.addr); resp.StatusCode != http.StatusBadGateway {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
		p.log.wait(t, `cause="target unreachable"`, "refused")
	}},
	{"target that never answers", func(t *testing.T) {
		addr, accepted := startSilentTarget(t)
		p := startProxy(t, "ws://"+addr, "-handshake", "200ms")
		if resp := get(t, p.addr); resp.StatusCode != http.StatusGatewayTimeout {
			t.Errorf("status %d, want 504", resp.StatusCode)
		}
		wantEnd(t, <-accepted)
		p.log.wait(t, `cause="target silent"`)
	}},
	{"target hangs up before its handshake ends", func(t *testing.T) {
		addr, accepted := startSilentTarget(t)
		p := startProxy(t, "ws://"+addr)
		go func() {
			c := <-accepted
			fmt.Fprint(c, "HTTP/1.1 101 Switching Pro")
			c.Close()
		}()
		if resp := get(t, p.addr); resp.StatusCode != http.StatusBadGateway {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
	}},
	{"target answers the handshake with a wrong key", func(t *testing.T) {
		addr, accepted := startSilentTarget(t)
		p := startProxy(t, "ws://"+addr)
		go func() {
			c := <-accepted
			fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n")
		}()
		if resp := get(t, p.addr); resp.StatusCode != http.StatusBadGateway {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
	}},
	{"client ends its stream without a close frame", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		c.write(c.frame(opText|fin, numbered(0)))
		closeWrite(t, c.Conn)
		wantCollected(t, got, 1, websocket.StatusGoingAway)
	}},
	{"client never answers the close frame", func(t *testing.T) {
		target := startTarget(t, nil, func(c *websocket.Conn) { _ = c.Close(4000, "bye") })
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		if first, payload, err := c.readFrame(); first != opClose|fin || payload != "\x0f\xa0bye" {
			t.Errorf("frame %#x %q (%v)", first, payload, err)
		}
		wantEnd(t, c) // and the client keeps its own end open
		p.log.wait(t, "ended_by=target", "code=4000")
	}},
	{"client that never reads slows the target, and is cut off after -stall", func(t *testing.T) {
		sent, closed := make(chan int, 1), make(chan websocket.CloseError, 1)
		target := startTarget(t, nil, func(c *websocket.Conn) {
			reading := make(chan struct{})
			go func() {
				defer close(reading)
				frame, _ := receiveClose(noContext, c)
				closed <- frame
			}()
			sent <- writeUntilFailing(c, func() {})
			<-reading
		})
		p := startProxy(t, target.url(""), "-stall", "1s")
		c := dialRaw(t, p.addr)
		if n := <-sent; n > 128<<20 { // far more than the buffers of the system take
			t.Errorf("the target wrote %d bytes to a client that reads none", n)
		}
		if frame := <-closed; frame.Code != websocket.StatusGoingAway {
			t.Errorf("the target saw the end %d %q", frame.Code, frame.Reason)
		}
		p.log.wait(t, "ended_by=client", "cause=stalled")
		wantEnd(t, c)
	}},
	{"client that never reads, target killed: the client ends within the grace time", func(t *testing.T) {
		url, targets := startRawTarget(t)
		p := startProxy(t, url)
		c := dialRaw(t, p.addr)
		fillUntilBlocked(t, <-targets).kill()
		p.log.wait(t, "ended_by=target", "cause=vanished")
		wantEnd(t, c)
	}},
	{"target that never reads, client killed: the target ends within the grace time", func(t *testing.T) {
		url, targets := startRawTarget(t)
		p := startProxy(t, url)
		r := fillUntilBlocked(t, dialRaw(t, p.addr))
		target := <-targets
		r.kill()
		p.log.wait(t, "ended_by=client", "cause=vanished")
		wantEnd(t, target)
	}},
	{"client that never reads is killed: the target ends within the grace time", func(t *testing.T) {
		blocked, ended := make(chan struct{}), make(chan struct{})
		target := startTarget(t, nil, func(c *websocket.Conn) {
			writeUntilFailing(c, func() { close(blocked) })
			close(ended)
		})
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		<-blocked
		c.kill()
		select {
		case <-ended:
		case <-time.After(withinGrace):
			t.Error("the target is kept")
		}
		p.log.wait(t, "ended_by=client", "cause=vanished")
	}},
	{"slow reader gets everything, and the close frame at the end", func(t *testing.T) {
		const burst, size = 30, 256 << 10
		message := func(i int) string {
			return fmt.Sprintf(`{"id":"msg_%d","payload":"%s"}`, i, strings.Repeat("x", size))
		}
		target := startTarget(t, nil, func(c *websocket.Conn) {
			for i := range burst {
				if err := c.Write(noContext, websocket.MessageText, []byte(message(i))); err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
			_ = c.Close(websocket.StatusNormalClosure, "all sent")
		})
		p := startProxy(t, target.url(""))
		c := dial(t, p.url("/"), nil)
		for i := range burst {
			time.Sleep(5 * time.Millisecond)
			if got := receive(t, c); got != message(i) {
				t.Fatalf("message %d: %.60q", i, got)
			}
		}
		wantClose(t, c, websocket.StatusNormalClosure)
	}},
	{"reader that stops for longer than the grace time, both sides there", func(t *testing.T) {
		const burst, size = 50, 256 << 10
		payload := strings.Repeat("x", size)
		target := startTarget(t, nil, func(c *websocket.Conn) {
			for range burst {
				if err := c.Write(noContext, websocket.MessageText, []byte(`{"payload":"`+payload+`"}`)); err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
			_, _ = receiveClose(noContext, c)
		})
		p := startProxy(t, target.url(""))
		c := dial(t, p.url("/"), nil)
		time.Sleep(3 * testGrace)
		for range burst {
			receive(t, c)
		}
		if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
			t.Errorf("close: %v", err)
		}
	}},
	{"client that pings while it does not read: its messages pass, it gets every message, and its last ping is answered", func(t *testing.T) {
		const burst, size = 100, 128 << 10
		message := func(i int) string {
			return fmt.Sprintf(`{"id":"msg_%d","payload":"%s"}`, i, strings.Repeat("x", size))
		}
		arrived := make(chan string, 1)
		target := startTarget(t, nil, func(c *websocket.Conn) {
			reading := make(chan struct{})
			go func() {
				defer close(reading)
				_, data, _ := c.Read(noContext)
				arrived <- string(data)
				_, _ = receiveClose(noContext, c)
			}()
			for i := range burst {
				if err := c.Write(noContext, websocket.MessageText, []byte(message(i))); err != nil {
					t.Errorf("write: %v", err)
					break
				}
			}
			<-reading
		})
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		if err := c.SetDeadline(time.Now().Add(2 * patient)); err != nil {
			t.Fatal(err)
		}
		pings := time.NewTicker(5 * time.Millisecond)
		for range 200 { // before, between and behind messages that nobody reads
			<-pings.C
			c.write(c.frame(opPing|fin, "first"))
		}
		pings.Stop()
		c.write(c.frame(opText|fin, numbered(0)))
		select {
		case got := <-arrived:
			if got != numbered(0) {
				t.Errorf("the target got %q", got)
			}
		case <-time.After(patient / 2):
			t.Error("the client's message waits for its pongs")
		}
		time.Sleep(5200 * time.Millisecond) // five seconds is what the library would give a pong
		c.write(c.frame(opPing|fin, "last"))
		for i, pong := 0, ""; i < burst || pong != "last"; {
			first, payload, err := c.readFrame()
			switch {
			case err != nil:
				t.Fatalf("after message %d: %v", i, err)
			case first == fin|opcodePong:
				pong = payload
			case first != opText|fin || payload != message(i):
				t.Fatalf("message %d: frame %#x %.80q", i, first, payload)
			default:
				i++
			}
		}
		c.write(c.frame(opClose|fin, ""))
	}},
	{"client breaks the WebSocket protocol", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		c.write(c.frame(0x3|fin, "no such opcode"))
		wantFrame(t, c, opClose|fin, "\x03\xea")
		wantCollected(t, got, 0, websocket.StatusProtocolError)
		p.log.wait(t, "ended_by=client", "cause=protocol")
	}},
	{"client sends a close code that may not be sent", func(t *testing.T) {
		target, got := startCollecting(t)
		p := startProxy(t, target.url(""))
		c := dialRaw(t, p.addr)
		c.write(c.frame(opClose|fin, "\x03\xee")) // 1006
		wantFrame(t, c, opClose|fin, "\x03\xea")
		wantCollected(t, got, 0, websocket.StatusProtocolError)
	}},
}

// TestFaults runs every fault at the same time, each with a proxy of its own, and looks for goroutines after all.
func TestFaults(t *testing.T) {
	noGoroutineLeft(t)
	t.Run("all", func(t *testing.T) {
		for _, fault := range faults {
			t.Run(fault.name, func(t *testing.T) {
				t.Parallel()
				fault.test(t)
			})
		}
	})
}
