package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"
	"go.opentelemetry.io/otel/trace"
)

// The directions, as metrics and logs name them.
const (
	toTarget = "to_target"
	toClient = "to_client"
)

// keptBuffer is the largest read buffer that a pump keeps for the next message.
const keptBuffer = 64 << 10

// A pump passes the messages of one direction, one after the other. It reads the next message when the last one is
// written, so that a slow reader slows its writer down through TCP's own flow control and nothing queues here.
type pump struct {
	session   *session
	direction string
	src, dst  *side
	in        []byte    // the message read
	out       [2][]byte // room for copies of it with changes

	mu              sync.Mutex // held from the end of reading a message to the end of writing it
	stopped         bool
	messages, bytes uint64 // forwarded; read by others once run has returned
}

// run passes messages until one side ends, and says how.
func (p *pump) run() ending {
	for {
		typ, data, err := p.read()
		if err != nil {
			return p.readEnding(err)
		}
		if e, ended := p.pass(typ, data, time.Now()); ended {
			return e
		}
		if cap(p.in) > keptBuffer {
			p.in, p.out = nil, [2][]byte{}
		}
	}
}

// stop waits for the message in hand and lets no other through.
func (p *pump) stop() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
}

// pass checks one message and writes it to the other side, byte for byte unless the policy changes it.
func (p *pump) pass(typ websocket.MessageType, data []byte, start time.Time) (_ ending, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return ending{by: "proxy", cause: causeStopping}, true
	}
	px := p.session.proxy
	if typ != websocket.MessageText {
		px.metrics.refuse(p.direction, reasonBinary)
		return ending{
			by: p.src.name, cause: causeBinary, code: websocket.StatusUnsupportedData,
			reason: "ARCP messages are text",
			other:  "the " + p.src.name + " sent a binary message",
		}, true
	}
	header, out, refusal := px.policy.apply(&p.out, data)
	if refusal == nil && px.tracer != nil {
		var span trace.Span
		span, out = px.tracer.start(p.direction, header, out, px.policy.options)
		defer span.End()
	}
	if refusal != nil {
		px.metrics.refuse(p.direction, refusal.reason)
		logMessage(p.session.log, p.direction, header, len(data), "refused", refusal)
		return ending{
			by: p.src.name, cause: causeRefused, code: websocket.StatusPolicyViolation,
			reason: refusal.text,
			other:  "the " + p.src.name + " sent a message that this proxy refuses",
			answer: refusal.answer(header),
		}, true
	}
	if err := p.dst.ws.Write(context.Background(), websocket.MessageText, out); err != nil {
		if p.dst.wire.stalled.Load() {
			if state, ok := stateOf(p.src.wire.Conn); ok && state.left {
				return vanished(p.src.name), true
			}
			return ending{
				by: p.dst.name, cause: causeStalled, code: websocket.StatusGoingAway,
				reason: "the " + p.dst.name + " takes no messages",
			}, true
		}
		return ending{by: p.dst.name, cause: causeUnsent}, true
	}
	p.messages++
	p.bytes += uint64(len(out))
	px.metrics.forward(p.direction, header.Type, len(out), time.Since(start))
	logMessage(p.session.log, p.direction, header, len(data), "forwarded", nil)
	return ending{}, false
}

// read returns the next message. The bytes stay valid until the next call.
func (p *pump) read() (websocket.MessageType, []byte, error) {
	typ, r, err := p.src.ws.Reader(context.Background())
	if err != nil {
		return 0, nil, err
	}
	p.in, err = p.fill(p.in[:0], r)
	return typ, p.in, err
}

// fill appends the rest of one message to buf.
func (p *pump) fill(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, max(4<<10, cap(buf)))...)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == nil:
		case err != io.EOF:
			return buf, err
		// The library reports a stream that ends where a frame could have ended like the end of the message.
		case p.src.ended.Load():
			return buf, io.ErrUnexpectedEOF
		default:
			return buf, nil
		}
	}
}

// readEnding says how the source ended, from the error of reading it.
func (p *pump) readEnding(err error) ending {
	by := p.src.name
	if frame, ok := errors.AsType[websocket.CloseError](err); ok {
		return ending{by: by, cause: causeClosed, code: frame.Code, reason: frame.Reason}
	}
	_, network := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		p.session.proxy.metrics.refuse(p.direction, reasonTooLarge)
		return ending{
			by: by, cause: causeTooLarge, code: websocket.StatusMessageTooBig,
			reason: "the message is larger than this proxy passes",
			other:  "the " + by + " sent a message larger than this proxy passes",
		}
	case network, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return vanished(by)
	default:
		return ending{
			by: by, cause: causeProtocol, code: websocket.StatusProtocolError,
			reason: "the " + by + " broke the WebSocket protocol",
		}
	}
}
