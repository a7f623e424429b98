package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// A side is one of the two WebSockets of a session.
type side struct {
	name  string // "client" or "target"
	ws    *websocket.Conn
	wire  *wire
	ended *atomic.Bool // the peer's byte stream ended, perhaps in the middle of a message
	pongs *pongs
}

// pong answers a ping in the library's stead.
func (d *side) pong(_ context.Context, payload []byte) bool {
	d.pongs.answer(payload)
	return false
}

// A cause says in fixed words, fit for a log and a metric, why a session ended.
type cause string

const (
	causeClosed   cause = "closed"       // the side sent a close frame
	causeVanished cause = "vanished"     // its connection ended without one
	causeRefused  cause = "refused"      // its message broke the proxy's policy
	causeBinary   cause = "binary"       // it sent a binary message
	causeTooLarge cause = "too large"    // its message is over -max-bytes
	causeProtocol cause = "protocol"     // it broke the WebSocket protocol
	causeStalled  cause = "stalled"      // it took nothing for the time of -stall
	causeStopping cause = "stopping"     // the proxy shuts down
	causeUnsent   cause = "write failed" // the other side could not be written to; how that side ended is not known yet
)

// An ending is the first thing that ends a session and what the two sides are told.
type ending struct {
	by     string // name of the side, or "proxy"
	cause  cause
	code   websocket.StatusCode
	reason string // for the side named by, or for both when other is empty
	other  string // for the other side
	answer []byte // a message for the side named by, before its close frame; nil for none
}

// A session joins two sides until one of them, or the proxy, ends it.
type session struct {
	proxy          *proxy
	log            *slog.Logger
	client, target *side
	toTarget       *pump
	toClient       *pump
}

func newSession(p *proxy, log *slog.Logger, client, target *side) *session {
	s := &session{proxy: p, log: log, client: client, target: target}
	s.toTarget = &pump{session: s, direction: toTarget, src: client, dst: target}
	s.toClient = &pump{session: s, direction: toClient, src: target, dst: client}
	return s
}

// run passes messages both ways and returns what ended the session, once both connections are closed and no goroutine
// of the session is left. From the end of the first side that takes the grace time at most.
func (s *session) run() ending {
	endings := make(chan ending, 2)
	go func() { endings <- s.toTarget.run() }()
	go func() { endings <- s.toClient.run() }()
	running := 2

	var last ending
	stopping := false
wait:
	for {
		select {
		case last = <-endings:
			running--
			// After a failed write the pump that reads from the failed side knows best: it first delivers what that
			// side had sent, then meets its close frame or the end of its stream.
			if last.cause != causeUnsent || running == 0 {
				break wait
			}
		case <-s.proxy.stopping.Done():
			stopping = true
			break wait
		}
	}
	if last.cause == causeUnsent {
		last = vanished(last.by)
	}
	for _, w := range []*wire{s.client.wire, s.target.wire} {
		if w.stalled.Load() {
			w.abort() // it has had its time
		}
	}
	deadline := time.Now().Add(s.proxy.cfg.grace)
	defer time.AfterFunc(time.Until(deadline), func() {
		s.client.wire.abort()
		s.target.wire.abort()
	}).Stop()
	if stopping {
		s.toTarget.stop()
		s.toClient.stop()
		last = ending{by: "proxy", cause: causeStopping, code: websocket.StatusGoingAway, reason: "the proxy is shutting down"}
	}

	var both sync.WaitGroup
	both.Go(func() { s.client.close(last) })
	both.Go(func() { s.target.close(last) })
	for ; running > 0; running-- {
		<-endings
	}
	both.Wait()
	both.Go(func() { s.client.wire.finish(deadline) })
	both.Go(func() { s.target.wire.finish(deadline) })
	both.Wait()
	return last
}

// close tells the side about e and performs the closing handshake. On a side that is closed already it does nothing.
func (d *side) close(e ending) {
	reason := e.reason
	if e.by != d.name && e.other != "" {
		reason = e.other
	}
	if e.by == d.name && e.answer != nil {
		if d.ws.Write(context.Background(), websocket.MessageText, e.answer) != nil {
			return // gone, or cut off at the deadline
		}
	}
	_ = d.ws.Close(e.code, closeReason(reason)) // the wire ends the connection whatever happened here
}

func vanished(by string) ending {
	return ending{
		by: by, cause: causeVanished, code: websocket.StatusGoingAway,
		reason: "the " + by + " ended the connection without a close frame",
	}
}

// closeReason is reason as a close frame may carry it: UTF-8, and 123 bytes at most (RFC 6455 section 5.5).
func closeReason(reason string) string {
	reason = strings.ToValidUTF8(reason, "\uFFFD")
	const most = 123
	if len(reason) <= most {
		return reason
	}
	end := most
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
