package main

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// killedInMessage sends one message and most of another, then ends the client in the given way.
func killedInMessage(t *testing.T, end func(*rawPeer)) {
	t.Helper()
	target, got := startCollecting(t)
	p := startProxy(t, target.url(""))
	c := dialRaw(t, p.addr)
	c.write(c.frame(opText|fin, numbered(0)))
	whole := c.frame(opText|fin, numbered(1))
	c.write(whole[:len(whole)-10])
	waitForwarded(p, toTarget, 1) // a reset could overtake it
	end(c)
	wantCollected(t, got, 1, websocket.StatusGoingAway)
	p.log.wait(t, "ended_by=client", "cause=vanished")
}

// What a collecting target saw: how many messages in the order of numbered, and how it ended.
type collected struct {
	messages int
	wrong    string // the first message out of order
	frame    websocket.CloseError
	err      error
}

func startCollecting(t *testing.T) (*testTarget, chan collected) {
	t.Helper()
	got := make(chan collected, 1)
	return startTarget(t, nil, func(c *websocket.Conn) {
		var all collected
		for {
			_, data, err := c.Read(noContext)
			if err != nil {
				if !errors.As(err, &all.frame) {
					all.err = err
				}
				got <- all
				return
			}
			if string(data) != numbered(all.messages) && all.wrong == "" {
				all.wrong = string(data)
			}
			all.messages++
		}
	}), got
}

// wantCollected checks what a target saw; any number of messages will do if the one wanted is below 0.
func wantCollected(t *testing.T, got chan collected, messages int, code websocket.StatusCode) {
	t.Helper()
	select {
	case all := <-got:
		if all.wrong != "" {
			t.Errorf("out of order: %.100q", all.wrong)
		}
		if messages >= 0 && all.messages != messages {
			t.Errorf("the target got %d messages, want %d", all.messages, messages)
		}
		if all.err != nil || all.frame.Code != code {
			t.Errorf("the target saw the end %d %q (%v), want %d", all.frame.Code, all.frame.Reason, all.err, code)
		}
	case <-time.After(patient):
		t.Fatal("the target is kept")
	}
}

func wantFrame(t *testing.T, c *rawPeer, first byte, start string) {
	t.Helper()
	if got, payload, err := c.readFrame(); got != first || !strings.HasPrefix(payload, start) {
		t.Errorf("frame %#x %q (%v), want %#x %q...", got, payload, err, first, start)
	}
}

// wantEnd waits for the end of the stream.
func wantEnd(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(withinGrace)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Error("the connection is kept")
		}
	}
}

func closeWrite(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

const upgradeRequest = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// startSilentTarget accepts TCP connections, reads the handshake and says nothing.
func startSilentTarget(t *testing.T) (addr string, accepted chan net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted = make(chan net.Conn, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			accepted <- c
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return ln.Addr().String(), accepted
}

// waitForwarded waits until the proxy has passed on that many messages.
func waitForwarded(p *testProxy, direction string, messages float64) {
	for end := time.Now().Add(patient); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if testutil.ToFloat64(p.metrics.messages.WithLabelValues(direction, "job.event")) >= messages {
			return
		}
	}
}

// fillUntilBlocked writes messages until one takes half a second.
func fillUntilBlocked(t *testing.T, p *rawPeer) *rawPeer {
	t.Helper()
	message := p.frame(opText|fin, `{"payload":"`+strings.Repeat("x", 64<<10)+`"}`)
	for range 4096 {
		if err := p.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(message); err != nil {
			return p
		}
	}
	t.Fatal("256 MiB written to a side that reads none")
	return nil
}

// writeUntilFailing writes messages until a write fails, and calls blocked the first time that one takes half a second.
func writeUntilFailing(c *websocket.Conn, blocked func()) (written int) {
	message := []byte(`{"payload":"` + strings.Repeat("x", 64<<10) + `"}`)
	timer := time.AfterFunc(500*time.Millisecond, sync.OnceFunc(blocked)) // a busy machine may be that slow, too
	defer timer.Stop()
	for c.Write(noContext, websocket.MessageText, message) == nil {
		timer.Reset(500 * time.Millisecond)
		written += len(message)
	}
	return written
}
