package event

import (
	"context"
	"strconv"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/scan"
)

// Mux hands events to handlers by their kind, and ignores kinds that have none, as the protocol asks of a receiver. Its zero value
// has no handler. Register all handlers by [On] first; then many goroutines may call [Mux.Handle] at once.
type Mux struct {
	// Ignored, if not nil, is called for every event of a kind that has no handler, for instance to count them. It must not be
	// changed while Handle is in use, and must be safe for concurrent use if Handle is called so.
	Ignored func(context.Context, Event)

	handlers map[string]func(context.Context, Event) error
}

// NewMux makes a Mux without a handler.
func NewMux() *Mux { return new(Mux) }

// On registers the handler for a kind. T is what the body is read into: a typed body of this package, as in
//
//	event.On(mux, event.KindProgress, func(ctx context.Context, ev event.Event, p event.Progress) error { ... })
//
// or a [json.RawMessage] for the body as it is, nil when absent, or any other type for encoding/json. Typed bodies are not
// validated before the call.
//
// On panics, as is usual for registration when a program starts, if the kind is empty or has a handler already, or the handler
// is nil.
func On[T any](m *Mux, kind string, handle func(context.Context, Event, T) error) {
	switch {
	case kind == "":
		panic("event: On with an empty kind")
	case handle == nil:
		panic("event: On with a nil handler for " + strconv.Quote(kind))
	case m.handlers[kind] != nil:
		panic("event: two handlers for " + strconv.Quote(kind))
	}
	if m.handlers == nil {
		m.handlers = make(map[string]func(context.Context, Event) error)
	}
	m.handlers[kind] = func(ctx context.Context, e Event) error {
		var body T
		if err := readBody(kind, e.Body, &body); err != nil {
			return err
		}
		if err := handle(ctx, e, body); err != nil {
			return &HandlerError{Kind: kind, Err: err}
		}
		return nil
	}
}

// Handle calls the handler for the event in a message. Messages of another type than job.event are ignored, and so are events
// whose kind has no handler, after a call of m.Ignored.
//
// An error of the handler comes back in a [*HandlerError]. An [*Error] tells that the payload is no event, or that the body is not
// what the handler takes; the handler has then not been called.
func (m *Mux) Handle(ctx context.Context, env *envelope.Envelope) error {
	if env != nil && env.Type != MessageType {
		return nil
	}
	e, err := FromEnvelope(env)
	if err != nil {
		return err
	}
	if handle := m.handlers[e.Kind]; handle != nil {
		return handle(ctx, e)
	}
	if m.Ignored != nil {
		m.Ignored(ctx, e)
	}
	return nil
}

// HandlerError is an error that the handler for a kind has given.
type HandlerError struct {
	Kind string // that the handler is registered for
	Err  error
}

// Error tells the kind and the handler's error.
func (e *HandlerError) Error() string {
	return "arcp: event of kind " + strconv.QuoteToASCII(scan.Clip(e.Kind)) + ": " + e.Err.Error()
}

// Unwrap gives the handler's error.
func (e *HandlerError) Unwrap() error { return e.Err }
